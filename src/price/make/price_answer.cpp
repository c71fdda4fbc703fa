#include "price/make/price_answer.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/unit_text.hpp"
#include "price/make/prefill_work.hpp"
#include "price/money/chip_cost.hpp"

namespace ridge {

namespace {

constexpr auto kInputs = field_rows<SheetCase>();
constexpr auto kOutputs = field_rows<SheetEstimate>();

constexpr std::size_t index_of(std::string_view key) { return find_field(kInputs, key); }

class Pricer {
 public:
  Pricer(const PriceQuestion& question, const NumbersEntry& terms, const Library& library)
      : question_(question), terms_(terms), library_(library) {}

  Result<PriceResult> run() {
    Errors wrong = refused();
    read_terms(wrong);
    if (!wrong.empty()) return fail(std::move(wrong));
    auto mean = answer_serving(asked_, library_);
    if (!mean) return fail(mean.error());
    if (mean->answer) fit_context(*mean->answer, wrong);
    if (!wrong.empty()) return fail(std::move(wrong));
    if (shorter_) mean = answer_serving(asked_, library_);
    if (!mean) return fail(mean.error());
    if (!mean->answer) return PriceResult{{}, std::move(mean->shortfall)};
    if (const auto free = free_chip(DollarsPerSecond<double>(mean->answer->price))) return fail(*free);
    if (mean->answer->concurrency < 1)
      return fail({"--rate", fmt::format("gives a concurrency of {:.2g}", mean->answer->concurrency),
                   "a price is for chips at work: at least one on each replica"});
    if (!asked_.concurrency && !asked_.rate) choose_load(*mean->answer, question_.slo, library_);
    if (const auto found = find_step(*mean->answer); !found) return fail(found.error());
    if (const auto set = resolve_case(); !set) return fail(set.error());
    read_efficiencies();
    out_.output_parts = decode_costs(out_.serving, library_);
    out_.input_parts = prefill_costs(out_.serving, library_);
    find_modes();
    if (const auto set = apply_given(); !set) return fail(set.error());
    out_.estimate = estimate_sheet(out_.numbers);
    if (out_.estimate.cached > out_.estimate.input)
      out_.serving.notes.push_back(
          "recomputing a token costs less than fetching it: cached input is more expensive than fresh input");
    write_sheet();
    return PriceResult{std::move(out_), {}};
  }

 private:
  Errors refused() const {
    Errors errors;
    if (question_.serving.speculative_tokens > 0) {
      errors.push_back(
          {"--guesses", "a price sheet does not model speculative tokens", "leave it out; ridge host counts them"});
    }
    if (question_.serving.cached > 0)
      errors.push_back({"--cached", "is what the sheet prices apart", "leave it out: fresh and cached input differ"});
    if (question_.fast_speed && !(*question_.fast_speed > 1))
      errors.push_back({"--fast-speed", fmt::format("{:g} times the standard speed", *question_.fast_speed), "above 1"});
    for (const Seconds<double>& keep : question_.keeps) {
      if (!(keep.value() > 0)) errors.push_back({"--keep", "a time to live of zero", "e.g. --keep 5min,1h"});
    }
    append(errors, slo_errors(question_.slo, question_.serving));
    if (question_.prompt_given && !question_.demand.empty())
      errors.push_back({"--isl", "stands beside --demand, which has the input lengths", "give one of them"});
    return errors;
  }

  void set(std::size_t index, double value, Provenance from) {
    std::size_t i = 0;
    visit_sheet_inputs(out_.numbers, [&]<Dimension D>(const InputInfo&, Quantity<D, double>& field) {
      if (i++ == index) field = Quantity<D, double>(value);
    });
    out_.from[index] = std::move(from);
  }

  double term(const char* key, Dimension dimension, Errors& errors, Provenance* from = nullptr) const {
    const auto found = terms_.numbers.find(key);
    if (found == terms_.numbers.end() || found->second.value.dimension != dimension) {
      errors.push_back(
          {"prior " + terms_.name, fmt::format("has no {} with the right unit", key), "add it to its [number] table"});
      return 1.0;
    }
    if (from != nullptr) *from = found->second.from;
    return found->second.value.value;
  }

