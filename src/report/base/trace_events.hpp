#pragma once
// Trace events as chrome://tracing and ui.perfetto.dev read them, one line each, with a comma at its end; the last event of
// a file has none. Source: "Trace Event Format", Google, 2016; times are in microseconds.

#include <cstdint>
#include <string>
#include <string_view>

namespace ridge::report {

inline constexpr std::string_view kTraceBeginning = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";

/// Microseconds to the last nanosecond.
std::string trace_microseconds(std::int64_t nanoseconds);

std::string trace_process_name(int process, std::string_view name);

/// What a thread of a process did from one time to another. `arguments` are members of a JSON object.
struct TraceSpan {
  std::string_view name, category;
  int process = 0, thread = 0;
  std::int64_t from = 0, to = 0;
  std::string arguments = {};
};
std::string trace_span(const TraceSpan& span);

/// A counter's value from a time on.
std::string trace_counter(std::string_view name, int process, std::int64_t at, const std::string& arguments);

/// The last event, since none before it may end without a comma, and the end of the file.
std::string trace_file_end(int process, std::int64_t at);

}  // namespace ridge::report
