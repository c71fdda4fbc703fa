#pragma once
// What every reader of a GGUF file needs: bytes one after the other, and an error that says at which of them it stopped.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "catalog/checkpoint/byte_source.hpp"

namespace ridge::catalog {

/// A stranger's text for an error: short, and nothing a terminal would obey.
std::string quoted_bytes(std::string_view bytes);

/// Where a name stood, to find those that stand twice.
struct NamedPlace {
  std::string_view name;
  std::uint64_t offset;
};
std::optional<NamedPlace> repeated(std::vector<NamedPlace> all);

class GgufBytes {
 public:
  GgufBytes(const ByteSource& file, std::string_view place) : cursor(file), file_(file), place_(place) {}

  ByteCursor cursor;
  Error error;  // the first

  std::uint64_t file_size() const { return file_.size; }
  bool within_header() const { return cursor.offset() <= kLargestHeader; }

  /// Notes the error; false.
  bool refuse(std::uint64_t offset, std::string what, std::string hint);
  /// Whether all that was read since the last question was there.
  bool good(std::string_view part);
  /// A text that must be there whole: a key or a name.
  bool short_text(std::string& into, std::string_view part, std::uint64_t longest);

 private:
  static constexpr std::uint64_t kLargestHeader = 256u << 20;  // far above any model's

  const ByteSource& file_;
  std::string_view place_;
};

}  // namespace ridge::catalog
