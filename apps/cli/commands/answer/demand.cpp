// ridge demand: how many people it takes to keep a deployment busy.

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "cli/options/flags.hpp"
#include "cli/options/option_groups.hpp"
#include "cli/options/option_reader.hpp"
#include "cli/program.hpp"
#include "cli/question/asked_fleet.hpp"
#include "cli/question/defaults.hpp"
#include "cli/question/fleet_options.hpp"
#include "cli/question/hosted_for.hpp"
#include "report/price/money/demand_text.hpp"

namespace ridge::cli {

namespace {

Result<DemandQuestion> demand_question(const Arguments& arguments, Program& program) {
  DemandQuestion question;
  question.law = arguments.text("expert_law");
  OptionReader reader(arguments);
  reader.read_into<TokensPerSecond<double>>(question.per_user, "per_user");
  question.streams = reader.list<Ratio<double>>("concurrency");
  auto scenario = reader.take(scenario_of(program, arguments, arguments.text("model")));
  if (!reader.errors().empty()) return fail(reader.errors());
  question.scenario = std::move(*scenario);
  for (const GivenInput& one : question.scenario.given) question.given_batch |= one.key == "batch";
  return question;
}

/// The deployment of `ridge host` for prompts as long as the context; a batch is the roofline's alone.
std::optional<Result<ServingResult>> served_for(const DemandQuestion& question, const Library& library) {
  const auto resolved = resolve(question.scenario, library);  // what is wrong with it the answer says itself
  if (!resolved) return std::nullopt;
  Scenario scenario = question.scenario;
  std::erase_if(scenario.given, [](const GivenInput& one) { return one.key == "context" || one.key == "batch"; });
  return hosted_for(scenario, resolved->numbers.context.value(), library);
}

/// `fleet`: that it stands on, or null.
Result<int> print_demand(const DemandQuestion& question, const FleetAnswer* fleet, const Arguments& arguments,
                         const Program& program) {
  auto answer = answer_demand(question, program.library);
  if (!answer) return fail(answer.error());
  note_defaults(answer->notes, program.taken);
  in_flags(answer->notes, *arguments.command);
  return print_with_svg(arguments,
                        with_assumptions(arguments.json() ? report::demand_json(*answer, fleet)
                                                          : report::demand_text(*answer, program.style, fleet),
                                         arguments, program),
                        [&] { return report::to_svg(report::demand_chart(*answer)); });
}

Result<int> run_demand(const Arguments& arguments, Program& program) {
  if (Errors wrong = loads_without_fleet(arguments); !wrong.empty()) return fail(std::move(wrong));
  auto question = demand_question(arguments, program);
  if (!question) return fail(question.error());
  if (!asks_for_bought(arguments)) {
    if (auto served = served_for(*question, program.library); served && *served)
      question->served = std::move((*served)->answer);
    return print_demand(*question, nullptr, arguments, program);
  }
  // what is wrong beside the fleet is told before seconds of planning it
  if (const auto without = answer_demand(*question, program.library); !without) return fail(without.error());
  return on_bought(arguments, {"batch", "context", "chips", "concurrency", "utilization", "set"}, program,
                   [&](const AskedFleet& fleet) -> Result<int> {
                     auto replica = replica_of(fleet, program.library);
                     if (!replica) return fail(replica.error());
                     question->served = std::move(*replica);
                     question->fleet = bought_fleet(fleet.report.answer);
                     return print_demand(*question, &fleet.report.answer, arguments, program);
                   });
}

}  // namespace

Command demand_command() {
  return {.name = "demand",
          .purpose = Purpose::answer,
          .place = 5,
          .summary = "how many users keep a deployment busy, and what they pay for",
          .groups = {{kUsual,
                      {kModelOrScenario.otherwise("deepseek-v3 on gb200-nvl72"),
                       kMachine,
                       kChips,
                       kBatch.otherwise("the batch that balances compute and memory"),
                       kContext,
                       {"--per-user", "per_user", "RATE", "tokens a user asks for on average", "'10k tok/d', assumed"},
                       {"--concurrency", "concurrency", "N,N,...", "requests in flight, for the curves of sparsity",
                        "64 to 32,768 and any number"},
                       {"--expert-law", "expert_law", "NAME", "how good more experts are (ridge list laws)",
                        "clark-2022"}}},
                     bought_options(),
                     without(load_options(), {"concurrency", "rate"}),
                     {"Formats and price", {kWeights, kKv, kPrice, kPriceBasis, kUtilization}},
                     output_options({kSvg.saying("draw cost against sparsity as SVG")}),
                     rare_options({kSet, kAssume, kQuiet})},
          .examples = {"ridge demand llama-3.3-70b --on hgx-h100 --rate 50 --isl 4k --osl 500 --slo ttft=2s,tpot=50ms",
                       "ridge demand deepseek-v3 --on gb200-nvl72 --kv fp8",
                       "ridge demand llama-3.1-70b --on hgx-h100 --batch 64 --context 4k",
                       "ridge demand deepseek-v3 --on gb200-nvl72 --concurrency 100,1k,10k,100k --svg users.svg"},
          .run = run_demand};
}

}  // namespace ridge::cli
