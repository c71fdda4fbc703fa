#pragma once
// What one operation takes on one chip. Each equation once, over any scalar; docs/theory/serving.md derives them and
// says what was tried instead.

#include <algorithm>
#include <array>
#include <cmath>

#include "cost/calibration.hpp"

namespace ridge {

/// Peaks of a chip and its way to the others, as the datasheet has them.
template <class S>
struct ChipPeaks {
  std::array<FlopsPerSecond<S>, kPrecisions> matrix;  // by Precision
  BytesPerSecond<S> memory;
  BytesPerSecond<S> scale_up, scale_out;  // one way
};

template <class S>
struct ChipRates {
  ChipPeaks<S> peak;
  ChipCalibration<S> chip;
  KernelCalibration<S> kernel;
};

/// A time shorter than anything: keeps the share of two zeros defined.
template <class S>
Seconds<S> no_time() {
  return literal<Seconds<S>>(1e-30);
}

/// The larger of two times that overlap for the most part: (a^4 + b^4)^(1/4).
template <class S>
Seconds<S> overlapped(const Seconds<S>& a, const Seconds<S>& b) {
  const Seconds<S> larger = max(a, b);
  const Ratio<S> share = min(a, b) / max(larger, no_time<S>()), square = share * share;
  return larger * sqrt(sqrt(literal<Ratio<S>>(1.0) + square * square));
}

template <class S>
FlopsPerSecond<S> matrix_rate(const ChipRates<S>& r, Precision precision) {
  const auto& peak = r.peak.matrix[static_cast<std::size_t>(precision)];
  if (precision == Precision::wide) return peak * r.chip.matrix_wide;
  return precision == Precision::eight ? peak * r.chip.matrix_eight : peak * r.chip.matrix_four;
}

template <class S>
const Seconds<S>& depth_time(const ChipRates<S>& r, Precision precision) {
  if (precision == Precision::wide) return r.kernel.depth_wide;
  return precision == Precision::eight ? r.kernel.depth_eight : r.kernel.depth_four;
}

/// rows x inner times inner x outer. `depth` is inner / 1,000; `made_narrow`: bytes read and written to quantise the
/// input, none for 16-bit products.
template <class S, class N>
Seconds<S> product_time(const ChipRates<S>& r, Precision precision, const Flops<S>& work, const Bytes<S>& moved,
                        const Bytes<S>& made_narrow, const N& depth) {
  const Seconds<S> main = overlapped(work / matrix_rate(r, precision), moved / (r.peak.memory * r.chip.memory));
  const Seconds<S> start = r.chip.product_time + depth_time(r, precision) * amount<Ratio<S>>(depth);
  if (precision == Precision::wide) return start + main;
  return start + main + r.kernel.quantise_passes * made_narrow / r.peak.memory;
}

/// Two times that hide behind each other only by half: the square root of the sum of their squares.
template <class S>
Seconds<S> half_overlapped(const Seconds<S>& a, const Seconds<S>& b) {
  const Seconds<S> larger = max(a, b);
  const Ratio<S> share = min(a, b) / max(larger, no_time<S>());
  return larger * sqrt(literal<Ratio<S>>(1.0) + share * share);
}

/// New tokens of each sequence against its cache.
template <class S>
struct DecodeAttention {
  Flops<S> work;
  Bytes<S> read;
  Ratio<S> blocks;    // sequences times kv heads on this chip
  Ratio<S> group;     // query rows that share a key
  Tokens<S> context;  // that one of them sees
  bool latent;        // the cache holds one compressed latent for all heads
};

/// A long context is divided over many processors, and their parts joined: more to start than a short one.
template <class S>
Seconds<S> decode_attention_time(const ChipRates<S>& r, const DecodeAttention<S>& a) {
  const auto one = literal<Ratio<S>>(1.0);
  const Seconds<S> reading = a.read / (r.peak.memory * r.chip.attention_memory);
  const Seconds<S> block = a.latent ? r.chip.block_time * r.kernel.latent_block : r.chip.block_time;
  const auto rate = r.peak.matrix[static_cast<std::size_t>(Precision::wide)] * r.chip.attention_matrix;
  const Seconds<S> computing = a.work * (one + r.kernel.decode_rows / a.group) / rate;
  const Ratio<S> divided = r.kernel.join_share * (a.context / (a.context + r.kernel.join_context));
  return r.chip.attention_time * (one + divided) + half_overlapped(overlapped(reading, computing), block * a.blocks);
}

/// Prompts against themselves and what stands before them. `scores`: query rows times keys they see, over all heads;
/// `rows`: query rows over all heads; `width`: FLOP of one score; `blocks`: sequences times heads.
template <class S>
Seconds<S> prefill_attention_time(const ChipRates<S>& r, const Ratio<S>& scores, const Ratio<S>& rows, double width,
                                  const Bytes<S>& moved, const Ratio<S>& blocks) {
  const auto rate = r.peak.matrix[static_cast<std::size_t>(Precision::wide)] * r.chip.attention_matrix;
  const Ratio<S> worked = scores + r.kernel.prefill_rows * rows;
  const Seconds<S> products = literal<Flops<S>>(width) * worked / rate, exponentials = worked / r.chip.softmax_rate;
  return r.chip.attention_time + r.kernel.prefill_block * r.chip.block_time * blocks +
         half_overlapped(products, exponentials) + r.kernel.prefill_passes * moved / r.peak.memory;
}

/// Experts that somebody of `tokens` needs, of `local` on a chip: uniform routing, `share` = k / E.
template <class S, class N>
Ratio<S> touched_experts(const Ratio<S>& tokens, const N& local, const N& share) {
  const auto one = literal<Ratio<S>>(1.0);
  return amount<Ratio<S>>(local) * (one - pow(one - min(amount<Ratio<S>>(share), one), tokens));
}

/// The same where experts are not equally popular: popularity spread like a gamma distribution, so that a few are
/// chosen often and many seldom. One token touches k; with no spread it is uniform routing.
template <class S, class N>
Ratio<S> touched_experts(const Ratio<S>& tokens, const N& local, const N& share, const Ratio<S>& spread) {
  constexpr double kNearlyAll = 1 - 1e-9;
  const auto one = literal<Ratio<S>>(1.0), none = literal<Ratio<S>>(0.0);
  const Ratio<S> left = one - min(amount<Ratio<S>>(share), literal<Ratio<S>>(kNearlyAll));
  const Ratio<S> each = pow(left, none - spread) - one;
  return amount<Ratio<S>>(local) * (one - pow(one + tokens * each, none - one / spread));
}

/// Expected largest of `count` numbers from the standard normal distribution (Harter's approximation): 0 for one, 1.03
/// for four, 2.4 for 72.
double expected_largest(double count);

/// What the busiest of several chips has: `deviations` above the mean.
template <class S, class N>
Ratio<S> busiest(const Ratio<S>& mean, const Ratio<S>& variance, const N& deviations) {
  return mean + sqrt(max(variance, literal<Ratio<S>>(0.0))) * amount<Ratio<S>>(deviations);
}

/// Grouped products of the experts on one chip. `rows`: tokens times experts chosen here; `row_flops`: of one of them;
/// `tokens`: those the router sorts.
template <class S>
Seconds<S> experts_time(const ChipRates<S>& r, Precision precision, bool block_scaled, const Ratio<S>& tokens,
                        const Ratio<S>& rows, const Ratio<S>& touched, const Flops<S>& row_flops,
                        const Bytes<S>& weights, const Bytes<S>& activations) {
  const FlopsPerSecond<S> grouped = matrix_rate(r, precision) * r.kernel.expert_matrix;
  const FlopsPerSecond<S> rate = block_scaled ? grouped * r.kernel.expert_blocks : grouped;
  const Seconds<S> computing = (rows + r.kernel.expert_rows * touched) * row_flops / rate;
  const Seconds<S> reading = weights / (r.peak.memory * r.chip.memory * r.kernel.expert_memory);
  return r.chip.experts_time + r.kernel.expert_token_time * tokens + overlapped(computing, reading) +
         r.kernel.expert_passes * activations / r.peak.memory;
}

/// Norms, rotations, activations: `count` kernels that move `moved` bytes together.
template <class S>
Seconds<S> small_kernels_time(const ChipRates<S>& r, const Ratio<S>& count, const Bytes<S>& moved) {
  return r.chip.small_time * count + moved / (r.peak.memory * r.chip.memory);
}

/// What starting a collective of so many chips takes.
template <class S, class N>
Seconds<S> collective_start(const ChipRates<S>& r, const N& chips) {
  return r.chip.reduce_time + r.kernel.reduce_per_chip * (amount<Ratio<S>>(chips) - literal<Ratio<S>>(2.0));
}

/// Adding up `volume` bytes over `chips` in one scale-up domain: every chip sends all to all, or each adds up its share
/// and sends the sum, whichever is faster.
template <class S, class N>
Seconds<S> all_reduce_time(const ChipRates<S>& r, const Bytes<S>& volume, const N& chips) {
  const BytesPerSecond<S> link = r.peak.scale_up * r.chip.link;
  const auto all = amount<Ratio<S>>(chips), others = all - literal<Ratio<S>>(1.0);
  const Seconds<S> start = collective_start(r, chips);
  const Seconds<S> one_shot = start + volume * others / link;
  const Seconds<S> two_shot = start + r.kernel.reduce_phase * r.chip.reduce_time + volume * (2 * others / all) / link;
  return min(one_shot, two_shot);
}

/// The same where neighbours alone are linked, three ways: in shares around the rings, and hops along the axes.
template <class S, class N>
Seconds<S> all_reduce_torus_time(const ChipRates<S>& r, const Bytes<S>& volume, const N& chips) {
  const auto all = amount<Ratio<S>>(chips), others = all - literal<Ratio<S>>(1.0);
  const Ratio<S> hops = pow(all, literal<Ratio<S>>(1.0 / 3)) * 3.0;
  return r.chip.reduce_time + r.kernel.reduce_per_chip * hops + r.kernel.reduce_phase * r.chip.reduce_time +
         volume * (2 * others / all) / (r.peak.scale_up * r.chip.link);
}

/// Between domains: shares of what `chips` of each have added up, over `domains`.
template <class S, class N>
Seconds<S> reduce_across_time(const ChipRates<S>& r, const Bytes<S>& volume, const N& chips, const N& domains) {
  const auto all = amount<Ratio<S>>(domains), others = all - literal<Ratio<S>>(1.0);
  const Bytes<S> share = volume * (2 * others / all / amount<Ratio<S>>(chips));
  return r.kernel.exchange_time + share / (r.peak.scale_out * r.chip.link);
}

/// The chips that add something up: so many in each of so many domains.
template <class N>
struct Span {
  N chips{1.0}, domains{1.0};
  bool inside = false, across = false;  // whether there are several of each
  bool torus = false;                   // neighbours alone are linked
};

template <class S, class N>
Seconds<S> all_reduce_time(const ChipRates<S>& r, const Bytes<S>& volume, const Span<N>& span) {
  Seconds<S> time = literal<Seconds<S>>(0.0);
  if (span.inside) {
    time = span.torus ? all_reduce_torus_time(r, volume, span.chips) : all_reduce_time(r, volume, span.chips);
  }
  return span.across ? time + reduce_across_time(r, volume, span.chips, span.domains) : time;
}

/// One stage's results to the next.
template <class S>
Seconds<S> hop_time(const ChipRates<S>& r, const Bytes<S>& sent, bool inside) {
  return r.chip.reduce_time + sent / ((inside ? r.peak.scale_up : r.peak.scale_out) * r.chip.link);
}

/// Tokens to their experts, or back, inside one domain.
template <class S>
Seconds<S> exchange_time(const ChipRates<S>& r, const Bytes<S>& inside) {
  return r.kernel.exchange_time + inside / (r.peak.scale_up * r.chip.link);
}

/// Tokens to all chips of one domain, or the results of all added up at each token's own: what engines do instead of an
/// exchange where most chips are reached anyway. `volume`: what one chip brings or takes.
template <class S, class N>
Seconds<S> gather_time(const ChipRates<S>& r, const Bytes<S>& volume, const N& chips) {
  const Ratio<S> others = amount<Ratio<S>>(chips) - literal<Ratio<S>>(1.0);
  return collective_start(r, chips) + volume * others / (r.peak.scale_up * r.chip.link);
}

/// The same where some leave the domain, at the same time.
template <class S>
Seconds<S> exchange_time(const ChipRates<S>& r, const Bytes<S>& inside, const Bytes<S>& outside) {
  return max(exchange_time(r, inside), r.kernel.exchange_time + outside / (r.peak.scale_out * r.chip.link));
}

}  // namespace ridge
