#pragma once
// A whole step of a laid-out model on one chip of each kind: the list of its operations, and what they take. A plan is
// made once for a model, layout and formats (equal layers together, shapes as plain numbers); a load is then a few dozen
// multiplications.

#include <array>
#include <optional>
#include <vector>

#include "cost/ggml.hpp"
#include "cost/operation.hpp"
#include "cost/overlap.hpp"
#include "layout/layout.hpp"
#include "machine/fabric.hpp"
#include "model/activation.hpp"

namespace ridge {

/// How the tensors of one part are held and multiplied.
struct PartFormat {
  Precision precision = Precision::bits16;
  bool block_scaled = false;  // fp8 with a scale for each block
  double width = 2;           // bytes of a parameter, scales included
  double input_width = 2;     // bytes of a number on its way in
  double pace = 1;     // time of a FLOP against one at the precision's peak: int8 where that is not as fast as fp8
  double look_up = 0;  // of the host, at every call of its kernels: which of them is fastest, in launches
};

struct StepFormats {
  std::array<PartFormat, kParts> parts;  // by Part
  double kv_width = 2, index_width = 2, state_width = 2;
  double activation_width = kActivationBytes;  // between layers and on the wire
  double dispatch_width = kActivationBytes;    // of tokens sent to their experts
};

/// The groups of operations a reader wants to see apart.
enum class StepPart { projections, attention, dense_ffn, experts, head, small, reduce, exchange, hops };
inline constexpr std::size_t kStepParts = 9;

constexpr std::string_view name_of(StepPart part) {
  constexpr std::array<std::string_view, kStepParts> kNames = {"qkv_and_output", "attention",  "dense_ffn",
                                                               "routed_experts", "lm_head",    "small_kernels",
                                                               "all_reduce",     "all_to_all", "pipeline_hops"};
  return kNames[static_cast<std::size_t>(part)];
}

/// A matrix product on every token.
struct GemmOperation {
  StepPart part = StepPart::projections;
  Precision precision = Precision::bits16;
  double inner = 0, outer = 0;
  double weights = 0;      // bytes on this chip
  double input_width = 2;  // bytes
  double times = 1;        // layers
  double pace = 1;         // as the format's
  double tensors = 1;      // matrices in it, where an engine does not join them
  bool sums_rows = false;  // its rows are divided over a tensor group, which sums: the last of its part
};

/// The attention of one kind of layer, as one kernel.
struct AttentionOperation {
  struct Term {
    double limit = kUnlimited;                      // tokens
    double read = 0, flops = 0, prefill_flops = 0;  // for a token of context
    double fixed_read = 0, fixed_flops = 0;         // whatever the context
    double root_read = 0, root_flops = 0;           // for a square root of a token
    bool index = false, rooted = false;             // an indexer's narrow numbers; has roots
    double stored = 0, fixed_stored = 0;            // kept for a token of context, and whatever the context
  };
  std::vector<Term> terms;         // bytes and FLOP on this chip
  double reach = 0;                // the most tokens that a query walks through
  double score_flops = 0;          // of one score of a prompt: a token of context and one query head; 0: no scores
  double decode_score_flops = 0;   // the same of decoding; without scores a usual head's
  double kv_heads = 1, heads = 1;  // kv and query heads on this chip
  double group = 1;                // query heads that share a kv head
  bool latent = false;             // the cache holds a compressed latent for all heads
  double before = 0;               // kernels that choose what it reads: an indexer's scores, the top of them
  double row_bytes = 0;            // of queries and results of one token, on their way in and out
  double written = 0;              // bytes of cache that one new token adds
  double times = 1;
};

/// The routed experts of one kind of layer.
struct ExpertsOperation {
  GroupedKernel kernel;
  bool balanced_router = false;  // training balances it by a bias of its own
  double local = 0;              // experts on a chip
  double share = 1;              // of all experts, those a token uses
  double rows = 0;               // expert uses on a chip for each token of the group, on average
  double groups = 1;             // chips over which experts are spread
  double deviations = 0;         // of the busiest of them above the mean
  bool balanced = false;         // popular ones are spread so that only chance is uneven
  double row_flops = 0;          // of one token in one expert, on this chip, as the precision's peak would do them
  double weights = 0;            // bytes of one expert on this chip
  double row_bytes = 0;          // activations in and out for one use
  double per_token = 1;          // experts a token uses
  double params = 0;             // of one expert on this chip
  double times = 1;
};

/// Bytes on the wire for each token.
struct AllReduceOperation {
  double bytes = 0;  // added up, for each token on this chip
  Span over;
  double times = 1;
};
struct AllToAllOperation {
  double inside = 0, outside = 0;  // leaving this chip for each of its tokens
  bool leaves = false;             // whether any leave the domain
  double own = 0, chips = 1;       // one copy of a token, and the chips that would get it if all did
  double times = 1;
};

struct StepOperations {
  std::vector<GemmOperation> products;
  std::vector<AttentionOperation> attention;
  std::vector<ExpertsOperation> experts;
  std::vector<AllReduceOperation> all_reduces;
  std::vector<AllToAllOperation> all_to_alls;
  double layers = 0;
  double small_kernels = 0;   // norms, rotations, activations: of all layers
  double small_bytes = 0;     // of small kernels for each token, all layers
  double launches = 0;        // of all kernels, one by one
  double tuned_launches = 0;  // of them, what the host takes to look up the fastest kernels
  double hop_bytes = 0;       // between pipeline stages for each token
  bool staged = false;        // several stages
  bool hops_inside = true;    // within a scale-up domain
  double hops = 0;            // stage boundaries
  double attention_data = 1;  // tokens of so many chips meet at the experts
  double pipeline = 1;        // stages the layers are divided over
  double unevenness = 1;      // layers of the fullest stage over the mean
  double hidden = 0;          // width of the residual stream
  double live_values = 0;     // of one token, the most that are alive at once beside that
  double embedding = 0;       // bytes that are only looked up, on a chip of the first stage
  double vocabulary = 0;
  std::optional<GgmlKernels> ggml;  // whose kernels run these, where they are not the usual ones
};

StepOperations step_operations(const Model& model, const Layout& layout, const StepFormats& formats,
                               const Fabric& fabric);

/// What one attention group (tensor x context chips) has to do in a step, for one stage's micro-batch: sequences that
/// decode, and prompts that are computed beside them.
template <class S>
struct StepLoad {
  bool decodes = true, prefills = false;
  Ratio<S> sequences;          // that decode
  Ratio<S> new_tokens;         // of each: 1, or more with speculative tokens
  Tokens<S> context;           // that stands before them
  Ratio<S> prompts;            // computed in this step
  Ratio<S> prompt_tokens;      // of each
  Tokens<S> prompt_context;    // that is cached already
  Ratio<S> prefills_in_group;  // in all groups that share the experts
  // Of 8 or 4 bit experts in a captured step with prompts, whose tiles are larger: more rows of padding, over the kernels' own.
  bool has_padding = false;
  Ratio<S> expert_padding;
};

template <class S>
struct StepTimes {
  std::array<Seconds<S>, kStepParts> part;  // calibrated, by StepPart
  // at datasheet peaks, each resource alone
  Seconds<S> compute, memory, network;
  Seconds<S> weights_read, kv_read;  // of the memory: weights with the experts touched, and the KV cache
  Seconds<S> memory_read;            // of the calibrated step: popular experts are read once
  Seconds<S> memory_strict;          // as if all tokens agreed on their experts

