#include "train/plan/training_readings.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/unit_text.hpp"

namespace ridge {

namespace {

/// Calls visit(key, meaning, field) for every number of a ground that a reading may move.
template <class Ground, class Visit>
void visit_training_inputs(Ground& ground, Visit&& visit) {
  const auto precision = static_cast<std::size_t>(ground.recipe.products);
  visit("matmul", "dense matrix peak of the recipe's products", ground.rates.peak.matrix[precision]);
  visit("hbm.bandwidth", "memory bandwidth", ground.rates.peak.memory);
  visit("scale_up", "scale-up bandwidth of a chip, one way", ground.rates.peak.scale_up);
  visit("scale_out", "scale-out bandwidth of a chip, one way", ground.rates.peak.scale_out);
  visit("chip.kernels", "time of all kernels on this chip over the usual", ground.numbers.chip);
  using Training = TrainingCalibration<double>;
  Training::visit_fields(ground.numbers.training, [&](const char* name, auto& field) {
    visit(std::string("training.") + name, "docs/theory/training.md", field);
  });
  auto& framework = ground.numbers.framework;
  visit("framework.kernels", "time of all kernels over the usual", framework.kernels);
  visit("framework.small", "of the small ones beside that", framework.small);
  visit("framework.attention", "of attention beside that", framework.attention);
  visit("framework.experts", "of the experts' kernels beside that", framework.experts);
  visit("framework.exchange", "of dispatch and combine", framework.exchange);
  visit("framework.layer_time", "the host's for a layer and micro-batch", framework.layer_time);
  visit("framework.expert_layer_time", "beside that, for a layer with experts", framework.expert_layer_time);
  visit("power", "power of a chip with its share of the rack", ground.power);
  if (ground.price) visit("price", "price of a chip", ground.price->price.value);
}

std::string number_text(double value) { return fmt::format("{:.4g}", value); }

}  // namespace

std::vector<TrainingInput> training_inputs(const TrainingGround& ground) {
  std::vector<TrainingInput> out;
  visit_training_inputs(
      ground, [&]<Dimension D>(const std::string& key, const char* meaning, const Quantity<D, double>& field) {
        if (field.value() != 0) out.push_back({key, meaning, D, field.value()});
      });
  return out;
}

TrainingGround with_training_input(TrainingGround ground, std::string_view key, double value) {
  visit_training_inputs(ground, [&]<Dimension D>(const std::string& name, const char*, Quantity<D, double>& field) {
    if (name == key) field = Quantity<D, double>(value);
  });
  return ground;
}

std::array<double, 6> training_figures(const TrainingEstimate& estimate) {
  return {estimate.times.step.value(), estimate.rate.value(),   estimate.mfu(), estimate.hfu(),
          estimate.run.value(),        estimate.dollars.value()};
}

Dimension training_figure_dimension(std::size_t figure) {
  const std::array<Dimension, 6> all = {kSecond, kToken / kSecond, kNone, kNone, kSecond, kDollar};
  return all[figure];
}

std::vector<TrainingElasticity> training_sensitivity(const TrainingGround& ground, const TrainingLayout& layout) {
  constexpr double kMove = 1e-3;
  std::vector<TrainingElasticity> out;
  for (const TrainingInput& input : training_inputs(ground)) {
    const auto at = [&](double factor) {
      return training_figures(training_estimate(with_training_input(ground, input.key, input.value * factor), layout));
    };
    const auto more = at(1 + kMove), less = at(1 - kMove);
    const auto slope = [&](std::size_t figure) {
      return less[figure] > 0 ? std::log(more[figure] / less[figure]) / std::log((1 + kMove) / (1 - kMove)) : 0;
    };
    const TrainingElasticity one{input.key, slope(0), slope(5)};
    if (std::abs(one.step) > 1e-6 || std::abs(one.cost) > 1e-6) out.push_back(one);
  }
  std::stable_sort(out.begin(), out.end(), [](const TrainingElasticity& a, const TrainingElasticity& b) {
    return std::abs(a.step) > std::abs(b.step);
  });
  return out;
}

std::array<Interval, 6> bound_training(const TrainingGround& ground, const TrainingLayout& layout,
                                       const std::vector<TrainingRange>& ranges) {
  const auto here = training_figures(training_estimate(ground, layout));
  std::array<Interval, 6> out;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = Interval(here[i]);
  if (ranges.empty()) return out;
  bool first = true;
  // corners and middles: three values of each range
  double points = 1;
  for (std::size_t i = 0; i < ranges.size() && i < 6; ++i) points *= 3;
  for (double point = 0; point < points; ++point) {
    TrainingGround moved = ground;
    double rest = point;
    for (const TrainingRange& range : ranges) {
      const double place = std::fmod(rest, 3) / 2;
      rest = std::floor(rest / 3);
      moved = with_training_input(std::move(moved), range.key,
                                  range.values.low + place * (range.values.high - range.values.low));
    }
    const auto figures = training_figures(training_estimate(moved, layout));
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (first) out[i] = Interval(figures[i]);
      out[i] = {std::min(out[i].low, figures[i]), std::max(out[i].high, figures[i])};
    }
    first = false;
  }
  return out;
}

