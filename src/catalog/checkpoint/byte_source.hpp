#pragma once
// Bytes at an offset of something large: a file of 400 GB of which only the head is wanted (file_source of
// catalog/facts/files.hpp), or a buffer in a test.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::catalog {

struct ByteSource {
  std::uint64_t size = 0;
  /// Fills all of `into` with the bytes from `offset` on; false where that fails. Never asked beyond `size`.
  std::function<bool(std::uint64_t offset, std::span<char> into)> read;
};

/// `bytes` must outlive the source.
ByteSource memory_source(std::string_view bytes);

/// Walks forward through a source in windows. After a failure everything it gives is zero or empty, so that a reader
/// may ask once at the end of a group of fields.
class ByteCursor {
 public:
  enum class Failure { none, ended, unreadable };

  static constexpr std::size_t kWindow = 1 << 20;  // the longest run of bytes that `take` can give

  explicit ByteCursor(const ByteSource& source) : source_(source) {}

  std::uint64_t offset() const { return window_offset_ + position_; }
  std::uint64_t left() const { return source_.size - offset(); }
  Failure failure() const { return failure_; }
  bool ok() const { return failure_ == Failure::none; }

  /// The next `count` bytes (at most kWindow), valid until the next call.
  std::string_view take(std::size_t count) {
    if (count > held_ - position_ && !refill(count)) return {};
    const std::string_view bytes(window_.data() + position_, count);
    position_ += count;
    return bytes;
  }

  void skip(std::uint64_t count) {
    if (count <= held_ - position_) {
      position_ += static_cast<std::size_t>(count);
    } else {
      leap(count);
    }
  }

  /// A little-endian whole number.
  template <class Unsigned>
  Unsigned number() {
    Unsigned value = 0;
    const std::string_view bytes = take(sizeof(Unsigned));
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      value = static_cast<Unsigned>(value | static_cast<Unsigned>(static_cast<unsigned char>(bytes[i])) << (8 * i));
    }
    return value;
  }

 private:
  bool refill(std::size_t wanted);
  void leap(std::uint64_t count);
  bool fail_as(Failure failure);

  const ByteSource& source_;
  std::vector<char> window_;
  std::uint64_t window_offset_ = 0;      // where the window begins in the source
  std::size_t held_ = 0, position_ = 0;  // bytes in the window; how many of them are read
  Failure failure_ = Failure::none;
};

}  // namespace ridge::catalog
