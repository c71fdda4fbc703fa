// ridge price: a price sheet from a model, a machine, a load and a margin.

#include <algorithm>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "catalog/entries/library.hpp"
#include "cli/options/flags.hpp"
#include "cli/options/option_groups.hpp"
#include "cli/options/option_reader.hpp"
#include "cli/question/asked_fleet.hpp"
#include "cli/question/fleet_options.hpp"
#include "cli/question/plan_request.hpp"
#include "cli/question/prices.hpp"
#include "cli/question/serving.hpp"
#include "report/price/make/price_sheet_text.hpp"
#include "report/price/sheet/litellm.hpp"
#include "report/serve/serving_text.hpp"
#include "search/plan/best_deployment.hpp"

namespace ridge::cli {

namespace {

/// "5min,1h": how long writes to a cache are kept.
std::vector<Seconds<double>> read_ttls(OptionReader& reader, std::vector<Seconds<double>> otherwise) {
  if (!reader.arguments().has("cache_ttl")) return otherwise;
  std::vector<Seconds<double>> ttls;
  for (const std::string& one : split(reader.arguments().text("cache_ttl"), ',')) {
    const auto time = reader.parsed<Seconds<double>>("cache_ttl", one);
    if (!time) continue;
    if (std::find(ttls.begin(), ttls.end(), *time) != ttls.end())
      reader.refuse("cache_ttl", fmt::format("{} appears twice", show(*time, 6)), "give each time once");
    ttls.push_back(*time);
  }
  return ttls;
}

/// "4k:60%,32k:30%,200k:10%": lengths and the share of the tokens in requests of that length.
std::vector<DemandBand> read_isl_mix(OptionReader& reader) {
  std::vector<DemandBand> bands;
  double sum = 0;
  for (const std::string& one : reader.words("isl_mix")) {
    const std::vector<std::string> parts = split(one, ':');
    if (parts.size() != 2) {
      reader.refuse("isl_mix", fmt::format("\"{}\" is not LENGTH:SHARE", shortened(one)),
                    "e.g. --isl-mix 4k:60%,32k:30%,200k:10%");
      return bands;
    }
    const auto length = reader.parsed<Tokens<double>>("isl_mix", parts[0]);
    const auto share = reader.parsed<Ratio<double>>("isl_mix", parts[1]);
    if (!length || !share) return bands;
    bands.push_back({*length, share->value()});
    sum += share->value();
  }
  if (!bands.empty() && (sum < 0.999 || sum > 1.001))
    reader.refuse("isl_mix", fmt::format("the shares sum to {:g}", sum), "they make up all tokens: 1");
  return bands;
}

/// --set: terms of the sheet.
void read_terms(OptionReader& reader, PriceQuestion& question) {
  for (const auto& [key, text, where] : reader.pairs("set", "--set 'cache.fetch=60 GB/s'")) {
    const auto index = reader.take(sheet_input(key, where));
    if (!index) continue;
    if (const auto value = reader.take(parse_as(text, sheet_input_dimension(*index), where)))
      question.given.push_back({std::string(sheet_input_info(*index).key), *value, {where, Kind::user, "", ""}});
  }
}

/// --set is about the sheet, not about the machine.
Arguments without_terms(Arguments arguments) {
  std::erase_if(arguments.given, [](const Given& one) { return one.key == "set"; });
  return arguments;
}

Result<PriceQuestion> price_question(const Arguments& arguments, Program& program) {
  const auto scenario = scenario_of(program, without_terms(arguments), arguments.text("model"));
  if (!scenario) return fail(scenario.error());
  ServingQuestion serving;
  serving.scenario = *scenario;
  auto whole = with_options(std::move(serving), arguments);
  if (!whole) return fail(whole.error());
  PriceQuestion question;
  question.serving = std::move(*whole);
  question.prompt_given = arguments.has("isl");
  question.answer_given = arguments.has("osl");
  OptionReader reader(arguments);
  if (const auto margin = reader.read<Ratio<double>>("margin", kAnything)) question.margin = margin->value();
  if (const auto speed = reader.read<Ratio<double>>("fast_speed", kAnything)) question.fast_speed = speed->value();
  question.keeps = read_ttls(reader, question.keeps);
  question.demand = read_isl_mix(reader);
  read_terms(reader, question);
  if (!reader.errors().empty()) return fail(reader.errors());
  return question;
}

/// The deployment that a sheet is for: the one that is given, or the cheapest within the SLO.
Result<Deployed> priced_deployment(const PriceQuestion& question, const NumbersEntry& terms, const Arguments& arguments,
                                   const Library& library) {
  OptionReader reader(arguments);
  TpotSlo slo;
  if (const auto tpot = reader.read<Seconds<double>>("tpot", kAnything)) slo = {*tpot, true, kPlanConfidence};
  if (const auto confidence = reader.take(asked_confidence(arguments))) slo.confidence = *confidence;
  if (!reader.errors().empty()) return fail(reader.errors());
  if (Errors wrong = without_fleet(arguments); !wrong.empty()) return fail(std::move(wrong));
  const auto request = mean_request(question, terms, library);
  if (!request) return fail(request.error());
  return best_deployed(*request, {.slo = slo, .tokens_per_second = {}, .threads = all_threads()}, library);
}

/// The fleet that a sheet is sold from, for requests of its mean lengths.
Result<AskedFleet> priced_fleet(const PriceQuestion& question, const NumbersEntry& terms, const Arguments& arguments,
                                Program& program) {
  if (Errors wrong = beside_fleet(arguments, {"concurrency", "replicas", "utilization"}); !wrong.empty())
    return fail(std::move(wrong));
  const auto mean = mean_request(question, terms, program.library);
  if (!mean) return fail(mean.error());
  const Arguments asked = without_terms(arguments);
  auto request = plan_request(asked, program);
  if (!request) return fail(request.error());
  request->question.isl = mean->isl;
  request->question.osl = mean->osl;
  return asked_fleet(asked, std::move(*request), program);
}

/// What was asked for: a map, JSON, a derivation, or the sheet for people.
std::string price_text(const PriceAnswer& answer, std::size_t figure, const Arguments& arguments,
                       const Program& program, const FleetAnswer* fleet) {
  if (arguments.has("litellm")) {
    const report::PriceMap map = report::price_map({answer.sheet});
    for (const std::string& one : map.left_out) say("not in the map: " + one + "\n");
    return map.text;
  }
  if (arguments.json()) return report::price_sheet_json(answer, fleet);
  if (!arguments.has("derive")) return report::price_sheet_text(answer, program.style, fleet);
  const auto traced = output_values(estimate_sheet(report::traced_case(answer.numbers)));
  return report::derivation_text(report::derive(traced[figure], arguments.whole("depth", 3)),
                                 report::derivation_inputs(answer), program.library, program.style);
}

Result<int> run_price(const Arguments& arguments, Program& program) {
  if (!arguments.has("model"))
    return fail({"model", "which model?", "e.g. ridge price deepseek-v3 --on hgx-h200 (ridge list models)"});
  const auto figure = sheet_output(arguments.text("derive", "output"), "derive");
  if (!figure) return fail(figure.error());
  auto question = price_question(arguments, program);
  if (!question) return fail(question.error());
  const auto priors = catalog::priors(*program.facts);
  if (!priors) return fail(priors.error());
  const NumbersEntry* terms = find_named(*priors, "sheet");
  if (terms == nullptr) return fail({"catalog", "has no prior \"sheet\"", "add prior/sheet.toml to it"});
  std::optional<AskedFleet> planned;
  if (arguments.has("slo")) {
    auto sold_from = priced_fleet(*question, *terms, arguments, program);
    if (!sold_from) return fail(sold_from.error());
    if (!sold_from->holds()) return print_no_fleet(*sold_from, arguments, program);
    planned = std::move(*sold_from);
  }
  const FleetAnswer* fleet = planned ? &planned->report.answer : nullptr;
  if (fleet != nullptr) question->fleet = bought_fleet(*fleet);
  const auto deployed = fleet != nullptr ? deployed_in(*fleet, program.library)
                                         : priced_deployment(*question, *terms, arguments, program.library);
  if (!deployed) return fail(deployed.error());
  auto result = answer_price(*question, *terms, *deployed, program.library);
  if (!result) return fail(result.error());
  if (!result->answer) return print_shortfall(*result->shortfall, deployed->question, arguments, program);
  PriceAnswer& answer = *result->answer;
  in_flags(answer.serving.notes, *arguments.command);
  return print_with_svg(arguments,
                        with_assumptions(price_text(answer, *figure, arguments, program, fleet), arguments, program),
                        [&] { return report::to_svg(report::price_chart(answer)); });
}

}  // namespace

Command price_command() {
  return {
      .name = "price",
      .purpose = Purpose::price,
      .place = 4,
      .summary = "a price sheet from a model, a machine, a load and a margin",
      .groups = {{kUsual,
                  {kModelName,
                   kMachine,
                   kPrice,
                   kPriceBasis,
                   kUtilization.otherwise("0.6"),
                   {"--margin", "margin", "SHARE", "share of the price that is not cost", "60%"},
                   kTpot.saying("SLO: time per output token, at most, where no load is given").otherwise("50 ms")}},
                 without(bought_options(), {"rate"}),  // that is among the loads
                 {"The sheet",
                  {{"--cache-ttl", "cache_ttl", "TIMES", "times that a cache keeps a write, with commas between them",
                    "5min,1h"},
                   {"--isl-mix", "isl_mix", "LENGTH:SHARE,...",
                    "share of the input tokens by the length of their request", "log-normal around --isl"},
                   {"--fast-speed", "fast_speed", "X", "speed of the fast mode over the usual", "2.5"}}},
                 without(load_options({.isl = "as in the Mooncake trace",
                                       .osl = "as in the Mooncake trace",
                                       .concurrency = "the cheapest within --tpot"}),
                         {"cached"}),
                 without(layout_options(), {"prefill_on", "prefill_price"}),  // a sheet is made of one kind of chip
                 without(engine_options(), {"speculative_tokens", "acceptance_rate"}),
                 serving_formats(),
                 {"Reasons",
                  {kDerive.saying("print the derivation of a figure, e.g. input, output, cached"), kDepth,
                   kSet.saying("replace a term of the sheet, e.g. mfu.prefill or cache.hold; may be given again")}},
                 output_options({kSvg.saying("draw price against speed as SVG"),
                                 {"--litellm", "litellm", "", "the sheet as an entry of LiteLLM's price map"}}),
                 rare_options({kQuiet, kAssume})},
      .examples = {"ridge price deepseek-v3 --on hgx-h200 --isl 8k --osl 1k --concurrency 256 --margin 60%",
                   "ridge price llama-3.1-70b --on hgx-h100 --margin 30% --utilization 0.8 --fast-speed 2",
                   "ridge price deepseek-v3 --on hgx-h200 --isl-mix 4k:60%,32k:30%,120k:10% --cache-ttl 5min,1h --svg "
                   "price.svg",
                   "ridge price llama-3.3-70b --on hgx-h100 --rate 50 --isl 4k --osl 500 --slo ttft=2s,tpot=50ms",
                   "ridge price deepseek-v3 --on hgx-h200 --set 'cache.fetch=60 GB/s' --litellm",
                   "ridge price deepseek-v3 --on hgx-h200 --derive output --depth 0"},
      .notes =
          "The calibrated engine says what tokens cost at every length and load; the equations of a sheet make "
          "prices of it. With --rate and --slo: from the fleet that ridge plan buys for them, whose bill says the "
          "utilization. How the prices of others moved: ridge price history --help.",
      .run = run_price};
}

}  // namespace ridge::cli
