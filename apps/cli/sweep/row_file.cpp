#include "cli/sweep/row_file.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text/text.hpp"
#include "cli/output/output_target.hpp"

namespace ridge::cli {

namespace {

constexpr const char* kPutBack = "put back the file that was written, or remove it and its .state to start again";

/// The hash of the first bytes of a file that is open; what is wrong with them otherwise.
Result<ContentHash> beginning_of(int descriptor, const std::string& name, const Contents& contents) {
  std::vector<char> block(1 << 20);
  ContentHash hash;
  while (hash.size() < contents.size) {
    const std::size_t wanted = std::min<std::uint64_t>(block.size(), contents.size - hash.size());
    const ssize_t count = pread(descriptor, block.data(), wanted, static_cast<off_t>(hash.size()));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail({name, fmt::format("could not be read: {}", std::strerror(errno)), "check the disk"});
    if (count == 0) {
      return fail(
          {name,
           fmt::format("is shorter than its state says: {} of {} bytes", with_commas(static_cast<double>(hash.size())),
                       with_commas(static_cast<double>(contents.size))),
           kPutBack});
    }
    hash.add({block.data(), static_cast<std::size_t>(count)});
  }
  if (hash.text() == contents.hash) return hash;
  return fail({name,
               fmt::format("is not what was written: its first {} bytes have changed",
                           with_commas(static_cast<double>(contents.size))),
               kPutBack});
}

}  // namespace

Result<bool> check_text(const std::string& path, const Contents& contents) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return fail({path, fmt::format("is not there, though its state says so: {}", std::strerror(errno)), kPutBack});
  struct stat status {};
  const bool known = fstat(descriptor, &status) == 0;
  const auto hash = beginning_of(descriptor, path, contents);
  close(descriptor);
  if (!hash) return fail(hash.error());
  if (known && static_cast<std::uint64_t>(status.st_size) > contents.size)
    return fail({path, "is longer than what was written", kPutBack});
  return true;
}

Result<TextFile> TextFile::open(const std::string& path, const Contents& keep) {
  if (path.empty()) return TextFile(STDOUT_FILENO, "standard output", false);
  const auto target = output_target(path);
  if (!target) return fail(target.error());
  if (!target->is_plain) {
    const auto stream = open_stream(*target);
    if (!stream) return fail(stream.error());
    return TextFile(*stream, path, false);
  }
  if (const auto may = may_hold_text(*target, path); !may) return fail(may.error());
  const int flags = O_RDWR | O_CLOEXEC | (keep.size > 0 ? 0 : O_CREAT);
  const int descriptor = ::open(target->path.c_str(), flags, 0666);
  if (descriptor < 0 && keep.size > 0 && errno == ENOENT) {
    return fail({path,
                 fmt::format("is not there, though its state says that it holds {} bytes",
                             with_commas(static_cast<double>(keep.size))),
                 kPutBack});
  }
  if (descriptor < 0) return fail({path, std::strerror(errno), "check that the folder exists and can be written"});
  TextFile file(descriptor, path, true);
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    return fail({path, "is being written by another process", "wait for it, or name another file"});
  auto kept = beginning_of(descriptor, path, keep);
  if (!kept) return fail(kept.error());
  file.hash_ = *kept;
  return file;
}

TextFile::TextFile(TextFile&& other) noexcept
    : descriptor_(other.descriptor_), name_(std::move(other.name_)), regular_(other.regular_), hash_(other.hash_) {
  other.descriptor_ = -1;
}

TextFile::~TextFile() {
  if (descriptor_ > STDERR_FILENO) close(descriptor_);
}

Result<bool> TextFile::begin() {
  if (!regular_) return true;
  const auto end = static_cast<off_t>(hash_.size());
  if (ftruncate(descriptor_, end) != 0 || lseek(descriptor_, end, SEEK_SET) != end)
    return fail({name_, fmt::format("could not be written: {}", std::strerror(errno)), remedy_of(errno)});
  return true;
}

Result<bool> TextFile::add(std::string_view piece) {
  if (const int error = write_all(descriptor_, piece); error != 0) {
    // what was written of this piece is taken back: the file ends behind the piece before
    const auto end = static_cast<off_t>(hash_.size());
    const bool cut = regular_ && ftruncate(descriptor_, end) == 0 && lseek(descriptor_, end, SEEK_SET) == end;
    return fail({name_, fmt::format("could not be written: {}", std::strerror(error)),
                 cut ? remedy_of(error) + "; then go on with --resume" : remedy_of(error)});
  }
  hash_.add(piece);
  return true;
}

Result<bool> TextFile::sync() {
  const int error = regular_ ? sync_all(descriptor_) : 0;
  if (error == 0) return true;
  return fail({name_, fmt::format("could not be written: {}", std::strerror(error)),
               remedy_of(error) + "; then go on with --resume"});
}

}  // namespace ridge::cli
