#include "catalog/checkpoint/byte_source.hpp"

#include <algorithm>
#include <cassert>

namespace ridge::catalog {

ByteSource memory_source(std::string_view bytes) {
  return {bytes.size(), [bytes](std::uint64_t offset, std::span<char> into) {
            if (offset > bytes.size() || into.size() > bytes.size() - offset) return false;
            std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(offset), into.size(), into.begin());
            return true;
          }};
}

bool ByteCursor::fail_as(Failure failure) {
  if (ok()) failure_ = failure;
  window_offset_ += position_;
  held_ = position_ = 0;
  return false;
}

bool ByteCursor::refill(std::size_t wanted) {
  assert(wanted <= kWindow && "a reader asks for more than a window");
  if (!ok()) return false;
  if (wanted > left()) return fail_as(Failure::ended);
  window_offset_ += position_;
  held_ = position_ = 0;
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(kWindow, source_.size - window_offset_));
  window_.resize(size);
  if (!source_.read(window_offset_, window_)) return fail_as(Failure::unreadable);
  held_ = size;
  return true;
}

void ByteCursor::leap(std::uint64_t count) {
  if (!ok()) return;
  if (count > left()) {
    fail_as(Failure::ended);
    return;
  }
  window_offset_ += position_ + count;
  held_ = position_ = 0;
}

}  // namespace ridge::catalog
