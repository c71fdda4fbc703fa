#include "calibrate/probe/probe.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/text.hpp"

namespace ridge {

namespace {

/// Between the two nearest of sorted values.
double quantile_of(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

std::string threads_text(int threads) { return threads == 1 ? "1 thread" : fmt::format("{} threads", threads); }

std::string rate_note(const ProbedRate& rate, std::string_view what, bool by_threads) {
  return fmt::format("{}: best of {} pass{}{}, median {} % of it, spread {} %", what, rate.passes,
                     rate.passes == 1 ? "" : "es", by_threads ? " by " + threads_text(rate.threads) : "",
                     significant(100 * rate.median / rate.best, 3), significant(100 * rate.spread, 2));
}

std::optional<ProbedPeak> peak_from(const std::vector<ProbedRate>& rates, std::string_view what,
                                    bool by_threads = true) {
  const ProbedRate* best = fastest(rates);
  if (best == nullptr) return {};
  return ProbedPeak{best->best, rate_note(*best, what, by_threads), best->disturbed()};
}

/// The larger of two, either of which may not be there.
std::optional<ProbedPeak> larger(const std::optional<ProbedPeak>& a, const std::optional<ProbedPeak>& b) {
  if (!a || !b) return a ? a : b;
  return b->value > a->value ? b : a;
}

}  // namespace

std::optional<ProbedRate> probed_rate(const ProbeSeries& series) {
  std::vector<double> sorted;
  for (const double rate : series.rates) {
    if (std::isfinite(rate) && rate > 0) sorted.push_back(rate);
  }
  if (sorted.empty()) return {};
  std::sort(sorted.begin(), sorted.end());
  const double most = kMostOverMedian * quantile_of(sorted, 0.5);
  while (sorted.back() > most) sorted.pop_back();
  ProbedRate out;
  out.threads = series.threads;
  out.passes = static_cast<int>(sorted.size());
  out.dropped = static_cast<int>(series.rates.size() - sorted.size());
  out.best = sorted.back();
  out.median = quantile_of(sorted, 0.5);
  out.spread = (quantile_of(sorted, 0.75) - quantile_of(sorted, 0.25)) / out.median;
  return out;
}

std::vector<ProbedRate> probed_rates(const std::vector<ProbeSeries>& series) {
  std::vector<ProbedRate> out;
  for (const ProbeSeries& one : series) {
    if (const auto rate = probed_rate(one)) out.push_back(*rate);
  }
  return out;
}

const ProbedRate* fastest(const std::vector<ProbedRate>& rates) {
  const ProbedRate* best = nullptr;
  for (const ProbedRate& rate : rates) {
    if (best == nullptr || rate.best > best->best) best = &rate;
  }
  return best;
}

std::vector<int> thread_counts(int all) {
  std::vector<int> out;
  for (int count = 1; count < all; count *= 2) out.push_back(count);
  out.push_back(std::max(1, all));
  return out;
}

ProbedPeaks peaks_of(const ProbedCpu& cpu) {
  const std::string loop =
      cpu.portable ? "portable loop, a lower bound" : fmt::format("{} in registers", cpu.instructions);
  const auto sgemm = peak_from(cpu.sgemm, "fp32 products by OpenBLAS");
  const auto sbgemm = peak_from(cpu.sbgemm, "bf16 products by OpenBLAS");
  const auto blocks = peak_from(cpu.blocks, "dot products of 8-bit blocks of 32, in the cache");
  ProbedPeaks out;
  out.bandwidth = peak_from(cpu.read, "read");
  out.vector = larger(peak_from(cpu.fp32, "fp32 multiply-adds, " + loop), sgemm);
  // without 16-bit units, 16-bit numbers are widened and multiplied in fp32
  out.bf16 = larger(out.vector, sbgemm);
  out.measured_bf16 = larger(sgemm, sbgemm);
  out.measured_int8 = blocks;
  out.int8 = larger(peak_from(cpu.int8, "8-bit multiply-adds, " + loop), blocks);
  // what is slower than widening them is no peak of 8-bit numbers
  if (out.int8 && out.bf16 && out.int8->value < out.bf16->value) out.int8.reset();
  return out;
}

ProbedPeaks peaks_of(const ProbedGpu& gpu) {
  ProbedPeaks out;
  out.bandwidth = peak_from(gpu.read, "read or copied", false);
  out.bf16 = peak_from(gpu.bf16, "bf16 products by PyTorch", false);
  out.fp8 = peak_from(gpu.fp8, "fp8 products by PyTorch", false);
  out.int8 = peak_from(gpu.int8, "int8 products by PyTorch", false);
  out.vector = peak_from(gpu.fp32, "fp32 products by PyTorch without TF32", false);
  out.measured_bf16 = out.bf16;
  return out;
}

}  // namespace ridge
