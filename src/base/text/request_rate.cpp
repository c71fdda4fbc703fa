#include "base/text/request_rate.hpp"

#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

#include "base/text/period_text.hpp"
#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"

namespace ridge {

namespace {

constexpr const char* kExample = "requests a second, e.g. 50, 50/s, 3k/h or 2M/day";

/// "50 req/s" in two: "50 req", "s". A bare number is of a second.
CountedByPeriod parts_of(std::string_view text) {
  if (auto parts = counted_by_period(text)) return std::move(*parts);
  const std::string whole = lower_case(text);
  for (const auto& [word, period] : {std::pair{"rps", "s"}, {"qps", "s"}, {"rpm", "min"}, {"qpm", "min"}}) {
    if (whole.ends_with(word)) return {std::string(trimmed(text.substr(0, text.size() - 3))), period};
  }
  return {std::string(text), "s"};
}

/// The count without the word for what is counted.
std::string without_requests(const std::string& count) {
  constexpr std::array<std::string_view, 6> kCountedWords = {"requests", "request", "reqs", "req", "queries", "query"};
  const std::string lower = lower_case(count);
  for (const std::string_view word : kCountedWords) {
    if (lower.ends_with(word))
      return std::string(trimmed(std::string_view(count).substr(0, count.size() - word.size())));
  }
  return count;
}

}  // namespace

Result<double> parse_request_rate(std::string_view given, std::string_view where) {
  const std::string_view text = trimmed(given);
  const CountedByPeriod parts = parts_of(text);
  const auto fails = [&](std::string what, std::string hint) {
    return fail({std::string(where), std::move(what), std::move(hint)});
  };
  const std::string counted = lower_case(parts.count);
  if (counted.find("tok") != std::string::npos || counted.ends_with("tps"))
    return fails(fmt::format("\"{}\" counts tokens, but requests are needed", shortened(text)),
                 "divide by the output tokens of a request: 5,000 tok/s / 500 is 10/s");
  const bool is_share = parts.count.ends_with("%");
  const auto count = parse_as(without_requests(parts.count), kNone, where);
  if (!count || is_share) {
    const bool has_number = parse_measure(parts.count, where).has_value();
    return fails(
        has_number ? fmt::format("\"{}\" is no count of requests", shortened(text)) : count.error().front().what,
        kExample);
  }
  const auto period = period_named(parts.period);
  if (!period) {
    return fails(fmt::format("\"{}\": no time is called \"{}\"", shortened(text), shortened(parts.period)),
                 suggestion(parts.period, period_words()));
  }
  return *count / *period;
}

}  // namespace ridge
