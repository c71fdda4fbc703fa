#include "train/step/training_estimate.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/field_text.hpp"
#include "train/step/scheduled_times.hpp"

namespace ridge {

TrainingMemory laid_out_memory(const TrainingGround& ground, const TrainingLayout& layout,
                               const std::vector<StageLayers>& ranks) {
  TrainingMemory memory = training_memory(*ground.model, ranks, layout, ground.recipe, ground.load, ground.habits);
  memory.capacity = ground.capacity;
  memory.reserve = ground.reserve;
  memory.host_capacity = ground.host.capacity;
  return memory;
}

TrainingEstimate training_estimate(const TrainingGround& ground, const TrainingLayout& layout) {
  TrainingEstimate out;
  out.layout = layout;
  const auto model = model_stages(ground.shape, layout);
  const auto stages = rank_stages(model, layout);
  out.memory = laid_out_memory(ground, layout, stages);
  const auto operations = training_operations(ground.shape, layout, ground.fabric);
  out.times = scheduled_times(ground, operations, model, stages, out.memory);
  out.flops = training_flops(*ground.model, ground.load.sequence, layout.recompute,
                             ground.numbers.framework.unfused.value() > 0);
  out.peak = ground.rates.peak.matrix[static_cast<std::size_t>(ground.recipe.products)];
  out.batch_tokens = ground.load.batch * ground.load.sequence;
  out.rate = Tokens<double>(out.batch_tokens / layout.chips()) / out.times.step;
  for (std::size_t i = 0; i < out.utilization.size(); ++i)
    out.utilization[i] = out.rate.value() * out.flops.per_token[i] / out.peak.value();
  if (ground.tokens > 0) out.run = Tokens<double>(ground.tokens / layout.chips()) / out.rate;
  out.chip_hours = out.run.value() * layout.chips() / 3600;
  if (ground.price) out.dollars = ground.price->price.value * out.run * layout.chips();
  out.energy = ground.power * out.run * layout.chips();
  return out;
}

std::vector<WayOut> ways_out(const TrainingGround& ground, const TrainingEstimate& estimate) {
  std::vector<WayOut> found;
  const auto consider = [&](TrainingLayout layout, const std::string& change) {
    layout.data = ground.chips / (layout.tensor * layout.pipeline * layout.context);
    if (layout.shard_group > layout.dense_copies()) layout.shard_group = 0;
    layout.sequence_parallel = layout.tensor > 1;
    const auto possible = checked(layout, *ground.model, ground.load.sequence, ground.load.batch);
    if (!possible) return;
    TrainingEstimate one = training_estimate(ground, *possible);
    if (one.memory.fits()) found.push_back({change, std::move(one)});
  };
  const TrainingLayout& now = estimate.layout;
  for (const char* policy : {"selective", "mlp", "moe_act", "mla_up_proj", "moe", "mlp+layernorm", "full"}) {
    TrainingLayout next = now;
    next.recompute = *parse_recompute(policy, "recompute");
    if (next.recompute != now.recompute) consider(next, field("recompute", policy));
  }
  for (double factor = 2; factor <= 16; factor *= 2) {
    TrainingLayout next = now;
    next.tensor *= factor;
    consider(next, field("tp", fmt::format("{:g}", next.tensor)));
    next = now;
    next.pipeline *= factor;
    consider(next, field("pp", fmt::format("{:g}", next.pipeline)));
    next = now;
    next.context *= factor;
    consider(next, field("cp", fmt::format("{:g}", next.context)));
    if (ground.model->experts() != nullptr) {
      next = now;
      next.expert *= factor;
      consider(next, field("ep", fmt::format("{:g}", next.expert)));
    }
    if (now.micro_batch / factor >= 1) {
      next = now;
      next.micro_batch /= factor;
      consider(next, field("micro_batch", fmt::format("{:g}", next.micro_batch)));
    }
  }
  for (const char* words : {"optimizer", "activations"}) {
    if (!(ground.host.capacity.value() > 0)) break;
    TrainingLayout next = now;
    next.offload = *parse_offload(words, "offload");
    if (next.offload != now.offload) consider(next, field("offload", words));
  }
  if (now.schedule != train::ScheduleKind::one_f_one_b) {
    TrainingLayout next = now;
    next.schedule = train::ScheduleKind::one_f_one_b;
    consider(next, field("schedule", "1f1b"));
  }
  if (now.virtual_stages > 1) {
    TrainingLayout next = now;
    next.virtual_stages = 1;
    consider(next, field("vp", "1"));
  }
  for (int zero = static_cast<int>(now.sharding) + 1; zero <= 3; ++zero) {
    TrainingLayout next = now;
    next.sharding = static_cast<Sharding>(zero);
    consider(next, field("zero", fmt::format("{}", zero)));
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const WayOut& a, const WayOut& b) { return a.estimate.times.step < b.estimate.times.step; });
  if (found.size() > 3) found.resize(3);
  return found;
}

}  // namespace ridge
