#include "cli/question/asked_fleet.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cctype>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "catalog/entries/racks.hpp"
#include "cli/options/flags.hpp"
#include "cli/output/early_end.hpp"
#include "cli/question/evidence.hpp"
#include "cli/question/fleet_options.hpp"
#include "cli/question/measured_like.hpp"
#include "cli/question/plan_request.hpp"
#include "cli/ridge_line.hpp"
#include "cli/simulate/run_progress.hpp"
#include "serve/answer_notes.hpp"
#include "serve/question/engine_setup.hpp"

namespace ridge::cli {

namespace {

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
  if (simulated && answer.fleets.front().simulated->refused > 0)
    notes.insert(notes.begin(),
                 fmt::format("{} of {} requests are refused: {}", answer.fleets.front().simulated->refused,
                             answer.fleets.front().simulated->slice.requests, simulate::why_refused()));
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

/// "--slo ttft=2s,tpot=11.2ms": what a point would keep, where that is more than was asked for.
std::string relaxed_slo(const std::vector<SloTarget>& slo, const PlanPoint& point) {
  std::vector<std::string> all;
  for (const SloTarget& target : slo) {
    double limit = target.limit.value();
    if (target.metric == SloMetric::ttft) limit = std::max(limit, point.ttft * point.ttft_margin);
    if (target.metric == SloMetric::tpot) limit = std::max(limit, point.tpot * point.tpot_margin);
    const double step = std::pow(10.0, std::floor(std::log10(limit)) - 3);  // four digits, and never less than it takes
    const double shown = limit > target.limit.value() ? step * std::ceil(limit / step) : limit;
    std::string name(name_of(target.metric));
    for (char& one : name) one = static_cast<char>(std::tolower(static_cast<unsigned char>(one)));
    if (target.statistic != SloStatistic{}) name += "." + name_of(target.statistic);
    all.push_back(fmt::format("{}={:.6g}ms", name, 1e3 * shown));
  }
  return "--slo " + joined(all, ",");
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

/// What has to be said before any figure: a run like it that was far off, and prompts that no engine takes.
std::vector<std::string> fleet_cautions(const PlannedFleet& best, const std::optional<NearestRun>& nearest) {
  constexpr std::size_t kWidest = kLevels.size() - 1;
  std::vector<std::string> out;
  if (std::string note = beyond_context(best.closed.ground(), best.closed.load); !note.empty())
    out.push_back(std::move(note));
  if (nearest && best.closed.errors.known) {
    const double measured = nearest->row->tpot;
    const FigureInterval at = best.closed.errors.around(nearest->predicted, SpreadFigure::tpot, kWidest);
    if (measured < at.low || measured > at.high)
      out.push_back(
          fmt::format("caution: the nearest measured run has a TPOT of {:.3g} ms where {:.3g} ms are predicted, "
                      "outside the {:.0f} % interval (below)",
                      measured * 1e3, nearest->predicted * 1e3, 100 * kLevels[kWidest]));
  }
  return out;
}

/// The same question put to another command, of the machine that was chosen; empty where that one does not take all of it.
std::string continued_line(std::string_view name, const Arguments& arguments, const PlanRequest& request,
                           const std::string& machine) {
  constexpr std::array kOfOutput = {"json", "plain", "svg", "commands", "quiet", "threads"};
  const Command& command = command_named(name);
  const Given* model = nullptr;
  std::string out;
  for (const Given& given : arguments.given) {
    if (std::find(kOfOutput.begin(), kOfOutput.end(), given.key) != kOfOutput.end()) continue;
    const Option* option = find_option(command, given.key);
    if (given.key == "machine" || given.key == "include_unmeasured") continue;
    if (option == nullptr || (!option->is_switch() && given.text.find(',') != std::string::npos && given.key != "slo"))
      return "";
    if (!option->is_flag()) {
      model = &given;
      continue;
    }
    out += fmt::format(" {}", option->flag());
    if (!option->is_switch()) out += " " + shell_word(given.text);
  }
  if (model == nullptr) return "";
  if (!arguments.has("isl")) out += fmt::format(" --isl {}", request.question.isl);
  if (!arguments.has("osl")) out += fmt::format(" --osl {}", request.question.osl);
  return fmt::format("ridge {} {} --on {}{}", name, shell_word(model->text), machine, out);
}

void describe_choice(report::FleetReport& report, const Arguments& arguments, const Program& program) {
  const FleetAnswer& answer = report.answer;
  const PlannedFleet& best = answer.fleets.front();
  const PlanMachine& machine = answer.plan.machines[best.point.machine];
  const auto racks = catalog::read_racks(*program.facts);
  const auto powered = [&](const PlanMachine* one) {
    return PoweredMachine{one, one != nullptr && racks ? find_named(*racks, one->name) : nullptr};
  };
  report.power = power_of(best, powered(&machine), powered(prefill_machine_of(answer.plan, best.point)));
  if (const auto& evidence = runs_compiled_in())
    report.nearest = nearest_of_kind(best.closed, *evidence, program.library);
  report.cautions = fleet_cautions(best, report.nearest);
  std::erase(report.notes, beyond_context(best.closed.ground(), best.closed.load));  // said already
  report.line = simulate_line(answer.question, best, arguments);
  if (arguments.has("commands")) {
    const FleetSize& size = best.point.fleet;
    report.commands = engine_commands(best.closed, program.library, {size.replicas, size.prefill_replicas});
  }
  if (arguments.command->name != "plan") return;
  report.host_line = continued_line("host", arguments, answer.plan.request, machine.name);
  report.price_line = continued_line("price", arguments, answer.plan.request, machine.name);
  report.demand_line = continued_line("demand", arguments, answer.plan.request, machine.name);
  report.tier_line = continued_line("tier", arguments, answer.plan.request, machine.name);
}

}  // namespace

Result<AskedFleet> asked_fleet(const Arguments& arguments, PlanRequest request, Program& program) {
  const auto question = fleet_question(arguments, std::move(request));
  if (!question) return fail(question.error());
  if (const auto writable = svg_writable(arguments); !writable) return fail(writable.error());
  const auto start = std::chrono::steady_clock::now();
  RunProgress progress(0, 0, arguments.has("quiet"));
  stop_when_asked();
  auto answer = plan_fleet(*question, program.library,
                           [&](std::uint64_t, std::int64_t requests) { return progress.go_on(requests); });
  progress.end();
  AskedFleet out;
  out.signal = take_stop();
  if (!answer) return fail(answer.error());
  report::FleetReport& report = out.report;
  report.notes = fleet_notes(*answer);
  if (std::string note = left_out_of_all(arguments, program.library); !note.empty())
    report.notes.push_back(std::move(note));
  if (program.style.color)
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  in_flags(report.notes, *arguments.command);
  for (PlanRelaxation& one : answer->plan.relaxations) {
    one.say = arguments.has("slo") ? relaxed_slo(question->slo, one.point) : in_flags(one.say, *arguments.command);
  }
  report.answer = std::move(*answer);
  if (out.holds()) describe_choice(report, arguments, program);
  return out;
}

bool asks_for_bought(const Arguments& arguments) { return arguments.has("rate") || arguments.has("slo"); }

Result<AskedFleet> bought_beside(const Arguments& arguments, std::initializer_list<std::string_view> no_room,
                                 Program& program) {
  if (Errors wrong = beside_fleet(arguments, no_room); !wrong.empty()) return fail(std::move(wrong));
  auto request = plan_request(arguments, program);
  if (!request) return fail(request.error());
  return asked_fleet(arguments, std::move(*request), program);
}

Result<int> on_bought(const Arguments& arguments, std::initializer_list<std::string_view> no_room, Program& program,
                      const std::function<Result<int>(const AskedFleet&)>& go_on) {
  const auto fleet = bought_beside(arguments, no_room, program);
  if (!fleet) return fail(fleet.error());
  return fleet->holds() ? go_on(*fleet) : print_no_fleet(*fleet, arguments, program);
}

Result<ServingAnswer> replica_of(const AskedFleet& fleet, const Library& library) {
  const auto deployed = deployed_in(fleet.report.answer, library);
  if (!deployed) return fail(deployed.error());
  auto result = answer_at(deployed->question, deployed->deployment, deployed->load, library);
  if (!result) return fail(result.error());
  assert(result->answer);  // the fleet was judged with it
  return std::move(*result->answer);
}

Result<int> print_no_fleet(const AskedFleet& fleet, const Arguments& arguments, const Program& program) {
  const std::string text =
      arguments.json() ? report::fleet_json(fleet.report) : report::fleet_text(fleet.report, program.style);
  const int code = print(with_assumptions(text, arguments, program));
  if (code != kAnswered) return code;
  return fleet.signal != 0 ? kSignalled + fleet.signal : kNoAnswer;
}

}  // namespace ridge::cli
