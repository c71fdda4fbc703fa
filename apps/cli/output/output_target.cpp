#include "cli/output/output_target.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text/text.hpp"
#include "cli/output/early_end.hpp"

namespace ridge::cli {

namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;  // as Linux has it

/// The place that a name is in: "." for a name alone.
fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

/// Whether it holds the open files of a process: /proc/PID/fd, which /dev/fd leads to. What it lists look like links, and
/// are the open files themselves: to follow their text would leave them.
bool holds_descriptors(const fs::path& folder) {
  std::error_code error;
  const std::string real = fs::canonical(folder, error).string();
  return !error && real.starts_with("/proc/") && real.ends_with("/fd");
}

bool is_own(const fs::path& folder) {
  std::error_code error;
  return fs::equivalent(folder, "/proc/self/fd", error) && !error;
}

std::optional<int> stream_of_ours(const struct stat& file) {
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat open {};
    if (fstat(stream, &open) == 0 && open.st_dev == file.st_dev && open.st_ino == file.st_ino) return stream;
  }
  return {};
}

Error cannot_be_written(const std::string& path, int error) {
  return {path, std::strerror(error), "check that the folder exists and can be written"};
}

}  // namespace

Result<OutputTarget> output_target(const std::string& named) {
  if (named == "-") return OutputTarget{"standard output", false, STDOUT_FILENO, false};
  fs::path path = named;
  std::error_code error;
  for (int links = 0;; ++links) {
    const fs::path folder = folder_of(path);
    if (holds_descriptors(folder)) {
      const auto number = parse_number(path.filename().string());
      const bool ours = number && *number >= 0 && *number <= INT_MAX && is_own(folder);
      return OutputTarget{path.string(), false, ours ? static_cast<int>(*number) : -1, false};
    }
    if (!fs::is_symlink(path, error)) break;
    if (links == kMostLinks) return fail(cannot_be_written(named, ELOOP));
    const fs::path next = fs::read_symlink(path, error);
    if (error) return fail(cannot_be_written(named, error.value()));
    path = next.is_absolute() ? next : folder / next;
  }
  OutputTarget target{path.string(), true, -1, false};
  struct stat status {};
  if (stat(target.path.c_str(), &status) != 0) {
    if (errno == ENOENT) return target;
    return fail(cannot_be_written(named, errno));
  }
  if (S_ISDIR(status.st_mode)) return fail({named, "Is a directory", "name a file inside it"});
  if (S_ISREG(status.st_mode)) {
    // the answer goes there, too: both in the order in which they are written
    if (const auto stream = stream_of_ours(status)) return OutputTarget{target.path, false, *stream, false};
    return target;
  }
  target.is_plain = false;
  target.is_pipe = S_ISFIFO(status.st_mode);
  return target;
}

Result<bool> may_hold_text(const OutputTarget& target, const std::string& named) {
  constexpr std::string_view kSqlite("SQLite format 3\0", 16);  // how each begins: sqlite.org/fileformat.html
  std::array<char, kSqlite.size()> begin{};
  std::ifstream file;
  if (target.is_plain) file.open(target.path, std::ios::binary);
  if (!file.read(begin.data(), begin.size())) return true;
  if (std::string_view(begin.data(), begin.size()) != kSqlite) return true;
  return fail({named, "is a database, and would become a text", "name another file, or remove it first"});
}

Result<int> open_stream(const OutputTarget& target) {
  if (target.descriptor >= 0) {
    const int same = fcntl(target.descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (same < 0) return fail({target.path, std::strerror(errno), "open it for writing first"});
    return same;
  }
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::seconds kPatience(5);
  constexpr std::chrono::milliseconds kPause(20);
  const auto began = Clock::now();
  while (true) {
    // without O_NONBLOCK a pipe would wait for its reader for ever
    const int flags = O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY | (target.is_pipe ? O_NONBLOCK : 0);
    const int descriptor = open(target.path.c_str(), flags);
    if (descriptor >= 0) return descriptor;
    if (errno == EINTR && asked_to_stop() == 0) continue;
    if (errno != ENXIO || !target.is_pipe) return fail({target.path, std::strerror(errno), "check what it leads to"});
    if (asked_to_stop() != 0 || Clock::now() - began > kPatience)
      return fail({target.path, "is a pipe that nobody reads", "start its reader first, or name a file"});
    std::this_thread::sleep_for(kPause);
  }
}

int write_all(int descriptor, std::string_view text) {
  constexpr int kPatience = 100;  // milliseconds until we ask again whether to stop
  struct stat status {};
  const bool waits = fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode);
  while (!text.empty()) {
    std::size_t count = text.size();
    if (waits) {
      if (asked_to_stop() != 0) return EINTR;
      pollfd waited{.fd = descriptor, .events = POLLOUT, .revents = 0};
      if (poll(&waited, 1, kPatience) <= 0) continue;
      count = std::min<std::size_t>(count, PIPE_BUF);  // that much a pipe with room takes without waiting
    }
    const ssize_t wrote = ::write(descriptor, text.data(), count);
    if (wrote > 0) {
      text.remove_prefix(static_cast<std::size_t>(wrote));
    } else if (wrote == 0) {
      return EIO;
    } else if (errno != EINTR && errno != EAGAIN) {
      return errno;
    }
  }
  return 0;
}

int sync_all(int descriptor) {
  while (fsync(descriptor) != 0) {
    if (errno == EINVAL || errno == ENOTSUP) break;
    if (errno != EINTR) return errno;
  }
  return 0;
}

std::string remedy_of(int error) {
  if (error == EFBIG) return "raise the limit of a file's size (ulimit -f), or write elsewhere";
  if (error == ENOSPC || error == EDQUOT) return "make room, or write elsewhere";
  if (error == EPIPE) return "its reader went away";
  return "check the disk, or write elsewhere";
}

}  // namespace ridge::cli
