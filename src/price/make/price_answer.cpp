#include "price/make/price_answer.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/field_text.hpp"
#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "price/make/prefill_work.hpp"
#include "price/money/chip_cost.hpp"

namespace ridge {

namespace {

constexpr auto kInputs = field_rows<SheetCase>();
constexpr auto kOutputs = field_rows<SheetEstimate>();

constexpr std::size_t index_of(std::string_view key) { return find_field(kInputs, key); }

constexpr std::string_view kMarkup = "markup", kPrefillAttention = "prefill.attention";

constexpr double kLongest = 1e6;  // of a prompt, where the model says no limit

/// Numbers of a sheet, each with its source.
struct SheetNumbers {
  SheetCase<double> numbers;
  std::array<Provenance, kSheetInputs> from;

  void set(std::size_t index, double value, Provenance source) {
    std::size_t i = 0;
    visit_sheet_inputs(numbers, [&]<Dimension D>(const InputInfo&, Quantity<D, double>& one) {
      if (i++ == index) one = Quantity<D, double>(value);
    });
    from[index] = std::move(source);
  }
};

/// What holds where nobody says otherwise: the catalog's terms under the question.
struct Terms {
  SheetNumbers sheet;  // utilization, cache, margin
  double margin = 0, fast_speed = 1, spread = 1, break_least = 0;
  double isl = 1, osl = 1;
  double prompt_most = 1;  // of the model's context, an assumed prompt
};

/// A term of the catalog's entry; what is missing becomes an error.
double term(const NumbersEntry& entry, const char* key, Dimension dimension, Errors& errors,
            Provenance* from = nullptr) {
  const auto found = entry.numbers.find(key);
  if (found == entry.numbers.end() || found->second.value.dimension != dimension) {
    errors.push_back(
        {"prior " + entry.name, fmt::format("has no {} with the right unit", key), "add it to its [number] table"});
    return 1.0;
  }
  if (from != nullptr) *from = found->second.from;
  return found->second.value.value;
}

Errors refused(const PriceQuestion& question) {
  Errors errors;
  if (question.serving.speculative_tokens > 0) {
    errors.push_back({"speculative_tokens", "a price sheet does not model speculative tokens",
                      "leave it out; ridge host counts it"});
  }
  if (question.serving.cached > 0)
    errors.push_back({"cached", "is what the sheet prices apart", "leave it out: fresh and cached input differ"});
  if (question.fast_speed && !(*question.fast_speed > 1))
    errors.push_back({"fast_speed", fmt::format("{:g} times the standard speed", *question.fast_speed), "above 1"});
  for (const Seconds<double>& keep : question.keeps) {
    if (!(keep.value() > 0))
      errors.push_back({"cache_ttl", "a time to live of zero", "e.g. " + field("cache_ttl", "5min,1h")});
  }
  if (question.answer_given && question.serving.osl <= 1)
    errors.push_back({"osl", "one output token is prefill's own: there is no output to price", "at least 2"});
  if (question.prompt_given && !question.demand.empty())
    errors.push_back(
        {"isl", fmt::format("stands beside {}, which has the input lengths", field("isl_mix")), "give one of them"});
  return errors;
}

Result<Terms> terms_of(const PriceQuestion& question, const NumbersEntry& entry) {
  Errors errors = refused(question);
  Terms out;
  for (const char* key : {"utilization", "batch.utilization", "cache.fetch", "cache.write", "cache.hold"}) {
    Provenance from;
    const std::size_t index = index_of(key);
    const double value = term(entry, key, kInputs[index].dimension, errors, &from);
    out.sheet.set(index, value, from);
  }
  Provenance from;
  out.margin = question.margin ? *question.margin : term(entry, "margin", kNone, errors, &from);
  if (!(out.margin >= 0 && out.margin < 1))
    errors.push_back({"margin", fmt::format("{:g} of the price", out.margin), "a share from 0 to below 1"});
  out.sheet.set(index_of(kMarkup), 1 / (1 - out.margin),
                question.margin ? Provenance{"--margin", Kind::user, "", ""} : from);
  out.fast_speed = question.fast_speed ? *question.fast_speed : term(entry, "fast.speed", kNone, errors);
  out.spread = term(entry, "demand.spread", kNone, errors);
  out.break_least = term(entry, "long.least", kNone, errors);
  out.prompt_most = term(entry, "prompt.most", kNone, errors);
  out.isl = question.serving.isl;
  if (!question.demand.empty()) {
    out.isl = mean_prompt(question.demand).value();
  } else if (!question.prompt_given) {
    out.isl = term(entry, "prompt", kToken, errors);
  }
  out.osl = question.answer_given ? question.serving.osl : term(entry, "answer", kToken, errors);
  if (!errors.empty()) return fail(std::move(errors));
  return out;
}

/// Prompts as long as the model can read: a given demand is held to it, an assumed one is made shorter.
struct Lengths {
  double isl = 1, osl = 1;
  bool shorter = false;
};
Result<Lengths> lengths_within(const Terms& terms, const PriceQuestion& question, double context_limit) {
  Lengths out{terms.isl, terms.osl, false};
  if (!(context_limit > 0)) return out;
  Errors errors;
  for (const DemandBand& band : question.demand) {
    if (band.length.value() + out.osl > context_limit)
      errors.push_back({"isl_mix",
                        fmt::format("inputs of {} tokens, and the model reads {}", with_commas(band.length.value()),
                                    with_commas(context_limit)),
                        "leave the longest out"});
  }
  if (!errors.empty()) return fail(std::move(errors));
  const double most = terms.prompt_most * context_limit;
  out.shorter = !question.prompt_given && question.demand.empty() && out.isl > most;
  if (out.shorter) out.isl = most;
  return out;
}

/// Who asks for how much, in bands of prompt length, and in words.
struct Demand {
  std::vector<DemandBand> bands;
  std::string words;
};
Demand demand_of(const PriceQuestion& question, const Lengths& lengths, double spread, double context_limit) {
  if (!question.demand.empty()) {
    const std::size_t count = question.demand.size();
    return {question.demand, count == 1 ? "one length given" : fmt::format("{} lengths given", count)};
  }
  if (question.prompt_given) return {{{Tokens<double>(lengths.isl), 1.0}}, "inputs of one length"};
  const double longest = context_limit > lengths.osl ? context_limit - lengths.osl : kLongest;
  Demand out{lognormal_demand(Tokens<double>(lengths.isl), spread, Tokens<double>(longest)), "inputs of one length"};
  if (out.bands.size() > 1) {
    out.words = fmt::format("input lengths log-normal, {} tokens on average, spread {:g}, up to {}",
                            with_commas(std::round(lengths.isl)), spread, with_commas(longest));
  }
  return out;
}

/// What every length costs on a deployment; those without room are left out.
struct DemandCosts {
  std::vector<BandCost> costs;
  double longest = 0, left_out = 0;  // tokens; share of the demand
};
DemandCosts costs_of(const std::vector<DemandBand>& bands, const Deployment& deployment, RequestLoad load) {
  DemandCosts out;
  for (const DemandBand& band : bands) {
    load.isl = std::max(1.0, band.length.value());
    const ServingEstimate served = evaluate(deployment, load);
    if (!fits(deployment, served)) {
      out.left_out += band.share;
      continue;
    }
    out.longest = std::max(out.longest, load.isl);
    out.costs.push_back({{Tokens<double>(load.isl), band.share}, served.input_cost, served.output_cost});
  }
  return out;
}

/// The roofline case of one replica at the load that serving reached, under what the terms say.
Result<SheetNumbers> sheet_case(SheetNumbers sheet, const PriceQuestion& question, const ServingAnswer& serving,
                                const Tokens<double>& prompt_of_token, const Library& library) {
  Scenario scenario = question.serving.scenario;
  scenario.kv = serving.ground().kv;
  const Provenance served{"serving", Kind::derived, "from the standard requests"};
  std::erase_if(scenario.given, [](const GivenInput& one) {
    return one.key == "chips" || one.key == "batch" || one.key == "context" || one.key == "utilization";
  });
  scenario.given.push_back({"chips", serving.layout().chips() / serving.layout().replicas, served});
  scenario.given.push_back({"batch", std::max(1.0, serving.estimate.times.batch.value()), served});
  scenario.given.push_back({"context", serving.load.isl + serving.load.osl / 2, served});
  const auto resolved = resolve(scenario, library);
  if (!resolved) return fail(resolved.error());
  const std::size_t use = index_of("utilization");
  const double utilization = sheet.numbers.decode.utilization.value();
  const Provenance assumed = sheet.from[use];
  sheet.numbers.decode = resolved->numbers;
  std::copy(resolved->from.begin(), resolved->from.end(), sheet.from.begin());
  sheet.set(use, utilization, assumed);
  for (const GivenInput& one : question.serving.scenario.given) {
    if (one.key == "utilization") sheet.set(use, one.value, one.from);
  }
  sheet.set(
      index_of(kPrefillAttention), prefill_attention(*serving.ground().model, prompt_of_token).value(),
      {"model", Kind::derived,
       fmt::format("as engines compute prefill, of {} tokens", with_commas(std::round(prompt_of_token.value())))});
  return sheet;
}

/// Chip-seconds of a token as serving has them, against those of the equations at the chips' peaks: the shares make
/// both agree for the usual requests.
SheetNumbers with_efficiencies(SheetNumbers sheet, const DemandSide& usual, const ServingGround& ground) {
  const Provenance fitted{"calibrated serving", Kind::derived, ground.chip_from};
  SheetCase<double> peaks = sheet.numbers;
  peaks.mfu_prefill = peaks.share_decode = 1.0;
  peaks.fast_input = peaks.fast_output = peaks.batch_input = peaks.batch_output = 1.0;
  const SheetEstimate<double> at_peak = estimate_sheet(peaks);
  const double price = ground.numbers.price.value();
  const double in_time = usual.input.value() / price, out_time = usual.output.value() / price;
  sheet.set(index_of("mfu.prefill"),
            (at_peak.input_compute / Seconds<double>(in_time - at_peak.input_write.value())).value(), fitted);
  sheet.set(index_of("efficiency.decode"), at_peak.output_time.value() / out_time, fitted);
  return sheet;
}

/// The loads of a sheet's modes along the curve of the usual one.
struct Modes {
  LoadPoint fastest, cheapest;
  std::optional<LoadPoint> fast;
  std::vector<LoadPoint> curve;
};
Modes modes_of(const UsualLoad& usual, double fast_speed) {
  constexpr int kPoints = 48;
  Modes out;
  out.fastest = fastest_load(usual);
  out.curve = load_points(usual, out.fastest.concurrency, kPoints);
  out.cheapest = cheapest_point(usual);
  out.fast = load_with_speed(usual, fast_speed);
  return out;
}

SheetNumbers with_modes(SheetNumbers sheet, const Modes& modes) {
  const auto from = [](const char* note) { return Provenance{"calibrated serving", Kind::derived, "", note}; };
  const LoadPoint fast = modes.fast.value_or(modes.fastest);
  const char* of_fast =
      modes.fast ? "at the load with the fast mode's speed" : "at the fastest load: none has that speed";
  sheet.set(index_of("fast.input"), fast.input, from(of_fast));
  sheet.set(index_of("fast.output"), fast.output, from(of_fast));
  sheet.set(index_of("batch.input"), modes.cheapest.input, from("at the cheapest load that fits"));
  sheet.set(index_of("batch.output"), modes.cheapest.output, from("at the cheapest load that fits"));
  return sheet;
}

/// What the user gave instead, last of all.
Result<SheetNumbers> with_given(SheetNumbers sheet, const std::vector<GivenInput>& given) {
  Errors errors;
  for (const GivenInput& one : given) {
    const auto index = sheet_input(one.key, one.from.source);
    if (!index) {
      append(errors, index.error());
      continue;
    }
    const auto checked = checked_value(kInputs[*index].info, kInputs[*index].dimension, one.value, one.from.source);
    if (!checked) append(errors, checked.error());
    sheet.set(*index, one.value, one.from);
  }
  if (!errors.empty()) return fail(std::move(errors));
  // who has all the time uses chips no less than who has none
  const std::size_t use = index_of("utilization"), batch = index_of("batch.utilization");
  const double usual = sheet.numbers.decode.utilization.value();
  if (sheet.from[batch].kind != Kind::user && sheet.numbers.batch_utilization.value() < usual)
    sheet.set(batch, usual, sheet.from[use]);
  return sheet;
}

/// Nobody pays more for waiting: where a larger batch makes one kind of token a little more expensive (and all of them
/// together cheaper), that kind is sold at the usual price.
SheetNumbers with_batch_at_most_usual(SheetNumbers sheet) {
  const double busier = (sheet.numbers.batch_utilization / sheet.numbers.decode.utilization).value();
  const SheetCase<double>& c = sheet.numbers;
  for (const auto& [index, share] : {std::pair(index_of("batch.input"), c.batch_input.value()),
                                     std::pair(index_of("batch.output"), c.batch_output.value())}) {
    const Provenance& from = sheet.from[index];
    if (from.kind == Kind::user || share <= busier) continue;
    sheet.set(index, busier, {from.source, from.kind, from.note + ", but no more than the usual price", from.place});
  }
  return sheet;
}

PriceSheet sheet_of(const PriceAnswer& answer, const std::vector<Seconds<double>>& keeps) {
  const SheetEstimate<double>& e = answer.estimate;
  const ServingGround& ground = answer.serving.ground();
  PriceSheet sheet;
  sheet.provider = "ridge";
  sheet.model = ground.model->name;
  sheet.note =
      fmt::format("made by ridge price on {} at a margin of {:.0f} %", ground.machine->title, 100 * answer.margin);
  sheet.input = e.input;
  sheet.output = e.output;
  sheet.cached = e.cached;
  std::vector<Seconds<double>> sorted = keeps;
  std::sort(sorted.begin(), sorted.end());
  for (const Seconds<double>& keep : sorted) sheet.writes.push_back({keep, write_price(e.tariff, e.input, keep)});
  sheet.hold = e.tariff.hold;
  if (answer.step_written) {
    PriceBreak one;
    one.above = answer.step->above;
    one.input = answer.step->input() * e.input;
    one.output = answer.step->output() * e.output;
    sheet.tiers.push_back(one);
  }
  sheet.modes.push_back({"batch", e.batch_input, e.batch_output, {}});
  if (answer.fast) sheet.modes.push_back({"fast", e.fast_input, e.fast_output, answer.fast->speed});
  if (ground.model->context_limit > 0) sheet.max_input = Tokens<double>(ground.model->context_limit);
  return sheet;
}

/// What is to be said of an answer beside what serving says.
std::vector<std::string> notes_on(const PriceAnswer& answer, const Lengths& lengths) {
  std::vector<std::string> notes;
  const double prefill = answer.serving.estimate.times.prefill_share.value();
  if (!answer.serving.ground().engine.disaggregated && prefill > 0.5)
    notes.push_back(fmt::format("prefill takes {:.0f}% of the time and delays decode ({} avoids that)", 100 * prefill,
                                field("disaggregated")));
  if (lengths.shorter)
    notes.push_back(fmt::format("inputs of {} tokens are assumed: typical ones are long for the model's context",
                                with_commas(std::round(lengths.isl))));
  if (!answer.left_out.empty()) notes.push_back(answer.left_out);
  const SheetCase<double>& c = answer.numbers;
  for (const double share : {c.mfu_prefill.value(), c.share_decode.value()}) {
    if (!(share > 0 && share <= 1))
      notes.push_back(
          fmt::format("{:.2f} of a datasheet's peak is more than there is: the prices hold, the shares do not", share));
  }
  if (c.decode.utilization.value() > 1) notes.push_back(busier_prefill_note());
  if (answer.estimate.cached > answer.estimate.input)
    notes.push_back("recomputing a token costs less than fetching it: cached input is more expensive than fresh input");
  return notes;
}

}  // namespace

Result<ServingQuestion> mean_request(const PriceQuestion& question, const NumbersEntry& entry, const Library& library) {
  const auto terms = terms_of(question, entry);
  if (!terms) return fail(terms.error());
  ServingQuestion asked = question.serving;
  asked.isl = terms->isl;
  asked.osl = terms->osl;
  const auto ground = serving_ground(asked, library);
  if (!ground) return fail(ground.error());
  if (const auto free = free_chip(ground->numbers.price)) return fail(*free);
  const auto lengths = lengths_within(*terms, question, ground->model->context_limit);
  if (!lengths) return fail(lengths.error());
  asked.isl = lengths->isl;
  return asked;
}

Result<PriceResult> answer_price(const PriceQuestion& question, const NumbersEntry& entry, const Deployed& deployed,
                                 const Library& library) {
  const auto terms = terms_of(question, entry);
  if (!terms) return fail(terms.error());
  const ServingQuestion& asked = deployed.question;
  const Deployment busy = fully_utilized(deployed.deployment);  // the sheet's own terms have utilization
  const double context_limit = busy.ground.model->context_limit;
  const auto lengths = lengths_within(*terms, question, context_limit);
  if (!lengths) return fail(lengths.error());

  // the mean request on this deployment
  const LoadChoice& choice = deployed.load;
  if (choice.load.concurrency < 1)
    return fail({"rate", fmt::format("gives a concurrency of {:.2g}", choice.load.concurrency),
                 "a price is for chips at work: at least one on each replica"});
  auto mean = answer_at(asked, busy, choice, library);
  if (!mean) return fail(mean.error());
  if (!mean->answer) return PriceResult{{}, std::move(mean->shortfall)};

  // what every length costs there, and where a price break would stand
  const Demand demand = demand_of(question, *lengths, terms->spread, context_limit);
  const DemandCosts costs = costs_of(demand.bands, busy, choice.load);
  if (costs.costs.empty())
    return fail({"isl_mix", "no request of these lengths fits on this layout",
                 fmt::format("shorter ones, or more chips ({})", field("tp"))});
  PriceAnswer out;
  out.demand = demand.words;
  if (costs.left_out > 0)
    out.left_out =
        fmt::format("inputs beyond {} tokens, {:.1f}% of the demand, do not fit on this layout and are left out",
                    with_commas(std::round(costs.longest)), 100 * costs.left_out);
  out.margin = terms->margin;
  out.fast_asked = terms->fast_speed;
  out.step_least = terms->break_least;
  out.step = best_step(costs.costs, Tokens<double>(asked.osl));
  out.step_written = out.step && out.step->moved_without - out.step->moved >= out.step_least;
  out.usual = out.step_written ? out.step->below : whole_demand(costs.costs);

  // the usual request: of mean length below the break
  ServingQuestion usual_question = asked;
  usual_question.isl = out.usual.prompt.value();
  LoadChoice usual_choice = choice;
  usual_choice.load.isl = usual_question.isl;
  auto usual = answer_at(usual_question, busy, usual_choice, library);
  if (!usual) return fail(usual.error());
  if (!usual->answer)
    return fail(
        {"isl_mix", "the mean request does not fit on this layout", fmt::format("more chips ({})", field("tp"))});
  out.serving = std::move(*usual->answer);
  out.serving.notes = std::move(mean->answer->notes);
  out.output_parts = decode_costs(out.serving.estimate);
  out.input_parts = prefill_costs(out.serving.estimate);

  // a fleet's whole bill is carried by the tokens of its rate
  Terms carried = *terms;
  if (question.fleet) {
    const ServingEstimate& at_full = mean->answer->estimate;
    const double tokens = *question.fleet->aim.rate * (asked.isl + asked.osl);
    carried.sheet.set(index_of("utilization"), at_full.cost_of_all.value() * tokens / question.fleet->size.bill,
                      {"fleet", Kind::derived, "what tokens cost at full utilization, over the bill of its nodes"});
  }

  // the sheet's own equations around it
  auto sheet = sheet_case(std::move(carried.sheet), question, out.serving, out.usual.prompt_of_token, library);
  if (!sheet) return fail(sheet.error());
  *sheet = with_efficiencies(std::move(*sheet), out.usual, out.serving.ground());
  const UsualLoad usual_here{busy, out.serving.load, out.serving.estimate};
  Modes modes = modes_of(usual_here, out.fast_asked);
  sheet = with_given(with_modes(std::move(*sheet), modes), question.given);
  if (!sheet) return fail(sheet.error());
  *sheet = with_batch_at_most_usual(std::move(*sheet));
  out.fastest = modes.fastest;
  out.cheapest = modes.cheapest;
  out.fast = modes.fast;
  out.curve = std::move(modes.curve);
  out.numbers = sheet->numbers;
  out.from = sheet->from;
  out.estimate = estimate_sheet(out.numbers);
  for (std::string& note : notes_on(out, *lengths)) out.serving.notes.push_back(std::move(note));
  out.sheet = sheet_of(out, question.keeps);
  return PriceResult{std::move(out), {}};
}

Result<std::size_t> sheet_input(std::string_view word, std::string_view where) {
  std::vector<std::string> known;
  for (std::size_t i = 0; i < kSheetInputs; ++i) {
    const bool own = i >= kDecodeInputs || kInputs[i].info.key == "utilization";
    if (!own) continue;
    if (kInputs[i].info.key == word || kInputs[i].info.symbol == word) return i;
    known.emplace_back(kInputs[i].info.key);
  }
  return fail(
      {std::string(where), fmt::format("\"{}\" is not a term of a sheet", shortened(word)),
       suggestion(word, known) + " (facts of a model or machine: a catalog of your own, " + field("catalog") + ")"});
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
