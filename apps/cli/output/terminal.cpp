#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text/text.hpp"
#include "cli/output/outlet.hpp"
#include "cli/output/output_target.hpp"

namespace ridge::cli {

namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

int put_out(std::string_view text) { return std::fflush(stdout) == 0 ? write_all(STDOUT_FILENO, text) : errno; }

void put_beside(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

// mpirun gives its processes a terminal of its own, whatever it writes to
bool is_terminal(int stream) { return isatty(stream) == 1 && std::getenv("OMPI_COMM_WORLD_SIZE") == nullptr; }

unsigned all_threads() { return std::max(1U, std::thread::hardware_concurrency()); }

report::Style outlet_style(bool plain) {
  report::Style style;
  const bool terminal = is_terminal(STDOUT_FILENO) && environment("TERM") != "dumb";
  style.color = terminal && !plain && environment("NO_COLOR").empty();
  std::string locale = environment("LC_ALL");
  if (locale.empty()) locale = environment("LC_CTYPE");
  if (locale.empty()) locale = environment("LANG");
  const std::string lower = lower_case(locale);
  style.unicode = !plain && (lower.find("utf-8") != std::string::npos || lower.find("utf8") != std::string::npos);
  winsize size{};
  if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 40)
    style.columns = std::min<int>(size.ws_col, 140);
  return style;
}

}  // namespace ridge::cli
