#include "catalog/traces/trace_lines.hpp"

#include <algorithm>

namespace ridge::catalog {

TraceLines::Next TraceLines::next() {
  while (at_ < text_.size()) {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    ++number_;
    if (end - at_ > limits_.line) return Next::too_long;
    if (end > limits_.bytes) return Next::too_many_bytes;
    line_ = text_.substr(at_, end - at_);
    at_ = end + 1;
    if (line_.ends_with('\r')) line_.remove_suffix(1);
    if (line_.find_first_not_of(" \t\r") != std::string_view::npos) return Next::line;
  }
  return Next::end;
}

}  // namespace ridge::catalog
