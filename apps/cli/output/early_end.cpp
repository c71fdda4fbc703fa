#include "cli/output/early_end.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>

#include <fcntl.h>
#include <unistd.h>

#include "cli/program.hpp"

namespace ridge::cli {

namespace {

/// Read by a signal handler: plain memory, complete before it is in use.
struct TemporarySlot {
  std::atomic<bool> taken = false, in_use = false;
  std::array<char, 4096> path{};
};
std::array<TemporarySlot, 8> temporaries;

std::atomic<int> stop_signal = 0;
std::atomic<bool> stops_when_asked = false;
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

/// Only what a signal handler may call.
void remove_temporaries() {
  for (const TemporarySlot& slot : temporaries) {
    if (slot.in_use) unlink(slot.path.data());
  }
}

extern "C" void ridge_on_signal(int which) {
  const int error = errno;
  int none = 0;
  if (stops_when_asked && stop_signal.compare_exchange_strong(none, which)) {
    errno = error;
    return;
  }
  remove_temporaries();
  if (stops_when_asked) _exit(kSignalled + which);
  std::signal(which, SIG_DFL);  // whoever waits for us hears what it was
  raise(which);
  errno = error;
}

void handle(int which) {
  struct sigaction action {};
  action.sa_handler = ridge_on_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = 0;  // no SA_RESTART: a write into a pipe that nobody reads comes back
  sigaction(which, &action, nullptr);
}

bool is_ignored(int which) {
  struct sigaction before {};
  return sigaction(which, nullptr, &before) == 0 && before.sa_handler == SIG_IGN;
}

[[noreturn]] void without_memory() {
  constexpr std::string_view kMessage =
      "ridge: there is no more memory\n  hint: raise the limit (ulimit -v), or ask for less at once (--threads)\n";
  remove_temporaries();
  [[maybe_unused]] const auto wrote = ::write(STDERR_FILENO, kMessage.data(), kMessage.size());
  _exit(kBadInput);
}

}  // namespace

void prepare_for_early_end() {
  // a file of ours with the number of a stream that was closed would get what is said on that stream
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    // the lowest number that is free; for reading, so that writing stays the error it was
    if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", O_RDONLY) < 0) break;
  }
  std::signal(SIGXFSZ, SIG_IGN);
  for (const int which : {SIGINT, SIGTERM, SIGHUP, SIGXCPU}) {
    if (!is_ignored(which)) handle(which);  // nohup, or in the background of a script
  }
  std::set_new_handler(without_memory);
}

void stop_when_asked() {
  stops_when_asked = true;
  std::signal(SIGPIPE, SIG_IGN);
  for (const int which : {SIGINT, SIGTERM}) {
    if (!is_ignored(which)) handle(which);
  }
}

int asked_to_stop() { return stop_signal; }

int take_stop() { return stop_signal.exchange(0); }

Temporary::Temporary(const std::string& path) : slot_(-1) {
  for (std::size_t i = 0; i < temporaries.size(); ++i) {
    TemporarySlot& slot = temporaries[i];
    if (path.size() + 1 > slot.path.size() || slot.taken.exchange(true)) continue;
    std::memcpy(slot.path.data(), path.c_str(), path.size() + 1);
    slot.in_use = true;
    slot_ = static_cast<int>(i);
    return;
  }
}

Temporary::Temporary(Temporary&& other) noexcept : slot_(other.slot_) { other.slot_ = -1; }

Temporary::~Temporary() {
  if (slot_ < 0) return;
  TemporarySlot& slot = temporaries[static_cast<std::size_t>(slot_)];
  slot.in_use = false;
  slot.taken = false;
}

}  // namespace ridge::cli
