#pragma once
// The equations of a step; include only from files that instantiate them.

#include "serve/step/step.hpp"

namespace ridge {

namespace step {

/// Contexts that `count` new tokens see together, each capped at the limit: the k-th sees context + k.
template <class S>
Tokens<S> seen_context(const Ratio<S>& count, const Tokens<S>& context, double limit) {
  const auto token = literal<Tokens<S>>(1.0);
  const auto half = literal<Ratio<S>>(0.5);
  const Tokens<S> last = context + token * count;
  if (limit == kUnlimited) return count * (context + half * count * token);
  const auto cap = literal<Tokens<S>>(limit);
  const Tokens<S> from = min(context, cap), to = min(last, cap);
  // those below the cap see a growing context, the others all of the cap
  const Ratio<S> growing = (to - from) / token;
  return growing * (from + half * growing * token) + (count - growing) * cap;
}

/// The longest context that one query walks through.
template <class S>
Tokens<S> seen_by_one(const AttentionOperation& plan, const Tokens<S>& context) {
  return plan.reach == kUnlimited ? context : min(context, literal<Tokens<S>>(plan.reach));
}

template <class S>
struct AttentionWork {
  Flops<S> flops;
  Bytes<S> read;
  Flops<S> index;  // an indexer's, in 8-bit numbers
};

/// Every sequence's new tokens against its cache.
template <class S>
AttentionWork<S> decode_work(const AttentionOperation& plan, const StepLoad<S>& load) {
  AttentionWork<S> work{literal<Flops<S>>(0.0), literal<Bytes<S>>(0.0), literal<Flops<S>>(0.0)};
  for (const auto& term : plan.terms) {
    const Tokens<S> reached =
        term.limit == kUnlimited ? load.context : min(load.context, literal<Tokens<S>>(term.limit));
    Flops<S>& sum = term.index ? work.index : work.flops;
    sum = sum + literal<FlopsPerToken<S>>(term.flops) * reached + literal<Flops<S>>(term.fixed_flops);
    work.read = work.read + literal<BytesPerToken<S>>(term.read) * reached + literal<Bytes<S>>(term.fixed_read);
    if (term.rooted) {
      const Ratio<S> root = sqrt(load.context / literal<Tokens<S>>(1.0));
      work.read = work.read + literal<Bytes<S>>(term.root_read) * root;
      work.flops = work.flops + literal<Flops<S>>(term.root_flops) * root;
    }
  }
  const Ratio<S> tokens = load.sequences * load.new_tokens;
  return {work.flops * tokens, work.read * load.sequences, work.index * tokens};
}

/// Prompts against themselves and what of them is cached.
template <class S>
AttentionWork<S> prefill_work(const AttentionOperation& plan, const StepLoad<S>& load) {
  AttentionWork<S> work{literal<Flops<S>>(0.0), literal<Bytes<S>>(0.0), literal<Flops<S>>(0.0)};
  const auto token = literal<Tokens<S>>(1.0);
  for (const auto& term : plan.terms) {
    const Tokens<S> seen = seen_context(load.prompt_tokens, load.prompt_context, term.limit);
    const Tokens<S> all = load.prompt_context + token * load.prompt_tokens;
    const auto cached = load.prompt_context;  // the new ones are counted as they come in
    const Tokens<S> reached = term.limit == kUnlimited ? cached : min(cached, literal<Tokens<S>>(term.limit));
    Flops<S>& sum = term.index ? work.index : work.flops;
    sum = sum + literal<FlopsPerToken<S>>(term.prefill_flops) * seen +
          literal<Flops<S>>(term.fixed_flops) * load.prompt_tokens;
    work.read = work.read + literal<BytesPerToken<S>>(term.read) * reached + literal<Bytes<S>>(term.fixed_read);
    if (term.rooted) {
      work.flops = work.flops + literal<Flops<S>>(term.root_flops) * sqrt(all / token) * load.prompt_tokens;
    }
  }
  return {work.flops * load.prompts, work.read * load.prompts, work.index * load.prompts};
}

template <class S>
Seconds<S> prefill_time(const ChipPaces<S>& paces, const AttentionOperation& plan, const StepLoad<S>& load,
                        const AttentionWork<S>& work, const Bytes<S>& moved) {
  const double width = plan.score_flops;
  const Ratio<S> tokens = load.prompts * load.prompt_tokens;
  if (width == 0) {  // a recurrent state has no scores
    return prefill_state_time<S>(paces, work.flops, moved, literal<Ratio<S>>(plan.group),
                                 literal<Ratio<S>>(plan.kv_heads) * load.prompts);
  }
  const Bytes<S> values = moved + literal<Bytes<S>>(plan.row_bytes) * tokens;
  const auto heads = literal<Ratio<S>>(plan.heads);
  return prefill_attention_time(paces, work.flops / literal<Flops<S>>(width), tokens * heads, width, values,
                                load.prompts * heads);
}

}  // namespace step

template <class S>
Seconds<S> StepTimes<S>::calibrated() const {
  Seconds<S> sum = part[0];
  for (std::size_t i = 1; i < kStepParts; ++i) {
    if constexpr (remembers_names<S>) {
      if (part[i].value().value() == 0) continue;  // an empty part is not worth a word
    }
    sum = sum + part[i];
  }
  return sum;
}

template <class S>
Seconds<S> StepTimes<S>::wire() const {
  return part[static_cast<std::size_t>(StepPart::reduce)] + part[static_cast<std::size_t>(StepPart::exchange)] +
         part[static_cast<std::size_t>(StepPart::hops)];
}

template <class S>
Seconds<S> network_bound(const StepOperations& plan, const ChipPeaks<S>& peak, const Ratio<S>& tokens) {
  Seconds<S> sum = literal<Seconds<S>>(0.0);
  for (const auto& reduce : plan.all_reduces)
    sum = sum + least_reduce_time(peak, literal<Bytes<S>>(reduce.bytes) * tokens, reduce.over) * reduce.times;
  for (const auto& exchange : plan.all_to_alls) {
    const Bytes<S> inside = literal<Bytes<S>>(exchange.inside) * tokens;
    const Bytes<S> outside = literal<Bytes<S>>(exchange.outside) * tokens;
    sum = sum + least_exchange_time(peak, inside, outside, exchange.leaves) * exchange.times;
  }
  if (!plan.staged) return sum;
  const Bytes<S> sent = literal<Bytes<S>>(plan.hop_bytes) * tokens;
  return sum + sent / (plan.hops_inside ? peak.scale_up : peak.scale_out) * plan.hops;
}

namespace step {

/// A step by what is in it, for the names of its lines.
template <class S>
std::string_view kind_of(const StepLoad<S>& load) {
  return !load.prefills ? "" : load.decodes ? "_mixed" : "_prefill";
}

/// The time of the n-th operation of a part, as a line of its own where lines are remembered.
template <class S>
Seconds<S> operation_line(StepPart part, std::size_t n, std::string_view kind, const Seconds<S>& time) {
  if constexpr (remembers_names<S>) {
    return named(std::string(name_of(part)) + "_" + std::to_string(n) + std::string(kind), time);
  } else {
    return time;
  }
}

/// The sum of a part's operations, likewise.
template <class S>
Seconds<S> part_line(std::size_t part, std::string_view kind, const Seconds<S>& time) {
  if constexpr (remembers_names<S>) {
    return named("t_" + std::string(name_of(static_cast<StepPart>(part))) + std::string(kind), time);
  } else {
    return time;
  }
}

/// The tokens of a step: what its operations depend on, all but attention on nothing else.
template <class S>
struct StepTokens {
  Ratio<S> decoded, prompted, all;
  Ratio<S> predicted;   // those that need logits
  Ratio<S> in_group;    // that meet at the experts
  bool padded = false;  // as `expert_padding` says
  Ratio<S> expert_padding;
};

template <class S>
StepTokens<S> tokens_of(const StepOperations& plan, const StepLoad<S>& load) {
  const auto none = literal<Ratio<S>>(0.0);
  StepTokens<S> out;
  out.decoded = load.decodes ? load.sequences * load.new_tokens : none;
  out.prompted = load.prefills ? load.prompts * load.prompt_tokens : none;
  out.all = out.decoded + out.prompted;
  out.predicted = load.prefills ? out.decoded + load.prompts : out.decoded;
  out.in_group = out.decoded * literal<Ratio<S>>(plan.attention_data);
  if (load.prefills) out.in_group = out.in_group + load.prefills_in_group * load.prompt_tokens;
  out.padded = load.prefills && load.has_padding;
  if (out.padded) out.expert_padding = load.expert_padding;
  return out;
}

/// What of a step has been added up so far.
template <class S>
struct StepSum {
  StepTimes<S> times;
  std::string_view kind;                                                    // of the step, for the names of its lines
  std::array<std::size_t, kStepParts> operations{};                         // of each part
  Seconds<S> weights, context, experts, experts_strict, experts_of_chosen;  // reads, at datasheet speed

