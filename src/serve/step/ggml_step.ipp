#pragma once
// A step in ggml's kernels. What decodes and what is prefilled run one after the other, each in ubatches; of its bounds
// nothing differs from other engines. Included by step.ipp alone.

#include "cost/ggml.hpp"
#include "serve/step/step.hpp"

namespace ridge {

namespace step {

/// Tokens that run together, in equal ubatches: so many of so many.
template <class S>
struct Ubatches {
  Ratio<S> count, tokens;
};

template <class S>
Ubatches<S> ubatches_of(const GgmlKernels& ggml, const Ratio<S>& tokens) {
  const Ratio<S> count = max(literal<Ratio<S>>(1.0), tokens / literal<Ratio<S>>(ggml.ubatch));
  return {count, tokens / count};
}

/// The operations of one phase, with the times of its parts.
template <class S>
class GgmlPhase {
 public:
  /// `predicted`: tokens that need logits.
  GgmlPhase(const StepOperations& plan, const ChipPaces<S>& paces, const StepLoad<S>& load, const Ratio<S>& tokens,
            const Ratio<S>& predicted)
      : plan_(plan),
        ggml_(*plan.ggml),
        paces_(paces),
        load_(load),
        tokens_(tokens),
        predicted_(predicted),
        batches_(ubatches_of(ggml_, tokens)) {
    for (auto& part : part_) part = literal<Seconds<S>>(0.0);
  }

  const std::array<Seconds<S>, kStepParts>& times() {
    products();
    for (const auto& attention : plan_.attention) add(StepPart::attention, attention_time(attention), attention.times);
    experts();
    between();
    return part_;
  }

 private:
  void add(StepPart part, const Seconds<S>& time, double layers) {
    Seconds<S>& sum = part_[static_cast<std::size_t>(part)];
    sum = sum + operation_line(part, ++operations_[static_cast<std::size_t>(part)], kind_of(load_), time) * layers;
  }
  const FlopsPerSecond<S>& wide() const { return paces_.peak.matrix[static_cast<std::size_t>(Precision::bits16)]; }
  static Bytes<S> bytes(double count) { return literal<Bytes<S>>(count); }
  Seconds<S> launches(double count) const { return literal<Seconds<S>>(count * ggml_.numbers.launch_time.value()); }

  void products() {
    for (const GemmOperation& product : plan_.products) {
      const bool head = product.part == StepPart::head;
      const Ubatches<S> batches = head ? ubatches_of(ggml_, predicted_) : batches_;
      const double params = product.inner * product.outer;
      const GgmlMatrices matrices{product.tensors, product.weights < params * GgmlSwitches::kQuantized,
                                  product.weights < params * GgmlSwitches::kNarrow};
      const auto row = literal<Flops<S>>(2 * params);
      const Seconds<S> once = ggml_product_time<S>(ggml_, paces_.peak.memory, wide(), matrices,
                                                   {batches.tokens, row, row * batches.tokens, bytes(product.weights)});
      add(product.part, once * batches.count, product.times);
    }
    // to the CPU, where they are sampled
    const auto logits = bytes(plan_.vocabulary * GgmlSwitches::kFloatBytes) * predicted_;
    if (!ggml_.on_cpu) add(StepPart::head, logits / literal<BytesPerSecond<S>>(ggml_.numbers.host_link.value()), 1);
  }

  Seconds<S> attention_time(const AttentionOperation& attention) const {
    const GgmlCalibration& n = ggml_.numbers;
    constexpr double kKernels = 2;  // the attention itself, and joining its parts
    const FlopsPerSecond<S> rate = wide() * n.attention_matrix.value();
    if (load_.prefills) {
      const auto work = prefill_work(attention, load_);
      const Bytes<S> moved = work.read + bytes(attention.written) * tokens_;
      return launches(kKernels) * batches_.count + work.flops / rate +
             moved / (paces_.peak.memory * n.cache_memory.value());
    }
    StepLoad<S> padded = load_;  // a length that is a multiple of the block: half a block more on average
    padded.context = load_.context + literal<Tokens<S>>(GgmlSwitches::kCacheBlock / 2);
    const auto work = decode_work(attention, padded);
    const Bytes<S> moved = work.read + bytes(attention.written) * tokens_;
    const Ratio<S> blocks = literal<Ratio<S>>(attention.kv_heads) * load_.sequences;
    return launches(kKernels) * batches_.count + literal<Seconds<S>>(n.block_time.value()) * blocks +
           overlapped<S>(moved / (paces_.peak.memory * n.cache_memory.value()), work.flops / rate);
  }