  /// What holds where nobody says otherwise, from the catalog.
  void read_terms(Errors& errors) {
    for (const char* key : {"utilization", "batch.utilization", "cache.fetch", "cache.write", "cache.hold"}) {
      Provenance from;
      const std::size_t index = index_of(key);
      const double value = term(key, kInputs[index].dimension, errors, &from);
      set(index, value, from);
    }
    Provenance from;
    out_.margin = question_.margin ? *question_.margin : term("margin", kNone, errors, &from);
    if (!(out_.margin >= 0 && out_.margin < 1))
      errors.push_back({"--margin", fmt::format("{:g} of the price", out_.margin), "a share from 0 to below 1"});
    set(index_of("markup"), 1 / (1 - out_.margin),
        question_.margin ? Provenance{"--margin", Kind::user, "", ""} : from);
    out_.fast_asked = question_.fast_speed ? *question_.fast_speed : term("fast.speed", kNone, errors);
    spread_ = term("demand.spread", kNone, errors);
    out_.step_least = term("long.least", kNone, errors);
    asked_ = question_.serving;
    if (!question_.demand.empty()) {
      asked_.isl = mean_prompt(question_.demand).value();
    } else if (!question_.prompt_given) {
      asked_.isl = term("prompt", kToken, errors);
    }
    if (!question_.answer_given) asked_.osl = term("answer", kToken, errors);
  }

  /// Prompts as long as the model can read: a given demand is held to it, an assumed one is made shorter.
  void fit_context(const ServingAnswer& any, Errors& errors) {
    const double limit = limit_of(any);
    if (!(limit > 0)) return;
    for (const DemandBand& band : question_.demand) {
      if (band.length.value() + asked_.osl > limit)
        errors.push_back({"--demand",
                          fmt::format("inputs of {} tokens, and the model reads {}", with_commas(band.length.value()),
                                      with_commas(limit)),
                          "leave the longest out"});
    }
    const double most = term("prompt.most", kNone, errors) * limit;
    if (!question_.prompt_given && question_.demand.empty() && asked_.isl > most) {
      asked_.isl = most;
      shorter_ = true;
    }
  }

  /// Tokens that the model reads; 0 where it does not say.
  double limit_of(const ServingAnswer& any) const {
    const Model* model = find_named(library_.models, any.model);
    return model != nullptr ? model->context_limit : 0.0;
  }

  Tokens<double> answer() const { return Tokens<double>(asked_.osl); }

  std::vector<DemandBand> demand() {
    if (!question_.demand.empty()) {
      out_.demand =
          question_.demand.size() == 1 ? "one length given" : fmt::format("{} lengths given", question_.demand.size());
      return question_.demand;
    }
    const double limit = limit_of(out_.serving);
    const double longest = limit > asked_.osl ? limit - asked_.osl : kLongest;
    std::vector<DemandBand> bands = lognormal_demand(Tokens<double>(asked_.isl), spread_, Tokens<double>(longest));
    out_.demand = bands.size() < 2 ? "inputs of one length"
                                   : fmt::format("input lengths log-normal, {} tokens on average, spread {:g}, up to {}",
                                                 with_commas(std::round(asked_.isl)), spread_, with_commas(longest));
    return bands;
  }

