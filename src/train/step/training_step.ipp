#pragma once
// The equations of a training step; include only from files that instantiate them.

#include "train/step/training_step.hpp"

#include <algorithm>
#include <cmath>

#include "serve/step/step.ipp"
#include "train/schedule/closed_form.hpp"

namespace ridge {

namespace training {

/// Kernels in a long run against the same ones timed alone.
template <class S>
ChipRates<S> in_training(ChipRates<S> rates, const TrainingCalibration<S>& training,
                         const FrameworkCalibration<S>& framework) {
  rates.chip.matrix_16bit = rates.chip.matrix_16bit * training.matrix_16bit;
  rates.chip.matrix_8bit = rates.chip.matrix_8bit * training.matrix_8bit;
  rates.chip.matrix_4bit = rates.chip.matrix_4bit * training.matrix_4bit;
  rates.chip.attention_matrix = rates.chip.attention_matrix * training.attention_rate / framework.attention_products;
  rates.chip.softmax_rate = rates.chip.softmax_rate * training.attention_rate * training.softmax_rate;
  rates.kernel.expert_matrix = rates.kernel.expert_matrix * training.expert_rate;
  rates.peak.scale_out = rates.peak.scale_out * training.across;
  return rates;
}

template <class S>
Seconds<S> forward_product(const ChipPaces<S>& paces, const GemmOperation& product, const Ratio<S>& rows) {
  const auto inner = literal<Ratio<S>>(product.inner), outer = literal<Ratio<S>>(product.outer);
  const auto byte = literal<Bytes<S>>(1.0);
  const Flops<S> work = literal<Flops<S>>(2.0 * product.pace) * inner * outer * rows;
  const Bytes<S> moved = literal<Bytes<S>>(product.weights) + (inner * product.input_width + outer * 2.0) * byte * rows;
  const Bytes<S> made_narrow = inner * (2 + product.input_width) * byte * rows;
  return product_time<S>(paces, product.precision, work, moved, made_narrow, product.inner * 1e-3);
}

/// Attention of whole sequences against themselves. Unfused, the scores of the whole square are stored and read again.
template <class S>
Seconds<S> forward_attention(const TrainingRates<S>& rates, const AttentionOperation& plan, double sequences,
                             double sequence) {
  StepLoad<S> load{};
  load.decodes = false;
  load.prefills = true;
  load.prompts = literal<Ratio<S>>(sequences);
  load.prompt_tokens = literal<Ratio<S>>(sequence);
  load.prompt_context = literal<Tokens<S>>(0.0);
  load.prefills_in_group = load.prompts;
  const auto work = step::prefill_work(plan, load);
  const auto written = literal<Bytes<S>>(plan.written) * load.prompts * load.prompt_tokens;
  const Seconds<S> fused = step::prefill_time<S>(rates.paces, plan, load, work, work.read + written) +
                           work.index * rates.paces.matrix_of(Precision::bits8);
  const double seen = std::min(sequence, plan.reach);
  const Bytes<S> scores = literal<Bytes<S>>(sequences * sequence * seen * plan.heads * kActivationBytes);
  const Seconds<S> stored = rates.framework.unfused * rates.training.score_passes * scores * rates.paces.peak_memory;
  return fused + stored;
}

/// The same around a ring of chips with a part of each sequence (context parallelism): every chip has the pieces i and
/// 2 n - 1 - i of 2 n, so that all have as much to do, and meets the keys of one chip after the other. Each of these n
/// kernels starts anew, and reads all queries and writes all results.
template <class S>
Seconds<S> ring_attention(const TrainingRates<S>& rates, const AttentionOperation& plan, double micro_batch,
                          double sequence, double chips) {
  if (plan.score_flops == 0 || chips <= 1) return forward_attention(rates, plan, micro_batch / chips, sequence);
  StepLoad<S> load{};
  load.decodes = false;
  load.prefills = true;
  load.prompts = literal<Ratio<S>>(micro_batch / chips);
  load.prompt_tokens = literal<Ratio<S>>(sequence);
  load.prompt_context = literal<Tokens<S>>(0.0);
  load.prefills_in_group = load.prompts;
  const auto work = step::prefill_work(plan, load);
  const Ratio<S> tokens = load.prompts * load.prompt_tokens, heads = literal<Ratio<S>>(plan.heads);
  const Bytes<S> values =
      work.read + (literal<Bytes<S>>(plan.written) + literal<Bytes<S>>(plan.row_bytes) * chips) * tokens;
  const Seconds<S> kernels =
      prefill_attention_time(rates.paces, work.flops / literal<Flops<S>>(plan.score_flops), tokens * heads * chips,
                             plan.score_flops, values, literal<Ratio<S>>(micro_batch * chips) * heads);
  return kernels + rates.paces.chip.prefill_time * (chips - 1) + work.index * rates.paces.matrix_of(Precision::bits8);
}

/// All-gather or reduce-scatter of `volume` bytes around a ring that may leave its domain.
template <class S>
Seconds<S> gather(const ChipPaces<S>& paces, const Bytes<S>& volume, const Ring& ring) {
  if (ring.size() <= 1) return literal<Seconds<S>>(0.0);
  const double n = ring.size();
  const Seconds<S> start = collective_start<S>(paces, ring.chips < 2 ? 2 : ring.chips);
  const Seconds<S> near = volume * ((n - 1) / n) * paces.scale_up;
  if (ring.domains <= 1) return start + near;
  const Seconds<S> far = volume * ((ring.domains - 1) / ring.domains / ring.chips) * paces.scale_out;
  return start + paces.kernel.reduce_across_time + max(ring.chips > 1 ? near : far, far);
}

/// What is left of `sent` when `hidden` of it may hide: never below zero.
template <class S>
Seconds<S> exposed(const Seconds<S>& sent, const Seconds<S>& hidden) {
  return max(sent - hidden, literal<Seconds<S>>(0.0));
}

/// What a ring costs beside its attention, in each pass.
template <class S>
struct RingTime {
  Seconds<S> forward, backward;
};

/// Keys and values go from chip to chip, and on the way back their gradients with them. A hop hides behind the kernel that
/// works on what the last one brought, or, where everything is gathered at once, behind the first kernel alone. Partial
/// results are merged after every kernel: the result so far is read, and the new one, and their sum written; so are the
/// gradients of queries, keys and values. Source: TransformerEngine's context_parallel.py, PyTorch's
/// _templated_ring_attention.
template <class S>
RingTime<S> ring_time(const TrainingOperations& operations, const TrainingLayer& layer, double tokens,
                      const TrainingLayerTimes<S>& layer_time, const TrainingRates<S>& rates) {
  constexpr double kMergeKernels = 3, kMergePasses = 3;  // of a step: sums of exponentials, results; halves copied
  const ChipPaces<S>& paces = rates.paces;
  const double chips = operations.layout.context, hops = chips - 1;
  const Bytes<S> own = literal<Bytes<S>>(layer.keys_values * tokens), rows = literal<Bytes<S>>(layer.queries * tokens);
  const bool inside = operations.context.domains <= 1;
  const auto hop = [&](const Bytes<S>& sent) {
    return collective_start<S>(paces, 2) + sent * (inside ? paces.scale_up : paces.scale_out);
  };
  const Ratio<S> slow = rates.framework.kernels * rates.chip;
  const Seconds<S> kernel = layer_time.attention * slow / literal<Ratio<S>>(chips),
                   back = layer_time.attention_backward * slow / literal<Ratio<S>>(chips);
  const auto merged = [&](const Bytes<S>& bytes) {
    return small_kernels_time<S>(paces, literal<Ratio<S>>(kMergeKernels * hops), bytes * (kMergePasses * hops)) *
           rates.framework.small * slow;
  };
  const bool gathered = rates.framework.context_gathered > literal<Ratio<S>>(0.0);
  RingTime<S> out{merged(rows + own), merged(rows + own * 2.0)};
  if (gathered) {
    out.forward = out.forward + exposed(hop(own * hops), kernel);
    out.backward = out.backward + exposed(hop(own * hops), back) + hop(own * hops);
  } else {
    out.forward = out.forward + exposed(hop(own), kernel) * hops;
    out.backward = out.backward + exposed(hop(own * 2.0), back) * hops;
  }
  return out;
}

}  // namespace training

template <class S>
TrainingLayerTimes<S> layer_times(const TrainingOperations& operations, std::size_t kind, const TrainingRates<S>& rates,
                                  const TrainingLoad& load) {
  const TrainingLayer& layer = operations.kinds[kind];
  const TrainingLayout& layout = operations.layout;
  const ChipPaces<S>& paces = rates.paces;
  const TrainingCalibration<S>& t = rates.training;
  const auto none = literal<Seconds<S>>(0.0);
  const double tokens = layout.micro_batch * load.sequence / layout.context;  // of a tensor group
  const auto rows = literal<Ratio<S>>(tokens);
  TrainingLayerTimes<S> out{none, none, none, none, none, none, none, none, none, none, none, none};
  Flops<S> projected = literal<Flops<S>>(0.0);
  for (std::size_t i = 0; i + 1 < layer.step.products.size(); ++i) {  // the last is the head
    const GemmOperation& product = layer.step.products[i];
    const Seconds<S> time = training::forward_product(paces, product, rows);
    if (product.part == StepPart::projections) {
      out.projections = out.projections + time;
      projected = projected + literal<Flops<S>>(2 * product.inner * product.outer);
    } else if (product.part == StepPart::experts) {
      out.experts = out.experts + time;  // the router
    } else {
      out.dense_ffn = out.dense_ffn + time;
      if (product.sums_rows) out.dense_last = out.dense_last + time;
    }
  }
  if (layer.mla_up > 0) out.mla_up = out.projections * (literal<Flops<S>>(layer.mla_up) / projected);
  for (const AttentionOperation& attention : layer.step.attention) {
    const Seconds<S> time =
        training::ring_attention(rates, attention, layout.micro_batch, load.sequence, layout.context) *
        rates.framework.attention;
    out.attention = out.attention + time;
    out.attention_backward = out.attention_backward + time * t.attention_backward;
  }
  out.small = small_kernels_time<S>(paces, literal<Ratio<S>>(layer.step.small_kernels),
                                    literal<Bytes<S>>(layer.small_bytes) * rows * t.small_passes) *
              rates.framework.small;
  const Bytes<S> stream = literal<Bytes<S>>(tokens * operations.hidden * kActivationBytes);
  if (layout.tensor > 1) {
    // a gather before and a scatter after each half; where experts are exchanged, only around attention and what is shared
    const double halves = layer.has_experts && layout.expert_tensor == 1 ? 1 : 2;
    out.tensor = training::gather<S>(paces, stream, operations.tensor) * (2 * halves);
    // products hide collectives over a scale-up link alone: it takes few of the chip's units
    if (operations.tensor.domains <= 1) out.tensor = out.tensor * t.tensor_exposed;
  }
  if (layout.context > 1 && layer.keys_values > 0) {
    const training::RingTime<S> ring = training::ring_time(operations, layer, tokens, out, rates);
    out.context = ring.forward;
    out.context_backward = ring.backward;
  }
  if (layout.context > 1 && layer.mixed > 0) {
    // heads for sequences before it, and back behind it
    const Bytes<S> sent = literal<Bytes<S>>(layer.mixed * tokens * (1 - 1 / layout.context));
    const bool inside = operations.context.domains <= 1;
    const Seconds<S> both = paces.kernel.all_to_all_time * 2.0 + sent * (inside ? paces.scale_up : paces.scale_out);
    out.context = out.context + both;
    out.context_backward = out.context_backward + both;
  }
  if (layer.has_experts) {
    const Ratio<S> uneven = layout.expert > 1 ? t.imbalance : literal<Ratio<S>>(1.0);
    const Ratio<S> used = rows * literal<Ratio<S>>(layer.copies) * uneven;
    const auto local = literal<Ratio<S>>(layer.local_experts);
    const Bytes<S> activations = literal<Bytes<S>>(layer.row_bytes) * used;
    const Seconds<S> kernels =
        experts_time<S>(paces, layer.experts_kernel, rows, used, local, literal<Flops<S>>(layer.row_flops),
                        literal<Bytes<S>>(layer.expert_bytes) * local, activations) +
        stream * literal<Ratio<S>>(layer.copies) * t.permute_passes * paces.peak_memory;
    out.experts = out.experts + kernels * rates.framework.experts;
    if (layout.expert * layout.expert_tensor > 1) {
      const auto sent = [&](double width) {
        const auto each = literal<Bytes<S>>(width * tokens) * uneven;
        const Bytes<S> inside = each * layer.sent_inside, outside = each * layer.sent_outside;
        return layer.leaves ? all_to_all_time<S>(paces, inside, outside) : all_to_all_time<S>(paces, inside);
      };
      out.exchange = (sent(kActivationBytes) + sent(kActivationBytes)) * t.expert_exposed * rates.framework.exchange;
    }
  }
  return out;
}

namespace training {

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
    add(TrainingPart::context, l.context * n, l.context_backward * n);
    add(TrainingPart::exchange, l.exchange * n, l.exchange * n);
    const Seconds<S> whole =
        (l.projections + l.dense_ffn + l.experts + l.attention + l.small) * slow + l.tensor + l.context + l.exchange;
    Seconds<S> modules = none;
    if (policy.core_attention) modules = modules + l.attention * slow;
    if (policy.mla_up) modules = modules + l.mla_up * slow;
    if (policy.mlp) modules = modules + (l.dense_ffn - l.dense_last) * slow;
    if (policy.moe) modules = modules + l.experts * slow + l.exchange;
    if (policy.moe_activation || policy.norms) modules = modules + l.small * slow * literal<Ratio<S>>(0.3);
    // of the last product only the input is needed; reversible layers need what it gives to go back
    const Seconds<S> spared = policy.reversible ? none : l.dense_last * slow * rates.framework.stops_early;
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
  if (stage.last && !operations.kinds.empty()) {
    const double tokens = layout.micro_batch * load.sequence / layout.context;
    const auto rows = literal<Ratio<S>>(tokens);
    const GemmOperation& head = operations.kinds.front().step.products.back();
    Seconds<S> time = forward_product(rates.paces, head, rows);
    const Bytes<S> logits = literal<Bytes<S>>(tokens * head.outer * 4);
    const Seconds<S> loss = logits * t.head_passes * rates.paces.peak_memory;
    double heads = 1;
    if (operations.mtp_inner > 0) heads += 1;
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
  return hop_time<S>(rates.paces, literal<Bytes<S>>(tokens * operations.hidden * kActivationBytes / layout.tensor),
                     operations.hops_inside) +
         rates.framework.hop_time;
}

template <class S>
std::vector<StagePass<S>> passes_of(const TrainingOperations& operations, const std::vector<StageLayers>& stages,
                                    const std::vector<TrainingLayerTimes<S>>& layers, const TrainingRates<S>& rates,
                                    const TrainingLoad& load) {
  std::vector<StagePass<S>> out;
  out.reserve(stages.size());
  for (std::size_t i = 0; i < stages.size(); ++i) {
    // equal stages in the middle are computed once
    const bool same = i > 0 && stages[i].last == stages[i - 1].last && stages[i].of_kind == stages[i - 1].of_kind;
    out.push_back(same ? out.back() : stage_pass(operations, stages[i], layers, rates, load));
  }
  return out;
}

/// Chips with the same weights agree on gradients, and give each other what they own of the weights.
template <class S>
struct CopiesTime {
  Seconds<S> each_step;         // before anything hides
  Seconds<S> each_micro_batch;  // likewise
  Seconds<S> gathered;          // of it, all weights once
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
      return {reduced * 2.0, none, none};
    case Sharding::weights:
      return {added, gathered * 2.0 + reduced, gathered};
    default:
      return {reduced + gathered + added, none, none};
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
  set(TrainingPart::hops, hop * train::waited_hops(pipeline_shape(layout, m)));
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
    if (layout.sharding == Sharding::gradients) set(TrainingPart::data, around * 2.0);
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
