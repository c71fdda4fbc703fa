#include "price/price_answer.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/unit_text.hpp"
#include "price/chip_cost.hpp"

namespace ridge {

namespace {

struct InputRow {
  InputInfo info;
  Dimension dimension;
};
struct OutputRow {
  OutputInfo info;
  Dimension dimension;
};

constexpr std::array<InputRow, kSheetInputs> list_inputs() {
  std::array<InputRow, kSheetInputs> rows{};
  SheetCase<double> none;
  std::size_t index = 0;
  visit_sheet_inputs(none, [&]<Dimension D>(const InputInfo& info, Quantity<D, double>&) {
    rows[index++] = {info, D};
  });
  return rows;
}
constexpr std::array<OutputRow, kSheetOutputs> list_outputs() {
  std::array<OutputRow, kSheetOutputs> rows{};
  SheetEstimate<double> none;
  std::size_t index = 0;
  visit_sheet_outputs(none, [&]<Dimension D>(const OutputInfo& info, Quantity<D, double>&) {
    rows[index++] = {info, D};
  });
  return rows;
}
constexpr auto kInputs = list_inputs();
constexpr auto kOutputs = list_outputs();

constexpr std::size_t index_of(std::string_view key) {
  for (std::size_t i = 0; i < kSheetInputs; ++i) {
    if (kInputs[i].info.key == key) return i;
  }
  return kSheetInputs;
}

/// Speeds are asked for relative to the usual: the load with which a fast mode has one, found by halving.
std::optional<double> load_for_speed(SheetCase<double> c, double speed) {
  const auto speed_at = [&](double load) {
    c.fast_load = load;
    return estimate_sheet(c).fast_speed.value();
  };
  double low = 1 / c.decode.batch.value(), high = 1.0;
  if (!(speed >= 1) || speed_at(low) < speed) return {};
  for (int i = 0; i < 100; ++i) {
    const double middle = std::sqrt(low * high);
    (speed_at(middle) < speed ? high : low) = middle;
  }
  return low;
}

class Pricer {
 public:
  Pricer(const PriceQuestion& question, const NumbersEntry& terms, const Library& library)
      : question_(question), terms_(terms), library_(library) {}

  Result<PriceResult> run() {
    if (const Errors wrong = refused(); !wrong.empty()) return fail(wrong);
    auto usual = answer_serving(question_.serving, library_);
    if (!usual) return fail(usual.error());
    if (!usual->answer) return PriceResult{{}, std::move(usual->shortfall)};
    out_.serving = std::move(*usual->answer);
    if (const auto set = resolve_case(); !set) return fail(set.error());
    if (const auto set = apply_terms(); !set) return fail(set.error());
    find_modes();
    out_.estimate = estimate_sheet(out_.numbers);
    find_step();
    draw_curve();
    write_sheet();
    return PriceResult{std::move(out_), {}};
  }

 private:
  Errors refused() const {
    Errors errors;
    if (question_.serving.guesses > 0) {
      errors.push_back(
          {"--guesses", "the terms of a sheet know no tokens guessed ahead", "leave it out; ridge host counts them"});
    }
    if (question_.serving.cached > 0)
      errors.push_back({"--cached", "is what the sheet prices apart", "leave it out: fresh and cached input differ"});
    if (question_.fast_speed && !(*question_.fast_speed > 1))
      errors.push_back({"--fast-speed", fmt::format("{:g} times the usual", *question_.fast_speed), "above 1"});
    for (const Seconds<double>& keep : question_.keeps) {
      if (!(keep.value() > 0)) errors.push_back({"--keep", "a time to live of zero", "e.g. --keep 5min,1h"});
    }
    return errors;
  }

  void set(std::size_t index, double value, Provenance from) {
    std::size_t i = 0;
    visit_sheet_inputs(out_.numbers, [&]<Dimension D>(const InputInfo&, Quantity<D, double>& field) {
      if (i++ == index) field = Quantity<D, double>(value);
    });
    out_.from[index] = std::move(from);
  }

