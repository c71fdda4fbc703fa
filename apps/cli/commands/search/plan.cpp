// ridge plan: every layout there is, the frontier, the choice and the reason.

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "base/text/field_text.hpp"
#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "calibrate/evidence/measured_points.hpp"
#include "cli/options/flags.hpp"
#include "cli/options/option_groups.hpp"
#include "cli/options/option_reader.hpp"
#include "cli/output/early_end.hpp"
#include "cli/question/asked_fleet.hpp"
#include "cli/question/evidence.hpp"
#include "cli/question/fleet_options.hpp"
#include "cli/question/plan_request.hpp"
#include "cli/question/serving.hpp"
#include "report/search/fleet_text.hpp"
#include "report/search/plan_text.hpp"
#include "search/plan/prepared_plan.hpp"
#include "serve/answer_notes.hpp"
#include "serve/question/engine_setup.hpp"

namespace ridge::cli {

namespace {

std::optional<ServingAnswer> whole_answer(const PlanRequest& request, const std::optional<PlanPoint>& point,
                                          const Library& library, bool sensitivity) {
  if (!point) return {};
  ServingQuestion question = question_at(request, *point);
  question.sensitivity = sensitivity;
  const auto result = answer_serving(question, library);
  return result && result->answer ? result->answer : std::nullopt;
}

void in_flags(report::PlanReport& report, const Command& command) {
  in_flags(report.plan.notes, command);
  for (PlanRelaxation& one : report.plan.relaxations) one.say = in_flags(one.say, command);
  for (PlanOutlook& one : report.outlooks) one.say = in_flags(one.say, command);
  if (report.best) in_flags(report.best->notes, command);
  if (report.runner_up) in_flags(report.runner_up->notes, command);
}

Result<int> run_fleet(const Arguments& arguments, const PlanRequest& request, Program& program) {
  const auto fleet = asked_fleet(arguments, request, program);
  if (!fleet) return fail(fleet.error());
  if (!fleet->holds() && !arguments.has("svg")) return print_no_fleet(*fleet, arguments, program);
  const report::FleetReport& report = fleet->report;
  const auto code = print_with_svg(
      arguments,
      with_assumptions(arguments.json() ? report::fleet_json(report) : report::fleet_text(report, program.style),
                       arguments, program),
      [&] {
        std::vector<MeasuredPoint> measured;
        if (const auto& evidence = runs_compiled_in())
          measured = measured_points(report.answer.plan, *evidence, program.library);
        return report::to_svg(report::fleet_chart(report, measured));
      });
  if (!code || *code != kAnswered) return code;
  if (fleet->signal != 0) return kSignalled + fleet->signal;
  return fleet->holds() ? kAnswered : kNoAnswer;
}

Result<int> run_plan(const Arguments& arguments, Program& program) {
  const auto request = plan_request(arguments, program);
  if (!request) return fail(request.error());
  if (asks_for_fleet(arguments)) return run_fleet(arguments, *request, program);
  if (Errors about_fleets = without_fleet(arguments, "rate"); !about_fleets.empty()) return fail(about_fleets);
  const auto space = plan_space(*request, program.library);
  if (!space) return fail(space.error());
  report::PlanReport report;
  const auto start = std::chrono::steady_clock::now();
  report.plan = plan_answer(*space, search_all(*space));
  if (std::string note = left_out_of_all(arguments, program.library); !note.empty())
    report.plan.notes.push_back(std::move(note));
  if (program.style.color) {  // a clock in a file would differ from run to run
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  if (arguments.has("slo"))
    report.plan.notes.push_back(
        fmt::format("means stand for the percentiles of {}: {} has them simulated", field("slo"), field("rate")));
  report.best = whole_answer(report.plan.request, report.plan.search.best, program.library, true);
  report.runner_up = whole_answer(report.plan.request, report.plan.search.runner_up, program.library, false);
  report.bounds = frontier_bounds(report.plan.request, program.library);
  if (report.best) {
    const ServingAnswer& best = *report.best;
    if (std::string note = overlap_note(best.deployment, best.load, best.estimate); !note.empty())
      report.plan.notes.push_back(std::move(note));
  }
  if (arguments.has("what_if")) report.outlooks = outlooks(report.plan.request, program.library);
  if (report.best && arguments.has("commands")) report.commands = engine_commands(*report.best, program.library);
  in_flags(report, *arguments.command);
  const auto evidence = runs_compiled_in();
  if (evidence) report.measured = measured_points(report.plan, *evidence, program.library);
  const auto code = print_with_svg(
      arguments,
      with_assumptions(arguments.json() ? report::plan_json(report) : report::plan_text(report, program.style),
                       arguments, program),
      [&] { return report::to_svg(report::plan_chart(report)); });
  if (!code || *code != kAnswered) return code;
  return report.plan.search.best ? kAnswered : kNoAnswer;
}

}  // namespace

Command plan_command() {
  OptionGroup layout = without(layout_options(), {"replicas", "disaggregated", "prefill_layout", "prefill_on"});
  layout.title = "Layout (what is given is held, the rest is searched)";
  for (Option& option : layout.options) option.fallback = {};
  layout.options.insert(
      layout.options.end(),
      {{"--disaggregated", "disaggregated", "", "disaggregated prefill alone: on chips of its own", "", Reads::serving},
       {"--aggregated", "aggregated", "", "prefill beside decode alone"},
       {"--prefill-layout", "prefill_layout", "LAYOUT", "of the prefill chips, e.g. 'tp4' or 'dp8 ep8'", "the best",
        Reads::serving},
       {"--max-chips", "max_chips", "N", "most chips of a replica, of one that decodes and of one for prefill",
        "the scale-up domain, at most 256"}});
  OptionGroup engine = without(engine_options(), {"speculative_tokens", "token_budget"});
  engine.options.insert(engine.options.begin() + 1, {{"--speculative-tokens,--num-speculative-tokens",
                                                      "speculative_tokens", "N,N,...", "draft tokens to try", "0"},
                                                     {"--token-budget,--max-num-batched-tokens", "token_budget",
                                                      "N,N,...", "token budgets of a step to try", "8,192"}});
  return {
      .name = "plan",
      .purpose = Purpose::search,
      .place = 1,
      .summary = "how to deploy a model: every layout, the frontier, the choice",
      .groups = {{kUsual,
                  {kModelOrScenario,
                   {"--on", "machine", "MACHINES",
                    "machines, with commas between them, or all whose chips were measured (ridge list machines)"},
                   {"--prefill-on", "prefill_on", "MACHINES",
                    "prefill is disaggregated and on nodes of these; --decode-on (or --on) has the others"},
                   {"--decode-on", "decode_on", "MACHINES", "instead of --on, beside --prefill-on"},
                   {"--include-unmeasured", "include_unmeasured", "",
                    "all is all: also those whose chips nobody has measured"},
                   {"--ttft", "ttft", "TIME", "SLO: mean time to first token, at most"},
                   kTpot,
                   {"--objective", "objective", "AIM",
                    "cost, latency, chips or energy; cost also settles ties and chooses the prefill chips", "cost"},
                   {"--what-if", "what_if", "",
                    "what more bandwidth, memory, FLOP/s, links, lower precision or shorter prompts would bring, "
                    "searched again"}}},
                 fleet_options(),
                 without(load_options(), {"concurrency", "rate"}),
                 layout,
                 {"Formats and price",
                  {{"--weights", "weights", "FORMATS", "formats to try, with commas between them", "as released"},
                   kExperts,
                   {"--kv,--kv-cache-dtype", "kv", "FORMATS", "formats of the KV cache to try",
                    "what engines choose on the chip"},
                   kPrice,
                   kPriceBasis}},
                 engine,
                 output_options({kSvg.saying("draw the frontier as SVG"), kCommands}),
                 rare_options({kThreads.otherwise("all"), kQuiet, kAssume})},
      .examples = {"ridge plan deepseek-v3 --on gb200-nvl72 --isl 8k --osl 1k --ttft 2s --tpot 30ms",
                   "ridge plan llama-3.3-70b --on hgx-h100 --rate 50 --isl 4k --osl 500 --slo ttft=2s,tpot=50ms",
                   "ridge plan llama-3.3-70b --on hgx-h100 --budget '$50k/month' --isl 4k --slo ttft.p90=2s,tpot=50ms",
                   "ridge plan llama-3.3-70b --on hgx-h200 --rate 20 --slo ttft=3s,tpot=50ms --mix 'chat: 80% 1k/300, "
                   "agents: 20% 12k/800@90%'",
                   "ridge plan llama-3.3-70b --prefill-on hgx-h100 --decode-on hgx-h200 --rate 20 --isl 4k --osl 500 "
                   "--slo ttft=3s,tpot=50ms",
                   "ridge plan llama-3.1-70b --on hgx-h100 --tpot 20ms --weights fp8,bf16 --svg frontier.svg",
                   "ridge plan llama-3.1-8b --on hgx-b200 --tpot 5ms --max-chips 4 --what-if",
                   "ridge plan deepseek-v3 --on hgx-h200,gb200-nvl72,mi355x-8 --tpot 50ms --max-chips 32",
                   "ridge plan gpt-oss-120b --on all --isl 1k --osl 1k --tpot 10ms --objective chips",
                   "ridge plan deepseek-v3 --on gb200-nvl72 --tpot 20ms --speculative-tokens 0,1,2,3 --token-budget "
                   "4k,16k"},
      .notes =
          "Every layout that the model has on the machine is tried, with every load that fits, aggregated and "
          "disaggregated. --weights, --kv, --speculative-tokens and --token-budget take several values, each "
          "tried with each. The cost is the whole bill over the output tokens. Exit code 4 when nothing keeps "
          "the SLO; the nearest that can be kept are printed.",
      .run = run_plan};
}

}  // namespace ridge::cli
