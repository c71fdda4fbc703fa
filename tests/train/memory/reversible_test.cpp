// Are reversible layers what was measured on an H200: memory flat in depth, time towards four thirds of plain?

#include <map>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "catalog/entries/recipes.hpp"
#include "catalog/evidence/evidence_file.hpp"
#include "catalog_library.hpp"
#include "train/step/model_shape.hpp"
#include "train/step/training_estimate.hpp"

namespace reversible_test {

using namespace ridge;
using doctest::Approx;

struct Measured {
  std::string framework, policy;
  double layers = 0, hidden = 0, seconds = 0, kept = 0, state = 0, peak = 0;
  double predicted = 0, predicted_peak = 0;
  std::map<std::string, std::string> said;
};

const std::vector<Measured>& measured() {
  static const std::vector<Measured> rows = [] {
    std::vector<Measured> out;
    const auto recipes = catalog::recipes(catalog::embedded_facts()).value();
    for (const catalog::NamedText& file : catalog::embedded_evidence()) {
      if (file.name != "reversible.csv") continue;
      const std::vector<std::string> lines = split(file.text, '\n');
      const std::vector<std::string> header = split(lines.front(), ',');
      for (std::size_t i = 1; i < lines.size(); ++i) {
        const std::vector<std::string> values = split(lines[i], ',');
        if (values.size() != header.size()) continue;
        Measured row;
        for (std::size_t j = 0; j < header.size(); ++j) row.said[header[j]] = values[j];
        const auto number = [&](const char* name) { return parse_number(row.said[name]).value_or(0); };
        row.framework = row.said["framework"];
        row.policy = row.said["policy"];
        row.layers = number("layers");
        row.hidden = number("hidden");
        row.seconds = number("forward_s") + number("backward_s");
        row.kept = number("kept_bytes");
        row.state = number("state_bytes");
        row.peak = number("peak_bytes");
        if (row.policy != "streams" && row.policy != "reversible-fp32") {
          static std::vector<Model> models(200);
          Model& model = models[i];
          model = model_of_shape(
                      fmt::format("layers={} hidden={} heads={} kv={} head_dim={} ffn={} gated vocab={}",
                                  row.said["layers"], row.said["hidden"], row.said["heads"], row.said["kv_heads"],
                                  row.said["head_dim"], row.said["ffn"], row.said["vocabulary"]),
                      "shape")
                      .value();
          TrainingQuestion question;
          question.machine = "hgx-h200";
          question.chips = 1;
          question.sequence = number("sequence");
          question.global_batch = question.sequence * number("batch");
          question.recipe = "bf16-master";
          question.framework = row.framework;
          const auto ground = training_ground(question, model, testing::library(), recipes).value();
          TrainingLayout layout;
          layout.micro_batch = number("batch");
          layout.sharding = Sharding::none;
          layout.sequence_parallel = false;
          layout.recompute = *parse_recompute(row.policy == "mlp" ? "mlp+mlp_layernorm" : row.policy, "recompute");
          const TrainingEstimate e = training_estimate(ground, layout);
          row.predicted = e.times.stages[0].total().value();
          row.predicted_peak = e.memory.worst().peak().value();
        }
        out.push_back(std::move(row));
      }
    }
    return out;
  }();
  return rows;
}

const Measured& find(const std::string& framework, double hidden, double layers, const std::string& policy) {
  for (const Measured& row : measured()) {
    if (row.framework == framework && row.hidden == hidden && row.layers == layers && row.policy == policy) return row;
  }
  FAIL("no such row");
  return measured().front();
}

TEST_CASE("measured: what reversible layers keep does not grow with depth, and a step takes four thirds") {
  for (const char* framework : {"torch-eager", "torch-compiled"}) {
    CAPTURE(framework);
    CHECK(find(framework, 2048, 64, "reversible").kept == find(framework, 2048, 4, "reversible").kept);
    CHECK(find(framework, 4096, 24, "reversible").kept == find(framework, 4096, 4, "reversible").kept);
    // sixteen times as deep keeps twelve times as much where all is kept (the logits do not grow)
    CHECK(find(framework, 2048, 64, "none").kept > 11 * find(framework, 2048, 4, "none").kept);
    for (const auto& [hidden, layers] : {std::pair{2048.0, 64.0}, std::pair{4096.0, 24.0}}) {
      const double plain = find(framework, hidden, layers, "streams").seconds;
      CHECK(find(framework, hidden, layers, "reversible").seconds / plain == Approx(4.0 / 3).epsilon(0.015));
    }
  }
}

// Selective recomputation under torch.compile is left out of the limits, and printed: a checkpoint there breaks what the compiler had fused, and
// it takes 8 to 9 % longer over plain than our equations say; plain compiled steps keep up to 10 % more at their peak.
TEST_CASE("our equations give those rows: time over plain and peak within 5 % where a whole layer is computed again") {
  double worst_time = 0, worst_peak = 0, sum_time = 0, sum_peak = 0, count = 0;
  for (const Measured& row : measured()) {
    if (row.predicted == 0 || row.layers < 8) continue;
    const Measured& plain = find(row.framework, row.hidden, row.layers, "none");
    const double ratio = (row.predicted / plain.predicted) / (row.seconds / plain.seconds) - 1;
    const double peak = row.predicted_peak / row.peak - 1;
    MESSAGE(fmt::format("{} {} x {} {}: step {:+.1f}%, over plain {:+.1f}%, peak {:+.1f}%", row.framework, row.layers,
                        row.hidden, row.policy, 100 * (row.predicted / row.seconds - 1), 100 * ratio, 100 * peak));
    if (row.policy == "full" || row.policy == "reversible") {
      worst_time = std::max(worst_time, std::abs(ratio));
      worst_peak = std::max(worst_peak, std::abs(peak));
    }
    sum_time += std::abs(row.predicted / row.seconds - 1);
    sum_peak += std::abs(peak);
    ++count;
  }
  REQUIRE(count > 0);
  MESSAGE(fmt::format("mean error: step {:.1f}%, peak {:.1f}%", 100 * sum_time / count, 100 * sum_peak / count));
  CHECK(worst_time < 0.05);
  CHECK(worst_peak < 0.05);
  CHECK(sum_time / count < 0.05);
  CHECK(sum_peak / count < 0.05);
}

}  // namespace reversible_test