  /// The chalk case of one replica at the load that serving reached.
  Result<bool> resolve_case() {
    const ServingAnswer& s = out_.serving;
    Scenario scenario = question_.serving.scenario;
    if (!s.kv.empty()) scenario.kv = s.kv;
    const Provenance served{"serving", Kind::derived, "from the reference load"};
    chips_ = s.layout.chips() / s.layout.replicas;
    std::erase_if(scenario.given, [](const GivenInput& one) {
      return one.key == "chips" || one.key == "batch" || one.key == "context" || one.key == "utilisation";
    });
    scenario.given.push_back({"chips", chips_, served});
    scenario.given.push_back({"batch", std::max(1.0, s.times.batch.value()), served});
    scenario.given.push_back({"context", question_.serving.isl + question_.serving.osl / 2, served});
    const auto resolved = resolve(scenario, library_);
    if (!resolved) return fail(resolved.error());
    out_.numbers.decode = resolved->numbers;
    std::copy(resolved->from.begin(), resolved->from.end(), out_.from.begin());
    context_limit_ = resolved->context_limit;
    for (const GivenInput& one : question_.serving.scenario.given) {
      if (one.key == "utilisation") set(index_of("utilisation"), one.value, one.from);
    }
    set(index_of("prompt"), question_.serving.isl, served);
    set_prompt_attention();
    return read_efficiencies();
  }

  /// A whole prompt may be attended to in another way than one new token: latent attention is expanded.
  void set_prompt_attention() {
    const std::size_t index = index_of("prompt.attention");
    double flops = 0;
    if (const Model* model = find_named(library_.models, out_.serving.model)) {
      for (const ContextTerm& term : context_terms(*model)) {
        if (term.limit == kUnlimited) flops += term.prefill_flops > 0 ? term.prefill_flops : term.flops;
      }
    }
    set(index, flops, {"model", Kind::derived, "as engines compute prompts"});
  }

  /// Chip-seconds of a token as serving has them, against those of the equations at the chips' peaks. The bandwidth's
  /// share makes both agree at the reference load; FLOP/s reach what they reach with as many sequences as fit.
  Result<bool> read_efficiencies() {
    const ServingAnswer& s = out_.serving;
    SheetCase<double>& c = out_.numbers;
    if (const auto free = free_chip(DollarsPerSecond<double>(s.price))) return fail(*free);
    const Provenance fitted{"calibrated serving", Kind::derived, s.chip_from};
    const double in_time = s.input_cost / s.price, out_time = s.output_cost / s.price;
    SheetCase<double> peaks = c;
    peaks.mfu_prefill = peaks.share_compute = peaks.share_memory = 1.0;
    peaks.fast_load = peaks.batch_load = peaks.batch_utilisation = peaks.over_cost = 1.0;
    peaks.fetch = peaks.write = BytesPerSecond<double>(1.0);
    const SheetEstimate<double> at_peak = estimate_sheet(peaks);
    const DecodeEstimate<double> decoded = estimate_decode(c.decode);
    const double prompt = at_peak.input_compute.value(), write = at_peak.input_write.value();
    set(index_of("mfu.prefill"), prompt / std::max(in_time - write, 1e-300), fitted);
    const double each = chips_ / c.decode.batch.value();
    set(index_of("decode.memory"), each * decoded.memory_time.value() / out_time, fitted);
    ServingQuestion full = question_.serving;
    full.rate.reset();
    full.sensitivity = false;
    full.concurrency = std::max(1.0, s.memory.sequences) * s.layout.replicas;
    const auto most = answer_serving(full, library_);
    double best = out_time;
    if (most && most->answer) best = std::min(best, most->answer->output_cost / s.price);
    // as many as fit may still wait for memory: then what decoding would reach was not seen, and it is as in prompts
    const double seen = each * decoded.compute_time.value() / best, prompts = out_.numbers.mfu_prefill.value();
    set(index_of("decode.compute"), std::max(seen, prompts),
        seen >= prompts ? fitted
                        : Provenance{"calibrated serving", Kind::derived, "as in prompts: memory binds at any load"});
    set(index_of("batch.load"), std::max(1.0, s.memory.sequences / c.decode.batch.value()),
        {"calibrated serving", Kind::derived, "as many sequences as fit"});
    return true;
  }

