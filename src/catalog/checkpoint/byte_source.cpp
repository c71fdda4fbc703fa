#include "catalog/checkpoint/byte_source.hpp"

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <system_error>

namespace ridge::catalog {

namespace fs = std::filesystem;

Result<ByteSource> file_source(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status)) return fail({path, "is a folder, not a file", "name a file inside it"});
  if (!fs::exists(status)) return fail({path, "there is no such file", "check the path"});
  if (!fs::is_regular_file(status)) return fail({path, "is not a regular file", "copy it to a disk first"});
  const std::uintmax_t size = fs::file_size(path, error);
  if (error) return fail({path, error.message(), "check the path and its permissions"});
  auto stream = std::make_shared<std::ifstream>(path, std::ios::binary);
  if (!*stream) return fail({path, std::strerror(errno), "check the path and its permissions"});
  return ByteSource{size, [stream](std::uint64_t offset, std::span<char> into) {
                      stream->clear();
                      stream->seekg(static_cast<std::streamoff>(offset));
                      stream->read(into.data(), static_cast<std::streamsize>(into.size()));
                      return static_cast<bool>(*stream);
                    }};
}

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