  /// What every length costs on this layout, and where a step would stand; then the usual request is one of mean length
  /// below it.
  Result<bool> find_step(const ServingAnswer& mean) {
    out_.serving = mean;
    ServingQuestion question = held(mean);
    std::vector<BandCost> costs;
    double longest = 0, left_out = 0;
    for (const DemandBand& band : demand()) {
      question.isl = std::max(1.0, band.length.value());
      const auto served = answer_serving(question, library_);
      if (!served) return fail(served.error());
      if (!served->answer) {
        left_out += band.share;
        continue;
      }
      longest = std::max(longest, question.isl);
      costs.push_back({{Tokens<double>(question.isl), band.share},
                       DollarsPerToken<double>(served->answer->input_cost),
                       DollarsPerToken<double>(served->answer->output_cost)});
    }
    if (costs.empty())
      return fail(
          {"--demand", "no request of these lengths fits on this layout", "shorter ones, or more chips (--tp)"});
    out_.step = best_step(costs, answer());
    out_.step_written = out_.step && out_.step->moved_without - out_.step->moved >= out_.step_least;
    out_.usual = out_.step_written ? out_.step->below : whole_demand(costs);
    question.isl = out_.usual.prompt.value();
    auto usual = answer_serving(question, library_);
    if (!usual) return fail(usual.error());
    if (!usual->answer) return fail({"--demand", "the mean request does not fit on this layout", "more chips (--tp)"});
    std::vector<std::string> notes = std::move(out_.serving.notes);
    out_.serving = std::move(*usual->answer);
    out_.serving.notes = std::move(notes);
    const double prompts = out_.serving.times.prefill_share.value();
    if (!asked_.disaggregated && prompts > 0.5)
      out_.serving.notes.push_back(
          fmt::format("prefill takes {:.0f}% of the time and delays decode (--disaggregated avoids that)",
                      100 * prompts));
    if (shorter_)
      out_.serving.notes.push_back(
          fmt::format("inputs of {} tokens are assumed: typical ones are long for the model's context",
                      with_commas(std::round(asked_.isl))));
    if (left_out > 0)
      out_.serving.notes.push_back(
          fmt::format("inputs beyond {} tokens, {:.1f}% of the demand, do not fit on this layout and are left out",
                      with_commas(std::round(longest)), 100 * left_out));
    return true;
  }

  /// The roofline case of one replica at the load that serving reached.
  Result<bool> resolve_case() {
    const ServingAnswer& s = out_.serving;
    Scenario scenario = question_.serving.scenario;
    if (!s.kv.empty()) scenario.kv = s.kv;
    const Provenance served{"serving", Kind::derived, "from the standard requests"};
    std::erase_if(scenario.given, [](const GivenInput& one) {
      return one.key == "chips" || one.key == "batch" || one.key == "context" || one.key == "utilization";
    });
    scenario.given.push_back({"chips", s.layout.chips() / s.layout.replicas, served});
    scenario.given.push_back({"batch", std::max(1.0, s.times.batch.value()), served});
    scenario.given.push_back({"context", s.question.isl + s.question.osl / 2, served});
    const auto resolved = resolve(scenario, library_);
    if (!resolved) return fail(resolved.error());
    const std::size_t use = index_of("utilization");
    const double utilization = out_.numbers.decode.utilization.value();
    const Provenance assumed = out_.from[use];
    out_.numbers.decode = resolved->numbers;
    std::copy(resolved->from.begin(), resolved->from.end(), out_.from.begin());
    set(use, utilization, assumed);
    for (const GivenInput& one : question_.serving.scenario.given) {
      if (one.key == "utilization") set(use, one.value, one.from);
    }
    if (const Model* model = find_named(library_.models, s.model)) {
      const Tokens<double> prompt = out_.usual.prompt_of_token;
      set(index_of("prefill.attention"), prefill_attention(*model, prompt).value(),
          {"model", Kind::derived,
           fmt::format("as engines compute prefill, of {} tokens", with_commas(std::round(prompt.value())))});
    }
    return true;
  }

  /// Chip-seconds of a token as serving has them, against those of the equations at the chips' peaks: the shares make
  /// both agree for the usual requests.
  void read_efficiencies() {
    const ServingAnswer& s = out_.serving;
    SheetCase<double>& c = out_.numbers;
    const Provenance fitted{"calibrated serving", Kind::derived, s.chip_from};
    SheetCase<double> peaks = c;
    peaks.mfu_prefill = peaks.share_decode = 1.0;
    peaks.fast_input = peaks.fast_output = peaks.batch_input = peaks.batch_output = 1.0;
    const SheetEstimate<double> at_peak = estimate_sheet(peaks);
    const double in_time = out_.usual.input.value() / s.price, out_time = out_.usual.output.value() / s.price;
    set(index_of("mfu.prefill"),
        (at_peak.input_compute / Seconds<double>(in_time - at_peak.input_write.value())).value(), fitted);
    set(index_of("efficiency.decode"), at_peak.output_time.value() / out_time, fitted);
    for (const double share : {c.mfu_prefill.value(), c.share_decode.value()}) {
      if (!(share > 0 && share <= 1))
        out_.serving.notes.push_back(fmt::format(
            "{:.2f} of a datasheet's peak is more than there is: the prices hold, the shares do not", share));
    }
  }

