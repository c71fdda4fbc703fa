#pragma once
// A model for people, and what differs between two.

#include <string>
#include <vector>

#include "machine/format.hpp"
#include "model/model.hpp"
#include "report/base/style.hpp"

namespace ridge::report {

std::string model_text(const Model& model, const std::vector<Format>& formats, const Style& style);

/// One line of a comparison; `ratio` is b over a, 0 where it means nothing.
struct Difference {
  std::string key, a, b;
  double ratio = 0;
};

/// Everything in which two models differ: shape, parts, bytes, context, formats.
std::vector<Difference> model_differences(const Model& a, const Model& b, const std::vector<Format>& formats);

std::string differences_text(const std::vector<Difference>& differences, const std::string& a, const std::string& b,
                             const Style& style);

}  // namespace ridge::report
