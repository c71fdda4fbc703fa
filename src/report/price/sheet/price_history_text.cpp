#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "report/base/money_column.hpp"
#include "report/price/sheet/price_history.hpp"

namespace ridge::report {

namespace {

std::string factor_text(const std::optional<double>& factor) {
  if (!factor) return "";
  if (std::fabs(*factor - 1) < 5e-4) return "=";
  return significant(*factor, 3) + "x";
}

/// "2.2 years", "9.4 months".
std::string span_of_years(double years) {
  return years < 1 ? significant(years * 12, 2) + " months" : significant(years, 2) + " years";
}

/// "input changed once: 0.333x as of 2025-12-31": all that can be said without a rate.
std::string moves_text(const char* what, const PriceMoves& moves, double years) {
  if (moves.sheets.empty()) return fmt::format("{} did not change in {}", what, span_of_years(years));
  constexpr std::size_t kMost = 3;
  std::vector<std::string> each;
  for (std::size_t i = 0; i < std::min(moves.sheets.size(), kMost); ++i)
    each.push_back(fmt::format("{} as of {}", factor_text(moves.factors[i]), moves.sheets[i]->date));
  const std::size_t count = moves.sheets.size();
  const std::string often = count == 1 ? "once" : count == 2 ? "twice" : fmt::format("{} times", count);
  return fmt::format("{} changed {}: {}{}", what, often, joined(each, ", "), count > kMost ? ", ..." : "");
}

std::string trend_text(const char* what, const PriceTrend& trend) {
  constexpr double kHardly = 0.05;
  if (std::fabs(trend.per_year - 1) < kHardly)
    return fmt::format("{} hardly moves ({}x per year)", what, significant(trend.per_year, 3));
  if (trend.halving) {
    return fmt::format("{} halves every {} ({}x per year)", what, span_of_years(*trend.halving),
                       significant(trend.per_year, 3));
  }
  return fmt::format("{} doubles every {} ({}x per year)", what, span_of_years(*trend.doubling),
                     significant(trend.per_year, 3));
}

/// How fast both prices fall, or what else is known of them.
std::string known_text(const PriceHistory& history) {
  const auto one = [&](const char* what, const std::optional<PriceTrend>& trend, const PriceMoves& moves) {
    return trend ? trend_text(what, *trend) : moves_text(what, moves, history.years);
  };
  return one("input", history.input, history.input_moves) + "; " + one("output", history.output, history.output_moves);
}

/// What a rate stands on, or why there is none.
std::string rate_basis(const PriceHistory& history) {
  std::string out;
  if (history.input || history.output)
    out = ": the line through the logarithms of all changes, each class (flash, mini, 70b) at its own level";
  if (!history.input || !history.output)
    out += fmt::format("{} a rate takes changes on {} dates over {} year or more", out.empty() ? ":" : ";",
                       kChangesOfRate, kYearsOfRate);
  return out;
}

/// "anthropic/claude-opus-4-5 +1": the shortest of its names, and how many more there are.
std::string name_text(const PriceChange& change) {
  const auto shortest = std::min_element(change.names.begin(), change.names.end(), [](const auto& a, const auto& b) {
    return std::pair(a.size(), a) < std::pair(b.size(), b);
  });
  return change.names.size() == 1 ? *shortest : fmt::format("{} +{}", *shortest, change.names.size() - 1);
}

/// What the factors are over.
std::string than_text(const PriceChange& change, bool first) {
  if (change.than != nullptr) return change.is_new ? change.than->model : "itself";
  if (first) return "";
  return change.kind.empty() ? "none earlier like it" : "no earlier " + change.kind;
}

/// The first and the last change of the class that is seen for the longest time.
std::pair<const PriceChange*, const PriceChange*> longest_class(const PriceHistory& history) {
  std::map<std::string, std::pair<const PriceChange*, const PriceChange*>> ends;
  for (const PriceChange& one : history.changes) {
    const auto [at, is_first] = ends.try_emplace(one.kind, &one, &one);
    at->second.second = &one;
  }
  const auto years = [](const auto& pair) {
    return years_of(pair.second.second->sheet->date) - years_of(pair.second.first->sheet->date);
  };
  return std::max_element(ends.begin(), ends.end(), [&](const auto& a, const auto& b) { return years(a) < years(b); })
      ->second;
}

/// The dollars of a column for a million tokens, all with the same decimals.
MoneyColumn column_of(const PriceHistory& history, DollarsPerToken<double> PriceSheet::*price) {
  std::vector<double> dollars;
  for (const PriceChange& one : history.changes) dollars.push_back((one.sheet->*price).value() * 1e6);
  return MoneyColumn(dollars);
}
MoneyColumn cached_column(const PriceHistory& history) {
  std::vector<double> dollars;
  for (const PriceChange& one : history.changes) {
    if (one.sheet->cached) dollars.push_back(one.sheet->cached->value() * 1e6);
  }
  return MoneyColumn(dollars);
}

}  // namespace

std::string price_history_text(const PriceHistory& history, const Style& style) {
  int widest = 10;
  for (const PriceChange& one : history.changes) widest = std::max(widest, shown_width(name_text(one)));
  const bool wide = style.columns >= 110;
  widest = std::min(widest, wide ? 40 : 23);
  const auto moved = std::count_if(history.changes.begin(), history.changes.end(), [](const PriceChange& one) {
    return one.input.value_or(1) != 1 || one.output.value_or(1) != 1;
  });
  std::string out =
      bold(style, fmt::format("Prices of {}: {} sheets in {}, {} price change{}", history.family,
                              history.changes.size(), span_of_years(history.years), moved, moved == 1 ? "" : "s")) +
      "\n";
  out += bold(style, wrapped(known_text(history), style.columns, 2)) + "\n";
  const MoneyColumn input = column_of(history, &PriceSheet::input), output = column_of(history, &PriceSheet::output),
                    cached = cached_column(history);
  const auto dollars = [](const MoneyColumn& column, const DollarsPerToken<double>& price) {
    return padded(column.text(price.value() * 1e6), 9, true);
  };
  out += dim(style, fmt::format("  {} {}{}{}{}{}{}{}", padded("as of", 10), padded("model", widest),
                                padded("input", 9, true), padded("cached", 9, true), padded("output", 9, true),
                                padded("input", 8, true), padded("output", 8, true), wide ? "  over" : "")) +
         "\n";
  for (const PriceChange& one : history.changes) {
    const PriceSheet& sheet = *one.sheet;
    out += fmt::format(
        "  {} {}{}{}{}{}{}{}\n", padded(sheet.date, 10), padded(clipped(name_text(one), widest), widest),
        dollars(input, sheet.input), sheet.cached ? dollars(cached, *sheet.cached) : padded("-", 9, true),
        dollars(output, sheet.output), padded(factor_text(one.input), 8, true),
        padded(factor_text(one.output), 8, true), wide ? "  " + than_text(one, &one == &history.changes.front()) : "");
  }
  out += "\n" + wrapped("rates" + rate_basis(history), style.columns, 0) + "\n";
  if (const auto [oldest, last] = longest_class(history); oldest != last) {
    out += wrapped(fmt::format("from {} to {}: input {}x, output {}x", name_text(*oldest), name_text(*last),
                               significant((last->sheet->input / oldest->sheet->input).value(), 3),
                               significant((last->sheet->output / oldest->sheet->output).value(), 3)),
                   style.columns, 0) +
           "\n";
  }
  out += dim(style, wrapped("$/Mtok, as of the date a list first shows it; a price may be older. x: over its own "
                            "earlier sheet, or the newest of its class",
                            style.columns, 0)) +
         "\n";
  for (const PriceChange& one : history.changes) {
    for (const std::string& finding : one.findings)
      out +=
          wrapped(fmt::format("odd: {} ({}): {}", name_text(one), one.sheet->date, finding), style.columns, 5) + "\n";
  }
  if (history.undated > 0)
    out += dim(style, fmt::format("left out, because they have no date: {}", history.undated)) + "\n";
  if (history.hosted)
    out += dim(style, "prices of other providers: no maker in the catalog sells this family itself") + "\n";
  return out;
}

namespace {

using PriceLine = std::map<double, double>;  // dollars for a million tokens by year; the cheapest of a date

PriceLine price_line(const PriceHistory& history, const std::string& kind, DollarsPerToken<double> PriceSheet::*price) {
  PriceLine line;
  for (const PriceChange& one : history.changes) {
    if (one.kind != kind) continue;
    const double dollars = (one.sheet->*price).value() * 1e6;
    const auto [at, is_new] = line.try_emplace(2000 + years_of(one.sheet->date), dollars);
    at->second = std::min(at->second, dollars);
  }
  return line;
}

/// Classes seen on several dates, those for the longest time first; at most as many as can be told apart.
std::vector<std::string> drawn_classes(const PriceHistory& history) {
  constexpr std::size_t kMost = 6;
  std::map<std::string, double> spans;
  for (const PriceChange& one : history.changes) {
    const PriceLine line = price_line(history, one.kind, &PriceSheet::output);
    spans[one.kind] = line.rbegin()->first - line.begin()->first;
  }
  std::vector<std::string> kinds;
  for (const auto& [kind, span] : spans) {
    if (span > 0) kinds.push_back(kind);
  }
  std::stable_sort(kinds.begin(), kinds.end(),
                   [&](const std::string& a, const std::string& b) { return spans[a] > spans[b]; });
  if (kinds.size() > kMost) kinds.resize(kMost);
  if (kinds.empty()) kinds.push_back(history.changes.front().kind);
  return kinds;
}

Series series_of(const std::string& label, const PriceLine& line, bool bold) {
  Series series{.label = label, .bold = bold, .shape = Shape::steps};
  for (const auto& [year, dollars] : line) {
    series.x.push_back(year);
    series.y.push_back(dollars);
  }
  return series;
}

/// "2025-12": the month of a moment in years.
std::string month_text(double years) {
  const double months = std::floor((years - std::floor(years)) * 12 + 1e-6);
  return fmt::format("{:.0f}-{:02.0f}", std::floor(years), months + 1);
}

/// A dot with price and month wherever a line's level changes.
void add_changes(Chart& chart, const PriceLine& line) {
  double before = 0;
  for (const auto& [year, dollars] : line) {
    if (dollars != before)
      chart.markers.push_back({year, dollars, fmt::format("{}, {}", money(dollars), month_text(year))});
    before = dollars;
  }
}

/// "output costs $25.00/Mtok, 0.333x the $75.00 of 2024-03".
std::string history_finding(const PriceLine& line, std::string_view what) {
  const auto first = line.begin(), last = std::prev(line.end());
  if (first == last || first->second == last->second)
    return fmt::format("{} costs {}/Mtok{}", what, money(last->second), first == last ? "" : ", as at first");
  return fmt::format("{} costs {}/Mtok, {}x the {} of {}", what, money(last->second),
                     significant(last->second / first->second, 3), money(first->second), month_text(first->first));
}

}  // namespace

Chart price_history_chart(const PriceHistory& history) {
  Chart chart;
  chart.subtitle = known_text(history);
  chart.footer = "a price holds until the next list that shows another; the cheapest of a class at each date";
  chart.x = {"", "year", Scale::linear};
  const std::vector<std::string> kinds = drawn_classes(history);
  if (kinds.size() == 1) {
    const PriceLine output = price_line(history, kinds[0], &PriceSheet::output),
                    input = price_line(history, kinds[0], &PriceSheet::input);
    chart.title = fmt::format("{}: {}", history.family, history_finding(output, "output"));
    chart.y = {"price, $/Mtok", "$", Scale::logarithmic};
    chart.series = {series_of("output", output, true), series_of("input", input, false)};
    add_changes(chart, output);
    add_changes(chart, input);
    return chart;
  }
  const PriceLine longest = price_line(history, kinds.front(), &PriceSheet::output);
  chart.title = fmt::format("{}: {}", history.family,
                            history_finding(longest, kinds.front().empty() ? "output" : "output of " + kinds.front()));
  chart.y = {"price of output, $/Mtok, by class", "$", Scale::logarithmic};
  add_changes(chart, longest);
  for (const std::string& kind : kinds) {
    chart.series.push_back(series_of(kind.empty() ? history.family : kind,
                                     price_line(history, kind, &PriceSheet::output), kind == kinds.front()));
  }
  return chart;
}

}  // namespace ridge::report
