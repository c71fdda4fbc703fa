#pragma once
// What `ridge validate` found, for a terminal, as a page for docs/ and as JSON.

#include <optional>
#include <string>

#include "calibrate/coverage.hpp"
#include "calibrate/validate.hpp"
#include "report/base/style.hpp"

namespace ridge::report {

struct ValidationReport {
  Validation validation;
  std::vector<LeftOut> left_out;
  std::optional<Coverage> coverage;  // where asked for
  bool built_in = true;              // the rows that the fit has seen
  std::string evidence;              // "the built-in evidence", or a folder
};

std::string validation_text(const ValidationReport& report, const Style& style);
std::string validation_page(const ValidationReport& report);
/// `with_page`: the page as well, in the key "page".
std::string validation_json(const ValidationReport& report, bool with_page = false);

}  // namespace ridge::report