  void find_modes() {
    const LoadCurve loads(out_.serving, library_);
    constexpr int kPoints = 48;
    out_.fastest = loads.fastest().value_or(LoadPoint{});
    out_.curve = loads.points(out_.fastest.concurrency, kPoints);
    const double busier = (out_.numbers.batch_utilization / out_.numbers.decode.utilization).value();
    out_.cheapest = loads.cheapest(std::max(1.0, busier));  // nobody pays more for waiting
    out_.fast = loads.with_speed(out_.fast_asked);
    const auto from = [](const char* note) { return Provenance{"calibrated serving", Kind::derived, "", note}; };
    const LoadPoint fast = out_.fast.value_or(out_.fastest);
    const char* of_fast =
        out_.fast ? "at the load with the fast mode's speed" : "at the fastest load: none has that speed";
    set(index_of("fast.input"), fast.input, from(of_fast));
    set(index_of("fast.output"), fast.output, from(of_fast));
    set(index_of("batch.input"), out_.cheapest.input, from("at the cheapest load that fits"));
    set(index_of("batch.output"), out_.cheapest.output, from("at the cheapest load that fits"));
  }

  Result<bool> apply_given() {
    Errors errors;
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
    // who has all the time uses chips no less than who has none
    const std::size_t use = index_of("utilization"), batch = index_of("batch.utilization");
    const double usual = out_.numbers.decode.utilization.value();
    if (out_.from[batch].kind != Kind::user && out_.numbers.batch_utilization.value() < usual)
      set(batch, usual, out_.from[use]);
    return true;
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
    if (out_.step_written) {
      PriceBreak tier;
      tier.above = out_.step->above;
      tier.input = out_.step->input() * e.input;
      tier.output = out_.step->output() * e.output;
      sheet.tiers.push_back(tier);
    }
    sheet.modes.push_back({"batch", e.batch_input, e.batch_output, {}});
    if (out_.fast) sheet.modes.push_back({"fast", e.fast_input, e.fast_output, out_.fast->speed});
    if (const double limit = limit_of(out_.serving); limit > 0) sheet.max_input = Tokens<double>(limit);
  }

  static constexpr double kLongest = 1e6;  // of a prompt, where the model says no limit

  const PriceQuestion& question_;
  const NumbersEntry& terms_;
  const Library& library_;
  ServingQuestion asked_;
  PriceAnswer out_;
  double spread_ = 1;
  bool shorter_ = false;  // prompts than usual, for a model that reads no longer ones
};

}  // namespace

Result<PriceResult> answer_price(const PriceQuestion& question, const NumbersEntry& terms, const Library& library) {
  return Pricer(question, terms, library).run();
}

Result<std::size_t> sheet_input(std::string_view word, std::string_view where) {
  std::vector<std::string> known;
  for (std::size_t i = 0; i < kSheetInputs; ++i) {
    const bool own = i >= kDecodeInputs || kInputs[i].info.key == "utilization";
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
  if (const std::size_t index = find_field(kOutputs, word); index < kSheetOutputs) return index;
  return fail(
      {std::string(where), fmt::format("unknown figure \"{}\"", shortened(word)), suggestion(word, keys_of(kOutputs))});
}
OutputInfo sheet_output_info(std::size_t index) { return kOutputs[index].info; }
Dimension sheet_output_dimension(std::size_t index) { return kOutputs[index].dimension; }

}  // namespace ridge
