#include "train/step/training_estimate.hpp"

#include <algorithm>
#include <functional>
#include <optional>

#include <fmt/format.h>

#include "base/text/field_text.hpp"
#include "base/text/text.hpp"
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
                             ground.numbers.framework.unfused.value() > 0, layout.pipeline);
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

namespace {

/// One thing that somebody may change of a layout. Two changes of the same kind are none together.
struct LayoutChange {
  std::string kind, words;
  std::function<void(TrainingLayout&)> apply;
};

std::vector<LayoutChange> changes_of(const TrainingGround& ground, const TrainingLayout& now) {
  std::vector<LayoutChange> out;
  const auto add = [&](const char* kind, const std::string& words, std::function<void(TrainingLayout&)> apply) {
    out.push_back({kind, field(kind, words), std::move(apply)});
  };
  for (const char* words : {"selective", "mlp", "moe_act", "mla_up_proj", "moe", "mlp+layernorm", "full"}) {
    const RecomputePolicy policy = *parse_recompute(words, "recompute");
    if (policy != now.recompute) add("recompute", words, [=](TrainingLayout& next) { next.recompute = policy; });
  }
  for (double factor = 2; factor <= 16; factor *= 2) {
    const auto more = [&](const char* kind, double TrainingLayout::*degree) {
      add(kind, fmt::format("{:g}", now.*degree * factor), [=](TrainingLayout& next) { next.*degree *= factor; });
    };
    more("tp", &TrainingLayout::tensor);
    more("pp", &TrainingLayout::pipeline);
    more("cp", &TrainingLayout::context);
    if (ground.model->experts() != nullptr) more("ep", &TrainingLayout::expert);
    if (now.micro_batch / factor >= 1)
      add("micro_batch", fmt::format("{:g}", now.micro_batch / factor),
          [=](TrainingLayout& next) { next.micro_batch /= factor; });
  }
  for (const char* words : {"optimizer", "activations"}) {
    const OffloadPolicy offload = *parse_offload(words, "offload");
    if (ground.host.capacity.value() > 0 && offload != now.offload)
      add("offload", words, [=](TrainingLayout& next) { next.offload = offload; });
  }
  if (now.schedule != train::ScheduleKind::one_f_one_b)
    add("schedule", "1f1b", [](TrainingLayout& next) { next.schedule = train::ScheduleKind::one_f_one_b; });
  if (now.virtual_stages > 1) add("vp", "1", [](TrainingLayout& next) { next.virtual_stages = 1; });
  for (int zero = static_cast<int>(now.sharding) + 1; zero <= 3; ++zero)
    add("zero", fmt::format("{}", zero), [=](TrainingLayout& next) { next.sharding = static_cast<Sharding>(zero); });
  return out;
}

/// The layout with its chips divided anew; nothing where it is none.
std::optional<WayOut> way_out(const TrainingGround& ground, TrainingLayout layout, std::string change) {
  layout.data = ground.chips / (layout.tensor * layout.pipeline * layout.context);
  if (layout.shard_group > layout.dense_copies()) layout.shard_group = 0;
  layout.sequence_parallel = layout.tensor > 1;
  const auto possible = checked(layout, *ground.model, ground.load.sequence, ground.load.batch);
  if (!possible) return std::nullopt;
  if (!laid_out_memory(ground, *possible, rank_stages(model_stages(ground.shape, *possible), *possible)).fits())
    return std::nullopt;
  return WayOut{std::move(change), training_estimate(ground, *possible)};
}

}  // namespace

std::vector<WayOut> ways_out(const TrainingGround& ground, const TrainingEstimate& estimate) {
  constexpr std::size_t kMost = 3;
  const TrainingLayout& now = estimate.layout;
  const std::vector<LayoutChange> changes = changes_of(ground, now);
  std::vector<WayOut> found;
  const auto consider = [&](const std::vector<const LayoutChange*>& some) {
    TrainingLayout next = now;
    std::vector<std::string> words;
    for (const LayoutChange* one : some) {
      one->apply(next);
      words.push_back(one->words);
    }
    if (auto way = way_out(ground, next, joined(words, " "))) found.push_back(std::move(*way));
  };
  for (const LayoutChange& one : changes) consider({&one});
  // where single changes do not do, two at once
  if (found.size() < kMost) {
    for (std::size_t i = 0; i < changes.size(); ++i) {
      for (std::size_t j = i + 1; j < changes.size(); ++j) {
        if (changes[i].kind != changes[j].kind) consider({&changes[i], &changes[j]});
      }
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const WayOut& a, const WayOut& b) { return a.estimate.times.step < b.estimate.times.step; });
  if (found.size() > kMost) found.resize(kMost);
  return found;
}

}  // namespace ridge
