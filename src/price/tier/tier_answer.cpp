#include "price/tier/tier_answer.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/unit_text.hpp"
#include "cost/money.hpp"
#include "library/owned.hpp"
#include "price/make/prefill_work.hpp"
#include "price/money/chip_cost.hpp"
#include "price/sheet/sheet_check.hpp"

namespace ridge {

namespace {

constexpr const char* kBaseModel = "llama-3-70b";  // whose inputs a model that nobody knows replaces
constexpr double kMinute = 60, kHour = 3600, kDay = 86400;
constexpr std::array kMapTimes = {1.0, 10.0, kMinute, 5 * kMinute, kHour, kDay, 30 * kDay};
constexpr std::array kMapChances = {1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01};

/// The case of a model that only two numbers are known of.
Scenario unknown_model(const TierQuestion& question) {
  Scenario scenario = question.scenario;
  scenario.model = kBaseModel;
  if (!scenario.weights) scenario.weights = "fp8";
  const Provenance from{"--active, --kv-bytes", Kind::user};
  for (const char* key : {"params.routed", "params.lookup", "attention.flops", "kv.read"})
    scenario.given.push_back({key, 0.0, from});
  scenario.given.push_back({"params.dense", question.active->value(), from});
  scenario.given.push_back({"kv.stored", question.kept_bytes->value(), from});
  return scenario;
}

bool leans_on_guess(const Tier& tier) {
  const auto guessed = [](const auto& fact) { return fact && fact->from.kind == Kind::assumed; };
  const bool bought = tier.owned && tier.owned->capex.from.kind == Kind::assumed;
  return bought || guessed(tier.capacity) || guessed(tier.read) || guessed(tier.charged) || guessed(tier.mfu);
}

TierDevice<double> device_of(const Tier& tier) {
  TierDevice<double> device{.capacity = tier.capacity->value,
                            .read = tier.read->value,
                            .write = tier.write->value,
                            .reach = tier.reach->value};
  device.price = owned_price(owned_as<double>(*tier.owned, [](std::size_t, const OwnedInput& input) {
                   return input.value;
                 })).total();
  device.seeks = tier.seek.has_value();
  device.wears = tier.rewrites.has_value();
  if (tier.seek) device.seeking = tier.seek->value / tier.piece->value;
  if (tier.rewrites) device.wear = tier.owned->capex.value / (device.capacity * tier.rewrites->value);
  return device;
}

class Answerer {
 public:
  Answerer(const TierQuestion& question, const Library& library) : library_(library) { out_.question = question; }

  Result<TierAnswer> run() {
    const TierQuestion& q = out_.question;
    const bool unknown = q.scenario.model.empty() && q.active && q.kept_bytes;
    if (q.scenario.model.empty() && !unknown)
      return fail({"MODEL", "which model?", "name one (ridge list models), or give --active and --kv-bytes"});
    const auto resolved = resolve(unknown ? unknown_model(q) : q.scenario, library_);
    if (!resolved) return fail(resolved.error());
    out_.resolved = *resolved;
    if (const auto free = free_chip(out_.resolved.numbers.price)) return fail(*free);
    if (const auto known = check_names(); !known) return fail(known.error());
    fill_model(unknown);
    if (const auto filled = fill_rows(); !filled) return fail(filled.error());
    fill_pairs();
    fill_map();
    if (const auto filled = fill_fleet(); !filled) return fail(filled.error());
    if (q.tariff) {
      const auto reading = read_tariff(*q.tariff);
      if (!reading) return fail(reading.error());
      out_.reading = *reading;
    }
    return std::move(out_);
  }

 private:
  void fill_model(bool unknown) {
    const TierQuestion& q = out_.question;
    DecodeCase<double>& c = out_.resolved.numbers;
    c.batch = Ratio<double>(1.0);
    c.context = q.context;
    const Model* model = unknown ? nullptr : find_named(library_.models, out_.resolved.model);
    out_.kept_bytes = q.kept_bytes.value_or(estimate_decode(c).context_stored / q.context);
    const Params<double> own = c.params_dense + c.experts_per_token / c.experts * c.params_routed;
    out_.active = q.active.value_or(own);
    out_.attention = model != nullptr ? prefill_attention(*model, q.context) : prefill_attention(c, q.context);
    if (!unknown && q.active) {  // the same shape, larger or smaller
      const Ratio<double> scale = *q.active / own;
      c.params_dense = scale * c.params_dense;
      c.params_routed = scale * c.params_routed;
    }
    out_.chip_price = c.price / c.utilization;
    out_.title =
        unknown ? fmt::format("a model with {} active", show(out_.active)) : out_.resolved.model_title;
    if (unknown) out_.notes.push_back("attention's own compute is not counted: nothing is known of it");
    if (model == nullptr && !unknown)
      out_.notes.push_back("recomputing counts attention as decoding does: the model's layers are not known");
  }

