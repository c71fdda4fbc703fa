#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "price/sheet/sheet_list.hpp"
#include "report/base/counts.hpp"
#include "report/base/money_column.hpp"
#include "report/price/make/computed_input_text.hpp"
#include "report/price/make/cost_parts.hpp"
#include "report/price/money/money_text.hpp"
#include "report/roofline/why_text.hpp"
#include "report/search/fleet_text.hpp"
#include "report/serve/interval_text.hpp"
#include "report/serve/serving_text.hpp"

namespace ridge::report {

namespace {

constexpr double kDay = 86400;

std::string dollars_a_day(double dollars) { return money(dollars) + "/day"; }

/// Short: the provider, and the model where it sells several.
std::string provider_text(const HostAnswer& answer, const PriceSheet& sheet) {
  const auto same = std::count_if(answer.hosts.begin(), answer.hosts.end(),
                                  [&](const HostRow& row) { return row.sheet->provider == sheet.provider; });
  if (same == 1 && !sheet.provider.empty()) return sheet.provider;
  const std::string model = sheet.model.substr(sheet.model.rfind('/') + 1);
  return sheet.provider.empty() ? model : fmt::format("{}: {}", sheet.provider, model);
}

/// Whether to buy or to host, in one sentence.
std::string verdict(const HostAnswer& answer) {
  if (answer.hosts.empty()) return "No price sheet in the catalog sells this model (--sheet names one).";
  const HostRow& cheapest = answer.hosts.front();
  const std::string name = sold_name(*cheapest.sheet);
  if (answer.question.tokens_per_day) {
    const double ratio = answer.per_day / cheapest.per_day;
    return fmt::format("{}: {} at {} tokens/day, {} from {} ({}x).",
                       ratio < 1 ? "Self-hosting is cheaper" : "Buying is cheaper", dollars_a_day(answer.per_day),
                       count_text(*answer.question.tokens_per_day), dollars_a_day(cheapest.per_day), name,
                       significant(ratio, 3));
  }
  if (!cheapest.whole) return fmt::format("Buy: {} is cheaper than these chips at any utilization.", name);
  return fmt::format("Self-host from {} tokens/day ({} at {} utilization); below that buy, at {}.",
                     count_text(cheapest.whole->tokens_per_day), plural(cheapest.whole->nodes, "node"),
                     percent(cheapest.whole->utilization), name);
}

/// The answer in one paragraph: buy or host, from which volume, and what the sellers would keep on such chips.
std::string bottom_line(const HostAnswer& answer) {
  if (answer.hosts.empty()) return verdict(answer);
  std::string out = verdict(answer);
  if (answer.question.tokens_per_day) {
    const HostRow& cheapest = answer.hosts.front();
    out += cheapest.whole
               ? fmt::format(" From {} tokens/day on ({}) it pays to self-host.",
                             count_text(cheapest.whole->tokens_per_day), plural(cheapest.whole->nodes, "node"))
               : " No volume makes self-hosting cheaper.";
  }
  std::vector<std::string> margins;
  constexpr std::size_t kMost = 6;
  for (const HostRow& row : answer.hosts) {
    if (margins.size() == kMost) break;
    margins.push_back(fmt::format("{} {}", provider_text(answer, *row.sheet), signed_percent(row.margin.value())));
  }
  const std::size_t more = answer.hosts.size() - margins.size();
  const auto& by = answer.serving.errors.factor[static_cast<std::size_t>(SpreadFigure::throughput)][kShownLevel];
  out += fmt::format(" Margin on such chips, all busy: {}{}", joined(margins, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : "");
  if (answer.serving.errors.known) out += fmt::format(" (costs within {:.0f}% of the estimate, 80 %)", 100 * (by - 1));
  return out + ".";
}

/// "TPOT 45.6 ms (41.7 to 49.9, 80 %), TTFT 208 ms (144 to 300, 80 %)"
std::string seen_text(const ServingAnswer& serving) {
  const ServingTimes<double>& t = serving.estimate.times;
  const auto figure = [&](SpreadFigure which, const Seconds<double>& time) {
    return show(time, 3) + in_brackets(interval_text(serving.errors, which, time));
  };
  return fmt::format("TPOT {}, TTFT {}", serving.load.decodes() ? figure(SpreadFigure::tpot, t.tpot) : "n/a",
                     serving.waits ? "-" : figure(SpreadFigure::ttft, t.ttft));
}

std::string heading(const HostAnswer& answer, const Style& style, const FleetAnswer* fleet) {
  const ServingAnswer& serving = answer.serving;
  const ServingQuestion& q = serving.question;
  const std::string where =
      fleet != nullptr ? bought_text(*fleet)
      : answer.question.tokens_per_day
          ? fmt::format("{} of {}: {:g} x {}{}", plural(answer.nodes, "node"),
                        machine_kind(serving.ground().machine->title), answer.replicas, short_name(serving.layout()),
                        serving.ground().engine.disaggregated
                            ? " decode, prefill as " + short_name(serving.deployment.prefill.layout)
                            : "")
          : laid_out_on(serving);
  std::string out = bold(style, wrapped(fmt::format("{} self-hosted on {}", serving.ground().model->title, where),
                                        style.columns, 2)) +
                    "\n";
  out += bold(style, wrapped(verdict(answer), style.columns, 0)) + "\n";
  if (fleet != nullptr) out += bought_lines(*fleet, style);
  out += wrapped(fmt::format("{}, ISL {}, OSL {}, {} of input cached, concurrency {}{}", q.engine, with_commas(q.isl),
                             with_commas(q.osl), percent(q.cached),
                             significant(serving.load.concurrency * serving.layout().replicas, 4),
                             fleet != nullptr ? " per replica" : "; " + seen_text(serving)),
                 style.columns, 0) +
         "\n";
  out += wrapped(fmt::format("{} per {}{}: {} for up to {} tokens/day of this mix{}",
                             show(DollarsPerSecond<double>(serving.ground().numbers.price.value())),
                             chip_word(serving.ground().machine->title), price_basis(answer.price_from),
                             dollars_a_day(answer.bill.value() * kDay), count_text(answer.capacity.value() * kDay),
                             serving.ground().engine.disaggregated
                                 ? ", from one replica that decodes and its share of prefill"
                                 : ""),
                 style.columns, 0) +
         "\n";
  const std::string unmeasured = fleet != nullptr ? "" : situation_text(serving.errors);  // said of the fleet already
  if (!unmeasured.empty()) out += wrapped(unmeasured, style.columns, 0) + "\n";
  return out + "\n";
}

/// What each kind of token costs, by where its time goes; the columns add up.
std::string parts_table(const HostAnswer& answer, const Style& style) {
  constexpr int kColumn = 15;
  struct Column {
    const char* name;
    DollarsPerToken<double> cost;
    const StepCosts<double>* parts;

    DollarsPerToken<double> part(const CostPart& one) const { return cost * (parts->*one.time / parts->total()); }
    /// Its parts in one form.
    MoneyColumn dollars() const {
      std::vector<double> all;
      for (const CostPart& one : kCostParts) all.push_back(part(one).value() * 1e6);
      return MoneyColumn(all);
    }
  };
  std::vector<Column> columns;
  if (answer.fresh_prefill) columns.push_back({"fresh input", answer.fresh, &*answer.fresh_prefill});
  if (answer.cached_prefill) columns.push_back({"cached input", *answer.cached, &*answer.cached_prefill});
  const bool decodes = answer.serving.load.decodes();
  if (decodes) columns.push_back({"output", answer.output, &answer.step});
  std::string head = "  " + padded("$/Mtok for", 11);
  for (const Column& column : columns) head += padded(column.name, kColumn, true);
  std::string out = dim(style, head) + "\n";
  for (const CostPart& part : kCostParts) {
    const auto time = [&](const Column& column) { return column.parts->*part.time; };
    if (std::all_of(columns.begin(), columns.end(), [&](const Column& one) { return time(one).value() == 0; }))
      continue;
    out += "  " + padded(part.name, 11);
    for (const Column& column : columns) {
      const Ratio<double> share = time(column) / column.parts->total();
      out += padded(column.dollars().text(column.part(part).value() * 1e6), kColumn - 6, true) + " " +
             padded(signed_percent(share.value()), 5, true);
    }
    out += fmt::format("  {}\n", part.what);
  }
  if (answer.question.tokens_per_day) {
    out += "  " + padded("+ idle", 11);
    for (const Column& column : columns)
      out += padded(column.dollars().text(answer.idle(column.cost).value() * 1e6), kColumn - 6, true) + padded("", 6);
    out += "  at the demand given\n";
  }
  if (!decodes) return out + dim(style, "one output token comes with prefill: nothing is decoded") + "\n";
  std::string basis =
      fmt::format("output: of a decode step of {}; input: of {}", show(answer.step.total(), 3),
                  answer.serving.ground().engine.disaggregated ? "disaggregated prefill" : "prefill interference");
  if (answer.computed) basis += "; fresh input: " + prefill_in_flight(*answer.computed);
  if (answer.cached) basis += "; cached input: found in HBM (ridge price has it fetched from a tier)";
  out += dim(style, wrapped(basis, style.columns, 0)) + "\n";
  return out;
}

std::string cost_part(const HostAnswer& answer, const Style& style) {
  std::string out = "cost at full utilization:\n";
  const auto dollars = [](const DollarsPerToken<double>& cost) { return cost.value() * 1e6; };
  const MoneyColumn column({dollars(answer.fresh), dollars(answer.cached.value_or(answer.fresh)),
                            dollars(answer.output), dollars(answer.mixed)});
  const auto row = [&](const char* name, const std::optional<DollarsPerToken<double>>& cost) {
    const std::string text = cost ? column.text(dollars(*cost)) + "/Mtok" : "-";
    out += fmt::format("  {}{}{}\n", padded(name, 18), padded(text, 14, true),
                       cost ? in_brackets(money_interval_text(answer.serving.errors, dollars(*cost))) : "");
  };
  row("fresh input", answer.fresh);
  row("cached input", answer.cached);
  row("output", answer.output);
  row("blended", answer.mixed);
  return out + parts_table(answer, style) + "\n";
}

std::string host_part(const HostAnswer& answer, const Style& style) {
  if (answer.hosts.empty()) return "";
  int widest = 8;
  for (const HostRow& row : answer.hosts) widest = std::max(widest, shown_width(provider_text(answer, *row.sheet)));
  widest = std::min(widest, answer.question.tokens_per_day ? 23 : 32);
  const bool demand = answer.question.tokens_per_day.has_value();
  std::string out =
      dim(style, fmt::format("  {}{}{}{}{}{}{}", padded("provider", widest), padded("as of", 11, true),
                             padded("blended", 9, true), padded("break-even", 12, true), padded("util.", 6, true),
                             padded("margin", 8, true), demand ? padded("$/day", 9, true) : "")) +
      "\n";
  constexpr std::size_t kMost = 12;
  const std::size_t shown = std::min(answer.hosts.size(), kMost);
  std::vector<double> prices;
  for (std::size_t i = 0; i < shown; ++i) prices.push_back(answer.hosts[i].price.value() * 1e6);
  const MoneyColumn blended(prices);
  for (std::size_t i = 0; i < shown; ++i) {
    const HostRow& row = answer.hosts[i];
    out += fmt::format("  {}{}{}{}{}{}{}\n", padded(clipped(provider_text(answer, *row.sheet), widest), widest),
                       padded(row.sheet->date, 11, true), padded(blended.text(prices[i]), 9, true),
                       padded(row.whole ? count_text(row.whole->tokens_per_day) + "/day" : "never", 12, true),
                       padded(row.whole ? percent(row.whole->utilization) : "", 6, true),
                       padded(signed_percent(row.margin.value()), 8, true),
                       demand ? padded(money(row.per_day), 9, true) : "");
  }
  if (shown < answer.hosts.size())
    out += dim(style, fmt::format("  and {} more expensive ones (--json)", answer.hosts.size() - shown)) + "\n";
  out +=
      dim(style,
          wrapped("blended: $/Mtok of this mix; break-even: tokens/day from which whole nodes of your own are cheaper, "
                  "and their utilization there; margin: of a provider that sells at this price from fully utilized "
                  "chips like these",
                  style.columns, 0)) +
      "\n";
  return out;
}

std::string demand_part(const HostAnswer& answer, const Style& style) {
  if (!answer.question.tokens_per_day) return "";
  return "\n" +
         wrapped(fmt::format("{} tokens/day take {} on {} at {} utilization: {}, {} of it idle; {} blended",
                             count_text(*answer.question.tokens_per_day), plural(answer.replicas, "deployment"),
                             plural(answer.nodes, "node"), percent(answer.utilization), dollars_a_day(answer.per_day),
                             answer.utilization < 1 ? percent(1 - answer.utilization) : "none",
                             show(DollarsPerToken<double>(answer.per_day / *answer.question.tokens_per_day), 3)),
                 style.columns, 2) +
         "\n";
}

std::string margin_part(const HostAnswer& answer) {
  if (answer.hosts.empty()) return "";
  std::string out = fmt::format("\nmargin by prefix-cache hit rate, at the prices of\n{}:\n ",
                                provider_text(answer, *answer.hosts.front().sheet));
  for (const MarginPoint& point : answer.margins) {
    const double steps = point.hit / 0.25;
    const bool shown = std::fabs(steps - std::round(steps)) < 1e-9 || &point == &answer.margins.back();
    if (shown) out += fmt::format(" {}: {} ", percent(point.hit), signed_percent(point.margins.front()));
  }
  return out + "\n";
}

}  // namespace

std::string host_text(const HostAnswer& answer, const Style& style, const FleetAnswer* fleet) {
  std::string out = heading(answer, style, fleet) + cost_part(answer, style) + host_part(answer, style) +
                    demand_part(answer, style) + margin_part(answer);
  for (const std::string& note : answer.notes) out += dim(style, wrapped("note: " + note, style.columns, 6)) + "\n";
  out += "\n" + bold(style, wrapped(bottom_line(answer), style.columns, 0)) + "\n";
  return plain_text(style, out);
}

namespace {

/// What the sellers keep at no cache hits, from the least to the most.
std::string margin_finding(const HostAnswer& answer) {
  const std::string what =
      fmt::format("{} on {}", answer.serving.ground().model->title, answer.serving.ground().machine->title);
  if (answer.margins.empty() || answer.hosts.empty()) return "Margin of " + what;
  const std::vector<double>& margins = answer.margins.front().margins;
  const auto [least, most] = std::minmax_element(margins.begin(), margins.end());
  if (margins.size() == 1) return fmt::format("{}: its seller keeps {} of the price", what, percent(*least));
  return fmt::format("{}: its {} sellers keep {} to {} of the price", what, margins.size(), percent(*least),
                     percent(*most));
}

}  // namespace

Chart host_chart(const HostAnswer& answer) {
  Chart chart;
  chart.title = margin_finding(answer);
  chart.subtitle = fmt::format("ISL {}, OSL {}, concurrency {}, {} per chip, full utilization",
                               with_commas(answer.serving.question.isl), with_commas(answer.serving.question.osl),
                               significant(answer.serving.load.concurrency, 4),
                               show(DollarsPerSecond<double>(answer.serving.ground().numbers.price.value())));
  chart.footer = "behind a seller: its $/Mtok of output; cached input is taken to be in HBM";
  if (answer.hosts.size() > kMostLines)
    chart.footer += fmt::format("; {} of {} sellers", kMostLines, answer.hosts.size());
  chart.x = {"prefix-cache hit rate, %", "", Scale::linear};
  chart.y = {"margin (profit over revenue), %", "", Scale::linear};
  const std::size_t count = answer.hosts.size(), shown = std::min(count, kMostLines);
  for (std::size_t i = 0; i < shown; ++i) {
    // spread from the cheapest to the most expensive
    const std::size_t host = shown < 2 ? 0 : i * (count - 1) / (shown - 1);
    const PriceSheet& sheet = *answer.hosts[host].sheet;
    Series series{.label = fmt::format("{} {}", sheet.provider, money(sheet.output.value() * 1e6))};
    for (const MarginPoint& point : answer.margins) {
      series.x.push_back(100 * point.hit);
      series.y.push_back(100 * point.margins[host]);
    }
    chart.series.push_back(std::move(series));
  }
  chart.lines.push_back({false, 0, "break-even: price = cost"});
  return chart;
}

}  // namespace ridge::report
