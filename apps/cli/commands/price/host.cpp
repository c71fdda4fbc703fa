// ridge host: an open model on one's own chips against those who sell it.

#include <fmt/format.h>

#include "base/text/field_text.hpp"
#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "cli/options/flags.hpp"
#include "cli/options/option_groups.hpp"
#include "cli/options/option_reader.hpp"
#include "cli/question/asked_fleet.hpp"
#include "cli/question/defaults.hpp"
#include "cli/question/fleet_options.hpp"
#include "cli/question/plan_request.hpp"
#include "cli/question/prices.hpp"
#include "cli/question/serving.hpp"
#include "library/names.hpp"
#include "price/sheet/sheet_check.hpp"
#include "report/price/money/money_text.hpp"
#include "report/serve/serving_text.hpp"
#include "search/plan/best_deployment.hpp"

namespace ridge::cli {

namespace {

/// Sheets to compare with: a file, one of the catalog by name, or all that sell the model.
struct Compared {
  std::vector<PriceSheet> all;
  std::vector<const PriceSheet*> chosen;
  std::vector<std::string> notes;  // what a sheet that was named says oddly, or beside prices of tokens
};

void note_findings(Compared& compared) {
  for (const PriceSheet* sheet : compared.chosen) {
    for (const std::string& finding : sheet_findings(*sheet))
      compared.notes.push_back(fmt::format("{}: {}", sold_name(*sheet), finding));
  }
}

Result<Compared> compared_with(const std::string& wanted, const Program& program, const std::string& model) {
  Compared out;
  if (wanted.ends_with(".toml") || wanted.ends_with(".json")) {
    auto file = sheet_file(wanted);
    if (!file) return fail(file.error());
    out.notes = catalog::notes_of(*file);
    out.all = std::move(file->sheets);
    for (const PriceSheet& sheet : out.all) out.chosen.push_back(&sheet);
    note_findings(out);
    return out;
  }
  auto sheets = price_sheets(program);
  if (!sheets) return fail(sheets.error());
  out.all = std::move(*sheets);
  if (wanted.empty()) {
    out.chosen = sheets_of_weights(out.all, model);
    note_findings(out);
    return out;
  }
  const auto sheet = find_sheet(out.all, wanted, "sheet");
  if (!sheet) return fail(sheet.error());
  out.chosen.push_back(*sheet);
  note_findings(out);
  return out;
}

std::optional<double> per_second(const std::optional<double>& per_day) {
  constexpr double kDay = 86400;
  if (!per_day || !(*per_day > 0)) return {};  // what is wrong with it is said where it is used
  return *per_day / kDay;
}

/// What `ridge plan` buys for the rate, and a replica of it at its load.
Result<HostQuestion> fleet_host_question(const FleetAnswer& fleet, const Library& library) {
  auto deployed = deployed_in(fleet, library);
  if (!deployed) return fail(deployed.error());
  HostQuestion question{std::move(*deployed), {}, bought_fleet(fleet)};
  const ServingQuestion& q = question.deployed.question;
  question.tokens_per_day = *question.fleet->aim.rate * (q.isl + q.osl) * 86400;
  return question;
}

Result<HostQuestion> host_question(const Arguments& arguments, Program& program) {
  const auto scenario = scenario_of(program, arguments, arguments.text("model"));
  if (!scenario) return fail(scenario.error());
  ServingQuestion asked;
  asked.scenario = *scenario;
  const auto serving = with_options(std::move(asked), arguments);
  if (!serving) return fail(serving.error());
  if (Errors wrong = without_fleet(arguments); !wrong.empty()) return fail(std::move(wrong));
  OptionReader reader(arguments);
  HostQuestion question;
  TpotSlo slo;
  if (const auto tpot = reader.read<Seconds<double>>("tpot", kAnything)) slo = {*tpot, true, kPlanConfidence};
  if (const auto confidence = reader.take(asked_confidence(arguments))) slo.confidence = *confidence;
  if (const auto tokens = reader.read<Tokens<double>>("tokens_per_day", kAnything))
    question.tokens_per_day = tokens->value();
  if (!reader.errors().empty()) return fail(reader.errors());
  auto deployed = best_deployed(
      *serving, {.slo = slo, .tokens_per_second = per_second(question.tokens_per_day), .threads = all_threads()},
      program.library);
  if (!deployed) return fail(deployed.error());
  question.deployed = std::move(*deployed);
  return question;
}

std::vector<std::string> taken_by_host(const Arguments& arguments, const HostAnswer& answer) {
  const ServingQuestion& serving = answer.serving.question;
  std::vector<std::string> taken;
  const auto add = [&](const char* key, const std::string& value) {
    if (!arguments.has(key)) taken.push_back(flag_of(key, *arguments.command) + " " + value);
  };
  add("isl", fmt::format("{:g}", serving.isl));
  add("osl", fmt::format("{:g}", serving.osl));
  add("cached", fmt::format("{:g}", serving.cached));
  add("engine", serving.engine);
  return taken;
}

Result<Compared> compared_for(const std::string& word, const Arguments& arguments, const Program& program) {
  const auto named = ridge::model_named(program.library, word);  // an unknown one is explained by the answer
  return compared_with(arguments.text("sheet"), program, named ? named->entry->name : word);
}

/// `fleet`: that it stands on, or null.
Result<int> print_host(const FleetAnswer* fleet, const Arguments& arguments, Program& program) {
  const auto question =
      fleet != nullptr ? fleet_host_question(*fleet, program.library) : host_question(arguments, program);
  if (!question) return fail(question.error());
  const auto compared = compared_for(question->deployed.question.scenario.model, arguments, program);
  if (!compared) return fail(compared.error());
  auto result = answer_host(*question, compared->chosen, program.library);
  if (!result) return fail(result.error());
  if (!result->answer) return print_shortfall(*result->shortfall, question->deployed.question, arguments, program);
  HostAnswer& answer = *result->answer;
  answer.notes.insert(answer.notes.begin(), compared->notes.begin(), compared->notes.end());
  if (!question->tokens_per_day && !arguments.any(Reads::serving))
    answer.notes.push_back(
        fmt::format("break-even is that of this deployment, the cheapest by the token; {} finds the one for a demand",
                    field("tokens_per_day")));
  note_defaults(answer.notes, taken_by_host(arguments, answer));
  in_flags(answer.notes, *arguments.command);
  return print_with_svg(arguments,
                        with_assumptions(arguments.json() ? report::host_json(answer, fleet)
                                                          : report::host_text(answer, program.style, fleet),
                                         arguments, program),
                        [&] { return report::to_svg(report::host_chart(answer)); });
}

Result<int> run_host(const Arguments& arguments, Program& program) {
  if (!asks_for_bought(arguments)) return print_host(nullptr, arguments, program);
  // a sheet that is not there is told before seconds of planning
  if (const auto known = compared_for(arguments.text("model"), arguments, program); !known) return fail(known.error());
  return on_bought(arguments, {"concurrency", "replicas", "tokens_per_day"}, program,
                   [&](const AskedFleet& fleet) { return print_host(&fleet.report.answer, arguments, program); });
}

}  // namespace

Command host_command() {
  Option model = kModelName;
  model.required = true;
  return {
      .name = "host",
      .purpose = Purpose::price,
      .place = 2,
      .summary = "an open model on your own chips against those who sell it",
      .groups = {{kUsual,
                  {model,
                   kMachine,
                   kPrice,
                   kPriceBasis,
                   {"--tokens-per-day", "tokens_per_day", "TOKENS", "demand, input and output together"},
                   kTpot.otherwise("50 ms"),
                   {"--sheet", "sheet", "SHEET",
                    "compare with this: a name (ridge list prices), or a file (TOML, or LiteLLM's price map)",
                    "all that sell the model"}}},
                 bought_options(),
                 without(load_options({.concurrency = "the cheapest within --tpot"}), {"rate"}),
                 layout_options(),
                 engine_options(),
                 serving_formats(),
                 output_options({kSvg.saying("draw margin against cache hits as SVG")}),
                 rare_options({kQuiet, kAssume})},
      .examples = {"ridge host llama-3.3-70b --on hgx-h100 --rate 50 --isl 4k --osl 500 --slo ttft=2s,tpot=50ms",
                   "ridge host llama-3.3-70b --on hgx-h100 --weights fp8 --tokens-per-day 2B",
                   "ridge host deepseek-v3 --on hgx-h200 --isl 4k --osl 500 --cached 0.5 --svg margin.svg",
                   "ridge host gpt-oss-120b --on hgx-h100 --tp 1 --price owned",
                   "ridge host llama-3.1-8b --on hgx-h100 --sheet examples/08-your-prices/sheet.toml --json"},
      .notes =
          "Without a layout: what ridge plan chooses within --tpot, or at --concurrency. With one and without "
          "--concurrency: the load that makes a token cheapest within --tpot. With --rate and --slo: the fleet that "
          "ridge plan buys for them, to the last figure.",
      .run = run_host};
}

}  // namespace ridge::cli
