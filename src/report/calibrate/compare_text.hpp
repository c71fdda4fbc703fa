#pragma once
// What `ridge compare` found, for a terminal, as JSON and as a chart.

#include <string>

#include "calibrate/judge/compare.hpp"
#include "report/base/style.hpp"

namespace ridge::report {

struct CompareReport {
  std::vector<ComparedRun> runs;
  std::optional<ComparedTrend> trend;
  std::vector<std::string> notes;  // of the command that the runs' engine was started with
  Errors refused;                  // files that are none, with the reason
};

/// The roofline bound of the first figure, as `ridge why` has it: experts touched as under uniform routing. What no
/// measurement can beat (ComparedRun::bound) has all tokens pick the same ones. s.
double roofline_of(const ComparedRun& run);

/// What it comes to, a sentence each: how far off, what the trend says, how far from the bound.
std::vector<std::string> compare_headline(const CompareReport& report);

std::string compare_text(const CompareReport& report, const Style& style);
std::string compare_json(const CompareReport& report);
/// Predicted against measured, a panel for TPOT and one for TTFT; empty where nothing was predicted.
std::string compare_svg(const CompareReport& report);

}  // namespace ridge::report