  /// The same kernels over the rows of each expert that somebody chose, after sorting them.
  void experts() {
    for (const ExpertsOperation& experts : plan_.experts) {
      const Ratio<S> touched = touched_experts(batches_.tokens, experts.local, experts.share,
                                               popularity_spread<S>(paces_.kernel.expert_skew, experts.share));
      constexpr double kMatrices = 3, kSorting = 3;
      const double params = experts.params;
      const GgmlMatrices matrices{kMatrices, experts.weights < params * GgmlSwitches::kQuantized,
                                  experts.weights < params * GgmlSwitches::kNarrow};
      const auto row = literal<Flops<S>>(experts.row_flops);
      const auto work = row * batches_.tokens * experts.rows;
      const Seconds<S> once =
          ggml_product_time<S>(ggml_, paces_.peak.memory, wide(), matrices,
                               {batches_.tokens, row * experts.rows, work, bytes(experts.weights) * touched});
      add(StepPart::experts, (once + launches(kSorting)) * batches_.count, experts.times);
    }
  }

  /// Norms, rotations, activations and sums: in fp32, where other engines have 16 bit.
  void between() {
    const GgmlCalibration& n = ggml_.numbers;
    const Seconds<S> starts = launches(n.small_share.value() * plan_.small_kernels) * batches_.count;
    const double moved = plan_.small_bytes * (GgmlSwitches::kFloatBytes / kActivationBytes);
    add(StepPart::small, starts + bytes(moved * n.activation_passes.value()) * tokens_ / paces_.peak.memory, 1);
  }

  const StepOperations& plan_;
  const GgmlKernels& ggml_;
  const ChipPaces<S>& paces_;
  const StepLoad<S>& load_;
  Ratio<S> tokens_, predicted_;
  Ubatches<S> batches_;
  std::array<Seconds<S>, kStepParts> part_;
  std::array<std::size_t, kStepParts> operations_{};
};

template <bool bounds, class S>
StepTimes<S> ggml_times(const StepOperations& plan, const ChipPaces<S>& paces, const StepLoad<S>& load) {
  StepTimes<S> times = times_of<bounds>(plan, paces, load);  // its bounds, and what crosses the network
  std::array<Seconds<S>, kStepParts> sums;
  for (auto& sum : sums) sum = literal<Seconds<S>>(0.0);
  const auto add = [&](const StepLoad<S>& phase, const Ratio<S>& tokens, const Ratio<S>& predicted) {
    const auto parts = GgmlPhase<S>(plan, paces, phase, tokens, predicted).times();
    for (std::size_t i = 0; i < kStepParts; ++i) sums[i] = sums[i] + part_line(i, kind_of(phase), parts[i]);
  };
  if (load.decodes) {
    StepLoad<S> phase = load;
    phase.prefills = false;
    const Ratio<S> tokens = load.sequences * load.new_tokens;
    add(phase, tokens, tokens);
  }
  if (load.prefills) {
    StepLoad<S> phase = load;
    phase.decodes = false;
    add(phase, load.prompts * load.prompt_tokens, load.prompts);
  }
  for (const StepPart part : {StepPart::projections, StepPart::attention, StepPart::dense_ffn, StepPart::experts,
                              StepPart::head, StepPart::small}) {
    times.part[static_cast<std::size_t>(part)] = sums[static_cast<std::size_t>(part)];
  }
  return times;
}

}  // namespace step

}  // namespace ridge
