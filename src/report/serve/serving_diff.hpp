#pragma once
// Two models, served on the same machine under the same load: what an architect's change does to users and to the bill.

#include <optional>
#include <string>
#include <vector>

#include "report/base/style.hpp"
#include "serve/serving.hpp"

namespace ridge::report {

/// One model as it would be served.
struct ServedModel {
  std::string name;
  std::optional<ServingAnswer> answer;  // none: it does not fit, or is saturated
  std::string shortfall;                // why not
};

/// A figure of both; none where a side has none.
struct ServedDifference {
  std::string key, title;
  std::optional<double> a, b;
  std::string shown_a, shown_b;
  bool in_table = true;  // of a text: else one of the lines says it

  double ratio() const { return a && b && *a > 0 && *b > 0 ? *b / *a : 0; }
};

struct ServingDiff {
  ServedModel a, b;
  std::string asked;               // "HGX H200, 8 GPUs, ISL 1024, OSL 1024, vllm"
  std::vector<std::string> lines;  // of each side, too long for a table
  std::vector<ServedDifference> figures;
  std::vector<std::string> notes;  // of each side, with its name
};

ServingDiff serving_diff(ServedModel a, ServedModel b);
std::string serving_diff_text(const ServingDiff& diff, const Style& style);

}  // namespace ridge::report
