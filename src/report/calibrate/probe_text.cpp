#include "report/calibrate/probe_text.hpp"

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "report/base/listing_text.hpp"

namespace ridge::report {

std::vector<ProbedWork> works_of(const ProbedCpu& cpu) {
  return {{"memory read", "read", &cpu.read, true},     {"fp32 multiply-adds", "fp32", &cpu.fp32},
          {"int8 multiply-adds", "int8", &cpu.int8},    {"8-bit blocks, dot", "blocks", &cpu.blocks},
          {"fp32 product (BLAS)", "sgemm", &cpu.sgemm}, {"bf16 product (BLAS)", "sbgemm", &cpu.sbgemm}};
}

std::vector<ProbedWork> works_of(const ProbedGpu& gpu) {
  return {{"memory", "read", &gpu.read, true},
          {"bf16 product", "bf16", &gpu.bf16},
          {"fp8 product", "fp8", &gpu.fp8},
          {"int8 product", "int8", &gpu.int8},
          {"fp32 product", "fp32", &gpu.fp32}};
}

namespace {

std::string works_table(const std::vector<ProbedWork>& works, bool by_threads, const Style& style) {
  Listing listing{{{"work"}}, {}};
  if (by_threads) listing.columns.push_back({"threads"});
  for (const char* heading : {"best", "median", "unit", "spread", "passes"}) listing.columns.push_back({heading});
  for (const ProbedWork& work : works) {
    for (const ProbedRate& rate : *work.rates) {
      std::vector<std::string> cells = {std::string(work.name)};
      if (by_threads) cells.push_back(fmt::format("{}", rate.threads));
      const bool large = rate.best >= 1e13;
      const double unit = large ? 1e12 : 1e9;
      cells.insert(cells.end(), {significant(rate.best / unit, 4), significant(rate.median / unit, 4),
                                 fmt::format("{}{}", large ? "T" : "G", work.bytes ? "B/s" : "FLOP/s"),
                                 fmt::format("{:.0f} %", 100 * rate.spread), fmt::format("{}", rate.passes)});
      listing.rows.push_back(std::move(cells));
    }
  }
  return listing_text(listing, style);
}

/// What to make of the passes: others were running, or a clock was wrong.
std::string doubts(const std::vector<ProbedWork>& works, const Style& style) {
  int disturbed = 0, series = 0, dropped = 0;
  for (const ProbedWork& work : works) {
    for (const ProbedRate& rate : *work.rates) {
      ++series;
      disturbed += rate.disturbed() ? 1 : 0;
      dropped += rate.dropped;
    }
  }
  std::string out;
  if (disturbed > 0) {
    out +=
        warn(style, wrapped(fmt::format("note: in {} of {} rows most passes were over a quarter slower than the best: "
                                        "something else was running. Try again when the machine is idle.",
                                        disturbed, series),
                            style.columns, 2)) +
        "\n";
  }
  if (dropped > 0) out += fmt::format("note: {} passes were dropped: no rate, or one that cannot be\n", dropped);
  return out;
}

std::string missing_lines(const std::vector<std::string>& missing, const Style& style) {
  std::string out;
  for (const std::string& one : missing) out += wrapped("not measured: " + one, style.columns, 2) + "\n";
  return out;
}

}  // namespace

std::string probe_text(const ProbeReport& report, const Style& style) {
  const ProbedCpu& cpu = report.cpu;
  std::string out = bold(style, wrapped(fmt::format("{}, {} thread{}, {} GB", cpu.title, cpu.threads,
                                                    cpu.threads == 1 ? "" : "s", significant(cpu.memory / 1e9, 4)),
                                        style.columns, 2)) +
                    "\n\n";
  out += works_table(works_of(cpu), true, style) + missing_lines(cpu.missing, style) + doubts(works_of(cpu), style);
  if (report.gpu) {
    out += "\n" + bold(style, fmt::format("{}, {} GB", report.gpu->title, significant(report.gpu->memory / 1e9, 4))) +
           "\n\n" + works_table(works_of(*report.gpu), false, style) + missing_lines(report.gpu->missing, style) +
           doubts(works_of(*report.gpu), style);
  } else {
    out += wrapped("GPU: none measured, " + report.no_gpu, style.columns, 2) + "\n";
  }
  return out;
}

}  // namespace ridge::report