  explicit StepSum(std::string_view kind_of_step) : kind(kind_of_step) {
    const auto none = literal<Seconds<S>>(0.0);
    for (auto& part : times.part) part = none;
    times.compute = times.network = none;
    weights = context = experts = experts_strict = experts_of_chosen = none;
  }

  void add(StepPart part, const Seconds<S>& time, double layers) {
    const auto index = static_cast<std::size_t>(part);
    times.part[index] = times.part[index] + operation_line(part, ++operations[index], kind, time) * layers;
  }
};

template <class S>
const FlopsPerSecond<S>& peak_of(const ChipPaces<S>& paces, Precision precision) {
  return paces.peak.matrix[static_cast<std::size_t>(precision)];
}

template <bool bounds, class S>
void add_products(StepSum<S>& sum, const StepOperations& plan, const ChipPaces<S>& paces, const StepTokens<S>& tokens) {
  for (const auto& product : plan.products) {
    const Ratio<S>& rows = product.part == StepPart::head ? tokens.predicted : tokens.all;
    const auto inner = literal<Ratio<S>>(product.inner), outer = literal<Ratio<S>>(product.outer);
    const auto byte = literal<Bytes<S>>(1.0);
    const Flops<S> work = literal<Flops<S>>(2.0 * product.pace) * inner * outer * rows;
    const Bytes<S> weights = literal<Bytes<S>>(product.weights);
    const Bytes<S> moved = weights + (inner * product.input_width + outer * 2.0) * byte * rows;
    const Bytes<S> made_narrow = inner * (2 + product.input_width) * byte * rows;
    sum.add(product.part, product_time(paces, product.precision, work, moved, made_narrow, product.inner * 1e-3),
            product.times);
    if constexpr (bounds) {
      sum.times.compute = sum.times.compute + work / peak_of(paces, product.precision) * product.times;
      sum.weights = sum.weights + weights / paces.peak.memory * product.times;
    }
  }
}

template <bool bounds, class S>
void add_attention(StepSum<S>& sum, const StepOperations& plan, const ChipPaces<S>& paces, const StepLoad<S>& load,
                   const StepTokens<S>& tokens) {
  for (const auto& attention : plan.attention) {
    const auto count = [&](const AttentionWork<S>& work, const Seconds<S>& time) {
      sum.add(StepPart::attention, time + work.index * paces.matrix_of(Precision::bits8), attention.times);
      if constexpr (bounds) {
        const Seconds<S> least =
            work.flops / peak_of(paces, Precision::bits16) + work.index / peak_of(paces, Precision::bits8);
        sum.times.compute = sum.times.compute + least * attention.times;
        sum.context = sum.context + work.read / paces.peak.memory * attention.times;
      }
    };
    const auto written = literal<Bytes<S>>(attention.written);
    if (load.decodes) {
      const auto work = decode_work(attention, load);
      count(work, decode_attention_time<S>(
                      paces, {work.flops, work.read + written * tokens.decoded,
                              literal<Ratio<S>>(attention.kv_heads) * load.sequences,
                              literal<Ratio<S>>(attention.group) * load.new_tokens,
                              seen_by_one(attention, load.context), attention.decode_score_flops, attention.before}));
    }
    if (load.prefills) {
      const auto work = prefill_work(attention, load);
      count(work, prefill_time<S>(paces, attention, load, work, work.read + written * tokens.prompted));
    }
  }
}

template <bool bounds, class S>
void add_experts(StepSum<S>& sum, const StepOperations& plan, const ChipPaces<S>& paces, const StepTokens<S>& tokens) {
  for (const auto& experts : plan.experts) {
    const Ratio<S>& skew = experts.balanced_router ? paces.kernel.balanced_skew : paces.kernel.expert_skew;
    const Ratio<S> spread = popularity_spread<S>(skew, experts.share);
    const Ratio<S> chosen = touched_experts(tokens.in_group, experts.local, experts.share, spread);
    const auto local = literal<Ratio<S>>(experts.local), one = literal<Ratio<S>>(1.0);
    const Ratio<S> touched = min(local, busiest(chosen, chosen * (one - chosen / local), experts.deviations));
    const Ratio<S> mean_rows = literal<Ratio<S>>(experts.rows) * tokens.in_group;
    const Ratio<S> popular = spread * mean_rows * mean_rows / local;
    const Ratio<S> uneven = experts.balanced ? mean_rows : mean_rows + popular;
    const Ratio<S> rows = busiest(mean_rows, uneven, experts.deviations);
    Ratio<S> worked = rows;
    if (tokens.padded && experts.kernel.precision != Precision::bits16)  // beside the kernel's own
      worked = rows + paces.kernel.expert_rows * tokens.expert_padding * touched;
    const Bytes<S> weights = literal<Bytes<S>>(experts.weights) * touched;
    const Flops<S> row_flops = literal<Flops<S>>(experts.row_flops);
    sum.add(StepPart::experts,
            experts_time(paces, experts.kernel, tokens.in_group, worked, touched, row_flops, weights,
                         literal<Bytes<S>>(experts.row_bytes) * rows),
            experts.times);
    if constexpr (bounds) {
      const Ratio<S> mean_touched = touched_experts(tokens.in_group, experts.local, experts.share);
      sum.times.compute =
          sum.times.compute + mean_rows * row_flops / peak_of(paces, experts.kernel.precision) * experts.times;
      const Seconds<S> each = literal<Bytes<S>>(experts.weights) / paces.peak.memory * experts.times;
      sum.experts = sum.experts + each * mean_touched;
      sum.experts_of_chosen = sum.experts_of_chosen + each * chosen;
      sum.experts_strict =
          sum.experts_strict + each * min(mean_rows, literal<Ratio<S>>(experts.per_token / experts.groups));
    }
  }
}

/// What crosses the network, and the small kernels between the large ones.
template <class S>
void add_network_and_small(StepSum<S>& sum, const StepOperations& plan, const ChipPaces<S>& paces,
                           const StepTokens<S>& tokens) {
  for (const auto& reduce : plan.all_reduces) {
    const Bytes<S> volume = literal<Bytes<S>>(reduce.bytes) * tokens.all;
    sum.add(StepPart::reduce, all_reduce_time(paces, volume, reduce.over), reduce.times);
  }
  for (const auto& exchange : plan.all_to_alls) {
    const Bytes<S> inside = literal<Bytes<S>>(exchange.inside) * tokens.all;
    const Bytes<S> outside = literal<Bytes<S>>(exchange.outside) * tokens.all;
    const Bytes<S> own = literal<Bytes<S>>(exchange.own) * tokens.all;
    sum.add(StepPart::exchange,
            exchange.leaves ? all_to_all_time(paces, inside, outside)
                            : min(all_to_all_time(paces, inside), gather_time(paces, own, exchange.chips)),
            exchange.times);
  }
  if (plan.staged) {
    const Bytes<S> sent = literal<Bytes<S>>(plan.hop_bytes) * tokens.all;
    sum.add(StepPart::hops, hop_time(paces, sent, plan.hops_inside) * literal<Ratio<S>>(plan.hops), 1);
  }
  sum.add(StepPart::small,
          small_kernels_time(paces, paces.kernel.small_share * plan.small_kernels,
                             literal<Bytes<S>>(plan.small_bytes) * tokens.all),
          1);
}

/// The step, and where wanted its bounds: who looks for the best of millions does without them.
template <bool bounds, class S>
StepTimes<S> times_of(const StepOperations& plan, const ChipPaces<S>& paces, const StepLoad<S>& load) {
  const StepTokens<S> tokens = tokens_of(plan, load);
  StepSum<S> sum(kind_of(load));
  add_products<bounds>(sum, plan, paces, tokens);
  add_attention<bounds>(sum, plan, paces, load, tokens);
  add_experts<bounds>(sum, plan, paces, tokens);
  add_network_and_small(sum, plan, paces, tokens);
  StepTimes<S>& times = sum.times;
  times.memory = sum.weights + sum.context + sum.experts;
  times.weights_read = sum.weights + sum.experts;
  times.kv_read = sum.context;
  times.memory_strict = sum.weights + sum.context + sum.experts_strict;
  times.memory_read = sum.weights + sum.context + sum.experts_of_chosen;
  if constexpr (bounds) times.network = network_bound(plan, paces.peak, tokens.all);
  for (std::size_t i = 0; i < kStepParts; ++i) times.part[i] = part_line(i, sum.kind, times.part[i]);
  return times;
}

}  // namespace step

}  // namespace ridge

