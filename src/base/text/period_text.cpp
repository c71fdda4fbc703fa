#include "base/text/period_text.hpp"

#include <algorithm>
#include <array>

#include "base/text/text.hpp"

namespace ridge {

namespace {

struct Period {
  std::string_view name;  // "m" is none: a minute, or a month?
  std::string_view word;
  double seconds;
};

constexpr std::array kPeriods = {Period{"s", "second", 1},
                                 Period{"sec", "second", 1},
                                 Period{"min", "minute", 60},
                                 Period{"h", "hour", kPeriodHour},
                                 Period{"hr", "hour", kPeriodHour},
                                 Period{"d", "day", kPeriodDay},
                                 Period{"w", "week", 7 * kPeriodDay},
                                 Period{"mo", "month", kPeriodMonth},
                                 Period{"y", "year", 12 * kPeriodMonth},
                                 Period{"yr", "year", 12 * kPeriodMonth}};

}  // namespace

std::optional<CountedByPeriod> counted_by_period(std::string_view text) {
  const std::string whole = lower_case(text);
  for (const std::string_view between : {"/", " per ", " a ", " an ", " each "}) {
    const std::size_t at = whole.find(between);
    if (at == std::string::npos) continue;
    return CountedByPeriod{std::string(trimmed(text.substr(0, at))),
                           std::string(trimmed(text.substr(at + between.size())))};
  }
  return {};
}

std::optional<double> period_named(std::string_view word) {
  const std::string asked = lower_case(trimmed(word));
  for (const Period& one : kPeriods) {
    if (asked == one.name || asked == one.word || asked == std::string(one.word) + "s") return one.seconds;
  }
  return {};
}

std::vector<std::string> period_words() {
  std::vector<std::string> out;
  for (const Period& one : kPeriods) add_once(out, std::string(one.word));
  return out;
}

}  // namespace ridge