std::vector<StepLine> derive_training(const TrainingGround& ground, const TrainingEstimate& e) {
  std::vector<StepLine> out;
  const auto add = [&](std::string symbol, std::string formula, std::string numbers, double value,
                       Dimension dimension) {
    out.push_back({std::move(symbol), std::move(formula), std::move(numbers), value, dimension});
  };
  const auto n = number_text;
  const double chips = e.layout.chips(), step = e.times.step.value();
  if (ground.tokens > 0) {
    if (ground.price) {
      const double price = ground.price->price.value.value();
      add("cost", "price · chips · run", fmt::format("{} · {:g} · {}", n(price), chips, n(e.run.value())),
          e.dollars.value(), kDollar);
    }
    add("run", "tokens / (chips · rate)", fmt::format("{} / ({:g} · {})", n(ground.tokens), chips, n(e.rate.value())),
        e.run.value(), kSecond);
  }
  for (const FlopConvention convention : kFlopConventions) {
    const auto i = static_cast<std::size_t>(convention);
    add(fmt::format("{} ({})", convention == FlopConvention::hardware ? "HFU" : "MFU", name_of(convention)),
        "rate · FLOP a token / peak",
        fmt::format("{} · {} / {}", n(e.rate.value()), n(e.flops.per_token[i]), n(e.peak.value())), e.utilization[i],
        kNone);
  }
  add("rate", "batch / (chips · step)", fmt::format("{} / ({:g} · {})", n(e.batch_tokens), chips, n(step)),
      e.rate.value(), kToken / kSecond);
  std::string names, numbers;
  for (std::size_t i = 0; i < kTrainingParts; ++i) {
    if (!(e.times.part[i].value() > 0)) continue;
    names += (names.empty() ? "" : " + ") + std::string(name_of(static_cast<TrainingPart>(i)));
    numbers += (numbers.empty() ? "" : " + ") + n(e.times.part[i].value());
  }
  add("step", names, numbers, step, kSecond);
  add("m", "sequences / (copies · micro-batch)",
      fmt::format("{:g} / ({:g} · {:g})", ground.load.batch, e.layout.data, e.layout.micro_batch),
      e.times.micro_batches, kNone);
  std::size_t worst = 0;
  for (std::size_t i = 0; i < e.times.stages.size(); ++i) {
    if (e.times.stages[i].total() > e.times.stages[worst].total()) worst = i;
  }
  if (e.times.stages.empty()) return out;
  const StagePass<double>& pass = e.times.stages[worst];
  add(fmt::format("pass of stage {}", worst), "forward + backward, one micro-batch",
      fmt::format("{} + {}", n(pass.forward.value()), n(pass.backward.value())), pass.total().value(), kSecond);
  for (std::size_t i = 0; i < kTrainingParts; ++i) {
    const double each = pass.part[i].value(), all = e.times.part[i].value();
    if (!(each > 0)) continue;
    const auto part = static_cast<TrainingPart>(i);
    const double hidden = part == TrainingPart::exchange    ? e.times.hidden.value()
                          : part == TrainingPart::recompute ? e.times.hidden_again.value()
                                                            : 0;
    if (hidden > 1e-9 * all) {  // more than what adding up rounds
      add(std::string(name_of(part)), "m · its time in a pass - hidden in pairs",
          fmt::format("{:g} · {} - {}", e.times.micro_batches, n(each), n(hidden)), all, kSecond);
    } else if (std::abs(each * e.times.micro_batches / all - 1) <= 1e-6) {
      add(std::string(name_of(part)), "m · its time in a pass",
          fmt::format("{:g} · {}", e.times.micro_batches, n(each)), all, kSecond);
    }
  }
  return out;
}

}  // namespace ridge
