#include "price/tier/tier_answer.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "base/text/field_text.hpp"
#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "cost/money.hpp"
#include "library/owned.hpp"
#include "price/make/prefill_work.hpp"
#include "price/money/chip_cost.hpp"
#include "price/sheet/sheet_check.hpp"

namespace ridge {

namespace {

constexpr const char* kBaseModel = "llama-3-70b";  // whose inputs a model that nobody knows replaces
constexpr double kMinute = 60, kHour = 3600, kWholeDay = 86400;
constexpr std::array kMapTimes = {1.0, 10.0, kMinute, 5 * kMinute, kHour, kWholeDay, 30 * kWholeDay};
constexpr std::array kMapChances = {1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01};

/// The case of a model that only two numbers are known of.
Scenario unknown_model(const TierQuestion& question) {
  Scenario scenario = question.scenario;
  scenario.model = kBaseModel;
  if (!scenario.weights) scenario.weights = "fp8";
  const Provenance from{"given", Kind::user};
  for (const char* key : {"params.routed", "params.lookup", "attention.flops", "kv.read"})
    scenario.given.push_back({key, 0.0, from});
  scenario.given.push_back({"params.dense", question.active->value(), from});
  scenario.given.push_back({"kv.stored", question.kept_bytes->value(), from});
  return scenario;
}

/// The model whose context is kept, as one sequence of the question's length.
struct KeptModel {
  ResolvedCase resolved;
  std::string title;
  Params<double> active;
  BytesPerToken<double> kept_bytes;
  FlopsPerToken<double> attention;
  DollarsPerSecond<double> chip_price;  // of a second in use
  std::vector<std::string> notes;
};

Result<KeptModel> kept_model(const TierQuestion& q, const Library& library) {
  const bool unknown = q.scenario.model.empty() && q.active && q.kept_bytes;
  if (q.scenario.model.empty() && !unknown) {
    return fail({"model", "which model?",
                 fmt::format("name one (ridge list models), or give {} and {}", field("active"), field("kv_bytes"))});
  }
  auto resolved = resolve(unknown ? unknown_model(q) : q.scenario, library);
  if (!resolved) return fail(resolved.error());
  if (const auto free = free_chip(resolved->numbers.price)) return fail(*free);
  KeptModel out;
  out.resolved = std::move(*resolved);
  out.notes = out.resolved.name_notes;
  DecodeCase<double>& c = out.resolved.numbers;
  c.batch = Ratio<double>(1.0);
  c.context = q.context;
  const Model* model = unknown ? nullptr : find_named(library.models, out.resolved.model);
  out.kept_bytes = q.kept_bytes.value_or(estimate_decode(c).context_stored / q.context);
  const Params<double> own = c.params_active();
  out.active = q.active.value_or(own);
  out.attention = model != nullptr ? prefill_attention(*model, q.context) : prefill_attention(c, q.context);
  if (!unknown && q.active) {  // the same shape, larger or smaller
    const Ratio<double> scale = *q.active / own;
    c.params_dense = scale * c.params_dense;
    c.params_routed = scale * c.params_routed;
  }
  out.chip_price = c.price / c.utilization;
  out.title = unknown ? fmt::format("a model with {} active", show(out.active)) : out.resolved.model_title;
  if (unknown) out.notes.emplace_back("attention's own compute is not counted: nothing is known of it");
  if (model == nullptr && !unknown)
    out.notes.emplace_back("recomputing counts attention as decoding does: the model's layers are not known");
  return out;
}

/// Those that were named, or all that the machine has.
bool is_asked(const Tier& tier, const std::vector<std::string>& names, const Machine* machine) {
  if (!names.empty() && tier.of != Tier::Of::compute)
    return std::find(names.begin(), names.end(), tier.name) != names.end();
  return tier.chips.empty() || machine == nullptr ||
         std::find(tier.chips.begin(), tier.chips.end(), machine->chip) != tier.chips.end();
}

Errors unknown_tiers(const std::vector<std::string>& names, const Library& library) {
  Errors errors;
  for (const std::string& name : names) {
    if (find_named(library.tiers, name) == nullptr)
      errors.push_back(
          {"tiers", fmt::format("unknown tier \"{}\"", shortened(name)), suggestion(name, names_of(library.tiers))});
  }
  return errors;
}

/// Nothing kept: computed by the deployment that serves the model, or at an assumed share of the peak.
TierRow recompute_row(const Tier& tier, const KeptModel& model, const TierQuestion& q) {
  const DecodeCase<double>& c = model.resolved.numbers;
  TierRow row;
  row.facts = tier;
  if (q.served) row.computed = computed_input(q.served->deployment, q.served->load);
  if (row.computed) {
    const ServingCase<double>& paid = q.served->ground().numbers;
    row.cost.fetch = row.computed->cost * (model.chip_price / (paid.price / paid.utilization));
    row.fetch_time = row.computed->time;
    return row;
  }
  row.assumed = assumed_facts(tier);
  const SecondsPerToken<double> work = prefill_work(c, model.attention);
  row.cost = cost_of_recomputing(work, tier.mfu->value, model.chip_price);
  row.fetch_time = work / tier.mfu->value * q.context / c.chips;
  return row;
}

TierRow row_of(const Tier& tier, const KeptModel& model, const TierQuestion& q) {
  if (tier.of == Tier::Of::compute) return recompute_row(tier, model, q);
  const DecodeCase<double>& c = model.resolved.numbers;
  const KeptContext<double> kept{model.kept_bytes, model.chip_price, q.waiting,
                                 q.context,        c.chips,          q.waiting.value() > 0};
  TierRow row;
  row.facts = tier;
  row.assumed = assumed_facts(tier);
  if (tier.of == Tier::Of::chip) {
    row.device.capacity = c.hbm_capacity;
    row.device.read = row.device.write = row.device.reach = c.hbm_bandwidth;
    row.device.price = tier.charged->value * model.chip_price;
    row.cost = cost_on_chip(kept, c.hbm_capacity, tier.charged->value);
  } else {
    row.device = device_of(tier);
    if (q.device_utilization) {
      row.device.utilization = *q.device_utilization;
      std::erase(row.assumed, "utilization");
    }
    row.cost = cost_on(row.device, kept);
    row.fetch_time = fetch_time(row.device, kept);
  }
  row.drain = drain_time(row.device);
  return row;
}

bool is_recompute(const TierRow& row) { return row.facts.of == Tier::Of::compute; }

/// A row a tier, the most expensive to hold in first.
Result<std::vector<TierRow>> tier_rows(const KeptModel& model, const TierQuestion& q, const Library& library) {
  if (Errors errors = unknown_tiers(q.tiers, library); !errors.empty()) return fail(std::move(errors));
  const Machine* machine = find_named(library.machines, model.resolved.machine);
  std::vector<TierRow> rows;
  for (const Tier& tier : library.tiers) {
    if (is_asked(tier, q.tiers, machine)) rows.push_back(row_of(tier, model, q));
  }
  if (std::none_of(rows.begin(), rows.end(), is_recompute))
    return fail({"catalog", "no tier says what computing again costs", "add one with of = \"compute\""});
  std::stable_sort(rows.begin(), rows.end(),
                   [](const TierRow& a, const TierRow& b) { return a.cost.hold > b.cost.hold; });
  return rows;
}

std::vector<TierPair> tier_pairs(const std::vector<TierRow>& rows, const Ratio<double>& reuse) {
  std::vector<TierPair> pairs;
  for (std::size_t first = 0; first < rows.size(); ++first) {
    for (std::size_t second = first + 1; second < rows.size(); ++second)
      pairs.push_back({first, second, break_even(rows[first].cost, rows[second].cost, reuse)});
  }
  return pairs;
}

TierMap tier_map(const std::vector<TierRow>& rows) {
  TierMap map;
  for (const double time : kMapTimes) map.times.emplace_back(time);
  for (const double chance : kMapChances) {
    map.chances.emplace_back(chance);
    map.best.emplace_back();
    for (const Seconds<double>& time : map.times)
      map.best.back().push_back(best_tier(rows, time, Ratio<double>(chance)));
  }
  return map;
}

Result<ReuseCurve> reuse_curve(const std::string& name, const Library& library) {
  if (library.reuse.empty()) return fail({"catalog", "has no curve of re-use", "add one: reuse/NAME.toml"});
  const ReuseCurve* curve = nullptr;
  for (const ReuseCurve& one : library.reuse) {  // without a name the last
    if (name.empty() || one.name == name) curve = &one;
  }
  if (curve != nullptr) return *curve;
  return fail({"reuse", fmt::format("unknown curve of re-use \"{}\"", shortened(name)),
               suggestion(name, names_of(library.reuse))});
}

/// How long a fleet keeps contexts in each tier, at the least cost.
struct KeptFleet {
  std::vector<FleetChoice> best;      // of each tier
  std::vector<FleetChoice> all_kept;  // every time of the curve, in each tier
  std::size_t least = 0;              // in `best`
};

/// Between two points of the curve the cost bends down (docs/theory/tiers.md), so it is least at a point.
KeptFleet fleet_over(const std::vector<TierRow>& rows, const ReuseCurve& curve) {
  const TierCost<double> recompute = std::find_if(rows.begin(), rows.end(), is_recompute)->cost;
  KeptFleet fleet;
  for (std::size_t tier = 0; tier < rows.size(); ++tier) {
    FleetChoice best{tier, {}, {}, {}, recompute.fetch};
    if (!is_recompute(rows[tier])) {
      for (const ReusePoint& point : curve.points) {
        FleetChoice choice{tier, point.within, mean_held(curve, point.within), point.share, {}};
        choice.cost = fleet_cost(rows[tier].cost, recompute, choice.hits, choice.held);
        if (choice.cost < best.cost) best = choice;
        fleet.all_kept.push_back(choice);
      }
    }
    fleet.best.push_back(best);
  }
  const auto least = std::min_element(fleet.best.begin(), fleet.best.end(),
                                      [](const auto& a, const auto& b) { return a.cost < b.cost; });
  fleet.least = static_cast<std::size_t>(least - fleet.best.begin());
  return fleet;
}

/// What two times to live cannot say, or say oddly.
std::vector<std::string> odd_writes(const TariffReading& reading) {
  std::vector<std::string> found;
  const std::vector<CacheWrite>& writes = reading.tariff.writes;
  if (!reading.sells_holding()) {
    found.emplace_back("no price of holding follows from these times, so no tier is consistent by price");
  } else if (reading.parts.premium.value() < 0) {
    found.push_back(
        fmt::format("at this price of holding the write itself would cost {} less than fresh input: short times are "
                    "given away",
                    show(-1.0 * reading.parts.premium)));
  }
  if (writes.size() > 2) {
    found.push_back(fmt::format("read from {} and {} alone: the times between them need not lie on their line",
                                show(writes.front().keep, 6), show(writes.back().keep, 6)));
  }
  return found;
}

/// What a tariff would say of keeping contexts in one tier.
TariffRow tariff_row(const TariffReading& reading, std::size_t tier, const TierRow& row) {
  const PublicTariff& tariff = reading.tariff;
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
  return one;
}

Result<TariffReading> read_tariff(const PublicTariff& tariff, const std::vector<TierRow>& rows) {
  TariffReading reading{.tariff = tariff, .parts = {}, .rows = {}, .findings = {}};
  reading.findings = cache_findings(tariff.input, tariff.hit, tariff.writes);
  if (tariff.hold) {
    reading.parts.hold = *tariff.hold;
  } else if (tariff.writes.size() < 2) {
    return fail({"tariff", "two times to live are needed to tell the write from the holding",
                 "e.g. 'input=$5/Mtok,hit=$0.50/Mtok,5min=$6.25/Mtok,1h=$10/Mtok', or hold=$4.50/Mtok/h"});
  } else {
    const CacheWrite &first = tariff.writes.front(), &last = tariff.writes.back();
    reading.parts = two_ttls<double>(tariff.input, {first.keep, first.price}, {last.keep, last.price});
    for (std::string& one : odd_writes(reading)) reading.findings.push_back(std::move(one));
  }
  for (std::size_t tier = 0; tier < rows.size(); ++tier) {
    if (!is_recompute(rows[tier])) reading.rows.push_back(tariff_row(reading, tier, rows[tier]));
  }
  return reading;
}

}  // namespace

TierDevice<double> device_of(const Tier& tier) {
  TierDevice<double> device{.capacity = tier.capacity->value,
                            .read = tier.read->value,
                            .write = tier.write->value,
                            .reach = tier.reach->value};
  device.price = owned_price(owned_numbers(owned_with_server(tier))).total();
  device.lags = tier.latency.has_value();
  device.seeks = tier.seek.has_value();
  device.in_pieces = tier.piece.has_value();
  device.queues = tier.utilization.has_value();
  device.wears = tier.rewrites.has_value();
  if (tier.latency) device.latency = tier.latency->value;
  if (tier.seek) device.seek = tier.seek->value;
  if (tier.piece) device.piece = tier.piece->value;
  if (tier.utilization) device.utilization = tier.utilization->value;
  if (tier.rewrites) device.wear = tier.owned->capex.value / (device.capacity * tier.rewrites->value);
  return device;
}

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
  auto model = kept_model(question, library);
  if (!model) return fail(model.error());
  auto rows = tier_rows(*model, question, library);
  if (!rows) return fail(rows.error());
  auto curve = reuse_curve(question.curve, library);
  if (!curve) return fail(curve.error());
  TierAnswer out;
  out.question = question;
  out.resolved = std::move(model->resolved);
  out.title = std::move(model->title);
  out.kept_bytes = model->kept_bytes;
  out.active = model->active;
  out.attention = model->attention;
  out.chip_price = model->chip_price;
  out.notes = std::move(model->notes);
  out.rows = std::move(*rows);
  out.curve = std::move(*curve);
  out.pairs = tier_pairs(out.rows, question.reuse);
  out.map = tier_map(out.rows);
  KeptFleet fleet = fleet_over(out.rows, out.curve);
  out.fleet = std::move(fleet.best);
  out.all_kept = std::move(fleet.all_kept);
  out.best_fleet = fleet.least;
  if (question.tariff) {
    const auto reading = read_tariff(*question.tariff, out.rows);
    if (!reading) return fail(reading.error());
    out.reading = *reading;
  }
  return out;
}

}  // namespace ridge
