#pragma once
// Real files that a test may ask: those of RIDGE_DATA, or the part that is shipped (tests/data), which the build writes out
// beside the program with the same names (tests/shipped/write_out.py).

#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace ridge::testing {

struct RealFiles {
  std::filesystem::path path;
  bool whole = false;  // of RIDGE_DATA
};

/// The folder or file of this name: RIDGE_DATA's where it has one, else the shipped one.
inline RealFiles real_files(std::string_view name) {
  namespace fs = std::filesystem;
  std::error_code none;
  if (const char* data = std::getenv("RIDGE_DATA"); data != nullptr && fs::exists(fs::path(data) / name, none))
    return {.path = fs::path(data) / name, .whole = true};
  return {.path = fs::read_symlink("/proc/self/exe", none).parent_path() / "shipped" / name, .whole = false};
}

}  // namespace ridge::testing
