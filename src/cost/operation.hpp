#pragma once
// What one operation takes on one chip. Each equation once, over any scalar; docs/theory/serving.md derives them and
// says what was tried instead.

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

#include "base/number/root.hpp"
#include "cost/calibration.hpp"
#include "cost/collectives.hpp"
#include "layout/routing.hpp"

namespace ridge {

/// Peaks of a chip and its way to the others, as the datasheet has them.
template <class S>
struct ChipPeaks {
  std::array<FlopsPerSecond<S>, kPrecisions> matrix;  // by Precision
  BytesPerSecond<S> memory;
  BytesPerSecond<S> scale_up, scale_out;  // one way
  Seconds<S> hop{};                       // of a message from one domain to the next; 0: not known
};

template <class S>
struct ChipRates {
  ChipPeaks<S> peak;
  ChipCalibration<S> chip;
  KernelCalibration<S> kernel;
};

/// The square of a time shorter than anything: keeps the root of two zeros differentiable.
template <class S>
auto no_time_squared() {
  return literal<Seconds<S>>(1e-30) * literal<Seconds<S>>(1e-30);
}

/// The larger of two times that overlap for the most part: (a^4 + b^4)^(1/4).
template <class S>
Seconds<S> overlapped(const Seconds<S>& a, const Seconds<S>& b) {
  const auto a2 = a * a, b2 = b * b, none = no_time_squared<S>();
  return root(root(a2 * a2 + b2 * b2 + none * none));
}

/// Two times that hide behind each other only by half: the square root of the sum of their squares.
template <class S>
Seconds<S> half_overlapped(const Seconds<S>& a, const Seconds<S>& b) {
  return root(a * a + b * b + no_time_squared<S>());
}

/// The kernels that multiply the experts of a layer.
struct GroupedKernel {
  Precision precision = Precision::bits16;
  bool block_scaled = false;  // fp8 with a scale for each block
  bool unpacks = false;       // 16-bit products of narrow weights, made wide on the way
};

/// What a chip reaches, turned over: the time that a FLOP or a byte takes. Divisions are slow, and a step needs the same
/// few for all its operations.
template <class S>
struct ChipPaces : ChipRates<S> {
  using PerFlop = Quantity<kSecond / kFlop, S>;
  using PerByte = Quantity<kSecond / kByte, S>;

  std::array<PerFlop, kPrecisions> matrix;                   // by Precision
  std::array<PerFlop, kPrecisions> grouped, grouped_blocks;  // of experts, and of block-scaled ones
  PerFlop unpacked;                                          // of experts whose weights alone are narrow
  PerFlop attention;
  PerByte peak_memory, weights, cache, experts;  // at the datasheet's speed; reading each of these
  PerByte scale_up, scale_out;
  Seconds<S> score;  // of attention: its exponential

  /// Implicit: whoever has rates may ask for the time of an operation.
  ChipPaces(const ChipRates<S>& r) : ChipRates<S>(r) {  // NOLINT
    const auto one = literal<Ratio<S>>(1.0);
    const std::array<Ratio<S>, kPrecisions> reached = {r.chip.matrix_16bit, r.chip.matrix_8bit, r.chip.matrix_4bit};
    for (std::size_t i = 0; i < kPrecisions; ++i) {
      const FlopsPerSecond<S> rate = r.peak.matrix[i] * reached[i], together = rate * r.kernel.expert_matrix;
      matrix[i] = one / rate;
      grouped[i] = one / together;
      grouped_blocks[i] = one / (together * r.kernel.expert_blocks);
    }
    unpacked = matrix[static_cast<std::size_t>(Precision::bits16)] / r.kernel.unpack_matrix;
    attention = one / (r.peak.matrix[static_cast<std::size_t>(Precision::bits16)] * r.chip.attention_matrix);
    peak_memory = one / r.peak.memory;
    weights = one / (r.peak.memory * r.chip.memory);
    cache = one / (r.peak.memory * r.chip.attention_memory);
    experts = one / (r.peak.memory * r.chip.memory * r.kernel.expert_memory);
    scale_up = one / (r.peak.scale_up * r.chip.link);
    scale_out = one / (r.peak.scale_out * r.chip.link);
    score = one / r.chip.softmax_rate;
  }

