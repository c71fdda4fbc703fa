#include "catalog/traces/traces.hpp"

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "catalog/traces/csv_traces.hpp"
#include "catalog/traces/json_line.hpp"
#include "catalog/traces/json_traces.hpp"
#include "catalog/traces/trace_lines.hpp"
#include "catalog/traces/trace_rows.hpp"

namespace ridge::catalog {

namespace {

constexpr const char* kKnownTraces =
    "known are Mooncake's JSON lines, Azure's CSV, vLLM request logs, llama-server's request files, and CSV with "
    "sent_s,prompt_tokens,output_tokens (docs/traces.md)";

/// A first line that begins no trace: why.
Error unknown_trace(std::string_view line, std::size_t number, std::string_view place) {
  const std::string where = fmt::format("{}:{}", place, number);
  if (line.starts_with("\x1f\x8b") || line.starts_with("\x28\xb5\x2f\xfd"))
    return {where, "is compressed", "unpack the file (gunzip, zstd -d), then read it"};
  if (line.starts_with("\xff\xfe") || line.starts_with("\xfe\xff"))
    return {where, "is UTF-16", "save the file as UTF-8"};
  if (trimmed(line).starts_with('['))
    return {where, "is a list", "a trace has one JSON object a line, without brackets"};
  if (!trimmed(line).starts_with('{')) return {where, "begins no trace of a known kind", kKnownTraces};
  JsonLine json;
  std::string wrong = json.read(line, {}, {});
  if (!wrong.empty()) return {where, std::move(wrong), "a trace has one JSON object a line: is the file whole?"};
  return {where, "is no request of a known trace", kKnownTraces};
}

}  // namespace

Result<simulate::Trace> read_trace(std::string_view text, std::string_view place, const TraceLimits& limits) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // some editors put it before UTF-8
  TraceLines lines(text, limits);
  const auto first = lines.next();
  if (first == TraceLines::Next::end) return fail({std::string(place), "is empty", "did the recording run?"});
  if (first != TraceLines::Next::line) {
    TraceRows rows(place, limits);
    rows.stop_at(first, lines.number());
    return rows.finish();
  }
  if (const JsonTraceReader read = json_trace_reader(lines.line())) return read(text, place, limits);
  if (is_csv_trace(lines.line())) return read_csv_trace(text, place, limits);
  return fail(unknown_trace(lines.line(), lines.number(), place));
}

}  // namespace ridge::catalog
