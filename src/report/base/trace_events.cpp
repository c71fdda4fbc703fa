#include "report/base/trace_events.hpp"

#include <fmt/format.h>

namespace ridge::report {

std::string trace_microseconds(std::int64_t nanoseconds) {
  return fmt::format("{}.{:03}", nanoseconds / 1000, nanoseconds % 1000);
}

std::string trace_process_name(int process, std::string_view name) {
  return fmt::format("{{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":{},\"tid\":0,\"args\":{{\"name\":\"{}\"}}}},\n",
                     process, name);
}

std::string trace_span(const TraceSpan& span) {
  return fmt::format(
      "{{\"name\":\"{}\",\"cat\":\"{}\",\"ph\":\"X\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{},\"args\":{{{}}}}},\n",
      span.name, span.category, span.process, span.thread, trace_microseconds(span.from),
      trace_microseconds(span.to - span.from), span.arguments);
}

std::string trace_counter(std::string_view name, int process, std::int64_t at, const std::string& arguments) {
  return fmt::format("{{\"name\":\"{}\",\"ph\":\"C\",\"pid\":{},\"tid\":0,\"ts\":{},\"args\":{{{}}}}},\n", name,
                     process, trace_microseconds(at), arguments);
}

std::string trace_file_end(int process, std::int64_t at) {
  return fmt::format("{{\"name\":\"end\",\"ph\":\"i\",\"s\":\"g\",\"pid\":{},\"tid\":0,\"ts\":{}}}\n]}}\n", process,
                     trace_microseconds(at));
}

}  // namespace ridge::report
