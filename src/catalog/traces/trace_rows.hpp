#pragma once
// The requests of a trace while it is read: every number checked, every refusal with its line, nothing left out unsaid.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "catalog/traces/trace_lines.hpp"
#include "catalog/traces/traces.hpp"

namespace ridge::catalog {

/// One value of a line, and where it stands.
struct TraceCell {
  std::size_t line = 1;
  std::string_view column, text;
};

/// Longest time that a trace may last, and a request may take: ten years.
inline constexpr simulate::Nanoseconds kLongestTrace = simulate::kSecond * 86'400 * 3650;

class TraceRows {
 public:
  TraceRows(std::string_view place, const TraceLimits& limits) : place_(place), limits_(limits) {
    trace_.name = std::string(place);
  }

  /// Whether another line is worth reading: after a few errors it is not.
  bool go_on() const { return !stopped_ && errors_.size() < kShownErrors; }
  void refuse(std::size_t line, std::string_view column, std::string what, std::string hint);
  /// The same, and the last: what follows cannot be read or is of no use.
  void stop(std::size_t line, std::string_view column, std::string what, std::string hint);
  /// Why no further line could be read.
  void stop_at(TraceLines::Next why, std::size_t line);

  /// Tokens, a time in nanoseconds (10^-power of its unit each), a span of at most ten years: -1 and an error where the
  /// text is no such thing.
  std::int32_t tokens(const TraceCell& cell);
  simulate::Nanoseconds time(const TraceCell& cell, int power);
  simulate::Nanoseconds span(const TraceCell& cell, int power);

  /// Whether a request counts: without a prompt or an output it is left out, and counted.
  bool counts(const simulate::TraceRequest& request);
  /// A request with its time as it stands in the file; `column` names that time.
  void add(const simulate::TraceRequest& request, const TraceCell& sent);
  /// Room for more names of chunks; an error where there are too many.
  bool room_for_chunks(std::size_t more, const TraceCell& cell);
  /// A column that is not used, said once.
  void ignored(std::string_view column);
  void note(std::string text) { trace_.notes.push_back(std::move(text)); }

  /// May be changed between lines, and before the end.
  simulate::Trace& trace() { return trace_; }
  const TraceLimits& limits() const { return limits_; }

  /// The trace, its times after its first request; or all errors.
  Result<simulate::Trace> finish();

 private:
  static constexpr std::size_t kShownErrors = 10, kShownColumns = 12;

  std::string_view place_;
  TraceLimits limits_;
  simulate::Trace trace_;
  Errors errors_;
  std::vector<std::string> ignored_;
  std::size_t rows_ = 0, without_prompt_ = 0, without_output_ = 0;
  bool stopped_ = false, more_ignored_ = false;
};

}  // namespace ridge::catalog