  const PerFlop& matrix_of(Precision precision) const { return matrix[static_cast<std::size_t>(precision)]; }
  const PerFlop& grouped_of(const GroupedKernel& products) const {
    if (products.unpacks) return unpacked;
    return (products.block_scaled ? grouped_blocks : grouped)[static_cast<std::size_t>(products.precision)];
  }
};

/// For parameters from which the scalar is not to be told, so that rates are taken as well.
template <class S>
using Paces = std::type_identity_t<ChipPaces<S>>;

template <class S>
const Seconds<S>& depth_time(const ChipPaces<S>& r, Precision precision) {
  if (precision == Precision::bits16) return r.kernel.depth_16bit;
  return precision == Precision::bits8 ? r.kernel.depth_8bit : r.kernel.depth_4bit;
}

/// rows x inner times inner x outer. `depth` is inner / 1,000; `made_narrow`: bytes read and written to quantize the
/// input, none for 16-bit products.
template <class S>
Seconds<S> product_time(const Paces<S>& r, Precision precision, const Flops<S>& work, const Bytes<S>& moved,
                        const Bytes<S>& made_narrow, double depth) {
  const Seconds<S> main = half_overlapped(work * r.matrix_of(precision), moved * r.weights);
  const Seconds<S> start = r.chip.product_time + depth_time<S>(r, precision) * literal<Ratio<S>>(depth);
  if (precision == Precision::bits16) return start + main;
  return start + main + r.kernel.quantize_passes * made_narrow * r.peak_memory;
}

/// FLOP of one score of a head of 128: blocks are counted in such heads.
inline constexpr double kUsualScore = 512;

/// New tokens of each sequence against its cache.
template <class S>
struct DecodeAttention {
  Flops<S> work;
  Bytes<S> read;
  Ratio<S> blocks;    // sequences times kv heads on this chip
  Ratio<S> group;     // query rows that share a key
  Tokens<S> context;  // that one of them sees
  double width;       // FLOP of one score
  double before = 0;  // kernels of the same kind that choose what it reads: an indexer's scores, the top of them
};

/// A long context is divided over many processors, and their parts joined: more to start than a short one. A block
/// fetches its queries and stores its results, as wide as a head is.
template <class S>
Seconds<S> decode_attention_time(const Paces<S>& r, const DecodeAttention<S>& a) {
  const auto one = literal<Ratio<S>>(1.0);
  const Seconds<S> reading = a.read * r.cache;
  const Seconds<S> block = r.chip.block_time * (a.width / kUsualScore) * (one + r.kernel.block_root * sqrt(a.group));
  const Seconds<S> computing = a.work * (one + r.kernel.decode_rows / a.group) * r.attention;
  const Ratio<S> divided = r.kernel.join_share * (a.context / (a.context + r.kernel.join_context));
  const Seconds<S> start = r.chip.attention_time * (one + divided);
  const Seconds<S> chosen = a.before > 0 ? start + r.chip.attention_time * a.before : start;
  return chosen + half_overlapped(overlapped(reading, computing), block * a.blocks);
}

/// Prompts against themselves and what stands before them. `scores`: query rows times keys they see, over all heads;
/// `rows`: query rows over all heads; `width`: FLOP of one score; `blocks`: sequences times heads.
template <class S>
Seconds<S> prefill_attention_time(const Paces<S>& r, const Ratio<S>& scores, const Ratio<S>& rows, double width,
                                  const Bytes<S>& moved, const Ratio<S>& blocks) {
  const Ratio<S> worked = scores + r.kernel.prefill_rows * rows;
  const Seconds<S> products = literal<Flops<S>>(width) * worked * r.attention, exponentials = worked * r.score;
  return r.chip.prefill_time + r.kernel.prefill_block_time * (width / kUsualScore) * blocks +
         half_overlapped(products, exponentials) + r.kernel.prefill_passes * moved * r.peak_memory;
}

/// A prompt through a recurrent state: no scores, but started and divided as a prompt's attention is.
template <class S>
Seconds<S> prefill_state_time(const Paces<S>& r, const Flops<S>& work, const Bytes<S>& moved, const Ratio<S>& group,
                              const Ratio<S>& blocks) {
  const Seconds<S> computing = work * (literal<Ratio<S>>(1.0) + r.kernel.state_rows / group) * r.attention;
  return r.chip.prefill_time +
         half_overlapped(overlapped(moved * r.cache, computing), r.kernel.prefill_block_time * blocks);
}

/// Experts that somebody of `tokens` needs, of `local` on a chip: uniform routing, `share` = k / E.
template <class S>
Ratio<S> touched_experts(const Ratio<S>& tokens, double local, double share) {
  return literal<Ratio<S>>(local) * coverage(min(literal<Ratio<S>>(share), literal<Ratio<S>>(1.0)), tokens);
}

/// Variance of the experts' popularity over its squared mean. Where every token chooses the same k of E experts it is
/// E/k - 1, the most there can be: few experts, or many chosen, cannot be as uneven. `skew`: the share of that most.
template <class S>
Ratio<S> popularity_spread(const Ratio<S>& skew, double share) {
  return skew * literal<Ratio<S>>(1 / share - 1);
}

/// The same where experts are not equally popular: popularity spread like a gamma distribution, so that a few are
/// chosen often and many seldom. One token touches k; with no spread it is uniform routing.
template <class S>
Ratio<S> touched_experts(const Ratio<S>& tokens, double local, double share, const Ratio<S>& spread) {
  constexpr double kNearlyAll = 1 - 1e-9;
  if (share >= kNearlyAll) return touched_experts(tokens, local, share);
  const auto one = literal<Ratio<S>>(1.0), none = literal<Ratio<S>>(0.0);
  const Ratio<S> left = one - literal<Ratio<S>>(share);
  const Ratio<S> each = pow(left, none - spread) - one;
  return literal<Ratio<S>>(local) * (one - pow(one + tokens * each, none - one / spread));
}

/// Expected largest of `count` numbers from the standard normal distribution (Harter's approximation): 0 for one, 1.03
/// for four, 2.4 for 72.
double expected_largest(double count);

/// What the busiest of several chips has: `deviations` above the mean.
template <class S>
Ratio<S> busiest(const Ratio<S>& mean, const Ratio<S>& variance, double deviations) {
  return mean + sqrt(max(variance, literal<Ratio<S>>(0.0))) * literal<Ratio<S>>(deviations);
}

/// Grouped products of the experts on one chip. `rows`: tokens times experts chosen here; `row_flops`: of one of them;
/// `tokens`: those the router sorts.
template <class S>
Seconds<S> experts_time(const Paces<S>& r, const GroupedKernel& kernel, const Ratio<S>& tokens, const Ratio<S>& rows,
                        const Ratio<S>& touched, const Flops<S>& row_flops, const Bytes<S>& weights,
                        const Bytes<S>& activations) {
  const Ratio<S>& padding = kernel.unpacks ? r.kernel.unpack_rows : r.kernel.expert_rows;
  const Seconds<S> computing = (rows + padding * touched) * row_flops * r.grouped_of(kernel);
  const Seconds<S> reading = weights * r.experts;
  return r.chip.experts_time + r.kernel.expert_token_time * tokens + overlapped(computing, reading) +
         r.kernel.expert_passes * activations * r.peak_memory;
}

/// Norms, rotations, activations: `count` kernels that move `moved` bytes together.
template <class S>
Seconds<S> small_kernels_time(const Paces<S>& r, const Ratio<S>& count, const Bytes<S>& moved) {
  return r.chip.small_time * count + moved * r.weights;
}

/// What starting a collective of so many chips takes.
template <class S>
Seconds<S> collective_start(const Paces<S>& r, double chips) {
  return r.chip.reduce_time + r.kernel.reduce_per_chip * (literal<Ratio<S>>(chips) - literal<Ratio<S>>(2.0));
}

/// Adding up `volume` bytes over `chips` in one scale-up domain: every chip sends all of it to all.
template <class S>
Seconds<S> one_shot_time(const Paces<S>& r, const Bytes<S>& volume, double chips) {
  return collective_start<S>(r, chips) + sent_in_one_shot(volume, literal<Ratio<S>>(chips)) * r.scale_up;
}

/// Each adds up its share and sends the sum.
template <class S>
Seconds<S> two_shot_time(const Paces<S>& r, const Bytes<S>& volume, double chips) {
  return collective_start<S>(r, chips) + r.kernel.reduce_phase * r.chip.reduce_time +
         sent_in_two_shots(volume, literal<Ratio<S>>(chips)) * r.scale_up;
}

/// Whichever is faster.
template <class S>
Seconds<S> all_reduce_time(const Paces<S>& r, const Bytes<S>& volume, double chips) {
  return min(one_shot_time<S>(r, volume, chips), two_shot_time<S>(r, volume, chips));
}

/// The same where neighbors alone are linked, three ways: in shares around the rings, and hops along the axes.
template <class S>
Seconds<S> all_reduce_torus_time(const Paces<S>& r, const Bytes<S>& volume, double chips) {
  const auto all = literal<Ratio<S>>(chips);
  const Ratio<S> hops = pow(all, literal<Ratio<S>>(1.0 / 3)) * 3.0;
  return r.chip.reduce_time + r.kernel.reduce_per_chip * hops + r.kernel.reduce_phase * r.chip.reduce_time +
         sent_in_two_shots(volume, all) * r.scale_up;
}

/// Between domains: shares of what `chips` of each have added up, over `domains`.
template <class S>
Seconds<S> reduce_across_time(const Paces<S>& r, const Bytes<S>& volume, double chips, double domains) {
  const Bytes<S> sent = volume * (two_shot_share(literal<Ratio<S>>(domains)) / literal<Ratio<S>>(chips));
  return r.kernel.reduce_across_time + sent * r.scale_out;
}

/// The chips that add something up: so many in each of so many domains.
struct Span {
  double chips = 1, domains = 1;
  bool inside = false, across = false;  // whether there are several of each
  bool torus = false;                   // neighbors alone are linked
};

template <class S>
Seconds<S> all_reduce_time(const Paces<S>& r, const Bytes<S>& volume, const Span& span) {
  Seconds<S> time = literal<Seconds<S>>(0.0);
  if (span.inside) {
    time = span.torus ? all_reduce_torus_time<S>(r, volume, span.chips) : all_reduce_time<S>(r, volume, span.chips);
  }
  return span.across ? time + reduce_across_time<S>(r, volume, span.chips, span.domains) : time;
}

/// The least that adding up takes at datasheet speed: everything crosses the slowest link once, added up in the network.
template <class S>
Seconds<S> least_reduce_time(const ChipPeaks<S>& peak, const Bytes<S>& volume, const Span& span) {
  const Bytes<S> least = span.across ? volume / literal<Ratio<S>>(span.chips) : volume;
  return least / (span.across ? peak.scale_out : peak.scale_up);
}

/// The same of an all-to-all: both networks at once. On a torus `inside` counts a byte on every link that it crosses.
template <class S>
Seconds<S> least_exchange_time(const ChipPeaks<S>& peak, const Bytes<S>& inside, const Bytes<S>& outside, bool leaves) {
  const Seconds<S> least = inside / peak.scale_up;
  return leaves ? max(least, outside / peak.scale_out) : least;
}

/// From one stage to the next, without the transfer: what two chips need to agree, and between domains a message's way.
template <class S>
Seconds<S> hop_latency(const Seconds<S>& agreeing, const Seconds<S>& message, bool inside) {
  return inside ? agreeing : max(agreeing, message);
}

/// One stage's results to the next.
template <class S>
Seconds<S> hop_time(const Paces<S>& r, const Bytes<S>& sent, bool inside) {
  return hop_latency(r.chip.reduce_time, r.peak.hop, inside) + sent * (inside ? r.scale_up : r.scale_out);
}

/// Tokens to their experts, or back, inside one domain.
template <class S>
Seconds<S> all_to_all_time(const Paces<S>& r, const Bytes<S>& inside) {
  return r.kernel.all_to_all_time + inside * r.scale_up;
}

/// Tokens to all chips of one domain, or the results of all added up at each token's own: what engines do instead of an
/// exchange where most chips are reached anyway. `volume`: what one chip brings or takes.
template <class S>
Seconds<S> gather_time(const Paces<S>& r, const Bytes<S>& volume, double chips) {
  return one_shot_time<S>(r, volume, chips);
}

/// The same where some leave the domain, at the same time.
template <class S>
Seconds<S> all_to_all_time(const Paces<S>& r, const Bytes<S>& inside, const Bytes<S>& outside) {
  return max(all_to_all_time<S>(r, inside), r.kernel.all_to_all_time + outside * r.scale_out);
}

}  // namespace ridge
