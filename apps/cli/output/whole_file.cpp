#include "cli/output/whole_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/output/output_target.hpp"

namespace ridge::cli {

namespace {

constexpr const char* kJournal = "-journal";  // what SQLite writes beside a database

/// A name of our own in the folder of `path`: short, so that the longest names have one, too.
std::string temporary_name(const std::string& path, int count) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  return (folder / fmt::format(".ridge-{}-{}.part", getpid(), count)).string();
}

/// As the file that will be replaced. What is not ours to give away stays ours, and then nobody else may do more with it than
/// the owner alone: a private one stays private.
void take_permissions(int descriptor, const struct stat& old) {
  const bool same = old.st_uid == geteuid() && old.st_gid == getegid();
  const auto unchanged = static_cast<uid_t>(-1);
  const bool owned = same || fchown(descriptor, old.st_uid, old.st_gid) == 0;
  const bool grouped = owned || fchown(descriptor, unchanged, old.st_gid) == 0;
  if (fchmod(descriptor, old.st_mode & (grouped ? 07777 : 0700)) != 0) fchmod(descriptor, 0600);
}

}  // namespace

WholeFile::WholeFile(std::string named, std::string path, std::string temporary, int descriptor)
    : named_(std::move(named)), path_(std::move(path)), temporary_(std::move(temporary)), descriptor_(descriptor) {}

WholeFile::WholeFile(WholeFile&& other) noexcept
    : named_(std::move(other.named_)),
      path_(std::move(other.path_)),
      temporary_(std::move(other.temporary_)),
      descriptor_(other.descriptor_),
      guard_(std::move(other.guard_)),
      journal_guard_(std::move(other.journal_guard_)),
      hash_(other.hash_) {
  other.temporary_.clear();
  other.descriptor_ = -1;
}

WholeFile::~WholeFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!is_plain()) return;
  unlink(temporary_.c_str());
  unlink((temporary_ + kJournal).c_str());
}

tl::unexpected<Errors> WholeFile::failed(int error) const {
  return fail({named_, fmt::format("could not be written: {}", std::strerror(error)), remedy_of(error)});
}

Result<WholeFile> WholeFile::open(const std::string& path, Holds holds) {
  const auto target = output_target(path);
  if (!target) return fail(target.error());
  if (holds == Holds::text) {
    if (const auto may = may_hold_text(*target, path); !may) return fail(may.error());
  }
  if (!target->is_plain) {
    const auto stream = open_stream(*target);
    if (!stream) return fail(stream.error());
    return WholeFile(path, target->path, "", *stream);
  }
  struct stat old {};
  const bool replaces = stat(target->path.c_str(), &old) == 0;
  const Error cannot{path, "", "check that the folder exists and can be written"};
  // renaming asks only the folder; a file that is kept from writing is meant to stay
  if (replaces && access(target->path.c_str(), W_OK) != 0) return fail({path, std::strerror(errno), cannot.hint});
  for (int count = 0;; ++count) {
    std::string temporary = temporary_name(target->path, count);
    Temporary guard(temporary), journal(temporary + kJournal);
    const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    constexpr int kMostNames = 1000;
    if (descriptor < 0 && errno == EEXIST && count < kMostNames) continue;  // of a process that was killed
    if (descriptor < 0) return fail({path, std::strerror(errno), cannot.hint});
    WholeFile file(path, target->path, std::move(temporary), descriptor);
    file.guard_.emplace(std::move(guard));
    file.journal_guard_.emplace(std::move(journal));
    if (replaces) take_permissions(descriptor, old);
    return file;
  }
}

Result<bool> WholeFile::add(std::string_view piece) {
  if (const int error = write_all(descriptor_, piece); error != 0) return failed(error);
  hash_.add(piece);
  return true;
}

Result<bool> WholeFile::sync() {
  if (!is_plain()) return true;
  if (const int error = sync_all(descriptor_); error != 0) return failed(error);
  return true;
}

Result<bool> WholeFile::commit() {
  if (const auto synced = sync(); !synced) return synced;
  const int closed = close(descriptor_);
  descriptor_ = -1;
  if (closed != 0 && errno != EINTR) return failed(errno);
  if (!is_plain()) return true;
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) return failed(errno);
  temporary_.clear();
  guard_.reset();
  journal_guard_.reset();
  // the name, too; where that fails the file is whole nevertheless
  const std::string folder = std::filesystem::path(path_).parent_path().string();
  const int opened = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened >= 0) {
    fsync(opened);
    close(opened);
  }
  return true;
}

Result<bool> write_file(const std::string& path, std::string_view text) {
  auto file = WholeFile::open(path);
  if (!file) return fail(file.error());
  if (const auto added = file->add(text); !added) return added;
  return file->commit();
}

}  // namespace ridge::cli