#include "serve/step/ggml_step.ipp"

namespace ridge {

namespace step {

/// By the kernels that the engine runs.
template <bool bounds, class S>
StepTimes<S> kernel_times(const StepOperations& plan, const ChipPaces<S>& paces, const StepLoad<S>& load) {
  if (plan.ggml) return ggml_times<bounds>(plan, paces, load);
  return times_of<bounds>(plan, paces, load);
}

}  // namespace step

template <class S>
StepTimes<S> step_times(const StepOperations& plan, const Paces<S>& paces, const StepLoad<S>& load) {
  return step::kernel_times<true>(plan, paces, load);
}

/// Kernels whose work may be overlapped, by what a load takes one after the other.
template <class S, class TimesOf>
Seconds<S> overlapped_kernels(const StepLoad<S>& load, Overlap overlap, const TimesOf& times_of_load) {
  if (overlap != Overlap::two) {
    const StepTimes<S> times = times_of_load(load);
    if (overlap == Overlap::none) return times.calibrated();
    return max(times.calibrated() - times.wire(), times.wire());
  }
  StepLoad<S> half = load;
  half.sequences = load.sequences * 0.5;
  half.prompts = load.prompts * 0.5;
  half.prefills_in_group = load.prefills_in_group * 0.5;
  const StepTimes<S> times = times_of_load(half);
  return max(times.calibrated() - times.wire(), times.wire()) * 2.0;
}

template <class S>
Seconds<S> overlapped_step(const StepOperations& plan, const Paces<S>& paces, const StepLoad<S>& load,
                           Overlap overlap) {
  return overlapped_kernels(load, overlap,
                            [&](const StepLoad<S>& one) { return step::kernel_times<false>(plan, paces, one); });
}

}  // namespace ridge
