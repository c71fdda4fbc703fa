#include "base/text/within.hpp"

#include <cmath>

#include <fmt/format.h>

#include "base/text/text.hpp"

namespace ridge {

namespace {

std::string in_words(const Within& within) {
  constexpr double kNoEnd = 1e30;
  const char* kind = within.whole ? "a whole number " : "";
  const std::string least = within.least == 0 ? "zero" : fmt::format("{:g}", within.least);
  if (within.most >= kNoEnd) return fmt::format("{}{} {}", kind, within.above ? "above" : "at least", least);
  if (within.above) return fmt::format("{}above {}, at most {:g}", kind, least, within.most);
  return fmt::format("{}from {:g} to {:g}", kind, within.least, within.most);
}

}  // namespace

Result<bool> checked_within(double value, const Within& within, std::string_view text, std::string_view where) {
  const bool large_enough = within.above ? value > within.least : value >= within.least;
  const bool whole_enough = !within.whole || value == std::floor(value);
  if (large_enough && whole_enough && value <= within.most) return true;
  return fail({std::string(where), fmt::format("\"{}\" is out of range", shortened(text)), in_words(within)});
}

}  // namespace ridge
