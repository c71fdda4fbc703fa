#include "price/infer/infer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/text/field_text.hpp"
#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "price/make/sheet_readings.hpp"

namespace ridge {

namespace {

constexpr double kRounding = 1e-9;  // prices are written with few digits and read as what they say

constexpr auto kAll = field_rows<Provider>();
constexpr UnknownInfo kKvInfo{{"kv", "kv", "KV cache bytes per token", Domain::positive}, kByte / kToken};

class PriorReader {
 public:
  PriorReader(const NumbersEntry& entry, const std::vector<GivenRange>& given) : entry_(entry), given_(given) {}

  Result<Beliefs> read() {
    Beliefs out{.name = entry_.name,
                .title = entry_.title,
                .note = entry_.note,
                .box = {},
                .kv = {},
                .from = {},
                .kv_from = {}};
    out.kv = range(kKvInfo, out.kv_from);
    for (std::size_t i = 0; i < kUnknowns; ++i) {
      if (i != kBalanceContext) out.box[i] = range(kAll[i], out.from[i]);
    }
    if (!errors_.empty()) return fail(std::move(errors_));
    out.box[kBalanceContext] = balance_of(out);
    out.from[kBalanceContext] = {"", Kind::derived, "active x width / (kv x intensity)"};
    return out;
  }

 private:
  Interval range(const UnknownInfo& unknown, Provenance& from) {
    const std::string key(unknown.info.key);
    Provenance high_from;
    const double high = end(key + ".high", unknown, high_from);
    Interval values(end(key + ".low", unknown, from), high);  // the low end's note stands for both
    for (const GivenRange& one : given_) {
      if (one.key != key) continue;
      values = one.values;
      from = {one.where, Kind::user, "", ""};
    }
    if (!(values.low > 0) || !(values.high >= values.low) || !std::isfinite(values.high)) {
      errors_.push_back({place_of(from), fmt::format("{} from {:g} to {:g}", key, values.low, values.high),
                         "two numbers above zero, the smaller one first"});
    } else if (unknown.info.domain == Domain::share && values.high > 1) {
      errors_.push_back({place_of(from), fmt::format("{} of {:g}", key, values.high), "a share is at most 1"});
    } else if (unknown.info.domain == Domain::at_least_one && values.low < 1) {
      errors_.push_back({place_of(from), fmt::format("{} of {:g}", key, values.low), "at least 1"});
    }
    return values;
  }

  std::string place_of(const Provenance& from) const {
    return from.kind == Kind::user ? from.source : "prior " + entry_.name;
  }

  double end(const std::string& key, const UnknownInfo& unknown, Provenance& from) {
    const auto found = entry_.numbers.find(key);
    if (found == entry_.numbers.end()) {
      errors_.push_back({"prior " + entry_.name, "has no " + key, "add it to its [number] table"});
      return 1.0;
    }
    if (found->second.value.dimension != unknown.dimension)
      errors_.push_back(
          {"prior " + entry_.name, key + " has another unit", "write it like " + unit_example(unknown.dimension)});
    from = found->second.from;
    return found->second.value.value;
  }

