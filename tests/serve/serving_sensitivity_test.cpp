// Slopes of a serving answer, against differences and against Euler's theorem.

#include "serve/serving_sensitivity.hpp"

#include <cmath>

#include <doctest/doctest.h>

#include "catalog_library.hpp"
#include "library/calibrations.hpp"
#include "serve/step_formats.hpp"

namespace serving_sensitivity_test {

using namespace ridge;

namespace {

struct Served {
  StepOperations plan;
  ChipRates<double> rates;
  EngineCalibration<double> engine;
  ServingLoad<double> load;
};

Served served(const char* model_name, const char* machine_name, const Layout& layout) {
  const Library& library = testing::library();
  const Model& model = *find_named(library.models, model_name);
  const Machine& machine = *find_named(library.machines, machine_name);
  const Chip& chip = *find_named(library.chips, machine.chip);
  const StepFormats formats = step_formats(model, library, chip, {{}, {}, "fp8"}).value();
  Served out{step_operations(model, layout, formats, fabric_of(machine)),
             {peaks_of(chip, &machine), chip_in_step(library, chip).value, kernels_in_step(library)},
             engine_calibration(library, "vllm").value,
             {}};
  out.load.concurrency = 40;
  out.load.prompt = Tokens<double>(900);
  out.load.answer = Tokens<double>(700);
  out.load.cached = 0.1;
  out.load.capacity = 1e6;
  out.load.acceptance_rate = 0.8;
  return out;
}

double tpot(const Served& s) { return serving_times(s.plan, s.rates, s.engine, s.load).tpot.value(); }

double slope(const std::vector<ServingElasticity>& all, std::string_view input) {
  for (const ServingElasticity& one : all) {
    if (one.input == input) return one.tpot;
  }
  FAIL("no such input");
  return 0;
}

/// d ln tpot / d ln x by central differences.
template <class Move>
double difference(const Served& s, Move move) {
  constexpr double kStep = 1e-5;
  Served up = s, down = s;
  move(up, 1 + kStep);
  move(down, 1 - kStep);
  return (std::log(tpot(up)) - std::log(tpot(down))) / (2 * kStep);
}

Layout tensor(double degree) {
  Layout layout;
  layout.tensor = degree;
  return layout;
}

Layout wide(double degree) {
  Layout layout;
  layout.attention_data = layout.expert = degree;
  return layout;
}

}  // namespace

TEST_CASE("slopes of a time per token are what differences say") {
  for (const Served& s : {served("llama-3.1-70b", "hgx-h100", tensor(4)), served("deepseek-v3", "hgx-b200", wide(8))}) {
    const auto all = serving_sensitivity(s.plan, s.plan, s.rates, s.engine, s.load);
    const auto near = [](double value) { return doctest::Approx(value).epsilon(1e-5).scale(1); };
    CHECK(slope(all, "hbm.bandwidth") ==
          near(difference(s, [](Served& m, double f) { m.rates.peak.memory = m.rates.peak.memory * f; })));
    CHECK(slope(all, "scale_up") ==
          near(difference(s, [](Served& m, double f) { m.rates.peak.scale_up = m.rates.peak.scale_up * f; })));
    CHECK(slope(all, "isl") == near(difference(s, [](Served& m, double f) { m.load.prompt = m.load.prompt * f; })));
    CHECK(slope(all, "osl") == near(difference(s, [](Served& m, double f) { m.load.answer = m.load.answer * f; })));
    CHECK(slope(all, "concurrency") ==
          near(difference(s, [](Served& m, double f) { m.load.concurrency = m.load.concurrency * f; })));
    CHECK(slope(all, "engine.layer_time") ==
          near(difference(s, [](Served& m, double f) { m.engine.layer_time = m.engine.layer_time * f; })));
    CHECK(slope(all, "kernel.expert_spread") == near(difference(s, [](Served& m, double f) {
            m.rates.kernel.expert_spread = m.rates.kernel.expert_spread * f;
          })));
  }
}

TEST_CASE("a world with all times doubled and all rates halved is twice as slow") {
  // Euler: the slopes of all times less those of all rates add up to one
  for (const Served& s : {served("llama-3.1-70b", "hgx-h100", tensor(4)), served("gpt-oss-120b", "hgx-b200", tensor(2)),
                          served("deepseek-v3", "hgx-b200", wide(8))}) {
    double sum = 0;
    for (const ServingElasticity& one : serving_sensitivity(s.plan, s.plan, s.rates, s.engine, s.load)) {
      const std::string_view name = one.input;
      const bool rate = name.starts_with("matmul") || name == "hbm.bandwidth" || name.starts_with("scale_") ||
                        name == "chip.softmax_rate";
      const bool time =
          name.ends_with("_time") || name.find("depth_") != std::string_view::npos || name == "kernel.reduce_per_chip";
      sum += time ? one.tpot : rate ? -one.tpot : 0;
    }
    CHECK(sum == doctest::Approx(1).epsilon(1e-9));
  }
}

}  // namespace serving_sensitivity_test
