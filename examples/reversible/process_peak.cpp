#include "process_peak.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>

#include "text.hpp"

namespace reversible {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// VmHWM of /proc/self/status, "resident set high water mark". Of ru_maxrss a new process inherits its parent's.
double resident_peak() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double kibibytes = 0;
    if (word == "VmHWM:" && status >> kibibytes) return kibibytes * 1024;
  }
  return kUnknown;
}

std::string quoted_for_shell(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

}  // namespace

Shape memory_shape(std::size_t depth, bool quick) {
  return {.batch = 4,
          .length = quick ? 32u : 64u,
          .width = quick ? 32u : 64u,
          .heads = 4,
          .depth = depth,
          .vocabulary = Alphabet().size};
}

double peak_after_one_step(Method method, std::size_t depth, bool quick) {
  const Shape shape = memory_shape(depth, quick);
  std::mt19937_64 random(1);
  Network<FloatingStream<float>> network(shape, 1);
  network.step(method, random_batch(Alphabet(), shape, random));
  return resident_peak();
}

double peak_of_new_process(Method method, std::size_t depth, bool quick) {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return kUnknown;
  const std::string command = quoted_for_shell(program.string()) + " " + kPeakArgument + " " +
                              std::to_string(static_cast<int>(method)) + " " + std::to_string(depth) +
                              (quick ? " 1" : " 0");
  std::FILE* const answer = popen(command.c_str(), "r");
  if (answer == nullptr) return kUnknown;
  double bytes = kUnknown;
  const bool read = std::fscanf(answer, "%lf", &bytes) == 1;
  return pclose(answer) == 0 && read ? bytes : kUnknown;
}

}  // namespace reversible
