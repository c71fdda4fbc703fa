// ridge simulate: requests through time.

#include <fmt/format.h>

#include "base/text/field_text.hpp"
#include "base/text/text.hpp"
#include "cli/options/flags.hpp"
#include "cli/options/option_groups.hpp"
#include "cli/output/early_end.hpp"
#include "cli/question/defaults.hpp"
#include "cli/question/serving.hpp"
#include "cli/simulate/run_files.hpp"
#include "cli/simulate/run_progress.hpp"
#include "cli/simulate/simulation_options.hpp"
#include "simulate/answer/answer.hpp"
#include "simulate/answer/many_runs.hpp"

namespace ridge::cli {

namespace {

using simulate::ReadySimulation;
using simulate::SimulationAnswer;
using simulate::SimulationResult;

/// The rate that is looked for; the client then sends at it.
Result<bool> search_rate(const AskedSimulation& asked, bool quiet, const Library& library, SimulationAnswer& answer) {
  simulate::RateQuestion question;
  question.setup = answer.asked.simulated.setup;
  question.targets = asked.question.targets;
  question.share = asked.share;
  question.capacity = answer.asked.capacity.value_or(1);
  question.requests = asked.requests;
  question.threads = asked.threads;
  RunProgress progress(0, 0, quiet);
  answer.search = simulate::find_rate(question, [&](std::int64_t finished) { return progress.go_on(finished); });
  progress.end();
  if (!answer.search->rate) return true;
  simulate::SimulationQuestion there = asked.question;
  there.client = simulate::at_rate(question, *answer.search->rate, answer.search->alone.e2e.mean).client;
  auto readiness = simulate::ready(there, library);  // with the closed form at that rate
  if (!readiness) return fail(readiness.error());
  answer.asked = std::move(*readiness->ready);
  return true;
}

/// Every seed's run; the first one's result stands in the answer.
void run_seeds(const AskedSimulation& asked, bool quiet, RunFiles& files, SimulationAnswer& answer) {
  std::vector<simulate::SimulationSetup> setups(asked.seeds, answer.asked.simulated.setup);
  std::vector<simulate::MixedRequests> drawn(asked.mix ? asked.seeds : 0);  // each seed draws its own
  for (std::size_t i = 0; i < setups.size(); ++i) {
    setups[i].seed = asked.question.seed + i;
    if (!asked.mix || i == 0) continue;
    drawn[i] =
        simulate::mixed_requests(*asked.mix, *asked.question.serving.rate, setups[i].client.requests, setups[i].seed);
    setups[i].client.arrivals = simulate::Replay{&drawn[i].trace, 1};
  }
  std::vector<std::vector<simulate::RunFigure>> figures(asked.seeds);
  RunProgress progress(asked.seeds, setups.front().client.requests, quiet);
  simulate::Onlookers of_first = files.onlookers();
  std::optional<simulate::ClassSamples> classes;
  if (asked.mix) {
    classes.emplace(*asked.mixed, asked.mix->classes.size());
    of_first.finished = [&, before = of_first.finished](const simulate::RequestOutcome& one) {
      classes->add(one);
      if (before) before(one);
    };
  }
  const simulate::ManyOnlookers look{std::move(of_first), [&](std::size_t run, std::int64_t finished) {
                                       return progress.go_on(run, finished) && !(run == 0 && files.failed());
                                     }};
  std::vector<char> whole(asked.seeds);  // runs that were not stopped
  simulate::simulate_all(setups, asked.question.targets, asked.threads, look,
                         [&](std::size_t i, SimulationResult result) {
                           figures[i] = figures_of(result);
                           whole[i] = !result.stopped;
                           if (i == 0) answer.result = std::move(result);
                         });
  progress.end();
  answer.mix = asked.mix;
  if (classes) answer.classes = classes->spreads();
  std::vector<std::vector<simulate::RunFigure>> done;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    if (whole[i] != 0) done.push_back(std::move(figures[i]));
  }
  answer.seeds = done.size();
  if (done.size() > 1) answer.over_seeds = over_seeds(done);
}

/// How far TTFT may be off near saturation: two more runs.
void look_nearby(const AskedSimulation& asked, bool quiet, SimulationAnswer& answer) {
  const bool is_near = answer.asked.closed_load >= simulate::kNearSaturation || answer.result.busy > 0.9;
  if (!is_near || !asked.question.client.is_open() || answer.result.saturated || answer.result.stopped) return;
  RunProgress progress(0, 0, quiet);
  auto range = simulate::ttft_range(answer.asked.simulated.setup, asked.threads,
                                    [&](std::int64_t finished) { return progress.go_on(finished); });
  progress.end();
  if (!range.stopped) answer.near = range;
}

void add_notes(const AskedSimulation& asked, const Command& command, SimulationAnswer& answer) {
  std::vector<std::string> notes = asked.notes, more = notes_of(answer);
  notes.insert(notes.end(), more.begin(), more.end());
  if (answer.result.stopped) {
    notes.insert(notes.begin(),
                 fmt::format("stopped: {} of {} requests were answered",
                             with_commas(static_cast<double>(answer.result.finished)),
                             with_commas(static_cast<double>(answer.asked.simulated.setup.client.requests))));
  }
  note_defaults(notes, asked.taken);
  in_flags(notes, command);
  answer.notes = std::move(notes);
}

/// The answer with its files.
Result<int> run_answer(const AskedSimulation& asked, ReadySimulation ready, const Arguments& arguments,
                       const Program& program) {
  auto files = RunFiles::open(arguments.text("csv"), arguments.text("trace_out"), ready.simulated.setup);
  if (!files) return fail(files.error());
  SimulationAnswer answer;
  answer.asked = std::move(ready);
  stop_when_asked();
  if (asked.find_rate) {
    if (const auto good = search_rate(asked, arguments.has("quiet"), program.library, answer); !good)
      return fail(good.error());
  }
  const bool none = answer.search && !answer.search->rate;
  if (!none) {
    run_seeds(asked, arguments.has("quiet"), *files, answer);
    look_nearby(asked, arguments.has("quiet"), answer);
  }
  const int signal = take_stop();  // then what is done is printed
  add_notes(asked, *arguments.command, answer);
  if (!none) {
    if (const auto good = files->finish(answer.result); !good) return fail(good.error());
  }
  if (arguments.has("svg") && (!none || !answer.search->points.empty())) {
    const auto picture = none ? report::SimulationPicture::load : asked.picture;
    if (const auto wrote = write_svg(arguments.text("svg"), simulation_svg(answer, picture)); !wrote) return wrote;
  }
  std::string out = arguments.json() ? report::simulation_json(answer)
                    : none           ? report::no_rate_text(answer, program.style)
                                     : report::simulation_text(answer, program.style);
  if (const int code = print(with_assumptions(std::move(out), arguments, program)); code != kAnswered) return code;
  if (signal != 0) return kSignalled + signal;
  return none ? kNoAnswer : kAnswered;
}

Result<int> run_simulate(const Arguments& arguments, Program& program) {
  const auto asked = asked_simulation(arguments, program);
  if (!asked) return fail(asked.error());
  auto readiness = simulate::ready(asked->question, program.library);
  if (!readiness) return fail(readiness.error());
  if (readiness->shortfall) {
    ServingQuestion serving = asked->question.serving;
    return print_shortfall(*readiness->shortfall, serving, arguments, program);
  }
  return run_answer(*asked, std::move(*readiness->ready), arguments, program);
}

}  // namespace

