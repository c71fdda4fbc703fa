#include "price/infer/infer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/unit_text.hpp"
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
    Interval values(end(key + ".low", unknown, from), end(key + ".high", unknown, from));
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

class Reader {
 public:
  explicit Reader(const InferQuestion& question) : question_(question) {
    out_.sheet = question.sheet;
    out_.priors = question.priors;
    out_.box = question.priors.box;
  }

  Inference run() {
    const PriceSheet& sheet = question_.sheet;
    const auto fast = fast_mode_of(sheet, question_.fast_speed);
    out_.readings = sheet_readings(sheet, fast);
    out_.contradictions = sheet_contradictions(sheet, question_.fast_speed);
    const std::vector<Group> all = groups(fast);
    Group together{"the sheet", {}, fast.has_value()};
    for (const Group& group : all)
      together.equations.insert(together.equations.end(), group.equations.begin(), group.equations.end());
    if (!fits(together, fast)) {  // one after the other, to see which one does not
      for (const Group& group : all) take(group, fast);
    }
    fill();
    say_silent(fast);
    out_.not_identifiable = not_identifiable();
    return std::move(out_);
  }

 private:
  std::vector<Group> groups(const std::optional<FastMode>& fast) const {
    using enum Observable;
    const PriceSheet& sheet = question_.sheet;
    const double in = sheet.input.value(), of_out = sheet.output.value();
    std::vector<Group> all = {{"KV bytes/token", {{kv, question_.priors.kv}}}};
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

  /// Keeps the equations if some provider meets them together with those before.
  bool fits(const Group& group, const std::optional<FastMode>& fast) {
    std::vector<Constraint> equations = out_.constraints;
    equations.insert(equations.end(), group.equations.begin(), group.equations.end());
    const std::optional<FastMode> with_fast = group.fast ? fast : out_.fast;
    if (const auto left = contract(out_.box, equations, with_fast.value_or(FastMode{}))) {
      out_.box = *left;
      out_.constraints = std::move(equations);
      out_.fast = with_fast;
      return true;
    }
    return false;
  }

  /// The same; where none does, it says so.
  void take(const Group& group, const std::optional<FastMode>& fast) {
    if (fits(group, fast)) return;
    const FastMode mode = out_.fast.value_or(FastMode{});
    std::string why;
    for (const Constraint& one : group.equations) {
      const Interval range = bound_observable(one.what, out_.box, mode);
      if (why.empty() || range.high < one.target.low || range.low > one.target.high)
        why = fmt::format("{}: the prior allows {} to {}, and it is {}", name_of(one.what),
                          significant(range.low, 3), significant(range.high, 3), significant(one.target.low, 3));
    }
    if (group.fast) why = "no batch, context and sparsity within the prior give that speed at that price";
    out_.contradictions.push_back(
        fmt::format("{} does not go with the rest ({}); it was left out. Widen a prior with --set", group.name, why));
  }

  void fill() {
    const Beliefs& priors = out_.priors;
    for (std::size_t i = 0; i < kUnknowns; ++i)
      out_.inferred[i] = {kAll[i].info.key,  kAll[i].info.symbol, kAll[i].info.meaning,
                          kAll[i].dimension, priors.box[i],       out_.box[i]};
    const FastMode fast = out_.fast.value_or(FastMode{});
    const auto before = [&](Observable what) { return bound_observable(what, priors.box, fast); };
    const auto after = [&](Observable what) { return bound_observable(what, out_.box, fast); };
    using enum Observable;
    out_.inferred[kTotal] = {"total", "Nt", "total parameters", kParam, before(total), after(total)};
    out_.inferred[kKv] = {"kv",           "kv",      "KV cache bytes per token",
                          kByte / kToken, priors.kv, common(priors.kv, after(kv))};
    // both ways: bytes within what is believed, and what the balance makes of them
    const Interval of_bytes = out_.inferred[kKv].interval / out_.box[kActive];
    out_.inferred[kKvPerActive] = {"kv_per_active",
                                   "kv/Na",
                                   "KV bytes/token per 1B active parameters",
                                   kByte / kToken / kParam,
                                   common(before(kv_per_active), priors.kv / priors.box[kActive]),
                                   common(after(kv_per_active), of_bytes)};
  }

  void say_silent(const std::optional<FastMode>& fast) {
    const PriceSheet& sheet = question_.sheet;
    const auto say = [&](const char* text) { out_.silent.emplace_back(text); };
    if (sheet.tiers.empty()) say("no price break: KV bytes/token stay at the prior");
    const bool priced = mode_named(sheet, "fast") != nullptr;
    if (priced && !fast && !question_.fast_speed && !mode_named(sheet, "fast")->speed)
      say("a fast mode without a stated speed (--fast-speed 2.5 gives it): batch and weight share are not inferred");
    else if (!priced)
      say("no fast mode: batch and weight share are not read");
    if (!priced && question_.fast_speed) say("--fast-speed is about a fast mode, and there is none");
    if (sheet.writes.size() < 2) say("fewer than two times to live: what holding and writing cost is not told apart");
    if (!sheet.cached) say("no price for cached input: the cache tier is not inferred");
  }

  std::vector<std::string> not_identifiable() const {
    std::vector<std::string> out = {
        "active parameters, the price of a FLOP, utilization, margin and the MFU of prefill, one by one: the "
        "sheet has only Na phi k_p / (u e_p); any of them may be twice as large if another is half",
        "total parameters and batch, one by one: they enter as x/B, weights read for each sequence",
        "bytes of a weight: it turns kv / (Na b_w) into bytes and stands in no price",
        "the efficiency of decode against that of prefill: only their ratio, and only together "
        "with "
        "the batch and the context"};
    std::string untouched;
    for (std::size_t q = 0; q < kInferred; ++q) {
      const Inferred& one = out_.inferred[q];
      if (!out_.concerns(q)) continue;
      if (one.narrowed() > 0.02 || !(one.prior.high > one.prior.low)) continue;
      untouched += fmt::format("{}{}", untouched.empty() ? "" : ", ", one.key);
    }
    if (!untouched.empty())
      out.push_back("no value of the prior is excluded, the posterior only favors some: " + untouched);
    return out;
  }

  const InferQuestion& question_;
  Inference out_;
};

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
    return fail({"--prior", fmt::format("unknown prior \"{}\"", shortened(name)), suggestion(name, known)});
  }
  return PriorReader(*entry, given).read();
}

Interval balance_of(const Beliefs& priors) {
  return priors.box[kActive] * priors.box[kWidth] / (priors.kv * priors.box[kIntensity]);
}

Inference infer(const InferQuestion& question) { return Reader(question).run(); }

}  // namespace ridge
