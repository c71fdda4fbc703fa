#include "report/simulate/trace_csv.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "catalog/traces/session_chunks.hpp"
#include "catalog/traces/traces.hpp"

namespace ridge::report {

namespace {

using simulate::Nanoseconds;
using simulate::Trace;
using simulate::TraceRequest;

/// Seconds to the last nanosecond, without zeros at the end.
void put_seconds(std::string& out, Nanoseconds span) {
  fmt::format_to(std::back_inserter(out), "{}.{:09}", span / simulate::kSecond, span % simulate::kSecond);
  while (out.ends_with('0')) out.pop_back();
  if (out.ends_with('.')) out.pop_back();
}

bool same_sharing(const Trace& one, const Trace& other) {
  const auto same = [](const TraceRequest& a, const TraceRequest& b) {
    return a.first_chunk == b.first_chunk && a.prompt_chunks == b.prompt_chunks && a.output_chunks == b.output_chunks;
  };
  return one.chunk_tokens == other.chunk_tokens && one.chunks == other.chunks &&
         std::equal(one.requests.begin(), one.requests.end(), other.requests.begin(), other.requests.end(), same);
}

/// Whether the chunks of a trace are what its sessions say.
bool told_by_sessions(const Trace& trace) {
  Trace named;
  named.requests = trace.requests;
  catalog::name_session_chunks(named, catalog::TraceLimits().chunks);
  return same_sharing(trace, named);
}

/// The columns that a trace needs beside time and lengths.
struct TraceCsvColumns {
  bool session = false, ttft = false, e2e = false, priority = false, chunks = false;
};

TraceCsvColumns needed_columns(const Trace& trace) {
  const auto any = [&](auto has) { return std::any_of(trace.requests.begin(), trace.requests.end(), has); };
  TraceCsvColumns columns;
  columns.session = any([](const TraceRequest& one) { return one.session >= 0; });
  columns.ttft = any([](const TraceRequest& one) { return one.ttft >= 0; });
  columns.e2e = any([](const TraceRequest& one) { return one.e2e >= 0; });
  columns.priority = any([](const TraceRequest& one) { return one.priority != 0; });
  columns.chunks = !told_by_sessions(trace);
  return columns;
}

}  // namespace

std::string trace_csv(const Trace& trace) {
  const TraceCsvColumns columns = needed_columns(trace);
  constexpr std::int32_t kAnyChunk = 16;  // of a trace whose sessions share nothing
  std::string out = "sent_s,prompt_tokens,output_tokens";
  if (columns.session) out += ",session";
  if (columns.ttft) out += ",ttft_s";
  if (columns.e2e) out += ",e2e_s";
  if (columns.priority) out += ",priority";
  if (columns.chunks)
    fmt::format_to(std::back_inserter(out), ",chunks_{}", trace.chunk_tokens > 0 ? trace.chunk_tokens : kAnyChunk);
  out += '\n';
  const auto put_known = [&](Nanoseconds span) {
    out += ',';
    if (span >= 0) put_seconds(out, span);
  };
  for (const TraceRequest& one : trace.requests) {
    put_seconds(out, one.sent);
    fmt::format_to(std::back_inserter(out), ",{},{}", one.prompt, one.output);
    if (columns.session) out += one.session < 0 ? "," : fmt::format(",{}", one.session);
    if (columns.ttft) put_known(one.ttft);
    if (columns.e2e) put_known(one.e2e);
    if (columns.priority) fmt::format_to(std::back_inserter(out), ",{}", one.priority);
    if (columns.chunks) {
      const std::size_t count = std::size_t{one.prompt_chunks} + one.output_chunks;
      out += ',';
      for (std::size_t i = 0; i < count; ++i)
        fmt::format_to(std::back_inserter(out), "{}{}", i == 0 ? "" : " ", trace.chunks[one.first_chunk + i]);
    }
    out += '\n';
  }
  return out;
}

}  // namespace ridge::report