  Result<double> term(const char* key, Dimension dimension, Provenance& from) const {
    const auto found = terms_.numbers.find(key);
    if (found == terms_.numbers.end() || found->second.value.dimension != dimension)
      return fail(
          {"prior " + terms_.name, fmt::format("has no {} with the right unit", key), "add it to its [number] table"});
    from = found->second.from;
    return found->second.value.value;
  }

  Result<bool> apply_terms() {
    Errors errors;
    const auto number = [&](const char* key, Dimension dimension, Provenance& from) {
      const auto value = term(key, dimension, from);
      if (!value) append(errors, value.error());
      return value.value_or(1.0);
    };
    for (const char* key : {"batch.utilisation", "cache.fetch", "cache.write", "cache.hold"}) {
      Provenance from;
      const std::size_t index = index_of(key);
      const double value = number(key, kInputs[index].dimension, from);
      set(index, value, from);
    }
    const std::size_t use = index_of("utilisation"), batch = index_of("batch.utilisation");
    if (out_.from[use].kind == Kind::fallback) {
      Provenance from;
      const double value = number("utilisation", kNone, from);
      set(use, value, from);
    }
    // who has all the time uses chips no less than who has none
    const double usual = out_.numbers.decode.utilisation.value();
    if (out_.from[batch].kind != Kind::user && out_.numbers.batch_utilisation.value() < usual)
      set(batch, usual, out_.from[use]);
    Provenance from;
    out_.margin = question_.margin ? *question_.margin : number("margin", kNone, from);
    if (!(out_.margin >= 0 && out_.margin < 1))
      errors.push_back({"--margin", fmt::format("{:g} of the price", out_.margin), "a share from 0 to below 1"});
    set(index_of("over_cost"), 1 / (1 - out_.margin),
        question_.margin ? Provenance{"--margin", Kind::user, "", ""} : from);
    out_.fast_asked = question_.fast_speed ? *question_.fast_speed : number("fast.speed", kNone, from);
    median_ = Tokens<double>(number("demand.median", kToken, from));
    spread_ = number("demand.spread", kNone, from);
    for (const GivenInput& one : question_.given) {
      const auto index = sheet_input(one.key, one.from.source);
      if (!index) {
        append(errors, index.error());
        continue;
      }
      const auto checked = checked_value(kInputs[*index].info, kInputs[*index].dimension, one.value, one.from.source);
      if (!checked) append(errors, checked.error());
      set(*index, one.value, one.from);
    }
    if (!errors.empty()) return fail(std::move(errors));
    return true;
  }

  void find_modes() {
    const std::size_t index = index_of("fast.load");
    const bool given = out_.from[index].kind == Kind::user;
    if (given) {
      out_.fast_speed = estimate_sheet(out_.numbers).fast_speed.value();
      return;
    }
    const auto load = load_for_speed(out_.numbers, out_.fast_asked);
    if (load) out_.fast_speed = out_.fast_asked;
    set(index, load.value_or(1 / out_.numbers.decode.batch.value()),
        {"fast.speed", Kind::derived, "",
         load ? "the batch with that speed" : "a batch of one: no batch has that speed"});
  }

  void find_step() {
    std::vector<DemandBand> demand = question_.demand;
    const double longest = context_limit_ > 0 ? context_limit_ : 1e6;
    if (demand.empty()) {
      demand = lognormal_demand(median_, spread_, Tokens<double>(longest));
      out_.demand = fmt::format("log-normal, median {}, spread {:g}, up to {} tokens", with_commas(median_.value()),
                                spread_, with_commas(longest));
    } else {
      out_.demand = fmt::format("{} lengths given", demand.size());
    }
    out_.step = best_step(out_.numbers, demand);
  }

