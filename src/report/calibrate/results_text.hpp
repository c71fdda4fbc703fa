#pragma once
// What `ridge results` read, for a terminal and as JSON; what `ridge calibrate --anchor` did.

#include <string>

#include "calibrate/anchor/anchor_fit.hpp"
#include "report/base/style.hpp"

namespace ridge::report {

struct ResultsReport {
  std::vector<HeldResult> results;
  Errors refused;  // files that are none, with the reason
};

std::string results_text(const ResultsReport& report, const Style& style);
std::string results_json(const ResultsReport& report);

/// An entry that was made, or written.
struct AnchorEntryText {
  std::string path, toml;  // "calibration/mi355x.toml"
};

std::string anchor_text(const AnchorAnswer& answer, const Style& style);
std::string anchor_json(const AnchorAnswer& answer, const std::vector<AnchorEntryText>& entries);

}  // namespace ridge::report
