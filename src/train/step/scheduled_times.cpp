#include "train/step/scheduled_times.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "train/step/training_step.ipp"

namespace ridge {

namespace {

constexpr double kNanosecond = 1e-9;

/// What does not fit behind a pass is waited for: activations on their way to the host and back.
void add_activation_traffic(StagePass<double>& pass, const Bytes<double>& kept, const HostMemory& host) {
  const Seconds<double> moved = kept / std::min(host.link, host.memory);
  const Seconds<double> out = training::exposed(moved, pass.forward), in = training::exposed(moved, pass.backward);
  pass.forward = pass.forward + out;
  pass.backward = pass.backward + in;
  auto& part = pass.part[static_cast<std::size_t>(TrainingPart::offload)];
  part = part + out + in;
}

/// The host updates what a chip owns: gradients go out, weights come back, and its channels move master weights and
/// states once each way. Nothing of it hides.
Seconds<double> host_update(const TrainingGround& ground, const TrainingOperations& operations,
                            const HeldParams& held) {
  const TrainingRecipe& recipe = ground.recipe;
  const bool divided = operations.layout.sharding != Sharding::none;
  const double own = divided
                         ? held.dense / operations.dense_shards.size() + held.expert / operations.expert_shards.size()
                         : held.dense + held.expert;
  const Bytes<double> sent(own * (recipe.gradient_bytes + recipe.weight_bytes));
  const Bytes<double> updated(own * (2 * recipe.optimizer_bytes() + recipe.gradient_bytes + recipe.weight_bytes));
  return sent / ground.host.link + updated / ground.host.memory;
}

void add_to(TrainingTimes<double>& times, TrainingPart part, const Seconds<double>& by) {
  auto& sum = times.part[static_cast<std::size_t>(part)];
  sum = sum + by;
}

void add_up(TrainingTimes<double>& times) {
  times.step = Seconds<double>(0.0);
  for (const auto& part : times.part) times.step = times.step + part;
  times.bubble = times.part[static_cast<std::size_t>(TrainingPart::bubble)] / times.step;
}

/// The rank that a step's parts are of.
const StagePass<double>& slowest_of(const PipelinePasses& passes) {
  return *std::max_element(
      passes.ranks.begin(), passes.ranks.end(),
      [](const StagePass<double>& a, const StagePass<double>& b) { return a.total() < b.total(); });
}

/// What pairs hide of messages between experts, the busiest rank at work for so long: of the exchange and of what
/// recomputation sends again, each by its share of what a pass shows of both.
void hide_in_pairs(TrainingTimes<double>& times, const PipelinePasses& passes, const Seconds<double>& busy) {
  constexpr auto kExchange = static_cast<std::size_t>(TrainingPart::exchange);
  constexpr auto kAgain = static_cast<std::size_t>(TrainingPart::recompute);
  const StagePass<double>& slowest = slowest_of(passes);
  const Seconds<double> none(0.0), shown = slowest.forward_exchange.shown + slowest.backward_exchange.shown;
  const Seconds<double> exchange = slowest.part[kExchange] * times.micro_batches;
  const Seconds<double> again = slowest.part[kAgain] * times.micro_batches;
  const Seconds<double> hidden = std::max(slowest.total() * times.micro_batches - busy, none);
  const double first = shown > none ? std::min(1.0, (slowest.part[kExchange] / shown).value()) : 1.0;
  times.hidden = hidden * first;
  times.hidden_again = hidden - times.hidden;
  [[maybe_unused]] const Seconds<double> rounded(10 * kNanosecond);  // two chunks' passes, each in whole nanoseconds
  assert(hidden <= (shown + rounded) * times.micro_batches && "pairs hide messages alone");
  times.part[kExchange] = exchange - times.hidden;
  times.part[kAgain] = again - times.hidden_again;
}

}  // namespace

train::Nanoseconds nanoseconds_of(const Seconds<double>& time, double parts) {
  return static_cast<train::Nanoseconds>(std::llround(time.value() / kNanosecond / parts));
}

train::StageTime stage_time(const StagePass<double>& pass, double chunks) {
  const auto whole = [&](const Seconds<double>& time) { return nanoseconds_of(time, chunks); };
  const auto exchange = [&](const PassExchange<double>& of) {
    return train::ExchangeTime{whole(of.shown), whole(of.sent)};
  };
  return {whole(pass.forward), whole(pass.backward - pass.weight_gradient), whole(pass.weight_gradient),
          exchange(pass.forward_exchange), exchange(pass.backward_exchange)};
}

bool is_simulated(const TrainingLayout& layout) {
  return layout.pipeline > 1 && layout.schedule != train::ScheduleKind::one_f_one_b;
}

HeldParams fullest_held(const TrainingMemory& memory) {
  HeldParams held;
  double most = -1;
  for (const StageMemory& stage : memory.stages) {
    if (stage.params <= most) continue;
    most = stage.params;
    held = {stage.params - stage.expert_params, stage.expert_params};
  }
  return held;
}

PipelinePasses pipeline_passes(const TrainingGround& ground, const TrainingOperations& operations,
                               const std::vector<TrainingLayerTimes<double>>& layers,
                               const std::vector<StageLayers>& model, const std::vector<StageLayers>& ranks,
                               const TrainingMemory& memory, const TrainingRates<double>& rates) {
  const TrainingLayout& layout = operations.layout;
  PipelinePasses out;
  const bool several = train::fixed_chunks(schedule_of(layout)) > 1;
  std::vector<StagePass<double>> stages = training::passes_of(operations, model, layers, rates, ground.load);
  if (!several) {
    if (layout.offload.activations) {
      for (std::size_t i = 0; i < stages.size(); ++i)
        add_activation_traffic(stages[i], memory.stages[i].kept_all, ground.host);
    }
    out.ranks = std::move(stages);
    return out;
  }
  const train::PipelineShape shape = pipeline_shape(layout, 1);
  if (layout.offload.activations) {
    for (std::size_t i = 0; i < stages.size(); ++i) {
      const auto rank = static_cast<std::size_t>(shape.rank_of(static_cast<int>(i)));
      const double share = ranks[rank].layers > 0 ? model[i].layers / ranks[rank].layers : 0;
      add_activation_traffic(stages[i], memory.stages[rank].kept_all * Ratio<double>(share), ground.host);
    }
  }
  // of DualPipe's micro-batches a rank passes half through each of its stages
  const double share = shape.kind == train::ScheduleKind::dualpipe ? 0.5 : 1;
  for (int rank = 0; rank < shape.ranks; ++rank) {
    StagePass<double> sum;
    sum.part.fill(Seconds<double>(0.0));
    sum.forward = sum.backward = sum.weight_gradient = Seconds<double>(0.0);
    sum.forward_exchange = sum.backward_exchange = {Seconds<double>(0.0), Seconds<double>(0.0)};
    const auto exchanged = [&](PassExchange<double>& to, const PassExchange<double>& by) {
      to.shown = to.shown + by.shown * share;
      to.sent = to.sent + by.sent * share;
    };
    for (int chunk = 0; chunk < shape.chunks; ++chunk) {
      const StagePass<double>& one = stages[static_cast<std::size_t>(shape.stage_of(rank, chunk))];
      for (std::size_t i = 0; i < kTrainingParts; ++i) sum.part[i] = sum.part[i] + one.part[i] * share;
      sum.forward = sum.forward + one.forward * share;
      sum.backward = sum.backward + one.backward * share;
      sum.weight_gradient = sum.weight_gradient + one.weight_gradient * share;
      exchanged(sum.forward_exchange, one.forward_exchange);
      exchanged(sum.backward_exchange, one.backward_exchange);
    }
    out.ranks.push_back(sum);
  }
  out.stages = std::move(stages);
  return out;
}

TrainingTimes<double> unsimulated_times(const PipelinePasses& passes, const TrainingGround& ground,
                                        const TrainingOperations& operations, const TrainingMemory& memory,
                                        const TrainingRates<double>& rates) {
  const HeldParams held = fullest_held(memory);
  TrainingTimes<double> times = step_of(passes.ranks, operations, held, ground.recipe, rates, ground.load);
  if (is_simulated(operations.layout)) {
    times.part[static_cast<std::size_t>(TrainingPart::bubble)] = Seconds<double>(0.0);
    times.part[static_cast<std::size_t>(TrainingPart::hops)] = Seconds<double>(0.0);
  }
  if (train::has_pairs(operations.layout.schedule)) {
    Seconds<double> least(0.0);
    for (const StagePass<double>& pass : passes.ranks) least = std::max(least, training::least_paired(pass));
    hide_in_pairs(times, passes, least * times.micro_batches);
  }
  if (operations.layout.offload.optimizer) {
    times.part[static_cast<std::size_t>(TrainingPart::optimizer)] = Seconds<double>(0.0);
    add_to(times, TrainingPart::offload, host_update(ground, operations, held));
  }
  add_up(times);
  return times;
}

TrainingTimes<double> simulated_times(const PipelinePasses& passes, TrainingTimes<double> times,
                                      const TrainingOperations& operations, const TrainingRates<double>& rates,
                                      const TrainingLoad& load) {
  if (!is_simulated(operations.layout)) return times;
  train::ScheduleQuestion question;
  question.shape = pipeline_shape(operations.layout, times.micro_batches);
  const auto& stages = passes.stages.empty() ? passes.ranks : passes.stages;
  for (const StagePass<double>& pass : stages) question.times.stages.push_back(stage_time(pass));
  const Seconds<double> hop = training::stage_hop(operations, rates, load);
  question.times.hop = nanoseconds_of(hop);
  const auto figures = train::schedule_figures(question);
  if (!figures) return times;  // checked before
  const Seconds<double> makespan(static_cast<double>(figures->makespan) * kNanosecond);
  Seconds<double> busy = slowest_of(passes).total() * times.micro_batches;
  if (train::has_pairs(question.shape.kind)) {
    train::Nanoseconds busiest = 0;
    for (const train::RankFigures& rank : figures->ranks) busiest = std::max(busiest, rank.busy);
    busy = std::min(busy, Seconds<double>(static_cast<double>(busiest) * kNanosecond));
    hide_in_pairs(times, passes, busy);
  }
  const Seconds<double> waited = std::max(makespan - busy, Seconds<double>(0.0));
  // the way there and back once; what more is waited for is the schedule's
  const Seconds<double> hops = std::min(waited, hop * (2 * (operations.layout.pipeline - 1)));
  times.part[static_cast<std::size_t>(TrainingPart::bubble)] = waited - hops;
  times.part[static_cast<std::size_t>(TrainingPart::hops)] = hops;
  add_up(times);
  return times;
}

TrainingTimes<double> scheduled_times(const TrainingGround& ground, const TrainingOperations& operations,
                                      const std::vector<StageLayers>& model, const std::vector<StageLayers>& ranks,
                                      const TrainingMemory& memory) {
  const TrainingRates<double> rates = training_rates(ground);
  std::vector<TrainingLayerTimes<double>> layers;
  for (std::size_t kind = 0; kind < operations.kinds.size(); ++kind)
    layers.push_back(layer_times(operations, kind, rates, ground.load));
  const PipelinePasses passes = pipeline_passes(ground, operations, layers, model, ranks, memory, rates);
  TrainingTimes<double> times = unsimulated_times(passes, ground, operations, memory, rates);
  return simulated_times(passes, std::move(times), operations, rates, ground.load);
}

}  // namespace ridge
