#include "cli/sweep/row_file.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ridge::cli {

Result<TextFile> TextFile::open(const std::string& path, std::uint64_t keep) {
  if (path.empty()) return TextFile(STDOUT_FILENO, "standard output", false, 0);
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) return fail({path, std::strerror(errno), "check that the folder exists and can be written"});
  struct stat status {};
  const bool regular = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  TextFile file(descriptor, path, regular, regular ? keep : 0);
  if (!regular) return file;
  const auto end = static_cast<off_t>(keep);
  if (status.st_size < end) {
    return fail({path, "is shorter than its state says", "remove both and start the sweep again"});
  }
  if (ftruncate(descriptor, end) != 0 || lseek(descriptor, end, SEEK_SET) != end)
    return fail({path, std::strerror(errno), "check that it can be written"});
  return file;
}

TextFile::TextFile(TextFile&& other) noexcept
    : descriptor_(other.descriptor_), name_(std::move(other.name_)), regular_(other.regular_), size_(other.size_) {
  other.descriptor_ = -1;
}

TextFile::~TextFile() {
  if (descriptor_ > STDERR_FILENO) close(descriptor_);
}

Result<bool> TextFile::add(std::string_view piece) {
  for (std::string_view left = piece; !left.empty();) {
    const ssize_t wrote = ::write(descriptor_, left.data(), left.size());
    if (wrote > 0) {
      left.remove_prefix(static_cast<std::size_t>(wrote));
      continue;
    }
    if (wrote < 0 && errno == EINTR) continue;
    const std::string why = std::strerror(errno);
    // what was written of this piece is taken back: the file ends behind the piece before
    const bool cut = regular_ && ftruncate(descriptor_, static_cast<off_t>(size_)) == 0;
    return fail({name_, fmt::format("could not be written: {}", why),
                 cut ? "make room and go on with --resume" : "check what it leads to"});
  }
  size_ += piece.size();
  return true;
}

Result<bool> TextFile::sync() {
  if (!regular_ || fsync(descriptor_) == 0) return true;
  return fail({name_, fmt::format("could not be written: {}", std::strerror(errno)), "check the disk"});
}

}  // namespace ridge::cli
