#include "catalog/entries/tiers.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "catalog/entries/library.hpp"

namespace ridge::catalog {

namespace {

template <class Q>
std::optional<Sourced<Q>> positive(Entry& entry, std::string_view key, bool needed) {
  if (needed) {
    const Sourced<Q> quantity = entry.quantity<Q>(key);
    if (entry.has(key) && !(quantity.value.value() > 0)) entry.complain(key, "must be above zero", "check the value");
    return quantity;
  }
  const auto quantity = entry.optional_quantity<Q>(key);
  if (quantity && !(quantity->value.value() > 0)) entry.complain(key, "must be above zero", "leave it out instead");
  return quantity;
}

Sourced<Ratio<double>> share(Entry& entry, std::string_view key) {
  const auto quantity = entry.quantity<Ratio<double>>(key);
  if (entry.has(key) && !(quantity.value.value() > 0 && quantity.value.value() <= 1))
    entry.complain(key, "must be above zero and at most 1", "write a share, e.g. 0.4");
  return quantity;
}

}  // namespace

Tier read_tier(Entry& entry) {
  Tier tier;
  tier.name = entry.name();
  tier.title = entry.text("title");
  tier.note = entry.text("note", false);
  if (const auto chips = entry.optional_text("chips")) {
    for (const std::string& chip : split(*chips, ',')) tier.chips.emplace_back(trimmed(chip));
  }
  const std::string of = entry.text("of");
  if (of == "chip") {
    tier.of = Tier::Of::chip;
    tier.charged = share(entry, "charged");
  } else if (of == "compute") {
    tier.of = Tier::Of::compute;
    tier.mfu = share(entry, "mfu");
  } else if (of == "device") {
    tier.capacity = positive<Bytes<double>>(entry, "device.capacity", true);
    tier.read = positive<BytesPerSecond<double>>(entry, "device.read", true);
    tier.write = positive<BytesPerSecond<double>>(entry, "device.write", true);
    tier.reach = positive<BytesPerSecond<double>>(entry, "device.reach", true);
    tier.latency = positive<Seconds<double>>(entry, "device.latency", false);
    tier.seek = positive<Seconds<double>>(entry, "device.seek", false);
    // more than one device gives is drawn from several, so what lies on one of them has to be known
    const bool spread = tier.reach && tier.read && tier.reach->value > tier.read->value;
    tier.piece = positive<Bytes<double>>(entry, "device.piece", tier.seek.has_value() || spread);
    tier.utilization = share(entry, "device.utilization");
    if (!(tier.utilization->value.value() < 1))
      entry.complain("device.utilization", "a device that is always busy has an endless queue",
                     "write a share below 1, e.g. 0.6");
    tier.rewrites = positive<Ratio<double>>(entry, "device.rewrites", false);
    tier.owned = read_ownership(entry);
    tier.server_price = positive<Dollars<double>>(entry, "server.price", false);
    tier.server_power = positive<Watts<double>>(entry, "server.power", tier.server_price.has_value());
    if (!tier.owned) entry.complain("owned", "a device has a price", "add [owned] as a machine has it");
  } else {
    entry.complain("of", fmt::format("\"{}\" is no kind of tier", of), "one of: chip, device, compute");
  }
  return tier;
}

ReuseCurve read_reuse(Entry& entry) {
  ReuseCurve curve{
      .name = entry.name(), .title = entry.text("title"), .note = entry.text("note", false), .from = {}, .points = {}};
  for (const std::string& word : entry.keys_below("within")) {
    const std::string key = "within." + word;
    const auto within = parse<Seconds<double>>(word, key);
    if (!within) entry.complain(key, within.error().front().what, within.error().front().hint);
    const auto reused = entry.quantity<Ratio<double>>(key);
    curve.from = reused.from;
    curve.points.push_back({within.value_or(Seconds<double>{}), reused.value});
  }
  std::sort(curve.points.begin(), curve.points.end(),
            [](const ReusePoint& a, const ReusePoint& b) { return a.within < b.within; });
  ReusePoint last;
  for (const ReusePoint& point : curve.points) {
    if (!(point.within > last.within))
      entry.complain("title", fmt::format("{} stands twice, or is not above zero", show(point.within)),
                     "give each time once");
    if (point.share < last.share || point.share.value() > 1)
      entry.complain(
          "title",
          fmt::format("the share within {} is less than within a shorter time, or above 1", show(point.within)),
          "shares rise with the time, to at most 1");
    last = point;
  }
  if (curve.points.empty())
    entry.complain("within", "has no points", "add [within] with shares by time, e.g. \"5 min\" = 0.4");
  return curve;
}

}  // namespace ridge::catalog