  const NumbersEntry& entry_;
  const std::vector<GivenRange>& given_;
  Errors errors_;
};

Interval exactly(double value) { return {value * (1 - kRounding), value * (1 + kRounding)}; }

Interval common(const Interval& a, const Interval& b) { return {std::max(a.low, b.low), std::min(a.high, b.high)}; }

const char* name_of(Observable what) {
  using enum Observable;
  switch (what) {
    case input:
    case output:
    case cached:
      return "dollars a token";
    case output_over_input:
      return "output over input";
    case cached_over_input:
      return "cached over fresh";
    case long_above:
      return "where it begins";
    case long_output:
      return "output above the price break, over standard";
    case fast_speed:
      return "speed over standard";
    case kv:
      return "bytes a token";
    case total:
      return "parameters";
    case kv_per_active:
      return "bytes over parameters";
  }
  return "";
}

/// Equations that stand or fall together.
struct Group {
  std::string name;
  std::vector<Constraint> equations;
  bool fast = false;
};

/// What the sheet says, in groups.
std::vector<Group> groups_of(const PriceSheet& sheet, const Interval& kv_believed,
                             const std::optional<FastMode>& fast) {
  using enum Observable;
  const double in = sheet.input.value(), of_out = sheet.output.value();
  std::vector<Group> all = {{"KV bytes/token", {{kv, kv_believed}}}};
  if (in > 0) all.push_back({"the price of input", {{input, exactly(in)}}});
  if (!sheet.tiers.empty()) {
    const PriceBreak& tier = sheet.tiers.front();
    Group one{"the long tier", {{long_above, exactly(tier.above.value())}}};
    const double height = tier.output.value() / of_out;
    if (of_out > 0 && height > 1) one.equations.push_back({long_output, exactly(height)});
    all.push_back(one);
  }
  if (of_out > 0) {
    Group one{"the price of output", {{output, exactly(of_out)}}};
    if (in > 0) one.equations.push_back({output_over_input, exactly(of_out / in)});
    all.push_back(one);
  }
  if (fast) all.push_back({"the fast mode", {{fast_speed, exactly(fast->speed)}}, true});
  if (sheet.cached && sheet.cached->value() > 0) {
    const double hit = sheet.cached->value();
    Group one{"the price of cached input", {{cached, exactly(hit)}}};
    if (in > 0) one.equations.push_back({cached_over_input, exactly(hit / in)});
    all.push_back(one);
  }
  return all;
}

/// Providers that meet the equations taken so far.
struct Explained {
  UnknownBox box;
  std::vector<Constraint> equations;
  std::optional<FastMode> fast;
};

/// With the equations of a group, too; none where no provider meets them together with those before.
std::optional<Explained> narrowed_by(const Explained& before, const Group& group, const std::optional<FastMode>& fast) {
  Explained out{before.box, before.equations, group.fast ? fast : before.fast};
  out.equations.insert(out.equations.end(), group.equations.begin(), group.equations.end());
  const auto left = contract(before.box, out.equations, out.fast.value_or(FastMode{}));
  if (!left) return std::nullopt;
  out.box = *left;
  return out;
}

std::string contradiction(const Explained& rest, const Group& group) {
  const FastMode mode = rest.fast.value_or(FastMode{});
  std::string why;
  for (const Constraint& one : group.equations) {
    const Interval range = bound_observable(one.what, rest.box, mode);
    if (why.empty() || range.high < one.target.low || range.low > one.target.high)
      why = fmt::format("{}: the prior allows {} to {}, and it is {}", name_of(one.what), significant(range.low, 3),
                        significant(range.high, 3), significant(one.target.low, 3));
  }
  if (group.fast) why = "no batch, context and sparsity within the prior give that speed at that price";
  return fmt::format("{} does not go with the rest ({}); it was left out. Widen a prior with {}", group.name, why,
                     field("range"));
}

/// All groups at once; where no provider meets them, one after the other, to see which one does not go with the rest.
Explained explained_by(const std::vector<Group>& all, const UnknownBox& box, const std::optional<FastMode>& fast,
                       std::vector<std::string>& contradictions) {
  const Explained nothing{box, {}, {}};
  Group together{"the sheet", {}, fast.has_value()};
  for (const Group& group : all)
    together.equations.insert(together.equations.end(), group.equations.begin(), group.equations.end());
  if (auto whole = narrowed_by(nothing, together, fast)) return std::move(*whole);
  Explained so_far = nothing;
  for (const Group& group : all) {
    if (auto next = narrowed_by(so_far, group, fast)) {
      so_far = std::move(*next);
    } else {
      contradictions.push_back(contradiction(so_far, group));
    }
  }
  return so_far;
}

std::array<Inferred, kInferred> inferred_from(const Beliefs& priors, const Explained& explained) {
  std::array<Inferred, kInferred> out;
  for (std::size_t i = 0; i < kUnknowns; ++i)
    out[i] = {kAll[i].info.key,  kAll[i].info.symbol, kAll[i].info.meaning,
              kAll[i].dimension, priors.box[i],       explained.box[i]};
  const FastMode fast = explained.fast.value_or(FastMode{});
  const auto before = [&](Observable what) { return bound_observable(what, priors.box, fast); };
  const auto after = [&](Observable what) { return bound_observable(what, explained.box, fast); };
  using enum Observable;
  out[kTotal] = {"total", "Nt", "total parameters", kParam, before(total), after(total)};
  out[kKv] = {"kv", "kv", "KV cache bytes per token", kByte / kToken, priors.kv, common(priors.kv, after(kv))};
  // both ways: bytes within what is believed, and what the balance makes of them
  const Interval of_bytes = out[kKv].interval / explained.box[kActive];
  out[kKvPerActive] = {"kv_per_active",
                       "kv/Na",
                       "KV bytes/token per 1B active parameters",
                       kByte / kToken / kParam,
                       common(before(kv_per_active), priors.kv / priors.box[kActive]),
                       common(after(kv_per_active), of_bytes)};
  return out;
}

/// What the sheet does not say.
std::vector<std::string> silent_about(const PriceSheet& sheet, const std::optional<double>& speed,
                                      const std::optional<FastMode>& fast) {
  std::vector<std::string> out;
  if (sheet.tiers.empty()) out.emplace_back("no price break: KV bytes/token stay at the prior");
  const SpeedMode* priced = mode_named(sheet, "fast");
  if (priced != nullptr && !fast && !speed && !priced->speed)
    out.push_back("a fast mode without a promised speed (" + field("fast_speed", "2.5") +
                  " says it): batch and weight share are not read");
  else if (priced == nullptr)
    out.emplace_back("no fast mode: batch and weight share are not read");
  if (priced == nullptr && speed) out.push_back(field("fast_speed") + " is about a fast mode, and there is none");
  if (sheet.writes.size() < 2)
    out.emplace_back("fewer than two times to live: what holding and writing cost is not told apart");
  if (!sheet.cached) out.emplace_back("no price for cached input: the cache tier is not inferred");
  return out;
}

std::vector<std::string> not_identifiable(const Inference& inference) {
  std::vector<std::string> out = {
      "active parameters, the price of a FLOP, utilization, margin and the MFU of prefill, one by one: the "
      "sheet has only Na phi k_p / (u e_p); any of them may be twice as large if another is half",
      "total parameters and batch, one by one: they enter as x/B, weights read for each sequence",
      "bytes of a weight: it turns kv / (Na b_w) into bytes and stands in no price",
      "the efficiency of decode against that of prefill: only their ratio, and only together "
      "with the batch and the context"};
  std::vector<std::string> untouched;
  for (std::size_t q = 0; q < kInferred; ++q) {
    const Inferred& one = inference.inferred[q];
    if (!inference.concerns(q) || one.narrowed() > 0.02 || !(one.prior.high > one.prior.low)) continue;
    untouched.emplace_back(one.key);
  }
  if (!untouched.empty())
    out.push_back("no value of the prior is excluded, the posterior only favors some: " + joined(untouched, ", "));
  return out;
}

}  // namespace

double Inferred::narrowed() const {
  if (!(prior.high > prior.low) || !(prior.low > 0) || !(interval.low > 0)) return 0.0;
  return 1 - std::log(interval.high / interval.low) / std::log(prior.high / prior.low);
}

Result<UnknownInfo> find_unknown(std::string_view word, std::string_view where) {
  std::vector<std::string> known;
  for (const UnknownInfo& one : kAll) {
    if (one.info.key == "balance_context") continue;
    if (one.info.key == word || one.info.symbol == word) return one;
    known.emplace_back(one.info.key);
  }
  if (word == kKvInfo.info.key) return kKvInfo;
  known.emplace_back(kKvInfo.info.key);
  return fail({std::string(where), fmt::format("unknown quantity \"{}\"", shortened(word)), suggestion(word, known)});
}

Result<Beliefs> priors_named(const std::vector<NumbersEntry>& all, const std::string& name,
                             const std::vector<GivenRange>& given) {
  const NumbersEntry* entry = find_named(all, name);
  if (entry == nullptr || !entry->numbers.contains("active.low")) {  // terms of a sheet stand beside the beliefs
    std::vector<std::string> known;
    for (const NumbersEntry& one : all) {
      if (one.numbers.contains("active.low")) known.push_back(one.name);
    }
    return fail({"prior", fmt::format("unknown prior \"{}\"", shortened(name)), suggestion(name, known)});
  }
  return PriorReader(*entry, given).read();
}

Interval balance_of(const Beliefs& priors) {
  return priors.box[kActive] * priors.box[kWidth] / (priors.kv * priors.box[kIntensity]);
}

Inference infer(const InferQuestion& question) {
  const PriceSheet& sheet = question.sheet;
  const auto fast = fast_mode_of(sheet, question.fast_speed);
  Inference out;
  out.sheet = sheet;
  out.priors = question.priors;
  out.readings = sheet_readings(sheet, fast);
  out.contradictions = sheet_contradictions(sheet, question.fast_speed);
  Explained explained =
      explained_by(groups_of(sheet, question.priors.kv, fast), question.priors.box, fast, out.contradictions);
  out.inferred = inferred_from(question.priors, explained);
  out.box = explained.box;
  out.constraints = std::move(explained.equations);
  out.fast = explained.fast;
  out.silent = silent_about(sheet, question.fast_speed, fast);
  out.not_identifiable = not_identifiable(out);
  return out;
}

}  // namespace ridge
