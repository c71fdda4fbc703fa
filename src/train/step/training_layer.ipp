#pragma once
// The equations of one layer in training, of which the step is made (training_step.ipp); include only from files that
// instantiate them.

#include <algorithm>
#include <cmath>

#include "serve/step/step.ipp"
#include "train/step/training_step.hpp"

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

/// Of something, in each pass.
template <class S>
struct PassTimes {
  Seconds<S> forward, backward;
};

template <class S>
Seconds<S> forward_product(const ChipPaces<S>& paces, const GemmOperation& product, const Ratio<S>& rows) {
  const auto inner = literal<Ratio<S>>(product.inner), outer = literal<Ratio<S>>(product.outer);
  const auto byte = literal<Bytes<S>>(1.0);
  const Flops<S> work = literal<Flops<S>>(2.0 * product.pace) * inner * outer * rows;
  const Bytes<S> moved = literal<Bytes<S>>(product.weights) + (inner * product.input_width + outer * 2.0) * byte * rows;
  const Bytes<S> made_narrow = inner * (2 + product.input_width) * byte * rows;
  return product_time<S>(paces, product.precision, work, moved, made_narrow, product.inner * 1e-3);
}

/// Attention of whole sequences against themselves, fused.
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
  return step::prefill_time<S>(rates.paces, plan, load, work, work.read + written) +
         work.index * rates.paces.matrix_of(Precision::bits8);
}

/// The same as products of the whole square (of a window: of its width), masked behind them, whose scores are stored and read again: scaled, masked,
/// normalized, dropped out. The backward pass has two products for each, and three passes for every two.
template <class S>
PassTimes<S> unfused_attention(const TrainingRates<S>& rates, const AttentionOperation& plan, double sequences,
                               double sequence) {
  constexpr double kScorePassesBack = 1.5;
  const double scores = sequences * sequence * std::min(sequence, plan.reach) * plan.heads;
  const Seconds<S> products = literal<Flops<S>>(scores * plan.score_flops) * rates.paces.matrix_of(Precision::bits16);
  const Seconds<S> stored =
      rates.training.score_passes * literal<Bytes<S>>(scores * kActivationBytes) * rates.paces.peak_memory;
  return {products + stored, products * 2.0 + stored * kScorePassesBack};
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

/// Attention in both passes, as the framework has it. Recurrent layers have no scores, and no unfused kernels.
template <class S>
PassTimes<S> attention_times(const TrainingRates<S>& rates, const AttentionOperation& plan, double micro_batch,
                             double sequence, double chips) {
  if (rates.framework.unfused > literal<Ratio<S>>(0.0) && plan.score_flops > 0)
    return unfused_attention(rates, plan, micro_batch / chips, sequence);
  const Seconds<S> forward = ring_attention(rates, plan, micro_batch, sequence, chips);
  return {forward, forward * rates.training.attention_backward};
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

/// Keys and values go from chip to chip, and on the way back their gradients with them. A hop hides behind the kernel that
/// works on what the last one brought, or, where everything is gathered at once, behind the first kernel alone. Partial
/// results are merged after every kernel: the result so far is read, and the new one, and their sum written; so are the
/// gradients of queries, keys and values. Source: TransformerEngine's context_parallel.py, PyTorch's
/// _templated_ring_attention.
template <class S>
PassTimes<S> ring_time(const TrainingOperations& operations, const TrainingLayer& layer, double tokens,
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
  PassTimes<S> out{merged(rows + own), merged(rows + own * 2.0)};
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
  TrainingLayerTimes<S> out{none, none, none, none, none, none, none, none, none, none, none, none, none};
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
    const training::PassTimes<S> time =
        training::attention_times(rates, attention, layout.micro_batch, load.sequence, layout.context);
    out.attention = out.attention + time.forward * rates.framework.attention;
    out.attention_backward = out.attention_backward + time.backward * rates.framework.attention;
  }
  out.small = small_kernels_time<S>(paces, literal<Ratio<S>>(layer.step.small_kernels),
                                    literal<Bytes<S>>(layer.small_bytes) * rows * t.small_passes) *
              rates.framework.small;
  const Bytes<S> stream = literal<Bytes<S>>(tokens * operations.hidden * kActivationBytes);
  if (layout.tensor > 1) {
    // a gather before and a scatter after each half; what goes to experts is their exchange's
    out.tensor = training::gather<S>(paces, stream, operations.tensor) * (2 * layer.halves);
    // products hide collectives over a scale-up link alone: it takes few of the chip's units
    if (operations.tensor.domains <= 1) out.tensor = out.tensor * t.tensor_exposed;
  }
  if (layout.context > 1 && layer.keys_values > 0) {
    const training::PassTimes<S> ring = training::ring_time(operations, layer, tokens, out, rates);
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
      // dispatched as the recipe has it, combined in 16 bit, and so are their gradients on the way back
      out.sent = sent(operations.dispatch_bytes) + sent(kActivationBytes);
      out.exchange = out.sent * t.expert_exposed * rates.framework.exchange;
    }
  }
  return out;
}

}  // namespace ridge
