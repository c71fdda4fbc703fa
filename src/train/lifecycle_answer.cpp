#include "train/lifecycle_answer.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/case_figures.hpp"
#include "base/number/dual.hpp"
#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"

namespace ridge {

namespace {

constexpr auto kInputs = field_rows<LifecycleCase>();
constexpr auto kOutputs = field_rows<LifecycleEstimate>();

struct Change {
  const char* name;
  std::string_view input;
  double factor;
};

// The worlds the lecture asks about.
constexpr std::array kChanges = {Change{"serving ten times cheaper", "serving.cost", 0.1},
                                 Change{"decoding twice as efficient", "mfu.decode", 2.0},
                                 Change{"replaced twice as often", "life", 0.5}};

constexpr std::array kWithin = {0.01, 0.05, 0.10};

/// The size on one side of the best at which the cost is `most`: bisection on the logarithm, for the cost rises on both
/// sides.
Params<double> size_costing(const LifecycleCase<double>& c, const Params<double>& best, const Dollars<double>& most,
                            double towards) {
  double near = std::log(best.value()), far = near;
  const auto dear = [&](double size) { return cost_at_size(c, Params<double>(std::exp(size))) > most; };
  for (int doubling = 0; doubling < 60 && !dear(far); ++doubling) far += towards * 0.5;
  for (int halving = 0; halving < 100; ++halving) {
    const double middle = near + (far - near) / 2;
    (dear(middle) ? far : near) = middle;
  }
  return Params<double>(std::exp(near));
}

std::vector<FlatRange> flatness(const LifecycleCase<double>& c, const LifecycleEstimate<double>& e) {
  std::vector<FlatRange> all;
  for (const double within : kWithin) {
    const Dollars<double> most = (1.0 + within) * e.best_cost;
    all.push_back({within, size_costing(c, e.best_params, most, -1.0), size_costing(c, e.best_params, most, 1.0)});
  }
  return all;
}

std::vector<WhatIf> what_ifs(const LifecycleCase<double>& c, const LifecycleEstimate<double>& e) {
  LifecycleCase<double> same = c;  // the same loss and rollouts, whatever the rule says of another world
  same.plan = {LifecyclePlan::Pretraining::given, false, false};
  same.pretraining = e.pretraining;
  same.rollouts = e.rollouts;
  std::vector<WhatIf> all;
  for (const Change& change : kChanges) {
    const auto changed = read_as<double>(same, [&](std::size_t, const InputInfo& info, Dimension, double value) {
      if (info.key != change.input) return value;
      return info.domain == Domain::share ? std::min(1.0, value * change.factor) : value * change.factor;
    });
    all.push_back({change.name, estimate_lifecycle(changed)});
  }
  return all;
}

/// The models whose loss the law says; one with experts counts as the dense model that is as good.
std::vector<AskedModel> models_of(const LifecycleCase<double>& c, const LifecycleEstimate<double>& e) {
  return {{"this model", {c.multiple * c.params, e.pretraining}},
          {"that of least cost", {c.multiple * e.best_params, e.best_tokens}},
          {"that of least loss", {c.multiple * e.budget_params, e.budget_tokens}}};
}

/// Each input is a number that people could mean; all of them together may still not be.
Errors not_finite(const LifecycleEstimate<double>& estimate) {
  const auto figures = output_values(estimate);
  for (std::size_t i = 0; i < figures.size(); ++i) {
    if (std::isfinite(figures[i])) continue;
    return {{"lifecycle",
             fmt::format("with these inputs {} ({}) is no number", kOutputs[i].info.key, kOutputs[i].info.meaning),
             "one of them is far beyond what is built: look at those you gave"}};
  }
  return {};
}

}  // namespace

Result<LifecycleAnswer> answer_lifecycle(const LifecycleQuestion& question, const Library& library) {
  auto resolved = resolve_lifecycle(question, library);
  if (!resolved) return fail(resolved.error());
  LifecycleAnswer answer;
  answer.resolved = std::move(*resolved);
  answer.estimate = estimate_lifecycle(answer.resolved.numbers);
  if (Errors wrong = not_finite(answer.estimate); !wrong.empty()) return fail(std::move(wrong));
  answer.flat = flatness(answer.resolved.numbers, answer.estimate);
  answer.what_ifs = what_ifs(answer.resolved.numbers, answer.estimate);
  const std::vector<AskedModel> asked = models_of(answer.resolved.numbers, answer.estimate);
  answer.extrapolated = outside(answer.resolved.domain, asked);
  answer.extrapolation = extrapolation_note(answer.resolved.domain, asked);
  return answer;
}

std::vector<LifecycleElasticity> lifecycle_sensitivity(const LifecycleCase<double>& c) {
  std::vector<LifecycleElasticity> all;
  for (std::size_t moving = 0; moving < kLifecycleInputs; ++moving) {
    if (!is_present(c.plan, kInputs[moving].info.key)) continue;
    const auto seeded = read_as<Dual>(c, [&](std::size_t index, const InputInfo&, Dimension, double value) {
      return Dual(value, index == moving ? value : 0.0);
    });
    LifecycleElasticity one{.input = moving, .elasticity = {}};
    const auto duals = output_values(estimate_lifecycle(seeded));
    for (std::size_t i = 0; i < kLifecycleOutputs; ++i)
      one.elasticity[i] = duals[i].value != 0.0 ? duals[i].slope / duals[i].value : 0.0;
    all.push_back(one);
  }
  return all;
}

FigureBounds bound_lifecycle(const LifecycleCase<double>& c, const Box& ranges, int most_boxes) {
  const CaseFigures figures{c, [](const auto& over) { return estimate_lifecycle(over); }};
  return BoxBounds(figures).over(ranges, most_boxes);
}

Result<std::size_t> lifecycle_input(std::string_view word, std::string_view where) {
  if (const std::size_t index = find_field(kInputs, word); index < kLifecycleInputs) return index;
  return fail({std::string(where), fmt::format("unknown input \"{}\"", shortened(word)),
               suggestion(word, keys_of(kInputs)) + " (ridge list lifecycle-inputs shows all)"});
}

Result<std::size_t> lifecycle_output(std::string_view word, std::string_view where) {
  if (const std::size_t index = find_field(kOutputs, word); index < kLifecycleOutputs) return index;
  return fail({std::string(where), fmt::format("unknown figure \"{}\"", shortened(word)),
               suggestion(word, keys_of(kOutputs)) + " (ridge list lifecycle-figures shows all)"});
}

InputInfo lifecycle_input_info(std::size_t index) { return kInputs[index].info; }
Dimension lifecycle_input_dimension(std::size_t index) { return kInputs[index].dimension; }
OutputInfo lifecycle_output_info(std::size_t index) { return kOutputs[index].info; }
Dimension lifecycle_output_dimension(std::size_t index) { return kOutputs[index].dimension; }

}  // namespace ridge