  Seconds<S> calibrated() const;
  Seconds<S> wire() const;  // of those, what is on the network
  Seconds<S> bound() const { return max(compute, max(memory, network)); }
  Seconds<S> strict() const { return max(compute, max(memory_strict, network)); }
};

/// Bytes of weights on the fullest chip.
double weights_held(const StepOperations& plan);
/// Bytes of activations while `tokens` of prompts are computed at once: the residual stream twice, and what the widest
/// part of a layer has alive.
double activations_held(const StepOperations& plan, double tokens);
/// Bytes of KV cache that one sequence of this length keeps on each chip of its group.
template <class S>
Bytes<S> kv_cache_held(const StepOperations& plan, const Tokens<S>& context) {
  Bytes<S> bytes = literal<Bytes<S>>(0.0);
  for (const auto& attention : plan.attention) {
    for (const auto& term : attention.terms) {
      const Tokens<S> reached = term.limit == kUnlimited ? context : min(context, literal<Tokens<S>>(term.limit));
      const Bytes<S> one = literal<BytesPerToken<S>>(term.stored) * reached + literal<Bytes<S>>(term.fixed_stored);
      bytes = bytes + one * attention.times;
    }
  }
  return bytes / literal<Ratio<S>>(plan.pipeline) * literal<Ratio<S>>(plan.unevenness);
}
/// The same with plain numbers.
inline double context_held(const StepOperations& plan, double context) {
  return kv_cache_held(plan, Tokens<double>(context)).value();
}

/// Whether a step sends anything over a link that its chips do not have.
bool lacks_link(const StepOperations& operations, const ChipPeaks<double>& peak);

/// Kernels of a step whose work may be overlapped. With two micro-batches every weight is read twice.
template <class S>
Seconds<S> overlapped_step(const StepOperations& plan, const Paces<S>& rates, const StepLoad<S>& load, Overlap overlap);

/// What a step of so many tokens in a group sends, at datasheet speed and with neither latency nor overlap.
template <class S>
Seconds<S> network_bound(const StepOperations& plan, const ChipPeaks<S>& peak, const Ratio<S>& tokens);

template <class S>
StepTimes<S> step_times(const StepOperations& plan, const Paces<S>& rates, const StepLoad<S>& load);

}  // namespace ridge
