#pragma once
// A trace as our own CSV (catalog/traces/csv_traces.hpp): read back, it is the same.

#include <string>

#include "simulate/client/trace.hpp"

namespace ridge::report {

/// Columns that say nothing are left out. Chunks are named one by one only where sessions do not tell them.
std::string trace_csv(const simulate::Trace& trace);

}  // namespace ridge::report
