#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/unit_text.hpp"
#include "price/sheet/sheet_list.hpp"
#include "report/base/counts.hpp"
#include "report/price/make/cost_parts.hpp"
#include "report/price/money/money_text.hpp"
#include "report/roofline/why_text.hpp"

namespace ridge::report {

namespace {

constexpr int kBarWidth = 24;
constexpr double kSecondsOfDay = 86400;

std::string heading(const HostAnswer& answer, const Style& style) {
  const ServingAnswer& serving = answer.serving;
  const ServingQuestion& q = serving.question;
  std::string out =
      bold(style, fmt::format("{} on your own chips: {} of {}", serving.ground().model->title,
                              significant(serving.estimate.chips.value(), 4), serving.ground().machine->title)) +
      "\n";
  out += wrapped(fmt::format("{} with {}, {} in and {} out, {} of the input cached; {} in flight, {} a token, first "
                             "after {}",
                             short_name(serving.layout()), q.engine, with_commas(q.isl), with_commas(q.osl),
                             percent(q.cached), significant(serving.load.concurrency * serving.layout().replicas, 4),
                             show(serving.estimate.times.tpot, 3),
                             serving.waits ? "-" : show(serving.estimate.times.ttft, 3)),
                 style.columns, 0) +
         "\n";
  out += fmt::format("{} a chip{}: {} a day for up to {} tokens a day of this mix\n",
                     show(DollarsPerSecond<double>(serving.ground().numbers.price.value())),
                     price_basis(answer.price_from), "$" + with_commas(std::round(answer.bill.value() * kSecondsOfDay)),
                     count_text(answer.capacity.value() * kSecondsOfDay));
  return out + "\n";
}

std::string per_million(const DollarsPerToken<double>& cost) {
  const double dollars = cost.value() * 1e6;
  return (dollars < 0 ? "-$" : "$") + significant(std::fabs(dollars), 3);
}

/// What each kind of token costs, by where its time goes; the columns add up.
std::string parts_table(const HostAnswer& answer, const Style& style) {
  constexpr int kColumn = 18;
  struct Column {
    const char* name;
    DollarsPerToken<double> cost;
    const StepCosts<double>* parts;
  };
  std::vector<Column> columns;
  if (answer.fresh_prefill) columns.push_back({"input, computed", answer.fresh, &*answer.fresh_prefill});
  if (answer.cached_prefill) columns.push_back({"input, cached", *answer.cached, &*answer.cached_prefill});
  columns.push_back({"output", answer.output, &answer.step});
  std::string head = "  " + padded("for what", 18);
  for (const Column& column : columns) head += padded(column.name, kColumn, true);
  std::string out = dim(style, head) + "\n";
  for (const CostPart& part : kCostParts) {
    const auto time = [&](const Column& column) { return column.parts->*part.time; };
    if (std::all_of(columns.begin(), columns.end(), [&](const Column& one) { return time(one).value() == 0; }))
      continue;
    out += "  " + padded(part.name, 18);
    for (const Column& column : columns) {
      const Ratio<double> share = time(column) / column.parts->total();
      out +=
          padded(per_million(column.cost * share), kColumn - 6, true) + padded(signed_percent(share.value()), 6, true);
    }
    out += fmt::format("  {}\n", part.what);
  }
  if (answer.question.tokens_per_day) {
    out += "  " + padded("idle, on top", 18);
    for (const Column& column : columns)
      out += padded(per_million(answer.idle(column.cost)), kColumn - 6, true) + padded("", 6);
    out += "  at the demand given\n";
  }
  out += dim(style,
             fmt::format("output: of a step of {}; input: of {}", show(answer.step.total(), 3),
                         answer.question.serving.disaggregated ? "a prompt on chips of its own"
                                                               : "what a prompt makes the steps of others longer by")) +
         "\n";
  return out;
}

std::string cost_part(const HostAnswer& answer, const Style& style) {
  std::string out = "what a million tokens cost, all chips busy:\n";
  const auto row = [&](const char* name, const std::string& cost) {
    out += fmt::format("  {}{}\n", padded(name, 18), padded(cost, 14, true));
  };
  row("input, computed", show(answer.fresh));
  row("input, cached", answer.cached ? show(*answer.cached) : "-");
  row("output", show(answer.output));
  row("of the mix", show(answer.mixed));
  return out + parts_table(answer, style) + "\n";
}

std::string host_part(const HostAnswer& answer, const Style& style) {
  if (answer.hosts.empty()) return "no sheet in the catalog sells this model (--sheet names one)\n";
  int widest = 8;
  for (const HostRow& row : answer.hosts) widest = std::max(widest, shown_width(sold_name(*row.sheet)));
  const bool demand = answer.question.tokens_per_day.has_value();
  std::string out =
      dim(style, fmt::format("  {}{}{}{}{}{}{}", padded("sold by", widest), padded("seen", 12, true),
                             padded("the mix", 14, true), padded("even at", 10, true), padded("busy", 9, true),
                             padded("margin", 9, true), demand ? padded("a day", 12, true) : "")) +
      "\n";
  constexpr std::size_t kMost = 12;
  const std::size_t shown = std::min(answer.hosts.size(), kMost);
  for (std::size_t i = 0; i < shown; ++i) {
    const HostRow& row = answer.hosts[i];
    const double busy = row.even.utilization.value();
    out +=
        fmt::format("  {}{}{}{}{}{}{}\n", padded(sold_name(*row.sheet), widest), padded(row.sheet->date, 12, true),
                    padded(show(row.price), 14, true),
                    padded(busy > 1 ? "never" : count_text(row.even.rate.value() * kSecondsOfDay), 10, true),
                    padded(busy > 1 ? "" : percent(busy), 9, true), padded(signed_percent(row.margin.value()), 9, true),
                    demand ? padded("$" + with_commas(std::round(row.per_day)), 12, true) : "");
  }
  if (shown < answer.hosts.size())
    out += dim(style, fmt::format("  and {} dearer ones (--json)", answer.hosts.size() - shown)) + "\n";
  out += dim(style,
             wrapped("even at: tokens a day from which one deployment of your own is cheaper, and how busy it then is; "
                     "margin: of one who sells at these prices from such chips, all of them busy",
                     style.columns, 0)) +
         "\n";
  return out;
}

std::string demand_part(const HostAnswer& answer) {
  if (!answer.question.tokens_per_day) return "";
  std::string out = fmt::format(
      "\n{} tokens a day take {:.0f} {}, busy {} of the time: ${} a day, {} of it idle; {} of the mix\n",
      count_text(*answer.question.tokens_per_day), answer.replicas, answer.replicas > 1 ? "deployments" : "deployment",
      percent(answer.utilization), with_commas(std::round(answer.per_day)), percent(1 - answer.utilization),
      show(DollarsPerToken<double>(answer.per_day / *answer.question.tokens_per_day)));
  if (!answer.hosts.empty()) {
    const HostRow& cheapest = answer.hosts.front();
    const double ratio = answer.per_day / cheapest.per_day;
    out += fmt::format("{}: {} asks ${} a day, your own chips cost {}x that\n",
                       ratio < 1 ? "cheaper yourself" : "cheaper bought", sold_name(*cheapest.sheet),
                       with_commas(std::round(cheapest.per_day)), significant(ratio, 3));
  }
  return out;
}

std::string margin_part(const HostAnswer& answer) {
  if (answer.hosts.empty()) return "";
  std::string out = fmt::format("\nmargin at the prices of {} by the share of input that a cache in memory holds:\n ",
                                sold_name(*answer.hosts.front().sheet));
  for (const MarginPoint& point : answer.margins) {
    const double steps = point.hit / 0.25;
    const bool shown = std::fabs(steps - std::round(steps)) < 1e-9 || &point == &answer.margins.back();
    if (shown) out += fmt::format(" {}: {} ", percent(point.hit), signed_percent(point.margins.front()));
  }
  return out + "\n";
}

}  // namespace

std::string host_text(const HostAnswer& answer, const Style& style) {
  std::string out = heading(answer, style) + cost_part(answer, style) + host_part(answer, style) + demand_part(answer) +
                    margin_part(answer);
  for (const std::string& note : answer.notes) out += dim(style, wrapped("note: " + note, style.columns, 6)) + "\n";
  return out;
}

namespace {

/// Short enough for the end of a curve: the provider, and the model where it sells several.
std::string curve_label(const HostAnswer& answer, const PriceSheet& sheet) {
  const auto same = std::count_if(answer.hosts.begin(), answer.hosts.end(),
                                  [&](const HostRow& row) { return row.sheet->provider == sheet.provider; });
  if (same == 1 && !sheet.provider.empty()) return sheet.provider;
  const std::string model = sheet.model.substr(sheet.model.rfind('/') + 1);
  return sheet.provider.empty() ? model : fmt::format("{}: {}", sheet.provider, model);
}

}  // namespace

Chart host_chart(const HostAnswer& answer) {
  Chart chart;
  chart.title = fmt::format("Margin of {} on {} against cache hits", answer.serving.ground().model->title,
                            answer.serving.ground().machine->title);
  chart.subtitle =
      fmt::format("{} in, {} out, {} in flight, {} a chip, all of them busy", with_commas(answer.serving.question.isl),
                  with_commas(answer.serving.question.osl), significant(answer.serving.load.concurrency, 4),
                  show(DollarsPerSecond<double>(answer.serving.ground().numbers.price.value())));
  chart.footer = "cached input is taken to lie in the chips' memory; a margin below zero is a loss";
  chart.x = {"share of the input that a cache holds, %", "", Scale::linear};
  chart.y = {"profit over revenue, %", "", Scale::linear};
  constexpr std::size_t kMost = 6;  // curves that can be told apart
  const std::size_t count = answer.hosts.size(), shown = std::min(count, kMost);
  for (std::size_t i = 0; i < shown; ++i) {
    // spread from the cheapest to the dearest
    const std::size_t host = shown < 2 ? 0 : i * (count - 1) / (shown - 1);
    const PriceSheet& sheet = *answer.hosts[host].sheet;
    Series series{curve_label(answer, sheet), {}, {}, false, i % 2 == 1};
    for (const MarginPoint& point : answer.margins) {
      series.x.push_back(100 * point.hit);
      series.y.push_back(100 * point.margins[host]);
    }
    chart.series.push_back(std::move(series));
  }
  chart.lines.push_back({false, 0, "cost"});
  return chart;
}

}  // namespace ridge::report
