#include "cli/probe/probe_cpu.hpp"

#include <algorithm>
#include <atomic>
#include <memory>

#include <fmt/format.h>

#include "cli/probe/cpu_facts.hpp"
#include "cli/probe/loops.hpp"
#include "cli/probe/openblas.hpp"
#include "cli/probe/timed_passes.hpp"
#include "cli/program.hpp"

namespace ridge::cli {

namespace {

// Shares of the time; the rest is for touching memory and starting threads.
constexpr double kReadShare = 0.4, kLoopShare = 0.1, kBlockShare = 0.15, kProductShare = 0.2;
constexpr double kOverCaches = 4;       // a buffer is so many times all last-level caches
constexpr double kLeastBuffer = 256e6;  // and at least this
constexpr double kShareOfFree = 0.5;    // and at most this share of the free memory
// Passes of a few milliseconds: long against a barrier, short enough that some are not disturbed.
constexpr double kWork = 5e8;                 // FLOP of a thread over registers
constexpr std::size_t kProbePiece = 4 << 20;  // words of its buffer that a thread reads, one piece after another
constexpr std::size_t kRow = 128, kRows = 8;  // blocks of a row of 4,096 numbers; rows that stay in the cache
constexpr int kBlockTimes = static_cast<int>(kWork / 4 / (64.0 * kRow * kRows));  // slower than registers

std::atomic<double> kept_result{0};  // results go here, so that no loop is left out

/// Each thread reads a part of its own, which it has touched first: it lies in the memory next to it.
std::vector<ProbeSeries> read_series(const ProbeLoops& loops, double bytes, const std::vector<int>& counts,
                                     double seconds) {
  std::vector<ProbeSeries> out;
  for (const int count : counts) {
    const auto words = static_cast<std::size_t>(bytes / 8 / count);
    const std::size_t piece = std::min(words, kProbePiece);
    std::vector<std::unique_ptr<std::uint64_t[]>> parts(static_cast<std::size_t>(count));
    std::vector<std::size_t> places(static_cast<std::size_t>(count));
    out.push_back(timed_passes(count, seconds / static_cast<double>(counts.size()), [&](int thread) {
      auto& part = parts[static_cast<std::size_t>(thread)];
      if (!part) part = std::make_unique<std::uint64_t[]>(words);  // zeroed: touched
      std::size_t& place = places[static_cast<std::size_t>(thread)];
      kept_result = static_cast<double>(loops.read(part.get() + place, piece));
      place = place + 2 * piece <= words ? place + piece : 0;
      return 8.0 * static_cast<double>(piece);
    }));
  }
  return out;
}

std::vector<ProbeSeries> loop_series(const std::vector<int>& counts, double seconds, const ProbePass& pass) {
  std::vector<ProbeSeries> out;
  for (const int count : counts) out.push_back(timed_passes(count, seconds / static_cast<double>(counts.size()), pass));
  return out;
}

std::vector<EightBitBlock> some_blocks(std::size_t count) {
  std::vector<EightBitBlock> out(count);
  std::uint32_t state = 1;
  for (EightBitBlock& block : out) {
    for (std::int8_t& value : block.values) {
      state = state * 1664525U + 1013904223U;
      value = static_cast<std::int8_t>(static_cast<int>(state >> 24U) % 127 - 63);
    }
  }
  return out;
}

ProbePass block_pass(const ProbeLoops& loops) {
  const auto weights = std::make_shared<std::vector<EightBitBlock>>(some_blocks(kRow * kRows));
  const auto input = std::make_shared<std::vector<EightBitBlock>>(some_blocks(kRow));
  return [loops, weights, input](int) {
    float sum = 0;
    for (int i = 0; i < kBlockTimes; ++i) {
      for (std::size_t row = 0; row < kRows; ++row) sum += loops.dot(weights->data() + row * kRow, input->data(), kRow);
    }
    kept_result = static_cast<double>(sum);
    return 64.0 * static_cast<double>(kRow * kRows) * kBlockTimes;
  };
}

}  // namespace

ProbedCpu probe_cpu(double seconds, const ProbeNews& news) {
  const CpuFacts facts = cpu_facts();
  const ProbeLoops loops = probe_loops();
  ProbedCpu out;
  out.title = facts.title;
  out.vendor = facts.vendor;
  out.instructions = std::string(loops.instructions);
  out.portable = loops.portable;
  out.threads = static_cast<int>(all_threads());
  out.memory = facts.memory;
  const std::vector<int> counts = thread_counts(out.threads);

  const double room = std::max(kLeastBuffer / 4, kShareOfFree * facts.free_memory);
  const double bytes = std::min(room, std::max(kLeastBuffer, kOverCaches * facts.caches));
  news(fmt::format("memory: reads of {:.2g} GB by 1 to {} threads", bytes / 1e9, out.threads));
  out.read = probed_rates(read_series(loops, bytes, counts, kReadShare * seconds));
  if (bytes < 2 * facts.caches) out.missing.push_back("memory beyond the caches (too little of it is free)");

  news(fmt::format("multiply-adds in registers ({})", loops.instructions));
  const std::vector<int> ends = out.threads > 1 ? std::vector<int>{1, out.threads} : std::vector<int>{1};
  const auto rounds = [](double round) { return static_cast<std::size_t>(kWork / round); };
  out.fp32 = probed_rates(loop_series(ends, kLoopShare * seconds, [&](int) {
    kept_result = static_cast<double>(loops.fp32(rounds(loops.fp32_round)));
    return static_cast<double>(rounds(loops.fp32_round)) * loops.fp32_round;
  }));
  out.int8 = probed_rates(loop_series(ends, kLoopShare * seconds, [&](int) {
    kept_result = static_cast<double>(loops.int8(rounds(loops.int8_round)));
    return static_cast<double>(rounds(loops.int8_round)) * loops.int8_round;
  }));

  news("dot products of 8-bit blocks of 32 with a scale");
  out.blocks = probed_rates(loop_series(counts, kBlockShare * seconds, block_pass(loops)));

  news("matrix products by OpenBLAS");
  OpenBlasRates blas = openblas_rates(counts, kProductShare * seconds, facts.bf16);
  out.library = blas.version;
  out.sgemm = probed_rates(blas.fp32);
  out.sbgemm = probed_rates(blas.bf16);
  for (std::string& one : blas.missing) out.missing.push_back(std::move(one));
  return out;
}

}  // namespace ridge::cli
