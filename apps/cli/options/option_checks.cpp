#include "cli/options/option_checks.hpp"

#include <cmath>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"

namespace ridge::cli {

std::string wrong_text(const Option& option, const std::string& text) {
  // a slip (an unset variable in a script), not "not given"
  if (text.empty()) return "an empty text; leave the option out instead";
  if (option.most <= 0) return "";
  const auto value = parse_as(text, kNone, option.flag());
  const bool whole = option.type == "N";
  if (value && *value >= option.least && *value <= option.most && (!whole || *value == std::floor(*value))) return "";
  return fmt::format("\"{}\" is not a {} from {:g} to {:g}", shortened(text), whole ? "whole number" : "number",
                     option.least, option.most);
}

}  // namespace ridge::cli
