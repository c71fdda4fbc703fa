#include "cli/probe/child_process.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <unistd.h>

namespace ridge::cli {

namespace {

constexpr std::size_t kMostText = 1 << 20;
constexpr int kCannotStart = 127;

/// Reads until the child closes its end or the time is over.
std::string read_until(int from, double seconds, std::string& wrong) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  std::string text;
  char buffer[4096];
  while (true) {
    const double left = std::chrono::duration<double>(until - std::chrono::steady_clock::now()).count();
    if (left <= 0 || text.size() > kMostText) {
      wrong = left <= 0 ? fmt::format("took longer than {:.0f} s", seconds) : std::string("said too much");
      return text;
    }
    pollfd waiting{from, POLLIN, 0};
    if (poll(&waiting, 1, 100) <= 0) continue;
    const ssize_t got = ::read(from, buffer, sizeof buffer);
    if (got <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(got));
  }
}

/// `body` runs in the child with its standard output in our pipe, and does not return.
template <class Body>
ChildOutput output_of_child(double seconds, const Body& body) {
  ChildOutput out;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    out.wrong = "no pipe";
    return out;
  }
  const pid_t child = fork();
  if (child == 0) {
#if defined(__linux__)
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody is left to read
#endif
    dup2(ends[1], STDOUT_FILENO);
    const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup2(nowhere, STDIN_FILENO);
    dup2(nowhere, STDERR_FILENO);
    body();
    _exit(kCannotStart);
  }
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    out.wrong = "no process";
    return out;
  }
  out.text = read_until(ends[0], seconds, out.wrong);
  close(ends[0]);
  if (!out.wrong.empty()) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!out.wrong.empty()) return out;
  if (WIFSIGNALED(status)) out.wrong = fmt::format("ended by signal {}", WTERMSIG(status));
  if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
    out.wrong = WEXITSTATUS(status) == kCannotStart ? "is not there"
                                                    : fmt::format("ended with exit code {}", WEXITSTATUS(status));
  return out;
}

}  // namespace

ChildOutput run_program(const std::vector<std::string>& arguments, double seconds) {
  std::vector<char*> words;
  for (const std::string& one : arguments) words.push_back(const_cast<char*>(one.c_str()));
  words.push_back(nullptr);
  return output_of_child(seconds, [&] { execvp(words[0], words.data()); });
}

ChildOutput run_apart(const std::function<std::string()>& work, double seconds) {
  return output_of_child(seconds, [&] {
    const std::string text = work();
    std::size_t written = 0;
    while (written < text.size()) {
      const ssize_t wrote = ::write(STDOUT_FILENO, text.data() + written, text.size() - written);
      if (wrote <= 0) _exit(1);
      written += static_cast<std::size_t>(wrote);
    }
    _exit(0);
  });
}

}  // namespace ridge::cli
