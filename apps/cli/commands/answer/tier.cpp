// ridge tier: where to keep context between two uses of it.

#include <algorithm>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "cli/options/flags.hpp"
#include "cli/options/option_groups.hpp"
#include "cli/options/option_reader.hpp"
#include "cli/question/asked_fleet.hpp"
#include "cli/question/defaults.hpp"
#include "cli/question/fleet_options.hpp"
#include "cli/question/hosted_for.hpp"
#include "cli/question/prices.hpp"
#include "report/price/tier/tier_text.hpp"
#include "serve/answer_notes.hpp"

namespace ridge::cli {

namespace {

constexpr const char* kDefaultCurve = "mooncake-conversation";

/// "input=$5/Mtok,hit=$0.50/Mtok,5min=$6.25/Mtok,1h=$10/Mtok"
Result<PublicTariff> tariff_of(const std::string& text) {
  PublicTariff tariff;
  Errors errors;
  bool has_input = false;
  for (const std::string& part : split(text, ',')) {
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos) {
      errors.push_back({"tariff", fmt::format("\"{}\" has no =", shortened(part)),
                        "e.g. 'input=$5/Mtok,hit=$0.50/Mtok,5min=$6.25/Mtok,1h=$10/Mtok'"});
      continue;
    }
    const std::string name(trimmed(part.substr(0, equals)));
    if (name == "hold") {
      const auto hold = parse<DollarsPerTokenSecond<double>>(part.substr(equals + 1), "tariff: hold");
      if (!hold) {
        append(errors, hold.error());
      } else if (!(hold->value() > 0 && hold->value() < 1e30)) {
        errors.push_back({"tariff: hold", "must be above zero", "e.g. hold=$4.50/Mtok/h"});
      } else {
        tariff.hold = *hold;
      }
      continue;
    }
    const auto price = parse<DollarsPerToken<double>>(part.substr(equals + 1), "tariff: " + name);
    if (!price) {
      append(errors, price.error());
      continue;
    }
    constexpr double kMost = 1e30;
    if (price->value() < 0 || price->value() > kMost) {
      errors.push_back(
          {"tariff: " + name, "a price is not below zero, nor above 1e30", "leave it out where there is none"});
    } else if (name == "input") {
      if (price->value() == 0) errors.push_back({"tariff: input", "is missing or zero", "e.g. input=$5/Mtok"});
      tariff.input = *price;
      has_input = true;
    } else if (name == "hit") {
      tariff.hit = *price;
    } else {
      const auto keep = parse<Seconds<double>>(name, "tariff");
      if (!keep) {
        errors.push_back({"tariff", fmt::format("\"{}\" is neither input, hit, hold nor a time", shortened(name)),
                          "writes are named by the time they are kept: 5min=$6.25/Mtok"});
      } else if (!(keep->value() > 0)) {
        errors.push_back({"tariff", fmt::format("kept for {}", name), "a write is kept for some time"});
      } else {
        tariff.writes.push_back({*keep, *price});
      }
    }
  }
  std::sort(tariff.writes.begin(), tariff.writes.end(),
            [](const CacheWrite& a, const CacheWrite& b) { return a.keep < b.keep; });
  const auto same = std::adjacent_find(tariff.writes.begin(), tariff.writes.end(),
                                       [](const CacheWrite& a, const CacheWrite& b) { return a.keep == b.keep; });
  if (same != tariff.writes.end())
    errors.push_back({"tariff", fmt::format("two prices for {}", show(same->keep)), "give each time once"});
  if (!has_input && errors.empty())
    errors.push_back({"tariff", "the price of fresh input is missing", "add input=$5/Mtok"});
  if (!errors.empty()) return fail(std::move(errors));
  return tariff;
}

/// The same of a sheet in the catalog: "anthropic/claude-opus-5".
Result<PublicTariff> tariff_named(const std::string& name, const Program& program) {
  const auto sheets = price_sheets(program);
  if (!sheets) return fail(sheets.error());
  const auto sheet = find_sheet(*sheets, name, "tariff");
  if (!sheet) return fail(sheet.error());
  PublicTariff tariff{
      .input = (*sheet)->input, .hit = (*sheet)->cached, .hold = (*sheet)->hold, .writes = (*sheet)->writes};
  if (!tariff.hold && tariff.writes.size() < 2) {
    return fail(
        {"tariff",
         fmt::format("{} sells no holding: neither two times to live nor a price of storage", sold_name(**sheet)),
         "try anthropic/claude-opus-5 or a model of google"});
  }
  return tariff;
}

/// The question but for its scenario.
Result<TierQuestion> tier_question(const Arguments& arguments, const Program& program) {
  TierQuestion question;
  OptionReader reader(arguments);
  reader.read_into<Tokens<double>>(question.context, "context");
  reader.read_into<Params<double>>(question.active, "active");
  reader.read_into<BytesPerToken<double>>(question.kept_bytes, "kv_bytes");
  reader.read_into<Ratio<double>>(question.reuse, "reuse_probability", kShareOfOne);
  reader.read_into<Ratio<double>>(question.waiting, "fetch_stall", kShareOfOne);
  reader.read_into<Ratio<double>>(question.device_utilization, "device_utilization",
                                  {.least = 0, .most = 0.99, .above = true});
  question.curve = arguments.text("reuse", kDefaultCurve);
  question.tiers = reader.words("tiers");
  if (const std::string text = arguments.text("tariff"); !text.empty()) {
    const bool is_name = text.find('=') == std::string::npos;
    question.tariff = reader.take(is_name ? tariff_named(text, program) : tariff_of(text));
  }
  if (!arguments.has("model") && question.active.has_value() != question.kept_bytes.has_value())
    reader.refuse("model", "one of --active and --kv-bytes does not make a model", "give both, or name a model");
  if (!reader.errors().empty()) return fail(reader.errors());
  return question;
}

/// What stands in the question and nobody gave.
std::vector<std::string> taken_by_tier(const Arguments& arguments, const TierQuestion& question, bool is_model) {
  std::vector<std::string> taken;
  if (!arguments.has("model") && is_model) taken.emplace_back(kDefaultModel);
  const auto add = [&](const char* key, const std::string& value) {
    if (!arguments.has(key)) taken.push_back(flag_of(key, *arguments.command) + " " + value);
  };
  add("machine", kDefaultMachine);
  add("context", fmt::format("{:g}", question.context.value()));
  add("fetch_stall", fmt::format("{:g}", question.waiting.value()));
  add("reuse_probability", fmt::format("{:g}", question.reuse.value()));
  add("reuse", question.curve);
  return taken;
}

/// What can be wrong beside the fleet, told before seconds of planning it.
Result<bool> checked_beside_fleet(const TierQuestion& question, const Arguments& arguments, const Program& program) {
  const auto answer = answer_tiers(question, program.library);
  if (!answer) return fail(answer.error());
  if (const auto chart = report::tier_chart(*answer, arguments.text("chart", "cost")); !chart)
    return fail(chart.error());
  if (!arguments.has("derive")) return true;
  const auto text = report::tier_derivation(*answer, arguments.text("derive"), arguments.whole("depth", 3),
                                            program.library, program.style);
  if (!text) return fail(text.error());
  return true;
}

/// What tiers are told of beside their question.
struct TierGround {
  bool is_model = false;               // a model was asked about
  bool is_not_deployed = false;        // none of its deployments is found
  const FleetAnswer* fleet = nullptr;  // that computes context again
};

/// What is kept is what the engine would keep.
Result<int> print_tiers(TierQuestion question, const TierGround& ground, const Arguments& arguments,
                        const Program& program) {
  const bool kv_given = question.scenario.kv.has_value();
  if (question.served && !kv_given) question.scenario.kv = question.served->ground().kv;
  auto answer = answer_tiers(question, program.library);
  if (!answer) return fail(answer.error());
  if (ground.is_not_deployed)
    answer->notes.emplace_back(
        "no deployment of the model is found: recomputing is at an assumed MFU (ridge fit says why)");
  if (question.served && !kv_given) answer->notes.push_back(kv_note(question.served->ground()));
  if (ground.fleet != nullptr)
    answer->notes.insert(answer->notes.begin(), "context is computed again by " + report::bought_text(*ground.fleet) +
                                                    ", as ridge plan takes for this rate");
  note_defaults(answer->notes, taken_by_tier(arguments, question, ground.is_model));
  in_flags(answer->notes, *arguments.command);
  const auto chart = report::tier_chart(*answer, arguments.text("chart", "cost"));
  if (!chart) return fail(chart.error());
  std::string out = arguments.json() ? report::tier_json(*answer) : report::tier_text(*answer, program.style);
  if (arguments.has("derive")) {
    const auto text = report::tier_derivation(*answer, arguments.text("derive"), arguments.whole("depth", 3),
                                              program.library, program.style);
    if (!text) return fail(text.error());
    if (!arguments.json()) out = *text;
  }
  return print_with_svg(arguments, with_assumptions(out, arguments, program), [&] { return report::to_svg(*chart); });
}

Result<int> run_tier(const Arguments& arguments, Program& program) {
  if (Errors wrong = loads_without_fleet(arguments); !wrong.empty()) return fail(std::move(wrong));
  auto question = tier_question(arguments, program);
  if (!question) return fail(question.error());
  const bool is_model = arguments.has("model") || !question->active;
  auto scenario = scenario_of(program, with_default_machine(arguments), arguments.text("model", kDefaultModel));
  if (!scenario) return fail(scenario.error());
  question->scenario = std::move(*scenario);
  if (!is_model) question->scenario.model.clear();
  if (asks_for_bought(arguments)) {
    if (const auto good = checked_beside_fleet(*question, arguments, program); !good) return fail(good.error());
    return on_bought(arguments, {"active", "kv_bytes", "chips", "utilization", "set"}, program,
                     [&](const AskedFleet& fleet) -> Result<int> {
                       auto replica = replica_of(fleet, program.library);
                       if (!replica) return fail(replica.error());
                       question->served = std::move(*replica);
                       return print_tiers(*question, {is_model, false, &fleet.report.answer}, arguments, program);
                     });
  }
  // what is wrong with the question the answer says itself; where context is computed again is what `ridge host` has
  if (question->active) return print_tiers(*question, {is_model, false, nullptr}, arguments, program);
  auto served = hosted_for(question->scenario, question->context.value(), program.library);
  if (served && *served) question->served = std::move((*served)->answer);
  return print_tiers(*question, {is_model, served && !question->served, nullptr}, arguments, program);
}

}  // namespace

