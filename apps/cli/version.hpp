#pragma once

#include <string>

namespace ridge::cli {

/// "ridge 0.1.0, catalog of 2026-11-15": of the newest source in it.
std::string version_text();

}  // namespace ridge::cli
