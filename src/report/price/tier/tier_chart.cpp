#include <cmath>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "report/price/tier/tier_text.hpp"

namespace ridge::report {

namespace {

constexpr int kTierPoints = 181;
constexpr double kFrom = 1, kTo = 30 * 86400;
constexpr double kMillion = 1e6;

double time_at(int i) { return kFrom * std::pow(kTo / kFrom, static_cast<double>(i) / (kTierPoints - 1)); }

std::string subtitle(const TierAnswer& answer) {
  return fmt::format("{} on {}, {} per token, context {}", answer.title, answer.resolved.machine_title,
                     token_bytes(answer.kept_bytes), with_commas(answer.question.context.value()));
}

void add_ticks(Chart& chart, const TierAnswer& answer) {
  if (!answer.reading) return;
  for (const CacheWrite& write : answer.reading->tariff.writes)
    chart.lines.push_back({.vertical = true, .at = write.keep.value(), .label = "kept " + period_text(write.keep)});
}

/// Where to keep it for how long: "dram up to 7.17 min, then disk".
std::string tier_finding(const TierAnswer& answer) {
  const Ratio<double>& reuse = answer.question.reuse;
  std::size_t last = best_tier(answer.rows, Seconds<double>(kFrom), reuse);
  std::string out = "KV cache is cheapest in " + answer.rows[last].facts.name;
  for (int i = 1; i < kTierPoints; ++i) {
    const std::size_t now = best_tier(answer.rows, Seconds<double>(time_at(i)), reuse);
    if (now == last) continue;
    const Seconds<double> at = break_even(answer.rows[last].cost, answer.rows[now].cost, reuse);
    const bool fresh = answer.rows[now].facts.of == Tier::Of::compute;
    out += fmt::format(" up to {}, then {}", period_text(at), fresh ? "recomputed" : answer.rows[now].facts.name);
    last = now;
  }
  return out;
}

Chart cost_chart(const TierAnswer& answer) {
  const Ratio<double>& reuse = answer.question.reuse;
  Chart chart;
  chart.title = tier_finding(answer);
  chart.subtitle = subtitle(answer);
  chart.footer =
      fmt::format("write, hold and fetch at a reuse probability of {:g}; {} per chip; several prices are assumed",
                  reuse.value(), show(answer.chip_price));
  chart.x = {.label = "time kept", .unit = "s", .scale = Scale::logarithmic};
  chart.y = {.label = "cost, $/Mtok", .unit = "$", .scale = Scale::logarithmic};
  for (const TierRow& row : answer.rows) {
    if (row.facts.of == Tier::Of::compute) {  // it keeps nothing: a level, whatever the time
      const double level = kMillion * cost_of_keeping(row.cost, Seconds<double>(kFrom), reuse).value();
      chart.lines.push_back({.vertical = false, .at = level, .label = row.facts.name + ", " + money(level)});
      continue;
    }
    Series one{.label = row.facts.name};
    for (int i = 0; i < kTierPoints; ++i) {
      one.x.push_back(time_at(i));
      one.y.push_back(kMillion * cost_of_keeping(row.cost, Seconds<double>(time_at(i)), reuse).value());
    }
    chart.series.push_back(std::move(one));
  }
  std::size_t last = best_tier(answer.rows, Seconds<double>(kFrom), reuse);
  for (int i = 1; i < kTierPoints; ++i) {  // where the cheapest changes
    const std::size_t now = best_tier(answer.rows, Seconds<double>(time_at(i)), reuse);
    if (now == last) continue;
    const Seconds<double> at = break_even(answer.rows[last].cost, answer.rows[now].cost, reuse);
    if (at.value() > 0 && std::isfinite(at.value()))
      chart.markers.push_back({.x = at.value(),
                               .y = kMillion * cost_of_keeping(answer.rows[now].cost, at, reuse).value(),
                               .label = fmt::format("{} from {}", answer.rows[now].facts.name, period_text(at))});
    last = now;
  }
  add_ticks(chart, answer);
  return chart;
}

/// The chance of use above which `dear` beats `cheap`, a line for each pair that meets at the bottom.
Chart map_chart(const TierAnswer& answer) {
  Chart chart;
  chart.title =
      tier_finding(answer) + fmt::format(", if used again with probability {:g}", answer.question.reuse.value());
  chart.subtitle = subtitle(answer);
  chart.footer = "each line parts two tiers: the first named is cheaper above it, the second below";
  chart.x = {.label = "time kept", .unit = "s", .scale = Scale::logarithmic};
  chart.y = {.label = "reuse probability", .unit = "", .scale = Scale::logarithmic};
  constexpr double kLeast = 1e-3;
  constexpr int kChances = 400;
  std::vector<std::pair<std::size_t, std::size_t>> found;
  for (int i = 0; i < kTierPoints; ++i) {
    const Seconds<double> time(time_at(i));
    std::size_t above = best_tier(answer.rows, time, Ratio<double>(1.0));
    for (int j = 1; j <= kChances; ++j) {
      const double chance = std::pow(kLeast, static_cast<double>(j) / kChances);
      const std::size_t below = best_tier(answer.rows, time, Ratio<double>(chance));
      if (below == above) continue;
      const auto pair = std::pair(above, below);
      auto at = std::find(found.begin(), found.end(), pair);
      if (at == found.end()) {
        found.push_back(pair);
        at = found.end() - 1;
        chart.series.push_back(
            {.label = fmt::format("{} over {}", answer.rows[above].facts.name, answer.rows[below].facts.name)});
      }
      Series& one = chart.series[static_cast<std::size_t>(at - found.begin())];
      one.x.push_back(time.value());
      one.y.push_back(chance);
      above = below;
    }
  }
  add_ticks(chart, answer);
  return chart;
}

Chart fleet_chart(const TierAnswer& answer) {
  Chart chart;
  const FleetChoice& cheapest = answer.fleet[answer.best_fleet];
  const double saved = 1 - cheapest.cost.value() / answer.fleet.back().cost.value();
  chart.title = cheapest.keep.value() > 0
                    ? fmt::format("Everything kept in {} for {}: a reuse costs {} less than recomputing",
                                  answer.rows[cheapest.tier].facts.name, period_text(cheapest.keep), percent(saved))
                    : std::string("Recomputing costs less than keeping everything for any time");
  chart.subtitle = subtitle(answer);
  chart.footer = fmt::format("reuse: {}; a miss is recomputed and written again", answer.curve.title);
  chart.x = {.label = "kept after the last use", .unit = "s", .scale = Scale::logarithmic};
  chart.y = {.label = "cost per reuse, $/Mtok", .unit = "$", .scale = Scale::logarithmic};
  for (const FleetChoice& one : answer.all_kept) {
    const std::string& name = answer.rows[one.tier].facts.name;
    if (chart.series.empty() || chart.series.back().label != name) chart.series.push_back({.label = name});
    chart.series.back().x.push_back(one.keep.value());
    chart.series.back().y.push_back(kMillion * one.cost.value());
  }
  const double fresh = kMillion * answer.fleet.back().cost.value();
  chart.lines.push_back({.vertical = false, .at = fresh, .label = "always recomputed"});
  const FleetChoice& best = answer.fleet[answer.best_fleet];
  if (best.keep.value() > 0)
    chart.markers.push_back(
        {.x = best.keep.value(),
         .y = kMillion * best.cost.value(),
         .label = fmt::format("cheapest: {}, {}", answer.rows[best.tier].facts.name, period_text(best.keep))});
  add_ticks(chart, answer);
  return chart;
}

}  // namespace

Result<Chart> tier_chart(const TierAnswer& answer, std::string_view what) {
  if (what == "cost") return cost_chart(answer);
  if (what == "map") return map_chart(answer);
  if (what == "fleet") return fleet_chart(answer);
  return fail(
      {"chart", fmt::format("unknown chart \"{}\"", shortened(what)), suggestion(what, {"cost", "map", "fleet"})});
}

}  // namespace ridge::report