  Result<bool> fill_rows() {
    const DecodeCase<double>& c = out_.resolved.numbers;
    const TierQuestion& q = out_.question;
    const KeptContext<double> kept{out_.kept_bytes, out_.chip_price, q.waiting, q.waiting.value() > 0};
    const Bytes<double> whole = out_.kept_bytes * q.context;
    for (const Tier& tier : library_.tiers) {
      if (!is_asked(tier)) continue;
      TierRow row{.facts = tier, .device = {}, .cost = {}, .assumed = leans_on_guess(tier)};
      if (tier.of == Tier::Of::chip) {
        row.device.capacity = c.hbm_capacity;
        row.device.read = row.device.write = row.device.reach = c.hbm_bandwidth;
        row.device.price = tier.charged->value * out_.chip_price;
        row.cost = cost_on_chip(kept, c.hbm_capacity, tier.charged->value);
      } else if (tier.of == Tier::Of::compute) {
        const SecondsPerToken<double> work = prefill_work(c, out_.attention);
        row.cost = cost_of_recomputing(work, tier.mfu->value, out_.chip_price);
        row.fetch_time = work / tier.mfu->value * q.context / c.chips;
      } else {
        row.device = device_of(tier);
        row.cost = cost_on(row.device, kept);
        row.fetch_time = whole / (c.chips * row.device.reach);
        if (tier.seek)  // at least one piece
          row.fetch_time = max(row.fetch_time, tier.seek->value + min(whole, tier.piece->value) / row.device.read);
      }
      if (tier.of != Tier::Of::compute) row.drain = drain_time(row.device);
      out_.rows.push_back(std::move(row));
    }
    std::stable_sort(out_.rows.begin(), out_.rows.end(),
                     [](const TierRow& a, const TierRow& b) { return a.cost.hold > b.cost.hold; });
    for (const TierRow& row : out_.rows) {
      if (row.facts.of == Tier::Of::compute) return true;
    }
    return fail({"catalog", "no tier says what computing again costs", "add one with of = \"compute\""});
  }

  /// Those that were named, or all that the machine has.
  bool is_asked(const Tier& tier) const {
    const std::vector<std::string>& names = out_.question.tiers;
    if (!names.empty() && tier.of != Tier::Of::compute)
      return std::find(names.begin(), names.end(), tier.name) != names.end();
    const Machine* machine = find_named(library_.machines, out_.resolved.machine);
    return tier.chips.empty() || machine == nullptr ||
           std::find(tier.chips.begin(), tier.chips.end(), machine->chip) != tier.chips.end();
  }

  Result<bool> check_names() const {
    Errors errors;
    for (const std::string& name : out_.question.tiers) {
      if (find_named(library_.tiers, name) == nullptr)
        errors.push_back({"--tiers", fmt::format("unknown tier \"{}\"", shortened(name)),
                          suggestion(name, names_of(library_.tiers))});
    }
    if (!errors.empty()) return fail(std::move(errors));
    return true;
  }

  void fill_pairs() {
    const Ratio<double>& reuse = out_.question.reuse;
    for (std::size_t first = 0; first < out_.rows.size(); ++first) {
      for (std::size_t second = first + 1; second < out_.rows.size(); ++second)
        out_.pairs.push_back({first, second, break_even(out_.rows[first].cost, out_.rows[second].cost, reuse)});
    }
  }

  void fill_map() {
    for (const double time : kMapTimes) out_.map.times.emplace_back(time);
    for (const double chance : kMapChances) {
      out_.map.chances.emplace_back(chance);
      out_.map.best.emplace_back();
      for (const Seconds<double>& time : out_.map.times)
        out_.map.best.back().push_back(best_tier(out_.rows, time, Ratio<double>(chance)));
    }
  }

  const TierRow& recompute() const {
    return *std::find_if(out_.rows.begin(), out_.rows.end(),
                         [](const TierRow& row) { return row.facts.of == Tier::Of::compute; });
  }

  /// Between two points of the curve the cost bends down (docs/theory/tiers.md), so it is least at a point.
  Result<bool> fill_fleet() {
    const std::string& name = out_.question.curve;
    if (library_.reuse.empty()) return fail({"catalog", "has no curve of re-use", "add one: reuse/NAME.toml"});
    const ReuseCurve* curve = name.empty() ? &library_.reuse.back() : find_named(library_.reuse, name);
    if (curve == nullptr) {
      return fail({"--reuse", fmt::format("unknown curve of re-use \"{}\"", shortened(name)),
                   suggestion(name, names_of(library_.reuse))});
    }
    out_.curve = *curve;
    for (std::size_t tier = 0; tier < out_.rows.size(); ++tier) {
      if (out_.rows[tier].facts.of == Tier::Of::compute) {
        out_.fleet.push_back({tier, {}, {}, {}, recompute().cost.fetch});
        continue;
      }
      FleetChoice best{tier, {}, {}, {}, recompute().cost.fetch};
      for (const ReusePoint& point : curve->points) {
        FleetChoice choice{tier, point.within, mean_held(*curve, point.within), point.share, {}};
        choice.cost = fleet_cost(out_.rows[tier].cost, recompute().cost, choice.hits, choice.held);
        if (choice.cost < best.cost) best = choice;
        out_.all_kept.push_back(choice);
      }
      out_.fleet.push_back(best);
    }
    const auto least = std::min_element(out_.fleet.begin(), out_.fleet.end(),
                                        [](const auto& a, const auto& b) { return a.cost < b.cost; });
    out_.best_fleet = static_cast<std::size_t>(least - out_.fleet.begin());
    return true;
  }

