#include "report/price/money/demand_text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "report/base/counts.hpp"
#include "report/roofline/why_text.hpp"
#include "report/search/fleet_text.hpp"
#include "report/serve/interval_text.hpp"

namespace ridge::report {

namespace {

std::string streams_text(const Ratio<double>& streams) {
  return std::isfinite(streams.value()) ? with_commas(streams.value()) : "any number";
}

/// Many in millions: they are compared.
std::string rate_text(const TokensPerSecond<double>& rate) {
  return rate.value() < 1e5 ? show(rate, 4) : significant(rate.value() / 1e6, 3) + " Mtok/s";
}

/// Who fills it: the point asked for, or where compute takes as long as HBM.
std::string filled_text(const DemandAnswer& answer, const Style& style) {
  const auto balance = std::find_if(answer.others.begin(), answer.others.end(),
                                    [](const DemandPoint& point) { return point.name == "balance"; });
  const DemandPoint& point = answer.question.given_batch || balance == answer.others.end() ? answer.point : *balance;
  return wrapped(fmt::format("{} users: {} sequences at once, {} output, {}.", count_text(point.users.value()),
                             with_commas(point.batch.value()), rate_text(point.rate), show(point.cost, 3)),
                 style.columns, 2) +
         "\n";
}

std::string points_text(const DemandAnswer& answer, const Style& style) {
  std::string out = dim(style, fmt::format("  {}{}{}{}{}{}", padded("batch", 10), padded("sequences", 10, true),
                                           padded("step", 11, true), padded("output", 14, true),
                                           padded("users", 13, true), padded("cost", 15, true))) +
                    "\n";
  std::vector<DemandPoint> points = answer.others;
  if (answer.question.given_batch) points.push_back(answer.point);
  std::stable_sort(points.begin(), points.end(),
                   [](const DemandPoint& a, const DemandPoint& b) { return a.batch < b.batch; });
  for (const DemandPoint& point : points) {
    out += fmt::format("  {}{}{}{}{}{}\n", padded(point.name, 10), padded(with_commas(point.batch.value()), 10, true),
                       padded(show(point.step, 3), 11, true), padded(rate_text(point.rate), 14, true),
                       padded(count_text(point.users.value()), 13, true), padded(show(point.cost, 3), 15, true));
  }
  return out;
}

/// What fills whole nodes of the deployment that would be bought; nothing where there is none.
std::string deployed_text(const DemandAnswer& answer, const Style& style, const FleetAnswer* fleet) {
  if (!answer.deployed) return "";
  if (fleet != nullptr)
    return bold(style, wrapped(fmt::format("{} users ask for {:.4g} requests/s: {} hold the SLO",
                                           count_text(answer.deployed->users.value()), *answer.question.fleet->aim.rate,
                                           bought_text(*fleet)),
                               style.columns, 2)) +
           "\n" + bought_lines(*fleet, style) + "\n";
  const ServingAnswer& served = *answer.question.served;
  const DeployedDemand& one = *answer.deployed;
  const auto range = [&](double estimate) {
    const FigureInterval at = served.errors.around(estimate, SpreadFigure::throughput);
    return served.errors.known ? fmt::format(" ({} to {}, 80 %)", count_text(at.low), count_text(at.high)) : "";
  };
  std::string out = bold(style, wrapped(fmt::format("{} users{} fill {}", count_text(one.users.value()),
                                                    range(one.users.value()), plural(one.nodes.all_nodes(), "node")),
                                        style.columns, 0)) +
                    "\n";
  out += wrapped(fmt::format("  calibrated: {:g} x {}{} with {}, ISL {}, OSL {}, concurrency {}; TPOT {}{}, {} "
                             "output, {}/Mtok{} for output with all costs",
                             one.nodes.replicas, short_name(served.layout()),
                             one.nodes.prefill_replicas > 0
                                 ? fmt::format(" and {:g} x {} for prefill", one.nodes.prefill_replicas,
                                               short_name(served.deployment.prefill.layout))
                                 : "",
                             served.question.engine, with_commas(served.load.isl), with_commas(served.load.osl),
                             with_commas(std::round(served.load.concurrency * one.nodes.replicas)),
                             show(served.estimate.times.tpot, 3),
                             in_brackets(interval_text(served.errors, SpreadFigure::tpot, served.estimate.times.tpot)),
                             rate_text(one.rate), money(one.cost.value() * 1e6),
                             in_brackets(money_interval_text(served.errors, one.cost.value() * 1e6))),
                 style.columns, 2) +
         "\n";
  if (const std::string unmeasured = situation_text(served.errors); !unmeasured.empty())
    out += wrapped("  " + unmeasured, style.columns, 2) + "\n";
  return plain_text(style, out) + "\n";
}

std::string traffic_text(const DemandAnswer& answer, const Style& style) {
  std::string out =
      dim(style, fmt::format("  {}{}{}{}{}", padded("published traffic", 33), padded("in and out", 13, true),
                             padded("output", 13, true), padded("deployments", 12, true), padded("share", 7, true))) +
      "\n";
  std::string shares;
  for (const TrafficShare& one : answer.traffic) {
    out += fmt::format("  {}{}{}{}{}\n", padded(one.title, 33), padded(rate_text(one.traffic), 13, true),
                       padded((one.by_share ? "~" : "") + rate_text(one.output), 13, true),
                       padded(significant(one.deployments.value(), 3), 12, true),
                       padded(percent(one.share.value()), 7, true));
    if (one.by_share && shares.empty())
      shares =
          fmt::format("~: not published; taken as {} of input and output ({}, {})",
                      percent(one.by_share->value.value()), name_of(one.by_share->from.kind), one.by_share->from.note);
  }
  out +=
      dim(style, wrapped(answer.deployed ? "deployments: the published output over the output of the nodes above"
                                         : "deployments: the published output over the output of one that decodes only",
                         style.columns, 2)) +
      "\n";
  return shares.empty() ? out : out + dim(style, wrapped(shares, style.columns, 2)) + "\n";
}

/// What the table below says.
std::string sparsity_headline(const DemandAnswer& answer) {
  const std::vector<SparsityCurve>& curves = answer.curves;
  const auto best = [](const SparsityCurve& curve) { return significant(curve.sparsity[curve.best], 3); };
  switch (sparsity_verdict(curves)) {
    case SparsityVerdict::never:
      return "Sparsity does not pay here: the dense model is cheapest for any of these.";
    case SparsityVerdict::with_users:
      return fmt::format("More sparsity is a win until users run out: the best is {}x at {} sequences, {}x at {}.",
                         best(curves.front()), streams_text(curves.front().streams), best(curves.back()),
                         streams_text(curves.back().streams));
    case SparsityVerdict::always_same:
      return fmt::format("Sparsity pays whatever the number of sequences: the best is {}x.", best(curves.front()));
    case SparsityVerdict::mixed:
      break;
  }
  return "The best sparsity rises and falls with the number of sequences.";
}

std::string sparsity_text(const DemandAnswer& answer, const Style& style) {
  std::string out =
      wrapped(
          fmt::format("{} Models as good as a dense one of {} under {}, every weight in experts, context as here:",
                      sparsity_headline(answer), show(Params<double>(answer.dense_equivalent), 3), answer.law_title),
          style.columns, 2) +
      "\n";
  out +=
      dim(style, fmt::format("  {}{}{}{}{}", padded("sequences", 12), padded("best total/active", 19, true),
                             padded("active", 14, true), padded("cost", 15, true), padded("dense costs", 15, true))) +
      "\n";
  for (const SparsityCurve& curve : answer.curves) {
    const auto cost = [&](std::size_t i) {
      return std::isfinite(curve.cost[i]) ? show(DollarsPerToken<double>(curve.cost[i]), 3)
                                          : std::string("does not fit");
    };
    out += fmt::format(
        "  {}{}{}{}{}\n", padded(streams_text(curve.streams), 12),
        padded((curve.best + 1 == curve.cost.size() ? ">= " : "") + significant(curve.sparsity[curve.best], 3), 19,
               true),
        padded(show(Params<double>(curve.active[curve.best]), 3), 14, true), padded(cost(curve.best), 15, true),
        padded(cost(0), 15, true));
  }
  return out;
}

}  // namespace

std::string demand_text(const DemandAnswer& answer, const Style& style, const FleetAnswer* fleet) {
  const DecodeCase<double>& c = answer.resolved.numbers;
  const auto from = [&](std::string_view key) { return answer.resolved.from[input_index(key)]; };
  std::string out = bold(style, fmt::format("Demand that fills {} on {}", answer.resolved.model_title,
                                            answer.resolved.machine_title)) +
                    "\n";
  // what would be bought first; the bound is what was asked for where a batch was given
  const bool bought_first = answer.deployed && !answer.question.given_batch;
  if (bought_first)
    out +=
        deployed_text(answer, style, fleet) + fmt::format("At most, by the roofline bound, on {}:\n",
                                                          chips_text(c.chips.value(), answer.resolved.machine_title));
  out += filled_text(answer, style);
  out += wrapped(
             fmt::format(
                 "context {}{}, KV cache {}; {} per chip{}; a user needs {} on average ({}); roofline bound (datasheet "
                 "peaks, no network): a real deployment is full with fewer",
                 with_commas(c.context.value()), from("context").source == "default" ? " (default)" : "",
                 answer.resolved.precision.kv, show(c.price), price_basis(from("price")),
                 show(answer.per_user * Seconds<double>(86400.0), 3) + "/day",
                 answer.per_user_from.kind == Kind::user ? "given" : "assumed"),
             style.columns, 0) +
         "\n\n";
  if (!bought_first) out += deployed_text(answer, style, fleet);
  out += points_text(answer, style) + "\n" + traffic_text(answer, style) + "\n" + sparsity_text(answer, style);
  for (const std::string& note : answer.notes) out += wrapped("note: " + note, style.columns, 6) + "\n";
  return out;
}

Chart demand_chart(const DemandAnswer& answer) {
  constexpr double kMillion = 1e6;
  Chart chart;
  chart.title = sparsity_headline(answer);
  if (chart.title.ends_with('.')) chart.title.pop_back();
  chart.subtitle = fmt::format("{}; each as good as a dense model of {}", answer.resolved.machine_title,
                               show(Params<double>(answer.dense_equivalent), 3));
  chart.footer =
      fmt::format("roofline bound: every weight in experts, same context, no network; quality: {}", answer.law_title);
  chart.x = {.label = "total over active parameters", .unit = "", .scale = Scale::logarithmic};
  chart.y = {.label = "cost of output, $/Mtok", .unit = "$/Mtok", .scale = Scale::logarithmic};
  for (const SparsityCurve& curve : answer.curves) {
    Series one{
        .label = streams_text(curve.streams) + (std::isfinite(curve.streams.value()) ? " sequences" : " of sequences"),
        .x = curve.sparsity,
        .y = curve.cost,
        .bold = !std::isfinite(curve.streams.value()),
        .dashed = false};
    for (double& y : one.y) y *= kMillion;
    if (std::isfinite(curve.cost[curve.best]) && curve.best + 1 < curve.cost.size() && curve.best > 0)
      chart.markers.push_back({.x = curve.sparsity[curve.best],
                               .y = kMillion * curve.cost[curve.best],
                               .label = "best " + significant(curve.sparsity[curve.best], 2) + "x"});
    chart.series.push_back(std::move(one));
  }
  return chart;
}

}  // namespace ridge::report
