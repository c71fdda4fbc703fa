#include "catalog/traces/trace_rows.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "catalog/results/result_fields.hpp"
#include "catalog/traces/trace_numbers.hpp"

namespace ridge::catalog {

namespace {

constexpr std::int64_t kMostTokens = 100'000'000;                                 // of a prompt or an output
constexpr simulate::Nanoseconds kLatestTime = 8'000'000'000 * simulate::kSecond;  // the year 2223

std::string counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", with_commas(static_cast<double>(count)), what, count == 1 ? "" : "s");
}

}  // namespace

void TraceRows::refuse(std::size_t line, std::string_view column, std::string what, std::string hint) {
  std::string where = fmt::format("{}:{}", place_, line);
  if (!column.empty()) where += ": " + safe_line(shortened(column));
  errors_.push_back({std::move(where), std::move(what), std::move(hint)});
}

void TraceRows::stop(std::size_t line, std::string_view column, std::string what, std::string hint) {
  refuse(line, column, std::move(what), std::move(hint));
  stopped_ = true;
}

void TraceRows::stop_at(TraceLines::Next why, std::size_t line) {
  if (why == TraceLines::Next::too_long)
    stop(line, "", fmt::format("is longer than {} bytes", with_commas(static_cast<double>(limits_.line))),
         "a request is one line of a trace: is this a text file?");
  if (why == TraceLines::Next::too_many_bytes)
    stop(line, "", fmt::format("ends after {} bytes", with_commas(static_cast<double>(limits_.bytes))),
         "no more of a trace is read: give a part of it");
}

std::int32_t TraceRows::tokens(const TraceCell& cell) {
  std::int64_t count = 0;
  const bool plain =
      !cell.text.empty() && cell.text.size() <= 8 && std::all_of(cell.text.begin(), cell.text.end(), [&](char c) {
        count = count * 10 + (c - '0');
        return c >= '0' && c <= '9';
      });
  if (plain) return static_cast<std::int32_t>(count);
  constexpr std::int64_t kParts = 1'000'000'000;  // 128.0 is whole, 128.5 is not
  const auto parts = scaled_decimal(cell.text, 9);
  if (!parts || *parts < 0 || *parts / kParts > kMostTokens) {
    refuse(cell.line, cell.column, number_trouble(cell.text, "is more than 100 million tokens"),
           "a whole number of tokens is expected");
    return -1;
  }
  if (*parts % kParts != 0) {
    refuse(cell.line, cell.column, fmt::format("{} is no whole number", safe_line(shortened(cell.text))),
           "tokens are counted, not measured");
    return -1;
  }
  return static_cast<std::int32_t>(*parts / kParts);
}

simulate::Nanoseconds TraceRows::time(const TraceCell& cell, int power) {
  const auto time = scaled_decimal(cell.text, power);
  if (time && *time >= 0 && *time <= kLatestTime) return *time;
  refuse(cell.line, cell.column, number_trouble(cell.text, "is later than the year 2200"),
         power == 9 ? "a time in seconds is expected" : "a time in milliseconds is expected");
  return -1;
}

simulate::Nanoseconds TraceRows::span(const TraceCell& cell, int power) {
  const auto span = scaled_decimal(cell.text, power);
  if (span && *span >= 0 && *span <= kLongestTrace) return *span;
  refuse(cell.line, cell.column, number_trouble(cell.text, "is longer than ten years"),
         power == 9 ? "a time in seconds is expected" : "a time in milliseconds is expected");
  return -1;
}

bool TraceRows::counts(const simulate::TraceRequest& request) {
  ++rows_;
  if (request.output < 1) ++without_output_;
  if (request.output >= 1 && request.prompt < 1) ++without_prompt_;
  return request.output >= 1 && request.prompt >= 1;
}

void TraceRows::add(const simulate::TraceRequest& request, const TraceCell& sent) {
  auto& requests = trace_.requests;
  if (requests.size() >= limits_.rows) {
    stop(sent.line, "", fmt::format("is request {}", with_commas(static_cast<double>(limits_.rows) + 1)),
         "no more of a trace is read: give a part of it");
    return;
  }
  if (request.e2e >= 0 && request.ttft > request.e2e) {
    refuse(sent.line, "",
           fmt::format("has a TTFT of {:g} s and an E2E latency of {:g} s", simulate::seconds(request.ttft),
                       simulate::seconds(request.e2e)),
           "the first token comes before the last: are the columns swapped?");
    return;
  }
  if (!requests.empty() && request.sent < requests.back().sent) {
    stop(sent.line, sent.column,
         fmt::format("is {:g} s before the request above it", simulate::seconds(requests.back().sent - request.sent)),
         "requests stand in the order in which they were sent: sort the file");
    return;
  }
  if (!requests.empty() && request.sent - requests.front().sent > kLongestTrace) {
    stop(sent.line, sent.column, "is more than ten years after the first request", "is the time in another unit?");
    return;
  }
  requests.push_back(request);
}

bool TraceRows::room_for_chunks(std::size_t more, const TraceCell& cell) {
  if (more <= limits_.chunks && trace_.chunks.size() <= limits_.chunks - more) return true;
  stop(cell.line, cell.column,
       fmt::format("names more than {} parts of prompts, with the lines above",
                   with_commas(static_cast<double>(limits_.chunks))),
       "no more of a trace is read: give a part of it");
  return false;
}

void TraceRows::ignored(std::string_view column) {
  constexpr std::size_t kLongest = 64;
  column = column.substr(0, kLongest);
  if (std::find(ignored_.begin(), ignored_.end(), column) != ignored_.end()) return;
  if (ignored_.size() < kShownColumns) {
    ignored_.emplace_back(column);
  } else {
    more_ignored_ = true;
  }
}

Result<simulate::Trace> TraceRows::finish() {
  if (!errors_.empty()) return fail(std::move(errors_));
  if (trace_.requests.empty()) {
    const bool rows = rows_ > 0;
    return fail({std::string(place_),
                 rows ? fmt::format("none of its {} has a prompt and an output", counted(rows_, "request"))
                      : std::string("has no request"),
                 rows ? "a request without output tokens cannot be replayed" : "did the recording run?"});
  }
  if (without_output_ > 0)
    note(fmt::format("{} without output tokens left out (failed, or stopped before the first)",
                     counted(without_output_, "request")));
  if (without_prompt_ > 0) note(fmt::format("{} without prompt tokens left out", counted(without_prompt_, "request")));
  for (std::string& column : ignored_) column = safe_line(column);
  if (!ignored_.empty())
    note(fmt::format("not used: {}{}", joined(ignored_, ", "), more_ignored_ ? " and others" : ""));
  const simulate::Nanoseconds first = trace_.requests.front().sent;
  for (auto& request : trace_.requests) request.sent -= first;
  return std::move(trace_);
}

}  // namespace ridge::catalog
