#include "calibrate/evidence/nearest.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "calibrate/fit/calibrate.hpp"

namespace ridge {

namespace {

/// The format that most weights are in: of the experts where there are any.
std::string format_asked(const ServingAnswer& answer) {
  const Scenario& scenario = answer.question.scenario;
  const Model& model = *answer.ground().model;
  const auto& released = model.precision.value;
  const std::string weights = scenario.weights.value_or(released.weights);
  return routed_share(model) < 1 ? scenario.experts.value_or(scenario.weights ? weights : released.experts) : weights;
}

/// Smaller is nearer, the first difference decides.
using RunDistance = std::tuple<bool, bool, bool, bool, bool, bool, double>;

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
  const std::string mode = answer.question.disaggregated ? "disaggregated" : "aggregated";
  const std::string format = format_asked(answer);
  std::optional<RunDistance> least;
  std::map<std::string, bool> alike;  // by the name of a model
  double most_length = 0, most_concurrency = 0;
  bool model_seen = false, engine_seen = false;
  for (const ServingRow& row : evidence.serving) {
    if (!row.wrong.empty() || row.tpot <= 0 || row.speculative) continue;
    if (row.mode != "aggregated" && row.mode != "disaggregated") continue;
    const Machine* other = find_named(library.machines, row.machine);
    if (other == nullptr) continue;
    const auto [known, is_new] = alike.try_emplace(row.model, row.model == model);
    if (const Model* its = is_new ? find_named(library.models, row.model) : nullptr)
      known->second = known->second || same_shape(*its, *answer.ground().model);
    const RunMatch same{.model = known->second,
                        .precision = format.starts_with(row.format),
                        .machine = other->chip == machine->chip,
                        .engine = engine_of(row) == answer.question.engine,
                        .mode = row.mode == mode};
    model_seen = model_seen || (same.model && same.machine && same.mode);
    engine_seen = engine_seen || (same.engine && same.machine && same.mode);
    if (same.mode) {
      most_length = std::max(most_length, row.isl + row.osl);
      most_concurrency = std::max(most_concurrency, row.concurrency);
    }
    RunTraits load = asked;  // names apart: those are told from each other first
    load.concurrency = row.concurrency;
    load.isl = row.isl;
    load.osl = row.osl;
    load.chips = row.chips;
    load.expert = row.expert;
    const RunDistance distance{!same.model,
                               !same.precision,
                               !same.machine,
                               !same.engine,
                               !same.mode,
                               row.model != model,
                               distance_between(asked, load)};
    if (least && distance >= *least) continue;
    std::string why;
    auto one = serving_case(row, library, why);
    if (!one) continue;
    least = distance;
    best.row = &row;
    best.same = same;
    nearest = std::move(one);
  }
  if (!nearest) return {};
  best.predicted = predict_tpot(*nearest, serving_set(library));
  const char* apart_of = answer.question.disaggregated ? " disaggregated" : "";
  if (!model_seen) best.outside.push_back(fmt::format("this model{} on this chip", apart_of));
  if (!engine_seen) best.outside.push_back(fmt::format("this engine{} on this chip", apart_of));
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