  /// What two times to live cannot say, or say oddly.
  static void add_findings(TariffReading& reading) {
    const std::vector<CacheWrite>& writes = reading.tariff.writes;
    if (!reading.sells_holding()) {
      reading.findings.push_back("no price of holding follows from these times, so no tier is consistent by price");
    } else if (reading.parts.premium.value() < 0) {
      reading.findings.push_back(
          fmt::format("at this price of holding the write itself would cost {} less than fresh input: short times are "
                      "given away",
                      show(-1.0 * reading.parts.premium)));
    }
    if (writes.size() > 2) {
      reading.findings.push_back(
          fmt::format("read from {} and {} alone: the times between them need not lie on their "
                      "line",
                      show(writes.front().keep, 6), show(writes.back().keep, 6)));
    }
  }

  Result<TariffReading> read_tariff(const PublicTariff& tariff) const {
    TariffReading reading{.tariff = tariff, .parts = {}, .rows = {}, .findings = {}};
    reading.findings = cache_findings(tariff.input, tariff.hit, tariff.writes);
    if (tariff.hold) {
      reading.parts.hold = *tariff.hold;
    } else if (tariff.writes.size() < 2) {
      return fail({"--tariff", "two times to live are needed to tell the write from the holding",
                   "e.g. 'input=$5/Mtok,hit=$0.50/Mtok,5min=$6.25/Mtok,1h=$10/Mtok', or hold=$4.50/Mtok/h"});
    } else {
      const CacheWrite &first = tariff.writes.front(), &last = tariff.writes.back();
      reading.parts = two_ttls<double>(tariff.input, {first.keep, first.price}, {last.keep, last.price});
      add_findings(reading);
    }
    for (std::size_t tier = 0; tier < out_.rows.size(); ++tier) {
      const TierRow& row = out_.rows[tier];
      if (row.facts.of == Tier::Of::compute) continue;
      TariffRow one;
      one.tier = tier;
      if (reading.sells_holding()) {
        one.bytes_by_hold = bytes_for(reading.parts.hold, row.device);
        one.hold_margin = reading.parts.hold / row.cost.hold;
        one.pays = reading.parts.hold >= row.cost.hold;
      }
      if (tariff.hit) {
        one.bytes_by_fetch = bytes_for(*tariff.hit, row.device);
        if (row.facts.of == Tier::Of::chip)  // nothing to fetch: any number
          one.bytes_by_fetch = BytesPerToken<double>(std::numeric_limits<double>::infinity());
        one.fetch_margin = divide_or_unbounded(*tariff.hit, row.cost.fetch);
        one.pays = one.pays && *tariff.hit >= row.cost.fetch;
      }
      for (const CacheWrite& write : tariff.writes) {
        const Ratio<double> ratio = row.drain / write.keep;
        one.drain_over_keep.push_back(ratio);
        one.natural.push_back(ratio.value() <= kNaturalWithin && ratio.value() >= 1 / kNaturalWithin);
      }
      reading.rows.push_back(std::move(one));
    }
    return reading;
  }

  const Library& library_;
  TierAnswer out_;
};

}  // namespace

std::size_t best_tier(const std::vector<TierRow>& rows, const Seconds<double>& time, const Ratio<double>& reuse) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (cost_of_keeping(rows[i].cost, time, reuse) < cost_of_keeping(rows[best].cost, time, reuse)) best = i;
  }
  return best;
}

Ratio<double> reused_within(const ReuseCurve& curve, const Seconds<double>& time) {
  ReusePoint last;
  for (const ReusePoint& point : curve.points) {
    if (time < point.within)
      return last.share + (time - last.within) / (point.within - last.within) * (point.share - last.share);
    last = point;
  }
  return last.share;
}

Seconds<double> mean_held(const ReuseCurve& curve, const Seconds<double>& time) {
  const Ratio<double> one(1.0);
  Seconds<double> sum;
  ReusePoint last;
  for (const ReusePoint& point : curve.points) {
    const Seconds<double> end = min(point.within, time);
    if (!(end > last.within)) break;
    const Ratio<double> share = reused_within(curve, end);
    sum = sum + (end - last.within) * (one - (last.share + share) / 2.0);
    last = {end, share};
  }
  if (time > last.within) sum = sum + (time - last.within) * (one - last.share);
  return sum;
}

Result<TierAnswer> answer_tiers(const TierQuestion& question, const Library& library) {
  return Answerer(question, library).run();
}

}  // namespace ridge
