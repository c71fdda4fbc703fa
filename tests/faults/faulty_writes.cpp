// Loaded before the C library (LD_PRELOAD): lets one chosen write of a process fail, or ends the process there.
//   RIDGE_FAULT_AT=N      the N-th call that writes, opens for writing, syncs, cuts or renames, from 1
//   RIDGE_FAULT=ENOSPC    or EPIPE, EIO: its error; HALF: half of it is written, then the disk is full; KILL: the process ends
//   RIDGE_FAULT_LOG=FILE  gets a line for every such call
// Standard error is left alone. What the C library calls inside itself (fwrite, fflush) is not seen.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

namespace {

template <class Function>
Function* next_of(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

long number_of(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? 0 : std::atol(text);
}

std::atomic<long> calls{0};
std::atomic<bool> full{false};  // after HALF every further write finds no room

/// What a call should do.
enum class Fate { goes_on, fails, halves };

Fate fate_of(const char* what) {
  static const long at = number_of("RIDGE_FAULT_AT");
  static const char* const kind = std::getenv("RIDGE_FAULT");
  static const char* const log = std::getenv("RIDGE_FAULT_LOG");
  const long here = ++calls;
  if (log != nullptr) {
    const long file = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND, 0666);
    char line[64];
    const int length = std::snprintf(line, sizeof line, "%ld %s\n", here, what);
    syscall(SYS_write, file, line, length);
    syscall(SYS_close, file);
  }
  if (here != at || kind == nullptr) return Fate::goes_on;
  if (std::strcmp(kind, "KILL") == 0) raise(SIGKILL);
  if (std::strcmp(kind, "HALF") == 0) return Fate::halves;
  errno = std::strcmp(kind, "ENOSPC") == 0 ? ENOSPC : std::strcmp(kind, "EPIPE") == 0 ? EPIPE : EIO;
  return Fate::fails;
}

bool writes(int flags) { return (flags & O_ACCMODE) != O_RDONLY; }

template <class Write>
ssize_t write_some(const char* what, int file, std::size_t count, const Write& write) {
  if (file == STDERR_FILENO) return write(count);
  if (full) {
    errno = ENOSPC;
    return -1;
  }
  const Fate fate = fate_of(what);
  if (fate == Fate::goes_on) return write(count);
  if (fate == Fate::fails) return -1;
  full = true;
  return write(count > 1 ? count / 2 : count);
}

template <class Call>
int try_call(const char* what, const Call& call) {
  const Fate fate = fate_of(what);
  if (fate == Fate::goes_on) return call();
  if (fate == Fate::halves) errno = ENOSPC;
  return -1;
}

int open_with(const char* name, const char* path, int flags, mode_t mode) {
  static auto* const open_function = next_of<int(const char*, int, ...)>("open");
  const auto call = [&] { return open_function(path, flags, mode); };
  return writes(flags) ? try_call(name, call) : call();
}

}  // namespace

extern "C" {

ssize_t write(int file, const void* bytes, size_t count) {
  static auto* const function = next_of<ssize_t(int, const void*, size_t)>("write");
  return write_some("write", file, count, [&](size_t some) { return function(file, bytes, some); });
}
ssize_t pwrite(int file, const void* bytes, size_t count, off_t at) {
  static auto* const function = next_of<ssize_t(int, const void*, size_t, off_t)>("pwrite");
  return write_some("pwrite", file, count, [&](size_t some) { return function(file, bytes, some, at); });
}
ssize_t pwrite64(int file, const void* bytes, size_t count, off64_t at) {
  static auto* const function = next_of<ssize_t(int, const void*, size_t, off64_t)>("pwrite64");
  return write_some("pwrite", file, count, [&](size_t some) { return function(file, bytes, some, at); });
}
int fsync(int file) {
  static auto* const function = next_of<int(int)>("fsync");
  return try_call("fsync", [&] { return function(file); });
}
int fdatasync(int file) {
  static auto* const function = next_of<int(int)>("fdatasync");
  return try_call("fdatasync", [&] { return function(file); });
}
int ftruncate(int file, off_t size) noexcept {
  static auto* const function = next_of<int(int, off_t)>("ftruncate");
  return try_call("ftruncate", [&] { return function(file, size); });
}
int ftruncate64(int file, off64_t size) noexcept {
  static auto* const function = next_of<int(int, off64_t)>("ftruncate64");
  return try_call("ftruncate", [&] { return function(file, size); });
}
int rename(const char* from, const char* to) noexcept {
  static auto* const function = next_of<int(const char*, const char*)>("rename");
  return try_call("rename", [&] { return function(from, to); });
}
int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  return open_with("open", path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  return open_with("open", path, flags | O_LARGEFILE, mode);
}

}  // extern "C"
