#include "cli/probe/probe_gpu.hpp"

#include <fmt/format.h>

#include "cli/probe/child_process.hpp"

namespace ridge::cli {

std::string_view gpu_script();  // probes/cuda/chip.py, written by CMake

namespace {

constexpr double kStart = 45;  // seconds that importing PyTorch may take, from a slow disk

/// The last line: libraries may say something before it.
std::string_view last_line(std::string_view text) {
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  const std::size_t at = text.rfind('\n');
  return at == std::string_view::npos ? text : text.substr(at + 1);
}

}  // namespace

Result<catalog::GpuReport> probe_gpu(double seconds) {
  const ChildOutput child =
      run_program({"python3", "-c", std::string(gpu_script()), fmt::format("{:.1f}", seconds)}, kStart + 2 * seconds);
  if (!child.wrong.empty()) return catalog::GpuReport{{}, "python3 " + child.wrong};
  return catalog::read_gpu_report(last_line(child.text));
}

}  // namespace ridge::cli
