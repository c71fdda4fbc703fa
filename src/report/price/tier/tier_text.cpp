#include "report/price/tier/tier_text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/unit_text.hpp"
#include "report/roofline/why_text.hpp"

namespace ridge::report {

namespace {

constexpr int kNameWidth = 13;

std::string per_hour(const DollarsPerTokenSecond<double>& hold) {
  constexpr double kMtokHour = 1e6 * 3600;
  return hold.value() == 0 ? "-" : fmt::format("${}", significant(hold.value() * kMtokHour, 3));
}
std::string per_mtok(const DollarsPerToken<double>& price) {
  return price.value() == 0 ? "-" : fmt::format("${}", significant(price.value() * 1e6, 3));
}
std::string time_text(const Seconds<double>& time) { return time.value() == 0 ? "-" : period_text(time); }
std::string times_text(const Ratio<double>& ratio) {
  return std::isfinite(ratio.value()) ? significant(ratio.value(), 2) + "x" : "-";
}

std::string heading(const TierAnswer& answer, const Style& style) {
  const TierQuestion& q = answer.question;
  std::string out =
      bold(style, fmt::format("Keeping the context of {}, on {}", answer.title, answer.resolved.machine_title)) + "\n";
  const std::string line = fmt::format(
      "{} a token{}, {} tokens of context ({}); {} a chip{}; chips wait for {} of a fetch; all prices for a million "
      "tokens",
      token_bytes(answer.kept_bytes), q.kept_bytes ? "" : fmt::format(" in {}", answer.resolved.precision.kv),
      with_commas(q.context.value()), show(answer.kept_bytes * q.context), show(answer.chip_price),
      price_basis(answer.resolved.from[input_index("price")]), percent(q.waiting.value()));
  return out + wrapped(line, style.columns, 0) + "\n";
}

std::string table(const TierAnswer& answer, const Style& style) {
  std::string out =
      dim(style, fmt::format("  {}{}{}{}{}{}", padded("tier", kNameWidth), padded("hold, an hour", 15, true),
                             padded("write", 11, true), padded("fetch", 11, true), padded("takes", 10, true),
                             padded("drains in", 11, true))) +
      "\n";
  for (const TierRow& row : answer.rows) {
    out += fmt::format("  {}{}{}{}{}{}  {}{}\n", padded(row.facts.name, kNameWidth),
                       padded(per_hour(row.cost.hold), 15, true), padded(per_mtok(row.cost.write), 11, true),
                       padded(per_mtok(row.cost.fetch), 11, true), padded(time_text(row.fetch_time), 10, true),
                       padded(time_text(row.drain), 11, true), row.facts.title, row.assumed ? " (assumed)" : "");
  }
  return out;
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
  pieces.push_back(fmt::format("{} from there on", answer.rows[now].facts.name));
  const std::string chance = reuse.value() == 1
                                 ? "If it will be used"
                                 : fmt::format("If it is used with a chance of {}", percent(reuse.value()));
  return wrapped(fmt::format("{}: {}.", chance, joined(pieces, ", then ")), style.columns, 2) + "\n";
}

std::string pairs_text(const TierAnswer& answer, const Style& style) {
  std::string head = "  " + padded("cheaper until", kNameWidth);
  for (std::size_t column = 1; column < answer.rows.size(); ++column)
    head += padded(answer.rows[column].facts.name, 12, true);
  std::string out = dim(style, head) + "\n";
  for (std::size_t row = 0; row + 1 < answer.rows.size(); ++row) {
    out += "  " + padded(answer.rows[row].facts.name, kNameWidth) + std::string(12 * row, ' ');
    for (const TierPair& pair : answer.pairs) {
      if (pair.first != row) continue;
      const std::string cell = !(pair.at.value() > 0)           ? "never"
                               : std::isfinite(pair.at.value()) ? period_text(pair.at)
                                                                : "always";
      out += padded(cell, 12, true);
    }
    out += "\n";
  }
  return out;
}

std::string map_text(const TierAnswer& answer, const Style& style) {
  const TierMap& map = answer.map;
  std::string head = "  " + padded("used, kept", 10);
  for (const Seconds<double>& time : map.times) head += padded(period_text(time), 12, true);
  std::string out = dim(style, head) + "\n";
  for (std::size_t i = 0; i < map.chances.size(); ++i) {
    out += "  " + padded(percent(map.chances[i].value()), 10);
    for (const std::size_t tier : map.best[i]) out += padded(answer.rows[tier].facts.name, 12, true);
    out += "\n";
  }
  return out;
}

std::string fleet_text(const TierAnswer& answer, const Style& style) {
  const DollarsPerToken<double> fresh = answer.fleet.back().cost;
  std::string out =
      wrapped(fmt::format("A fleet under \"{}\" ({}): the best time to keep everything, and what a use of a "
                          "million tokens of context then costs",
                          answer.curve.title, answer.curve.name),
              style.columns, 2) +
      "\n";
  out +=
      dim(style, fmt::format("  {}{}{}{}{}", padded("tier", kNameWidth), padded("keep for", 10, true),
                             padded("hits", 8, true), padded("cost", 12, true), padded("of recomputing", 16, true))) +
      "\n";
  for (std::size_t i = 0; i < answer.fleet.size(); ++i) {
    const FleetChoice& one = answer.fleet[i];
    out +=
        fmt::format("  {}{}{}{}{}{}\n", padded(answer.rows[one.tier].facts.name, kNameWidth),
                    padded(one.keep.value() == 0 ? "not" : period_text(one.keep), 10, true),
                    padded(percent(one.hits.value()), 8, true), padded(per_mtok(one.cost), 12, true),
                    padded(percent((one.cost / fresh).value()), 16, true), i == answer.best_fleet ? "  <- least" : "");
  }
  const ReusePoint& last = answer.curve.points.back();
  const FleetChoice& best = answer.fleet[answer.best_fleet];
  if (best.keep == last.within && best.keep.value() > 0) {
    out += wrapped(fmt::format("note: the curve ends at {}; longer may be better still, but it does not say",
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
    writes.push_back(fmt::format("{} kept {}", show(write.price), period_text(write.keep)));
  std::string says;
  if (reading.sells_holding()) {
    const bool more = parts.premium.value() >= 0;
    if (!reading.tariff.hold) {
      says = fmt::format(": a write costs {} {} than fresh input, and",
                         show(more ? parts.premium : -1.0 * parts.premium), more ? "more" : "less");
    }
    says += fmt::format("{} holding costs {} a million tokens and hour", says.empty() ? ":" : "", per_hour(parts.hold));
  }
  std::string out = wrapped(fmt::format("The tariff: {}{}", joined(writes, ", "), says), style.columns, 2) + "\n";
  for (const std::string& finding : reading.findings) out += wrapped("odd: " + finding, style.columns, 5) + "\n";
  std::string head = fmt::format("  {}{}{}{}{}", padded("tier", kNameWidth), padded("pays to hold", 14, true),
                                 padded("to fetch", 14, true), padded("hold", 9, true), padded("fetch", 9, true));
  for (const CacheWrite& write : reading.tariff.writes) head += padded("drain/" + period_text(write.keep), 14, true);
  out += dim(style, head + "  consistent by") + "\n";
  for (const TariffRow& row : reading.rows) {
    out += fmt::format("  {}{}{}{}{}", padded(answer.rows[row.tier].facts.name, kNameWidth),
                       padded(reading.sells_holding() ? token_bytes(row.bytes_by_hold, 3) : "-", 14, true),
                       padded(reading.tariff.hit ? token_bytes(row.bytes_by_fetch, 3) : "-", 14, true),
                       padded(reading.sells_holding() ? times_text(row.hold_margin) : "-", 9, true),
                       padded(reading.tariff.hit ? times_text(row.fetch_margin) : "-", 9, true));
    std::vector<std::string> by;
    if (row.pays) by.push_back("price");
    for (std::size_t i = 0; i < row.natural.size(); ++i) {
      out += padded(significant(row.drain_over_keep[i].value(), 2), 14, true);
      if (row.natural[i]) by.push_back(period_text(reading.tariff.writes[i].keep));
    }
    out += fmt::format("  {}\n", by.empty() ? "nothing" : joined(by, ", "));
  }
  out += wrapped(
             fmt::format(
                 "pays: bytes a token for which the prices just cover the tier, so the most there can be; hold, fetch: "
                 "price over the cost with {} a token. By price: both are above 1. By a time: the device drains in it, "
                 "within "
                 "{} times. Prices are not costs: every tier listed by price stays possible.",
                 token_bytes(answer.kept_bytes), significant(kNaturalWithin, 2)),
             style.columns, 2) +
         "\n";
  return out;
}

}  // namespace

std::string period_text(const Seconds<double>& time) {
  constexpr double kMinute = 60, kHour = 3600, kWholeDay = 86400;
  const double seconds = time.value();
  if (!std::isfinite(seconds) || seconds < kMinute) return show(time, 3);
  if (seconds < kHour) return significant(seconds / kMinute, 3) + " min";
  if (seconds < kWholeDay) return significant(seconds / kHour, 3) + " h";
  if (seconds == kWholeDay) return "1 day";
  return seconds < 1000 * kWholeDay ? significant(seconds / kWholeDay, 3) + " days" : show(time, 3) + "s";
}

std::string token_bytes(const BytesPerToken<double>& bytes, int digits) {
  return show(bytes * Tokens<double>(1.0), digits);
}

std::string tier_text(const TierAnswer& answer, const Style& style) {
  std::string out = heading(answer, style) + "\n" + table(answer, style) + "\n" + envelope(answer, style) +
                    pairs_text(answer, style) + "\n" +
                    "The cheapest place by the time it is kept (across) and the chance that it is used then (down):\n" +
                    map_text(answer, style) + "\n" + fleet_text(answer, style);
  if (answer.reading) out += "\n" + reading_text(answer, style);
  for (const std::string& note : answer.notes) out += wrapped("note: " + note, style.columns, 6) + "\n";
  std::vector<std::string> assumed;
  for (const TierRow& row : answer.rows) {
    if (row.assumed) assumed.push_back(row.facts.name);
  }
  if (!assumed.empty())
    out += wrapped(fmt::format(
                       "note: assumed in part: {}; ridge show tier NAME says what, and a file of your own replaces it",
                       joined(assumed, ", ")),
                   style.columns, 6) +
           "\n";
  return out;
}

}  // namespace ridge::report