Command simulate_command() {
  OptionGroup engine = engine_options();
  engine.options.push_back(kFrom);
  OptionGroup layout = layout_options();
  layout.options.push_back({"--prefill-replicas", "prefill_replicas", "N",
                            "copies of the prefill layout (--disaggregated)", "as many as keep up", Reads::command,
                            false, false, 1, 4096});
  return {
      .name = "simulate",
      .purpose = Purpose::answer,
      .place = 3,
      .summary = "requests through time: TTFT, TPOT and queues as distributions",
      .groups = {{kUsual, {kModelOrScenario, kMachine}},
                 without(load_options(), {"cached"}),
                 {"SLO",
                  {{"--slo", "slo", "TIMES", "latencies promised of a request, e.g. ttft=2s,tpot=30ms,e2e=20s"},
                   {"--find-rate", "find_rate", "", "the highest request rate that keeps --slo"},
                   {"--slo-share", "slo_share", "SHARE", "of requests that have to keep it, for --find-rate", "0.99"}}},
                 client_options(),
                 layout,
                 engine,
                 scheduler_options(),
                 serving_formats(),
                 {"Price", {kPrice, kPriceBasis, kUtilization}},
                 output_options({kSvg,
                                 {"--chart", "chart", "WHAT",
                                  "what the chart shows: latency, timeline, or load with --find-rate", "latency"},
                                 {"--csv", "csv", "FILE", "write every request as a row"},
                                 {"--trace-out", "trace_out", "FILE", "write steps and requests for ui.perfetto.dev"},
                                 kThreads.otherwise("all"),
                                 kQuiet}),
                 rare_options({kAssume})},
      .examples =
          {"ridge simulate gpt-oss-20b --on hgx-h100 --tp 1 --isl 1k --osl 128 --concurrency 16",
           "ridge simulate llama-3.1-8b --on hgx-h100 --osl 200 --rate 12 --slo ttft=500ms,tpot=20ms",
           "ridge simulate llama-3.1-8b --on hgx-h100 --osl 100 --slo ttft=1s --find-rate --requests 500 "
           "--svg knee.svg",
           "ridge simulate gpt-oss-120b --on hgx-h100 --tp 4 --client inferencex --concurrency 32 --osl 256",
           "ridge simulate llama-3.1-8b --on hgx-h100 --sessions 32 --turns 6 --isl 500 --osl 200 --think 2s",
           "ridge simulate llama-3.1-8b --on hgx-h100 --rate 8 --mix 'chat: 80% 1k/200, agents: 20% 8k/400@90%'",
           "ridge simulate --from 'vllm serve openai/gpt-oss-20b --max-num-seqs 64' --on hgx-h100 --osl 200 "
           "--rate 8 --csv requests.csv --trace-out run.json"},
      .notes =
          "What engines' schedulers, clients and queues make of our step times (docs/simulate.md). As benchmarked: "
          "every request counts; steady: without the first wave and the last. The same seed gives the same bytes. "
          "Exit code 4 when it does not fit, or when no rate keeps the SLO.",
      .run = run_simulate};
}

}  // namespace ridge::cli
