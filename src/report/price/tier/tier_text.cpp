#include "report/price/tier/tier_text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "layout/layout.hpp"
#include "report/base/counts.hpp"
#include "report/price/make/computed_input_text.hpp"
#include "report/roofline/why_text.hpp"
#include "report/serve/interval_text.hpp"

namespace ridge::report {

namespace {

constexpr int kNameWidth = 13;

std::string per_hour(const DollarsPerTokenSecond<double>& hold) {
  constexpr double kMtokHour = 1e6 * 3600;
  return hold.value() == 0 ? "-" : money(hold.value() * kMtokHour);
}
std::string per_mtok(const DollarsPerToken<double>& price) {
  return price.value() == 0 ? "-" : money(price.value() * 1e6);
}
std::string tier_time(const Seconds<double>& time) { return time.value() == 0 ? "-" : period_text(time); }
std::string times_text(const Ratio<double>& ratio) {
  return std::isfinite(ratio.value()) ? significant(ratio.value(), 2) + "x" : "-";
}

/// The places that are best at some time, in order.
std::string envelope(const TierAnswer& answer, const Style& style) {
  const Ratio<double>& reuse = answer.question.reuse;
  std::vector<std::string> pieces;
  std::size_t now = best_tier(answer.rows, Seconds<double>(0.0), reuse);
  Seconds<double> from(0.0);
  for (std::size_t guard = 0; guard < answer.rows.size(); ++guard) {
    const TierPair* next = nullptr;
    for (const TierPair& pair : answer.pairs) {
      if (pair.first == now && pair.at > from && std::isfinite(pair.at.value()) &&
          (next == nullptr || pair.at < next->at))
        next = &pair;
    }
    if (next == nullptr) break;
    pieces.push_back(fmt::format("{} until {}", answer.rows[now].facts.name, period_text(next->at)));
    from = next->at;
    now = next->second;
  }
  pieces.push_back(fmt::format("{} after that", answer.rows[now].facts.name));
  const std::string chance =
      reuse.value() == 1 ? "" : fmt::format(" at a reuse probability of {}", percent(reuse.value()));
  return wrapped(fmt::format("Cheapest{}: {}.", chance, joined(pieces, ", ")), style.columns, 2) + "\n";
}

std::string heading(const TierAnswer& answer, const Style& style) {
  const TierQuestion& q = answer.question;
  std::string out =
      bold(style, fmt::format("Where to keep KV cache: {} on {}", answer.title, answer.resolved.machine_title)) + "\n" +
      bold(style, envelope(answer, style));
  const std::string line = fmt::format(
      "{} of KV cache per token{}, context {} ({}); {} per {}{}; {} of a fetch is not overlapped; prices in $/Mtok",
      token_bytes(answer.kept_bytes), q.kept_bytes ? "" : fmt::format(" ({})", answer.resolved.precision.kv),
      with_commas(q.context.value()), show(answer.kept_bytes * q.context), show(answer.chip_price),
      chip_word(answer.resolved.machine_title), price_basis(answer.resolved.from[input_index("price")]),
      percent(q.waiting.value()));
  return out + wrapped(line, style.columns, 0) + "\n";
}

/// Beside what load the devices and the chips do their work: nothing is fetched from an idle disk.
std::string loads_text(const TierAnswer& answer, const Style& style) {
  std::vector<std::string> busy, lines;
  for (const TierRow& row : answer.rows) {
    if (!row.device.queues) continue;
    const std::string share = percent(row.device.utilization.value());
    if (std::find(busy.begin(), busy.end(), share) == busy.end()) busy.push_back(share);
  }
  if (!busy.empty())
    lines.push_back(
        fmt::format("devices are {} utilized, and a fetch waits behind others (M/D/1)", joined(busy, ", ")));
  for (const TierRow& row : answer.rows) {
    if (row.facts.of != Tier::Of::compute) continue;
    if (row.computed) {
      const ServingAnswer& served = *answer.question.served;
      const std::string interval = money_interval_text(served.errors, row.computed->cost.value() * 1e6);
      lines.push_back(fmt::format("recomputed by {} with {}, ISL {}, OSL {}, concurrency {}: {}{}",
                                  plain_text(style, short_name(served.layout())), served.question.engine,
                                  with_commas(row.computed->load.isl), with_commas(row.computed->load.osl),
                                  significant(row.computed->load.concurrency * served.layout().replicas, 4),
                                  prefill_in_flight(*row.computed),
                                  interval.empty() ? "" : fmt::format("; $/Mtok {}", interval)));
    } else {
      lines.push_back(fmt::format("recomputed at an assumed MFU of {}", percent(row.facts.mfu->value.value())));
    }
  }
  return lines.empty() ? "" : dim(style, wrapped(joined(lines, "; "), style.columns, 0)) + "\n";
}

/// What is a guess, by what it is of: "life: every device; price: cxl, flash".
std::string assumed_text(const TierAnswer& answer) {
  std::vector<std::string> facts;
  std::size_t devices = 0;
  for (const TierRow& row : answer.rows) {
    if (row.facts.of == Tier::Of::device) ++devices;
    for (const std::string& fact : row.assumed) {
      if (std::find(facts.begin(), facts.end(), fact) == facts.end()) facts.push_back(fact);
    }
  }
  std::vector<std::string> every, parts;
  for (const std::string& fact : facts) {
    std::vector<std::string> of;
    for (const TierRow& row : answer.rows) {
      if (std::find(row.assumed.begin(), row.assumed.end(), fact) != row.assumed.end()) of.push_back(row.facts.name);
    }
    if (of.size() == devices && devices > 1)
      every.push_back(fact);
    else
      parts.push_back(fmt::format("{} of {}", fact, joined(of, ", ")));
  }
  if (!every.empty()) parts.insert(parts.begin(), joined(every, ", ") + " of every device");
  return joined(parts, "; ");
}

std::string table(const TierAnswer& answer, const Style& style) {
  std::string out = dim(style, fmt::format("  {}{}{}{}{}{}", padded("tier", kNameWidth), padded("hold 1 h", 12, true),
                                           padded("write", 12, true), padded("fetch", 12, true),
                                           padded("fetch time", 12, true), padded("drain time", 12, true))) +
                    "\n";
  std::vector<std::string> legend;
  for (const TierRow& row : answer.rows) {
    out +=
        fmt::format("  {}{}{}{}{}{}\n", padded(row.facts.name, kNameWidth), padded(per_hour(row.cost.hold), 12, true),
                    padded(per_mtok(row.cost.write), 12, true), padded(per_mtok(row.cost.fetch), 12, true),
                    padded(tier_time(row.fetch_time), 12, true), padded(tier_time(row.drain), 12, true));
    legend.push_back(row.facts.name + ": " + row.facts.title);
  }
  return out + dim(style, wrapped(joined(legend, "; "), style.columns, 0)) + "\n" + loads_text(answer, style);
}

std::string pairs_text(const TierAnswer& answer, const Style& style) {
  std::string out = dim(style, "  " + padded("tier", kNameWidth) + "cheaper than ... until") + "\n";
  for (std::size_t row = 0; row + 1 < answer.rows.size(); ++row) {
    std::vector<std::string> cells;
    for (const TierPair& pair : answer.pairs) {
      if (pair.first != row) continue;
      const std::string until = !(pair.at.value() > 0)           ? "never"
                                : std::isfinite(pair.at.value()) ? period_text(pair.at)
                                                                 : "always";
      cells.push_back(answer.rows[pair.second].facts.name + " " + until);
    }
    out += wrapped("  " + padded(answer.rows[row].facts.name, kNameWidth) + joined(cells, ", "), style.columns,
                   kNameWidth + 2) +
           "\n";
  }
  return out;
}

std::string map_text(const TierAnswer& answer, const Style& style) {
  const TierMap& map = answer.map;
  std::string head = "  " + padded("", 6);
  for (const Seconds<double>& time : map.times) head += padded(period_text(time), 10, true);
  std::string out = dim(style, head) + "\n";
  for (std::size_t i = 0; i < map.chances.size(); ++i) {
    out += "  " + padded(percent(map.chances[i].value()), 6);
    for (const std::size_t tier : map.best[i]) out += padded(clipped(answer.rows[tier].facts.name, 9), 10, true);
    out += "\n";
  }
  return out;
}

std::string fleet_text(const TierAnswer& answer, const Style& style) {
  const DollarsPerToken<double> fresh = answer.fleet.back().cost;
  std::string out =
      wrapped(
          fmt::format("A fleet under \"{}\" ({}): the best time to keep everything, and the cost per reuse in $/Mtok",
                      answer.curve.title, answer.curve.name),
          style.columns, 2) +
      "\n";
  out += dim(style,
             fmt::format("  {}{}{}{}{}", padded("tier", kNameWidth), padded("keep for", 10, true),
                         padded("hit rate", 10, true), padded("cost", 12, true), padded("of recompute", 14, true))) +
         "\n";
  for (std::size_t i = 0; i < answer.fleet.size(); ++i) {
    const FleetChoice& one = answer.fleet[i];
    out += fmt::format("  {}{}{}{}{}{}\n", padded(answer.rows[one.tier].facts.name, kNameWidth),
                       padded(one.keep.value() == 0 ? "-" : period_text(one.keep), 10, true),
                       padded(percent(one.hits.value()), 10, true), padded(per_mtok(one.cost), 12, true),
                       padded(percent((one.cost / fresh).value()), 14, true),
                       i == answer.best_fleet ? "  <- cheapest" : "");
  }
  const ReusePoint& last = answer.curve.points.back();
  const FleetChoice& best = answer.fleet[answer.best_fleet];
  if (best.keep == last.within && best.keep.value() > 0) {
    out += wrapped(fmt::format("note: the reuse curve ends at {}; keeping longer may be cheaper still",
                               period_text(last.within)),
                   style.columns, 6) +
           "\n";
  }
  return out;
}

std::string reading_text(const TierAnswer& answer, const Style& style) {
  const TariffReading& reading = *answer.reading;
  const CacheTariff<double>& parts = reading.parts;
  std::vector<std::string> writes = {show(reading.tariff.input) + " fresh"};
  for (const CacheWrite& write : reading.tariff.writes)
    writes.push_back(fmt::format("{} for a write kept {}", show(write.price), period_text(write.keep)));
  std::string says;
  if (reading.sells_holding()) {
    const bool more = parts.premium.value() >= 0;
    if (!reading.tariff.hold) {
      says = fmt::format(": a write costs {} {} than fresh input, and",
                         show(more ? parts.premium : -1.0 * parts.premium), more ? "more" : "less");
    }
    says += fmt::format("{} holding costs {}/Mtok per hour", says.empty() ? ":" : "", per_hour(parts.hold));
  }
  std::string out = wrapped(fmt::format("The tariff: {}{}", joined(writes, ", "), says), style.columns, 2) + "\n";
  for (const std::string& finding : reading.findings) out += wrapped("odd: " + finding, style.columns, 5) + "\n";
  std::string head = fmt::format("  {}{}{}{}{}", padded("tier", 12), padded("by hold", 9, true),
                                 padded("by fetch", 11, true), padded("hold", 8, true), padded("fetch", 8, true));
  for (const CacheWrite& write : reading.tariff.writes) head += padded("/" + period_text(write.keep), 8, true);
  out += dim(style, head + "  fits") + "\n";
  for (const TariffRow& row : reading.rows) {
    out += fmt::format("  {}{}{}{}{}", padded(answer.rows[row.tier].facts.name, 12),
                       padded(reading.sells_holding() ? token_bytes(row.bytes_by_hold, 3) : "-", 9, true),
                       padded(reading.tariff.hit ? token_bytes(row.bytes_by_fetch, 3) : "-", 11, true),
                       padded(reading.sells_holding() ? times_text(row.hold_margin) : "-", 8, true),
                       padded(reading.tariff.hit ? times_text(row.fetch_margin) : "-", 8, true));
    std::vector<std::string> by;
    if (row.pays) by.push_back("price");
    for (std::size_t i = 0; i < row.natural.size(); ++i) {
      out += padded(significant(row.drain_over_keep[i].value(), 2), 8, true);
      if (row.natural[i]) by.push_back(period_text(reading.tariff.writes[i].keep));
    }
    out += fmt::format("  {}\n", by.empty() ? "nothing" : joined(by, ", "));
  }
  out +=
      wrapped(
          fmt::format(
              "by hold, by fetch: most KV bytes/token that the price pays for; hold, fetch: price over cost at {} per "
              "token; /5 min: drain time over that time. Fits by price: both are above 1; by a time: the device "
              "drains in it, within {}x. Prices are not costs: every tier that fits by price stays possible.",
              token_bytes(answer.kept_bytes), significant(kNaturalWithin, 2)),
          style.columns, 2) +
      "\n";
  return out;
}

}  // namespace

std::string period_text(const Seconds<double>& time) {
  constexpr double kMinute = 60, kHour = 3600, kOneDay = 86400;
  const double seconds = time.value();
  if (!std::isfinite(seconds) || seconds < kMinute) return show(time, 3);
  if (seconds < kHour) return significant(seconds / kMinute, 3) + " min";
  if (seconds < kOneDay) return significant(seconds / kHour, 3) + " h";
  if (seconds == kOneDay) return "1 day";
  return seconds < 1000 * kOneDay ? significant(seconds / kOneDay, 3) + " days" : show(time, 3) + "s";
}

std::string token_bytes(const BytesPerToken<double>& bytes, int digits) {
  return show(bytes * Tokens<double>(1.0), digits);
}

std::string tier_text(const TierAnswer& answer, const Style& style) {
  std::string out = heading(answer, style) + "\n" + table(answer, style) + "\n" + pairs_text(answer, style) + "\n" +
                    "Cheapest tier by time kept (across) and reuse probability (down):\n" + map_text(answer, style) +
                    "\n" + fleet_text(answer, style);
  if (answer.reading) out += "\n" + reading_text(answer, style);
  for (const std::string& note : answer.notes) out += wrapped("note: " + note, style.columns, 6) + "\n";
  if (const std::string assumed = assumed_text(answer); !assumed.empty())
    out += wrapped(fmt::format("note: assumed: {} (ridge show tier NAME)", assumed), style.columns, 6) + "\n";
  return out;
}

}  // namespace ridge::report
