#include "catalog/gguf/bytes.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/text/text.hpp"

namespace ridge::catalog {

std::string quoted_bytes(std::string_view bytes) {
  std::string safe(bytes.substr(0, 60));
  std::replace_if(
      safe.begin(), safe.end(), [](unsigned char c) { return c < 0x20 || c > 0x7e; }, '?');
  return fmt::format("\"{}{}\"", safe, bytes.size() > safe.size() ? "..." : "");
}

std::optional<NamedPlace> repeated(std::vector<NamedPlace> all) {
  std::sort(all.begin(), all.end(), [](const NamedPlace& a, const NamedPlace& b) {
    return std::tie(a.name, a.offset) < std::tie(b.name, b.offset);
  });
  const auto first = std::adjacent_find(all.begin(), all.end(),
                                        [](const NamedPlace& a, const NamedPlace& b) { return a.name == b.name; });
  if (first == all.end()) return std::nullopt;
  return *std::next(first);
}

bool GgufBytes::refuse(std::uint64_t offset, std::string what, std::string hint) {
  error = {fmt::format("{}: byte {}", place_, offset), std::move(what), std::move(hint)};
  return false;
}

bool GgufBytes::good(std::string_view part) {
  if (cursor.ok()) {
    if (within_header()) return true;
    return refuse(cursor.offset(), fmt::format("{} go past {} MiB", part, kLargestHeader >> 20),
                  "no model has a header like that: the file is damaged");
  }
  if (cursor.failure() == ByteCursor::Failure::unreadable) {
    return refuse(cursor.offset(), fmt::format("the file cannot be read here, inside {}", part),
                  "check the disk, or copy the file again");
  }
  return refuse(cursor.offset(), fmt::format("the file ends at byte {}, inside {}", file_.size, part),
                "the download is incomplete: fetch the file again");
}

bool GgufBytes::short_text(std::string& into, std::string_view part, std::uint64_t longest) {
  const std::uint64_t at = cursor.offset();
  const auto length = cursor.number<std::uint64_t>();
  if (!good(part)) return false;
  if (length == 0 || length > longest) {
    return refuse(at, fmt::format("a name of {} bytes among {}; 1 to {} are allowed", length, part, longest),
                  "the file is damaged");
  }
  into = cursor.take(static_cast<std::size_t>(length));
  if (!good(part)) return false;
  if (is_utf8(into)) return true;
  return refuse(at, fmt::format("the name {} is not UTF-8", quoted_bytes(into)), "the file is damaged");
}

}  // namespace ridge::catalog
