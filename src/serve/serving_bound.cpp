#include "serve/serving_bound.hpp"

#include <algorithm>

#include "base/number/nearest_factor.hpp"
#include "model/model.hpp"
#include "serve/question/serving_inputs.hpp"

namespace ridge {

namespace {

/// FLOP of a token of a prompt with the weights: it needs no logits, so all but the LM head.
double prompt_flops(const Model& model) {
  double head = 0;
  visit_weights(model, [&](const Weight& weight, double times) {
    const bool tied = weight.part == Part::embedding && weight.use != Use::table;
    if (tied || weight.part == Part::head) head += weight.active() * times;
  });
  return weight_flops(model) - 2 * head;
}

}  // namespace

std::string_view name_of(StepResource resource) {
  switch (resource) {
    case StepResource::compute:
      return "compute";
    case StepResource::network:
      return "network";
    case StepResource::memory:
      break;
  }
  return "memory";
}

StepResource binding_resource(const StepTimes<double>& step) {
  if (step.network > step.memory && step.network > step.compute) return StepResource::network;
  return step.compute >= step.memory ? StepResource::compute : StepResource::memory;
}

double prefill_chip_seconds(const ServingGround& ground, double isl, double cached) {
  const double peak = ground.numbers.peak.matrix[static_cast<std::size_t>(ground.weights_precision)].value();
  return peak > 0 ? isl * (1 - cached) * prompt_flops(*ground.model) * ground.weights_pace / peak : 0;
}

ServingBound bound_of(const ServingAnswer& answer) {
  const ServingEstimate& e = answer.estimate;
  ServingBound bound;
  bound.binds = binding_resource(e.step);
  double chip_seconds =
      prefill_chip_seconds(answer.deployment.prefill_ground(), answer.question.isl, answer.question.cached);
  if (answer.load.decodes()) {
    const double emitted = e.times.emitted.value(), chips = answer.layout().chips() / answer.layout().replicas;
    bound.tpot = e.step.bound() / e.times.emitted;
    bound.user_rate = TokensPerSecond<double>(1 / bound.tpot.value());
    chip_seconds += chips * (answer.question.osl - 1) * e.step.bound().value() / (emitted * e.times.batch.value());
  }
  if (chip_seconds <= 0) return bound;
  bound.output_rate_per_chip = TokensPerSecond<double>(answer.question.osl / chip_seconds);
  const double bill = e.cost.value() * e.output_rate.value() / e.chips.value();  // $ a second for a chip
  bound.cost = DollarsPerToken<double>(bill / bound.output_rate_per_chip.value());
  return bound;
}

std::vector<Flip> serving_flips(const ServingAnswer& answer) {
  const Deployment& deployment = answer.deployment;
  const ServingCase<double> numbers = under(deployment.ground, answer.load);
  const StepResource now = binding_resource(answer.estimate.step);
  const auto values = field_values(numbers);
  std::vector<Flip> all;
  for (std::size_t moved = 0; moved < kServingInputs; ++moved) {
    const InputInfo info = serving_input_info(moved);
    // a bound has no calibrated numbers; where nothing is decoded a longer output is another kind of load
    const bool calibrated =
        info.key.starts_with("chip.") || info.key.starts_with("kernel.") || info.key.starts_with("engine.");
    if (calibrated || values[moved] == 0 || (info.key == "osl" && !answer.load.decodes())) continue;
    const auto binding = [&](double factor) -> std::optional<StepResource> {
      const double value = values[moved] * factor;
      if (!checked_value(info, serving_input_dimension(moved), value, "")) return {};
      const auto changed = read_as<double>(numbers, [&](std::size_t index, const InputInfo&, Dimension, double old) {
        return index == moved ? value : old;
      });
      return binding_resource(evaluate(deployment, changed).step);
    };
    const auto factor = nearest_factor([&](double by) {
      const auto then = binding(by);
      return then && *then != now;
    });
    if (!factor) continue;
    all.push_back({std::string(info.key), values[moved], values[moved] * *factor, serving_input_dimension(moved),
                   std::string(name_of(*binding(*factor)))});
  }
  sort_flips(all);
  return all;
}

}  // namespace ridge
