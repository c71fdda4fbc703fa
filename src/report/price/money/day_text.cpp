#include <cmath>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "price/sheet/sheet_check.hpp"
#include "price/sheet/sheet_list.hpp"
#include "report/base/counts.hpp"
#include "report/price/money/money_text.hpp"

namespace ridge::report {

namespace {

std::string dollars(const Dollars<double>& amount) { return money(amount.value(), 4); }

std::string against(std::string_view name, const std::string& ours, const std::string& theirs, double difference) {
  return fmt::format("  {}{}{}   {:+.3f} %\n", padded(name, 18), padded(ours, 12, true), padded(theirs, 14, true),
                     100 * difference);
}

}  // namespace

std::string day_text(const ServingDay& day, const Style& style) {
  const TokenMix<double>& t = day.tokens;
  const Fleet<double>& fleet = day.fleet;
  const TokenPrices<double> prices = prices_at(day.sheet, Tokens<double>(0));
  std::string out = bold(style, day.title) + "\n";
  out += wrapped(fmt::format("{} nodes of {} GPUs at {} each for {}; prices of {} ({})",
                             significant(fleet.nodes.value(), 4), significant(fleet.chips.value(), 3),
                             show(fleet.rental), time_text(fleet.time), sold_name(day.sheet), day.sheet.date),
                 style.columns, 0) +
         "\n";
  out += dim(style, fmt::format("  {}{}{}{}", padded("", 18), padded("tokens", 12, true), padded("price", 14, true),
                                padded("revenue", 12, true))) +
         "\n";
  const auto row = [&](const char* name, const Tokens<double>& tokens, const DollarsPerToken<double>& price,
                       const Dollars<double>& brings) {
    out += fmt::format("  {}{}{}{}\n", padded(name, 18), padded(count_text(tokens.value()), 12, true),
                       padded(show(price), 14, true), padded(dollars(brings), 12, true));
  };
  row("fresh input", t.fresh, prices.fresh, day.revenue.fresh);
  row("cached input", t.cached, prices.cached, day.revenue.cached);
  row("output", t.output, prices.output, day.revenue.output);
  out +=
      dim(style, fmt::format("  {}{}{}", padded("", 18), padded("computed", 12, true), padded("published", 14, true))) +
      "\n";
  const auto off = [](double ours, double theirs) { return ours / theirs - 1; };
  out += against("cost", dollars(day.cost), dollars(day.published.cost),
                 off(day.cost.value(), day.published.cost.value()));
  out += against("revenue", dollars(day.revenue.total()), dollars(day.published.revenue),
                 off(day.revenue.total().value(), day.published.revenue.value()));
  // the published figures carry more digits than the percentage made of them
  const double theirs = markup(day.published.revenue, day.published.cost).value();
  out += against("profit over cost", fmt::format("{:.1f}%", 100 * day.markup.value()),
                 fmt::format("{:.1f}%", 100 * theirs), off(day.markup.value(), theirs));
  out += fmt::format("  {}{}{}\n", padded("", 18), padded("", 12),
                     padded(fmt::format("\"{}\"", percent(day.published.markup.value())), 14, true));
  out += fmt::format("  {}{}\n", padded("margin", 18), padded(percent(day.margin.value()), 12, true));
  const double chips = fleet.nodes.value() * fleet.chips.value();
  out += wrapped(fmt::format("blended cost {}, blended price {}; {} of input and {} of output per GPU",
                             show(day.cost / t.total()), show(day.revenue.total() / t.total()),
                             show((t.fresh + t.cached) / (fleet.time * chips), 3),
                             show(t.output / (fleet.time * chips), 3)),
                 style.columns, 2) +
         "\n";
  out += "profit over cost at the same bill, by prefix-cache hit rate:\n ";
  for (const double hit : {0.0, 0.25, 0.5, 0.75, 0.95})
    out += fmt::format("  {}: {}", percent(hit), percent(markup_at(day, hit).value()));
  out += "\n";
  for (const std::string& finding : sheet_findings(day.sheet))
    out += wrapped("odd: " + finding, style.columns, 5) + "\n";
  return day.note.empty() ? out : out + dim(style, wrapped(day.note, style.columns, 0)) + "\n";
}

}  // namespace ridge::report
