#pragma once
// The answer of `ridge infer`: screen, charts, JSON.

#include <optional>
#include <string>

#include "price/infer/infer.hpp"
#include "report/base/style.hpp"
#include "report/chart/chart.hpp"
#include "search/posterior/machines_behind.hpp"

namespace ridge::report {

struct InferReport {
  Inference inference;
  Posterior posterior;
  std::vector<std::string> findings = {};    // what is odd about the sheet and no contradiction
  std::vector<std::string> notes = {};       // about the file it stood in
  std::vector<MachineBehind> machines = {};  // where asked for, most likely first
};

/// What the sheet fixes, the margin under the prior and what cannot be known; the rest with Style::details.
std::string infer_text(const InferReport& report, const Style& style);

/// How likely the samples make each value of active and total parameters, KV bytes and batch: a panel each, in its unit.
ChartPanels infer_panels(const InferReport& report);

std::string infer_json(const InferReport& report);

}  // namespace ridge::report
