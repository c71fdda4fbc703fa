#include "train/plan/training_anchor.hpp"

#include <cmath>

#include <fmt/format.h>

#include "base/text/field_text.hpp"
#include "base/text/unit_text.hpp"

namespace ridge {

namespace {

double step_with(const TrainingGround& ground, const TrainingLayout& layout, double kernels) {
  return training_estimate(anchored(ground, kernels), layout).times.step.value();
}

}  // namespace

TrainingGround anchored(TrainingGround ground, double kernels) {
  ground.numbers.framework.kernels = ground.numbers.framework.kernels * Ratio<double>(kernels);
  return ground;
}

Result<TrainingAnchor> anchor_training(const TrainingGround& ground, const TrainingLayout& layout, double measured) {
  const TrainingEstimate before = training_estimate(ground, layout);
  TrainingAnchor out;
  out.measured = measured;
  out.predicted = before.times.step.value();
  const double flops = before.flops.per_token[static_cast<std::size_t>(FlopConvention::causal)] * before.batch_tokens;
  out.bound = flops / layout.chips() / before.peak.value();
  if (!(measured > out.bound))
    return fail({"anchor",
                 fmt::format("a step of {} beats the bound: its products alone take {} at the peak of {:g} chips",
                             show(Seconds<double>(measured), 3), show(Seconds<double>(out.bound), 3), layout.chips()),
                 fmt::format("check {}, {} and {}: the log's batch, chips and number format must be these",
                             field("global_batch"), field("chips"), field("recipe"))});
  constexpr double kQuickest = 0.05, kSlowest = 20;
  out.rest = step_with(ground, layout, kQuickest * 1e-3);
  double low = kQuickest, high = kSlowest;
  if (step_with(ground, layout, low) > measured)
    return fail({"anchor",
                 fmt::format("a step of {} leaves no time for kernels: what moves between chips alone takes {}",
                             show(Seconds<double>(measured), 3), show(Seconds<double>(out.rest), 3)),
                 "check the layout and the machine: the log must be of this run"});
  if (step_with(ground, layout, high) < measured)
    return fail({"anchor",
                 fmt::format("a step of {} is {:.0f} times what this layout takes", show(Seconds<double>(measured), 3),
                             measured / out.predicted),
                 "check that the log's time is of one step of this run"});
  for (int i = 0; i < 100 && high / low > 1 + 1e-12; ++i) {
    const double middle = std::sqrt(low * high);
    (step_with(ground, layout, middle) > measured ? high : low) = middle;
  }
  out.kernels = std::sqrt(low * high);
  return out;
}

}  // namespace ridge
