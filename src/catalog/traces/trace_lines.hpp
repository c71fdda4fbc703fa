#pragma once
// A text line by line, without copies: numbered, without its line end, never longer than the limits.

#include <cstddef>
#include <string_view>

#include "catalog/traces/traces.hpp"

namespace ridge::catalog {

class TraceLines {
 public:
  enum class Next { line, end, too_long, too_many_bytes };

  TraceLines(std::string_view text, const TraceLimits& limits) : text_(text), limits_(limits) {}

  /// Moves to the next line that is not blank.
  Next next();
  std::string_view line() const { return line_; }
  std::size_t number() const { return number_; }

 private:
  std::string_view text_, line_;
  TraceLimits limits_;
  std::size_t at_ = 0, number_ = 0;
};

}  // namespace ridge::catalog
