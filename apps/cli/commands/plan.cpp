// ridge plan: every layout there is, the frontier, the choice and the reason.

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "base/field_text.hpp"
#include "base/text.hpp"
#include "base/unit_text.hpp"
#include "catalog/entries/racks.hpp"
#include "cli/evidence.hpp"
#include "cli/fleet_options.hpp"
#include "cli/options/flags.hpp"
#include "cli/options/option_groups.hpp"
#include "cli/options/option_reader.hpp"
#include "cli/output/early_end.hpp"
#include "cli/ridge_line.hpp"
#include "cli/serving.hpp"
#include "cli/simulate/run_progress.hpp"
#include "library/names.hpp"
#include "report/search/fleet_text.hpp"
#include "report/search/plan_text.hpp"
#include "search/plan/prepared_plan.hpp"
#include "serve/answer_notes.hpp"
#include "serve/question/engine_setup.hpp"

namespace ridge::cli {

namespace {

std::vector<std::optional<std::string>> read_formats(OptionReader& reader, std::string_view key,
                                                     const Library& library) {
  std::vector<std::optional<std::string>> out;
  for (const std::string& format : reader.words(key)) {
    if (find_named(library.formats, format) == nullptr)
      reader.refuse(key, fmt::format("unknown format \"{}\"", shortened(format)),
                    suggestion(format, names_of(library.formats)));
    out.emplace_back(format);
  }
  return out;
}

/// Machines of the catalog, by whether anybody has timed a kernel, a step or a served request on their chip.
struct MachinesByEvidence {
  std::vector<std::string> measured, unmeasured;
};
MachinesByEvidence machines_by_evidence(const Library& library) {
  MachinesByEvidence out;
  for (const Machine& machine : library.machines) {
    const MeasuredChip* chip = find_named(library.measured, machine.chip);
    const bool seen = chip != nullptr && (chip->kernels > 0 || chip->steps > 0 || !chip->runs.empty());
    (seen ? out.measured : out.unmeasured).push_back(machine.name);
  }
  return out;
}

/// What `all` leaves out, said; empty where machines were named.
std::string left_out_of_all(const Arguments& arguments, const Library& library) {
  const auto is_all = [&](const char* key) { return arguments.text(key) == "all"; };
  if (!is_all("machine") && !is_all("decode_on") && !is_all("prefill_on")) return "";
  const auto unmeasured = machines_by_evidence(library).unmeasured;
  if (unmeasured.empty()) return "";
  if (arguments.has("include_unmeasured"))
    return fmt::format("nobody has measured the chips of {}", joined(unmeasured, ", "));
  return fmt::format("left out of all, for nobody has measured their chips ({} or their names plan for them): {}",
                     field("include_unmeasured"), joined(unmeasured, ", "));
}

/// Machines that an option names, with commas between them.
std::vector<std::string> named_machines(OptionReader& reader, const char* key, const Library& library) {
  if (reader.arguments().text(key) == "all")
    return reader.arguments().has("include_unmeasured") ? names_of(library.machines)
                                                        : machines_by_evidence(library).measured;
  std::vector<std::string> names = reader.words(key);
  for (const std::string& name : names) {
    const auto named = whole_machine_named(library, name);
    if (named) continue;
    for (const Error& error : named.error()) reader.refuse(key, error.what, error.hint);
  }
  return names;
}

std::vector<std::string> read_machines(OptionReader& reader, const Library& library) {
  const Arguments& arguments = reader.arguments();
  if (arguments.has("machine") && arguments.has("decode_on"))
    reader.refuse("decode_on", fmt::format("stands beside {}", field("machine")), "give one of them");
  std::vector<std::string> names =
      named_machines(reader, arguments.has("decode_on") ? "decode_on" : "machine", library);
  if (!names.empty() || !reader.errors().empty()) return names;
  if (arguments.has("prefill_on")) {
    reader.refuse("decode_on", "which machine decodes?", "e.g. --decode-on hgx-h200, several with commas");
  } else {
    reader.refuse("machine", "which machine?", "e.g. --on gb200-nvl72, several with commas, or all");
  }
  return names;
}

/// Machines that prefill, where they are named apart.
std::vector<std::string> read_prefill_machines(OptionReader& reader, const Library& library) {
  const Arguments& arguments = reader.arguments();
  if (arguments.has("decode_on") && !arguments.has("prefill_on"))
    reader.refuse("decode_on", "and prefill?",
                  fmt::format("give {} as well, or {} for both", field("prefill_on"), field("machine")));
  if (arguments.has("prefill_on") && arguments.has("aggregated"))
    reader.refuse("aggregated", fmt::format("stands beside {}", field("prefill_on")),
                  "prefill on another machine is apart: leave it out");
  return named_machines(reader, "prefill_on", library);
}

template <class Q>
std::vector<double> plain_numbers(const std::vector<Q>& quantities) {
  std::vector<double> out;
  for (const Q& one : quantities) out.push_back(one.value());
  return out;
}

/// What is tried in several ways, and what is aimed at.
Result<PlanRequest> read_request(const Arguments& arguments, const Library& library) {
  OptionReader reader(arguments);
  PlanRequest request;
  const unsigned all = all_threads();
  request.threads = static_cast<unsigned>(arguments.whole("threads", static_cast<int>(all)));
  const auto is_all = [&](const char* key) { return arguments.text(key) == "all"; };
  if (arguments.has("include_unmeasured") && !is_all("machine") && !is_all("decode_on") && !is_all("prefill_on"))
    reader.refuse("include_unmeasured", "no option says all",
                  "machines that are named are planned for, measured or not");
  request.machines = read_machines(reader, library);
  request.prefill_machines = read_prefill_machines(reader, library);
  if (const auto slo = reader.take(asked_slo(arguments))) {
    request.ttft = shortest_limit(*slo, SloMetric::ttft);
    request.tpot = shortest_limit(*slo, SloMetric::tpot);
    request.e2e = shortest_limit(*slo, SloMetric::e2e);
  }
  if (const auto confidence = reader.take(asked_confidence(arguments))) request.confidence = *confidence;
  if (const auto chips = reader.read<Ratio<double>>("max_chips")) request.most_chips = chips->value();
  if (arguments.has("objective")) {
    if (const auto aim = reader.take(parse_objective(arguments.text("objective")))) request.objective = *aim;
  }
  if (arguments.has("weights")) request.weights = read_formats(reader, "weights", library);
  if (arguments.has("kv")) request.kv = read_formats(reader, "kv", library);
  if (arguments.has("speculative_tokens"))
    request.speculative_tokens = plain_numbers(reader.list<Ratio<double>>("speculative_tokens", kAnything));
  if (arguments.has("token_budget"))
    request.token_budgets = plain_numbers(reader.list<Tokens<double>>("token_budget", kAnything));
  request.aggregated = !arguments.has("disaggregated") && !arguments.has("prefill_on");
  request.disaggregated = !arguments.has("aggregated");
  if (!request.aggregated && !request.disaggregated)
    reader.refuse("aggregated", "stands beside --disaggregated", "leave one of them out, or both to try both");
  if (!reader.errors().empty()) return fail(reader.errors());
  return request;
}

Result<PlanRequest> plan_request(const Arguments& arguments, Program& program) {
  if (!arguments.has("model"))
    return fail({"model", "which model?", "e.g. ridge plan deepseek-v3 --on gb200-nvl72 (ridge list models)"});
  auto request = read_request(arguments, program.library);
  if (!request) return fail(request.error());
  Arguments first = arguments;  // a question has one machine: the first, until the search moves it
  first.given.insert(first.given.begin(), {"machine", request->machines.front(), Reads::scenario});  // before its price
  ServingQuestion asked;
  const auto scenario = scenario_of(program, first, arguments.text("model"));
  if (!scenario) return fail(scenario.error());
  asked.scenario = *scenario;
  const auto question = with_options(std::move(asked), first);
  if (!question) return fail(question.error());
  request->question = *question;
  return request;
}

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

/// What of a fleet's answer is to be said, the first lines first.
std::vector<std::string> fleet_notes(const FleetAnswer& answer) {
  std::vector<std::string> notes = answer.plan.notes;
  if (answer.stopped) notes.insert(notes.begin(), "stopped: what was found so far");
  const bool percentiles = std::any_of(answer.question.slo.begin(), answer.question.slo.end(),
                                       [](const SloTarget& target) { return !target.statistic.is_mean(); });
  if (!answer.question.simulates && percentiles)
    notes.push_back("the closed form knows no percentiles: its means stand for them");
  if (answer.fleets.empty()) return notes;
  const bool simulated = answer.fleets.front().simulated.has_value();
  for (const std::string& note : answer.fleets.front().closed.notes) {
    const bool said =
        std::any_of(notes.begin(), notes.end(), [&](const std::string& one) { return one.ends_with(note); });
    // how busy prefill is the simulator finds
    if (!said && !(simulated && note == prefill_busy_note())) notes.push_back(note);
  }
  if (answer.question.trace) {
    const auto& more = answer.question.trace->notes;
    notes.insert(notes.end(), more.begin(), more.end());
  } else if (answer.question.mix) {
    notes.push_back(
        "requests come at random (Poisson); the closed form screens with their means, the simulator decides");
  } else if (answer.question.simulates) {
    notes.push_back("requests come at random (Poisson), all of one length, and go to the replica with the least to do");
  }
  return notes;
}

/// What an answer hangs on and the question keeps no text of, as it was given.
std::string given_again(const Arguments& arguments) {
  std::string out;
  for (const auto& [flag, key] :
       {std::pair{"--price", "price"}, {"--price-basis", "price_basis"}, {"--prefill-price", "prefill_price"}}) {
    if (arguments.has(key)) out += fmt::format(" {} {}", flag, shell_word(arguments.text(key)));
  }
  return out;
}

/// The simulation of a fleet, as a line that gives its figures again.
std::string simulate_line(const FleetQuestion& question, const PlannedFleet& fleet, const Arguments& arguments) {
  ServingQuestion q = fleet.closed.question;
  if (!fleet.simulated) return ridge_line("why", q) + given_again(arguments);
  const double isl = q.isl, cached = q.cached;
  if (question.mix || question.trace) q.isl = q.osl = 0;  // those say it
  const FleetSlice& slice = fleet.simulated->slice;
  q.replicas = slice.replicas;
  q.rate = slice.rate;
  if (question.trace) q.rate.reset();
  std::string line = ridge_line("simulate", q);
  if (fleet.point.disaggregated) line += fmt::format(" --prefill-replicas {:g}", slice.prefill_replicas);
  if (question.trace)
    return line +
           fmt::format(" --trace {} --speed {}", shell_word(arguments.text("trace")),
                       fleet.rate / simulate::own_rate(*question.trace)) +
           given_again(arguments);
  if (question.mix) {
    line += " --mix " + shell_word(arguments.text("mix"));
  } else if (cached > 0) {
    line += fmt::format(" --system-prompts 1 --system-tokens {:.0f}", std::round(cached * isl));
  }
  return line + fmt::format(" --requests {}", slice.requests) + given_again(arguments);
}

Result<int> run_fleet(const Arguments& arguments, const PlanRequest& request, Program& program) {
  const auto question = fleet_question(arguments, request);
  if (!question) return fail(question.error());
  const auto start = std::chrono::steady_clock::now();
  RunProgress progress(0, 0, arguments.has("quiet"));
  stop_when_asked();
  auto answer = plan_fleet(*question, program.library,
                           [&](std::uint64_t, std::int64_t requests) { return progress.go_on(requests); });
  progress.end();
  const int signal = take_stop();
  if (!answer) return fail(answer.error());
  report::FleetReport report;
  report.notes = fleet_notes(*answer);
  if (std::string note = left_out_of_all(arguments, program.library); !note.empty())
    report.notes.push_back(std::move(note));
  if (program.style.color)
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const auto& evidence = runs_compiled_in();
  if (!answer->fleets.empty() && answer->fleets.front().holds) {
    const PlannedFleet& best = answer->fleets.front();
    const PlanMachine& machine = answer->plan.machines[best.point.machine];
    const auto racks = catalog::read_racks(*program.facts);
    const auto powered = [&](const PlanMachine* one) {
      return PoweredMachine{one, one != nullptr && racks ? find_named(*racks, one->name) : nullptr};
    };
    report.power = power_of(best, powered(&machine), powered(prefill_machine_of(answer->plan, best.point)));
    if (evidence) report.nearest = nearest_run(best.closed, *evidence, program.library);
    report.line = simulate_line(answer->question, best, arguments);
    if (arguments.has("commands"))
      report.commands = engine_commands(best.closed, program.library, best.prefill_at_work);
  }
  in_flags(report.notes, *arguments.command);
  for (PlanRelaxation& one : answer->plan.relaxations) one.say = in_flags(one.say, *arguments.command);
  report.answer = std::move(*answer);
  const auto code = print_with_svg(
      arguments,
      with_assumptions(arguments.json() ? report::fleet_json(report) : report::fleet_text(report, program.style),
                       arguments, program),
      [&] {
        report::PlanReport drawn;
        drawn.plan = report.answer.plan;
        if (evidence) drawn.measured = measured_points(drawn.plan, *evidence, program.library);
        return report::to_svg(report::plan_chart(drawn));
      });
  if (!code || *code != kAnswered) return code;
  if (signal != 0) return kSignalled + signal;
  return !report.answer.fleets.empty() && report.answer.fleets.front().holds ? kAnswered : kNoAnswer;
}

Result<int> run_plan(const Arguments& arguments, Program& program) {
  const auto request = plan_request(arguments, program);
  if (!request) return fail(request.error());
  if (asks_for_fleet(arguments)) return run_fleet(arguments, *request, program);
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
