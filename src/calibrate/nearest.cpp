#include "calibrate/nearest.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "calibrate/calibrate.hpp"

namespace ridge {

namespace {

double apart(double a, double b) { return std::abs(std::log2(std::max(a, 1.0) / std::max(b, 1.0))); }

}  // namespace

double distance_between(const RunTraits& one, const RunTraits& other) {
  return (one.model == other.model ? 0 : 20) + (one.chip == other.chip ? 0 : 15) +
         (one.engine == other.engine ? 0 : 5) + apart(one.concurrency, other.concurrency) + apart(one.isl, other.isl) +
         apart(one.osl, other.osl) + apart(one.chips, other.chips) + apart(one.expert, other.expert);
}

std::optional<NearestRun> nearest_run(const ServingAnswer& answer, const Evidence& evidence, const Library& library) {
  const std::string& model = answer.ground().model->name;
  const Machine* machine = answer.ground().machine;
  const RunTraits asked{model,
                        machine->chip,
                        answer.question.engine,
                        answer.load.concurrency,
                        answer.question.isl,
                        answer.question.osl,
                        answer.layout().chips() / answer.layout().replicas,
                        answer.layout().expert};
  NearestRun best;
  std::optional<RunCase> nearest;
  const char* mode = answer.question.disaggregated ? "disaggregated" : "aggregated";
  double least = 1e300, most_length = 0, most_concurrency = 0;
  bool model_seen = false, engine_seen = false;
  for (const ServingRow& row : evidence.serving) {
    if (!row.wrong.empty() || row.tpot <= 0 || row.mode != mode || row.speculative) continue;
    const Machine* other = find_named(library.machines, row.machine);
    if (other == nullptr) continue;
    const bool same_model = row.model == model, same_chip = other->chip == machine->chip;
    const bool same_engine = engine_of(row) == answer.question.engine;
    model_seen = model_seen || (same_model && same_chip);
    engine_seen = engine_seen || (same_engine && same_chip);
    most_length = std::max(most_length, row.isl + row.osl);
    most_concurrency = std::max(most_concurrency, row.concurrency);
    const double distance = distance_between(
        asked, {row.model, other->chip, engine_of(row), row.concurrency, row.isl, row.osl, row.chips, row.expert});
    if (distance >= least) continue;
    std::string why;
    auto one = serving_case(row, library, why);
    if (!one) continue;
    least = distance;
    best.row = &row;
    nearest = std::move(one);
  }
  if (!nearest) return {};
  best.predicted = predict_tpot(*nearest, serving_set(library));
  if (!model_seen) best.outside.push_back("this model on this chip");
  if (!engine_seen) best.outside.push_back("this engine on this chip");
  if (answer.layout().pipeline > 1) best.outside.push_back("pipeline stages");
  if (answer.layout().context > 1) best.outside.push_back("context parallelism");
  if (answer.question.speculative_tokens > 0) best.outside.push_back("speculative decoding");
  if (answer.question.cached > 0) best.outside.push_back("a prefix cache");
  if (answer.question.isl + answer.question.osl > most_length) {
    best.outside.push_back(fmt::format("more than {:g} tokens", most_length));
  }
  if (answer.load.concurrency > most_concurrency) {
    best.outside.push_back(fmt::format("a concurrency above {:g}", most_concurrency));
  }
  return best;
}

}  // namespace ridge
