#pragma once
// Spans of time that something is counted or paid by: "/s", "a month".

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ridge {

/// s. A month is a twelfth of a year of 365 days, as bills have it.
inline constexpr double kPeriodHour = 3600, kPeriodDay = 24 * kPeriodHour, kPeriodMonth = 730 * kPeriodHour;

/// "$50k a month" in two: "$50k", "month".
struct CountedByPeriod {
  std::string count, period;
};

/// At "/", "per", "a", "an" or "each"; nothing where there is none of them.
std::optional<CountedByPeriod> counted_by_period(std::string_view text);

/// Seconds of "s", "min", "hour", "month", ...; nothing where no time is called so.
std::optional<double> period_named(std::string_view word);

/// A word for each of them, for hints.
std::vector<std::string> period_words();

}  // namespace ridge