Command tier_command() {
  Option derive = kDerive.saying("print how the costs of a tier come about, e.g. --derive flash");
  derive.type = "TIER";
  return {
      .name = "tier",
      .purpose = Purpose::answer,
      .place = 7,
      .summary = "where to keep a KV cache between two uses, and what that costs",
      .groups =
          {{kUsual,
            {kModelOrScenario.otherwise("deepseek-v3; or --active and --kv-bytes"),
             kMachine.otherwise("gb200-nvl72"),
             kChips,
             {"--context", "context", "TOKENS", "tokens of context", "8,192"},
             {"--reuse", "reuse", "NAME", "curve of re-use (ridge list reuse)", kDefaultCurve},
             {"--reuse-probability", "reuse_probability", "SHARE",
              "probability that what is kept is used, for the times of break-even", "1"},
             {"--tiers", "tiers", "NAMES", "with commas between them (ridge list tiers)", "all that the machine has"},
             {"--tariff", "tariff", "PRICES",
              "a price sheet of the catalog (ridge price history), or prices: input=..., hit=..., and writes by "
              "time kept, 5min=...,1h=..., or hold=$4.50/Mtok/h"}}},
           {"Instead of a model's numbers",
            {{"--active", "active", "PARAMS", "active parameters", "the model's"},
             {"--kv-bytes", "kv_bytes", "BYTES", "KV cache of a token, e.g. '2 kB/token'", "the model's"},
             {"--device-utilization", "device_utilization", "SHARE",
              "share of the time in which a device reads or writes, at most 0.99", "each tier's own"},
             {"--fetch-stall", "fetch_stall", "SHARE", "share of a fetch in which the chips do nothing else", "0"}}},
           bought_options(),
           without(load_options(), {"concurrency", "rate"}),
           {"Formats and price", {kWeights, kKv, kPrice, kPriceBasis, kUtilization}},
           {"Reasons", {derive, kDepth, kSet}},
           output_options({kSvg, {"--chart", "chart", "WHAT", "what the chart shows: cost, map or fleet", "cost"}}),
           rare_options({kAssume, kQuiet})},
      .examples = {"ridge tier", "ridge tier llama-3.1-70b --on hgx-h100 --context 32k --svg tiers.svg",
                   "ridge tier llama-3.3-70b --on hgx-h100 --rate 50 --isl 4k --osl 500 --slo ttft=2s,tpot=50ms",
                   "ridge tier deepseek-v3 --on hgx-h100 --chart map --svg map.svg",
                   "ridge tier deepseek-v3 --on gb200-nvl72 --tariff "
                   "'input=$5/Mtok,hit=$0.50/Mtok,5min=$6.25/Mtok,1h=$10/Mtok'",
                   "ridge tier llama-3.1-70b --on hgx-h100 --tariff anthropic/claude-opus-5",
                   "ridge tier --active 100B --kv-bytes '2 kB/token' --on gb200-nvl72 --fetch-stall 1",
                   "ridge tier deepseek-v3 --on hgx-h100 --reuse agent --reuse-probability 0.5 --json",
                   "ridge tier deepseek-v3 --on hgx-h100 --derive flash"},
      .notes =
          "What it costs to keep context between two uses: in the chip's memory, beside it, or nowhere (computed "
          "again). Tiers are data (ridge list tiers; ridge show tier flash), and so are curves of re-use.",
      .run = run_tier};
}

}  // namespace ridge::cli