  void draw_curve() {
    constexpr int kPoints = 60;
    const double most =
        std::max(2.0, out_.numbers.decode.batch.value() * std::max(1.0, out_.numbers.batch_load.value()));
    SheetCase<double> at = out_.numbers;
    for (int i = 0; i < kPoints; ++i) {
      at.decode.batch = std::pow(most, static_cast<double>(i) / (kPoints - 1));
      const SheetEstimate<double> e = estimate_sheet(at);
      out_.curve.push_back({at.decode.batch.value(), e.user_rate.value(), e.output.value()});
    }
  }

  void write_sheet() {
    const SheetEstimate<double>& e = out_.estimate;
    PriceSheet& sheet = out_.sheet;
    sheet.provider = "ridge";
    sheet.model = out_.serving.model;
    sheet.note =
        fmt::format("made by ridge price on {} at a margin of {:.0f} %", out_.serving.machine_title, 100 * out_.margin);
    sheet.input = e.input;
    sheet.output = e.output;
    sheet.cached = e.cached;
    std::vector<Seconds<double>> keeps = question_.keeps;
    std::sort(keeps.begin(), keeps.end());
    for (const Seconds<double>& keep : keeps) sheet.writes.push_back({keep, write_price(e.tariff, e.input, keep)});
    sheet.hold = e.tariff.hold;
    if (out_.step) {
      LongTier tier;
      constexpr double kWhole = 1000;  // price maps name tiers by whole thousands
      tier.above = Tokens<double>(std::max(kWhole, std::round(out_.step->above.value() / kWhole) * kWhole));
      tier.input = out_.step->input * e.input;
      tier.output = out_.step->output * e.output;
      sheet.tiers.push_back(tier);
    }
    sheet.modes.push_back({"batch", e.batch_input, e.batch_output, {}});
    if (out_.fast_speed) sheet.modes.push_back({"fast", e.input, e.fast_output, out_.fast_speed});
    if (context_limit_ > 0) sheet.max_input = Tokens<double>(context_limit_);
  }

  const PriceQuestion& question_;
  const NumbersEntry& terms_;
  const Library& library_;
  PriceAnswer out_;
  double chips_ = 1, context_limit_ = 0, spread_ = 1;
  Tokens<double> median_;
};

}  // namespace

Result<PriceResult> answer_price(const PriceQuestion& question, const NumbersEntry& terms, const Library& library) {
  return Pricer(question, terms, library).run();
}

Result<std::size_t> sheet_input(std::string_view word, std::string_view where) {
  std::vector<std::string> known;
  for (std::size_t i = 0; i < kSheetInputs; ++i) {
    const bool own = i >= kDecodeInputs || kInputs[i].info.key == "utilisation";
    if (!own) continue;
    if (kInputs[i].info.key == word || kInputs[i].info.symbol == word) return i;
    known.emplace_back(kInputs[i].info.key);
  }
  return fail({std::string(where), fmt::format("\"{}\" is not a term of a sheet", shortened(word)),
               suggestion(word, known) + " (facts of a model or machine: a catalog of your own, --catalog)"});
}
InputInfo sheet_input_info(std::size_t index) { return kInputs[index].info; }
Dimension sheet_input_dimension(std::size_t index) { return kInputs[index].dimension; }

Result<std::size_t> sheet_output(std::string_view word, std::string_view where) {
  std::vector<std::string> known;
  for (std::size_t i = 0; i < kSheetOutputs; ++i) {
    if (kOutputs[i].info.key == word) return i;
    known.emplace_back(kOutputs[i].info.key);
  }
  return fail({std::string(where), fmt::format("unknown figure \"{}\"", shortened(word)), suggestion(word, known)});
}
OutputInfo sheet_output_info(std::size_t index) { return kOutputs[index].info; }
Dimension sheet_output_dimension(std::size_t index) { return kOutputs[index].dimension; }

}  // namespace ridge
