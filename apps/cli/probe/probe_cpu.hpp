#pragma once
// The CPU this runs on, measured.

#include <functional>
#include <string>

#include "calibrate/probe/probe.hpp"

namespace ridge::cli {

/// Told what is being measured, before it is.
using ProbeNews = std::function<void(const std::string& what)>;

/// In about so many seconds.
ProbedCpu probe_cpu(double seconds, const ProbeNews& news);

}  // namespace ridge::cli
