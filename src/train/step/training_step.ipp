#pragma once
// The equations of a training step; include only from files that instantiate them.

#include "train/step/training_step.hpp"

#include <algorithm>
#include <cmath>

#include "train/schedule/closed_form.hpp"
#include "train/step/training_layer.ipp"

namespace ridge {

namespace training {

/// Divided weights leave no room for whole gradients; divided gradients wait only where a pipeline holds them back.
inline bool sends_each_micro_batch(const TrainingLayout& layout) {
  return layout.sharding == Sharding::weights || (layout.sharding == Sharding::gradients && layout.pipeline <= 1);
}

/// Gradients of a micro-batch are added to those before it: read, and the sum read and written. Where every micro-batch
/// sends its gradients away first, only a chip's own share is added: nothing beside them.
template <class S>
Seconds<S> added_up(const TrainingOperations& operations, double params, const TrainingRates<S>& rates,
                    const TrainingLoad& load) {
  const double m = micro_batches(operations.layout, load.batch);
  if (sends_each_micro_batch(operations.layout) || !(m > 1)) return literal<Seconds<S>>(0.0);
  const double bytes = params * (kActivationBytes + 2 * operations.gradient_bytes) * (1 - 1 / m);
  return literal<Bytes<S>>(bytes) * rates.paces.peak_memory * rates.framework.adds_gradients;
}

/// One micro-batch through a stage.
template <class S>
StagePass<S> stage_pass(const TrainingOperations& operations, const StageLayers& stage,
                        const std::vector<TrainingLayerTimes<S>>& layers, const TrainingRates<S>& rates,
                        const TrainingLoad& load) {
  const TrainingLayout& layout = operations.layout;
  const RecomputePolicy& policy = layout.recompute;
  const TrainingCalibration<S>& t = rates.training;
  const auto none = literal<Seconds<S>>(0.0);
  const auto one = literal<Ratio<S>>(1.0), two = literal<Ratio<S>>(2.0);
  const Ratio<S> slow = rates.framework.kernels * rates.chip;
  const Ratio<S> backward = two * t.backward_products;
  StagePass<S> pass;
  for (auto& part : pass.part) part = none;
  pass.forward = pass.backward = pass.weight_gradient = none;
  pass.forward_exchange = pass.backward_exchange = {none, none};
  const auto add = [&](TrainingPart part, const Seconds<S>& forward, const Seconds<S>& back) {
    auto& sum = pass.part[static_cast<std::size_t>(part)];
    sum = sum + forward + back;
    pass.forward = pass.forward + forward;
    pass.backward = pass.backward + back;
  };
  const double again_layers = std::min(policy.full_layers, stage.layers);
  const double again_share = policy.reversible ? 1 : stage.layers > 0 ? again_layers / stage.layers : 0;
  for (std::size_t kind = 0; kind < stage.of_kind.size(); ++kind) {
    const double n = stage.of_kind[kind];
    if (n == 0) continue;
    const TrainingLayerTimes<S>& l = layers[kind];
    const Seconds<S> before_forward = pass.forward, before_backward = pass.backward;
    const auto products = [&](TrainingPart part, const Seconds<S>& time) {
      add(part, time * slow * n, time * slow * backward * n);
      pass.weight_gradient = pass.weight_gradient + time * slow * t.backward_products * n;
    };
    products(TrainingPart::projections, l.projections);
    products(TrainingPart::dense_ffn, l.dense_ffn);
    products(TrainingPart::experts, l.experts);
    add(TrainingPart::attention, l.attention * slow * n, l.attention_backward * slow * n);
    add(TrainingPart::small, l.small * slow * n, l.small * slow * two * n);
    add(TrainingPart::tensor, l.tensor * n, l.tensor * n);
    add(TrainingPart::small, none, added_up(operations, operations.kinds[kind].params * n, rates, load));
    add(TrainingPart::context, l.context * n, l.context_backward * n);
    add(TrainingPart::exchange, l.exchange * n, l.exchange * n);
    const auto exchanged = [&](PassExchange<S>& of, double times) {
      of.shown = of.shown + l.exchange * times;
      of.sent = of.sent + l.sent * times;
    };
    exchanged(pass.forward_exchange, n);
    // computed again, experts get their tokens again
    const double again_exchange =
        again_share + (policy.moe && operations.kinds[kind].has_experts ? 1 - again_share : 0);
    exchanged(pass.backward_exchange, n * (1 + again_exchange));
    const Seconds<S> whole =
        (l.projections + l.dense_ffn + l.experts + l.attention + l.small) * slow + l.tensor + l.context + l.exchange;
    Seconds<S> modules = none;
    if (policy.core_attention) modules = modules + l.attention * slow;
    if (policy.mla_up) modules = modules + l.mla_up * slow;
    // a layer's network is either dense, or its experts with those that all tokens share
    const bool routed = operations.kinds[kind].has_experts;
    if (policy.mlp && !routed) modules = modules + (l.dense_ffn - l.dense_last * rates.framework.stops_early) * slow;
    if (policy.moe && routed) modules = modules + (l.experts + l.dense_ffn) * slow + l.exchange;
    if (policy.moe_activation || policy.norms) modules = modules + l.small * slow * literal<Ratio<S>>(0.3);
    // of the last product only the input is needed, and nobody has to add up what it gives; reversible layers need that to
    // go back
    const double collectives = 2 * operations.kinds[kind].halves;
    const Seconds<S> last_sum = routed || collectives == 0 ? none : l.tensor * (1 / collectives);
    const Seconds<S> spared = policy.reversible ? none : (l.dense_last * slow + last_sum) * rates.framework.stops_early;
    const Seconds<S> again = (whole - spared) * again_share + modules * (1 - again_share);
    add(TrainingPart::recompute, none, again * n);
    // the host launches kernels ahead of the chip: it shows where they are short
    const Seconds<S> busy = pass.forward - before_forward + (pass.backward - before_backward);
    Seconds<S> host = rates.framework.layer_time * n;
    if (operations.kinds[kind].has_experts) host = host + rates.framework.expert_layer_time * n;
    host = host * (one + literal<Ratio<S>>(again_share / 3));
    const Seconds<S> waited = overlapped(busy, host) - busy;
    add(TrainingPart::host, waited * literal<Ratio<S>>(1.0 / 3), waited * literal<Ratio<S>>(2.0 / 3));
  }
  // gradients of the tables: what embeds tokens, and the head; a tied table gets both
  const double tables = ((stage.first ? 1 : 0) + (stage.last ? 1 : 0)) * operations.vocabulary * operations.hidden;
  add(TrainingPart::small, none, added_up(operations, tables / layout.tensor, rates, load));
  if (stage.last && !operations.kinds.empty()) {
    const double tokens = layout.micro_batch * load.sequence / layout.context;
    const auto rows = literal<Ratio<S>>(tokens);
    const GemmOperation& head = operations.kinds.front().step.products.back();
    const Seconds<S> time = forward_product(rates.paces, head, rows);
    const Bytes<S> logits = literal<Bytes<S>>(tokens * head.outer * 4);
    const Seconds<S> loss = logits * t.head_passes * rates.paces.peak_memory * rates.framework.small * slow;
    const double heads = 1 + operations.modules;
    for (const GemmOperation& joins : operations.module_products) {
      const Seconds<S> each = forward_product(rates.paces, joins, rows) * slow * operations.modules;
      add(TrainingPart::projections, each, each * backward);
      pass.weight_gradient = pass.weight_gradient + each * t.backward_products;
    }
    add(TrainingPart::head, (time * slow + loss) * heads, (time * slow * backward + loss) * heads);
    pass.weight_gradient = pass.weight_gradient + time * slow * t.backward_products * heads;
  }
  return pass;
}

/// Of a micro-batch from a stage to the next, or back.
template <class S>
Seconds<S> stage_hop(const TrainingOperations& operations, const TrainingRates<S>& rates, const TrainingLoad& load) {
  const TrainingLayout& layout = operations.layout;
  if (layout.pipeline <= 1) return literal<Seconds<S>>(0.0);
  const double tokens = layout.micro_batch * load.sequence / layout.context;
  const Bytes<S> stream = literal<Bytes<S>>(tokens * operations.hidden * kActivationBytes);
  const Seconds<S> sent = hop_time<S>(rates.paces, stream * (1 / layout.tensor), operations.hops_inside);
  // each chip of a tensor group sends its share; where nothing else is divided over the group, it is gathered again
  const Seconds<S> gathered = layout.tensor > 1 && !layout.sequence_parallel
                                  ? gather<S>(rates.paces, stream, operations.tensor)
                                  : literal<Seconds<S>>(0.0);
  return sent + gathered + rates.framework.hop_time;
}

/// What a step waits for hops, beside m passes of the slowest stage and one of each other.
template <class S>
Seconds<S> waited_for_hops(const std::vector<StagePass<S>>& stages, const Seconds<S>& hop, const TrainingLayout& layout,
                           const TrainingRates<S>& rates, double microbatches) {
  std::vector<Seconds<S>> passes;
  passes.reserve(stages.size());
  for (const StagePass<S>& stage : stages) passes.push_back(stage.total());
  const std::span<const Seconds<S>> each(passes);
  if (rates.framework.waits_for_hops(layout.virtual_stages > 1))
    return train::blocking_hops<S>(each, hop, microbatches, layout.virtual_stages, rates.framework.hops_block);
  if (layout.virtual_stages > 1) return hop * train::waited_hops(pipeline_shape(layout, microbatches));
  return train::hops_of_rounds<S>(each, hop, microbatches);
}

/// The least that a micro-batch takes of a rank whose passes run in pairs: kernels and messages overlapped throughout.
/// Sums of pairs are never below the pair of their sums (it is a norm), and neither is a pass alone.
template <class S>
Seconds<S> least_paired(const StagePass<S>& pass) {
  const PassExchange<S>&f = pass.forward_exchange, &b = pass.backward_exchange;
  const Seconds<S> shown = f.shown + b.shown;
  if (!(shown > literal<Seconds<S>>(0.0))) return pass.total();
  return train::paired(pass.total(), shown, min(shown, f.sent + b.sent));
}

template <class S>
std::vector<StagePass<S>> passes_of(const TrainingOperations& operations, const std::vector<StageLayers>& stages,
                                    const std::vector<TrainingLayerTimes<S>>& layers, const TrainingRates<S>& rates,
                                    const TrainingLoad& load) {
  std::vector<StagePass<S>> out;
  out.reserve(stages.size());
  for (std::size_t i = 0; i < stages.size(); ++i) {
    // equal stages in the middle are computed once
    const bool same = i > 0 && stages[i].first == stages[i - 1].first && stages[i].last == stages[i - 1].last &&
                      stages[i].of_kind == stages[i - 1].of_kind;
    out.push_back(same ? out.back() : stage_pass(operations, stages[i], layers, rates, load));
  }
  return out;
}

/// Chips with the same weights agree on gradients, and give each other what they own of the weights.
template <class S>
struct CopiesTime {
  Seconds<S> each_step;         // before anything hides
  Seconds<S> each_micro_batch;  // likewise
  Seconds<S> gathered;          // all weights once
  Seconds<S> reduced;           // all gradients once
};

template <class S>
CopiesTime<S> copies_time(const TrainingOperations& operations, const HeldParams& held, const TrainingRecipe& recipe,
                          const ChipPaces<S>& paces) {
  const auto sent = [&](double params, double bytes, const Ring& ring) {
    return params > 0 ? gather<S>(paces, literal<Bytes<S>>(params * bytes), ring) : literal<Seconds<S>>(0.0);
  };
  const auto over_shards = [&](double bytes) {
    return sent(held.dense, bytes, operations.dense_shards) + sent(held.expert, bytes, operations.expert_shards);
  };
  // hybrid sharding: every group has all states, and adds up its share of the gradients with the other groups'
  const Seconds<S> added =
      (sent(held.dense / operations.dense_shards.size(), recipe.reduce_bytes, operations.dense_replicas) +
       sent(held.expert / operations.expert_shards.size(), recipe.reduce_bytes, operations.expert_replicas)) *
      2.0;
  const auto none = literal<Seconds<S>>(0.0);
  const Seconds<S> reduced = over_shards(recipe.reduce_bytes), gathered = over_shards(recipe.gather_bytes);
  switch (operations.layout.sharding) {
    case Sharding::none:
      return {reduced * 2.0, none, gathered, reduced};
    case Sharding::weights:
      return {added, gathered * 2.0 + reduced, gathered, reduced};
    default:
      return {reduced + gathered + added, none, gathered, reduced};
  }
}

}  // namespace training

template <class S>
std::vector<StagePass<S>> stage_passes(const TrainingOperations& operations, const std::vector<StageLayers>& stages,
                                       const TrainingRates<S>& rates, const TrainingLoad& load) {
  std::vector<TrainingLayerTimes<S>> layers;
  for (std::size_t kind = 0; kind < operations.kinds.size(); ++kind)
    layers.push_back(layer_times(operations, kind, rates, load));
  return training::passes_of(operations, stages, layers, rates, load);
}

template <class S>
TrainingTimes<S> training_times(const TrainingOperations& operations, const std::vector<StageLayers>& stages,
                                const HeldParams& held, const TrainingRecipe& recipe, const TrainingRates<S>& rates,
                                const TrainingLoad& load) {
  return step_of(stage_passes(operations, stages, rates, load), operations, held, recipe, rates, load);
}

template <class S>
TrainingTimes<S> step_of(std::vector<StagePass<S>> passes, const TrainingOperations& operations, const HeldParams& held,
                         const TrainingRecipe& recipe, const TrainingRates<S>& rates, const TrainingLoad& load) {
  const TrainingLayout& layout = operations.layout;
  const TrainingCalibration<S>& t = rates.training;
  const auto none = literal<Seconds<S>>(0.0);
  TrainingTimes<S> out;
  for (auto& part : out.part) part = none;
  out.micro_batches = micro_batches(layout, load.batch);
  const auto set = [&](TrainingPart part, const Seconds<S>& time) {
    out.part[static_cast<std::size_t>(part)] = out.part[static_cast<std::size_t>(part)] + time;
  };
  const Seconds<S> hop = training::stage_hop(operations, rates, load);
  out.hop = hop;
  out.hidden = out.hidden_again = none;
  out.stages = std::move(passes);
  Seconds<S> all = none, slowest = none;
  std::size_t worst = 0;
  for (std::size_t i = 0; i < out.stages.size(); ++i) {
    const Seconds<S> total = out.stages[i].total();
    all = all + total;
    if (total > slowest) worst = i;
    slowest = max(slowest, total);
  }
  const double m = out.micro_batches, v = layout.virtual_stages;
  for (std::size_t i = 0; i < kTrainingParts; ++i) out.part[i] = out.stages[worst].part[i] * m;
  // fill and drain: every other stage's pass once, in chunks
  set(TrainingPart::bubble, (all - slowest) / literal<Ratio<S>>(v));
  set(TrainingPart::hops, training::waited_for_hops(out.stages, hop, layout, rates, m));
  const auto copies = training::copies_time(operations, held, recipe, rates.paces);
  const Seconds<S> pass = out.stages[worst].total();
  // where layers are gathered and reduced one by one, each of these rings goes through all of its chips
  const Seconds<S> around =
      t.ring_chip_time * ((operations.dense_shards.size() - 1) * std::ceil(operations.layers / layout.pipeline));
  if (layout.sharding == Sharding::weights) {
    // weights that the backward pass asks for late are waited for; what travels behind a pass slows it: both want the
    // memory, and the rings some of the chip
    const Seconds<S> late = copies.gathered * rates.framework.gathers_late, sent = copies.each_micro_batch - late;
    const Seconds<S> shown = late + (half_overlapped(pass, sent) - pass) + sent * t.shard_exposed + around * 3.0;
    set(TrainingPart::data, shown * m + training::exposed(copies.each_step, pass * t.data_hidden));
  } else {
    set(TrainingPart::data, training::exposed(copies.each_step, pass * t.data_hidden));
    if (layout.sharding == Sharding::gradients) {
      set(TrainingPart::data, around * 2.0);
      // divided gradients cannot wait to be added up: every micro-batch sends its own, where no pipeline holds them back
      const double more = training::sends_each_micro_batch(layout) ? m - 1 : 0;
      set(TrainingPart::data, (training::exposed(copies.reduced, pass * t.data_hidden) + around) * more);
    }
  }
  const bool divided = layout.sharding != Sharding::none;
  const double own = divided
                         ? held.dense / operations.dense_shards.size() + held.expert / operations.expert_shards.size()
                         : held.dense + held.expert;
  const double bytes = 2 * recipe.optimizer_bytes() + recipe.gradient_bytes + recipe.weight_bytes;
  Seconds<S> update = literal<Bytes<S>>(own * bytes) * t.optimizer_passes * rates.paces.peak_memory;
  if (recipe.optimizer_flops > 0)
    update = update + literal<Flops<S>>(own * recipe.optimizer_flops * operations.hidden) *
                          rates.paces.matrix_of(Precision::bits16);
  set(TrainingPart::optimizer, update);
  set(TrainingPart::other, t.step_time);
  out.step = none;
  for (const auto& part : out.part) out.step = out.step + part;
  out.bubble = out.part[static_cast<std::size_t>(TrainingPart::bubble)] / out.step;
  return out;
}

}  // namespace ridge
