// ridge schedule: a pipeline schedule through time, or all of them compared; no model needed.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/field_text.hpp"
#include "base/text/text.hpp"
#include "cli/options/flags.hpp"
#include "cli/options/option_groups.hpp"
#include "cli/options/option_reader.hpp"
#include "cli/program.hpp"
#include "report/train/schedule_text.hpp"

namespace ridge::cli {

namespace {

using train::Nanoseconds;
using train::PipelineAsked;
using train::ScheduleKind;

constexpr double kDefaultStageTime = 1e-3;  // seconds
constexpr Within kStageTime{.least = 0, .most = 86400};

/// The times of a flag: one for all stages, or one for each. Not given: those of `otherwise`.
std::vector<Nanoseconds> stage_times(OptionReader& reader, const Arguments& arguments, std::string_view key,
                                     const std::vector<Nanoseconds>& otherwise) {
  if (!arguments.has(key)) return otherwise;
  std::vector<Nanoseconds> times;
  for (const std::string& word : split(arguments.text(key), ',')) {
    if (const auto time = reader.parsed<Seconds<double>>(key, trimmed(word), kStageTime))
      times.push_back(std::llround(time->value() * 1e9));
  }
  if (times.empty()) times = otherwise;
  return times;
}

void read_stages(OptionReader& reader, const Arguments& arguments, PipelineAsked& asked) {
  const auto forward = stage_times(reader, arguments, "forward", {std::llround(kDefaultStageTime * 1e9)});
  const auto input_gradient = stage_times(reader, arguments, "input_gradient", forward);
  const auto weight_gradient = stage_times(reader, arguments, "weight_gradient", forward);
  const std::size_t count = std::max({forward.size(), input_gradient.size(), weight_gradient.size()});
  for (const auto* times : {&forward, &input_gradient, &weight_gradient}) {
    if (times->size() == 1 || times->size() == count) continue;
    const std::string_view key = times == &forward          ? "forward"
                                 : times == &input_gradient ? "input_gradient"
                                                            : "weight_gradient";
    reader.refuse(key, fmt::format("{} times, and {} elsewhere", times->size(), count),
                  "give one time, or as many everywhere");
    return;
  }
  const auto at = [](const std::vector<Nanoseconds>& times, std::size_t i) {
    return times.size() == 1 ? times[0] : times[i];
  };
  for (std::size_t i = 0; i < count; ++i)
    asked.stages.push_back({at(forward, i), at(input_gradient, i), at(weight_gradient, i)});
}

Result<PipelineAsked> asked_pipeline(const Arguments& arguments) {
  OptionReader reader(arguments);
  PipelineAsked asked;
  asked.ranks = arguments.whole("stages", asked.ranks);
  asked.microbatches = arguments.whole("microbatches", asked.microbatches);
  if (arguments.has("chunks")) asked.chunks = arguments.whole("chunks", 2);
  read_stages(reader, arguments, asked);
  if (const auto hop = reader.read<Seconds<double>>("hop", kStageTime)) asked.hop = std::llround(hop->value() * 1e9);
  asked.pair = reader.number("pair", 1, {.least = 0.1, .most = 10});
  asked.jitter = reader.number("jitter", 0, {.least = 0, .most = 10});
  asked.seed = static_cast<std::uint64_t>(reader.number("seed", 1, {.least = 0, .most = 9e15, .whole = true}));
  asked.tokens = arguments.whole("tokens", asked.tokens);
  if (!reader.errors().empty()) return fail(reader.errors());
  return asked;
}

Result<ScheduleKind> schedule_kind_named(const std::string& word) {
  if (const auto kind = train::schedule_kind(word)) return *kind;
  std::vector<std::string> known;
  for (const ScheduleKind kind : train::kScheduleKinds) known.emplace_back(word_of(kind));
  return fail({"schedule", fmt::format("no schedule is called \"{}\"", shortened(word)), suggestion(word, known)});
}

Result<int> run_all(const PipelineAsked& asked, const Arguments& arguments, const Program& program) {
  for (const std::string_view key : {"svg", "trace_out", "tokens"}) {
    if (arguments.has(key))
      return fail({std::string(key), "it is of one schedule, and none is named", "name one, e.g. ridge schedule 1f1b"});
  }
  std::vector<train::ScheduleRow> rows = compare_schedules(asked);
  bool any = false;
  for (train::ScheduleRow& row : rows) {
    any |= row.figures.has_value();
    row.refused = in_flags(row.refused, *arguments.command);
  }
  if (!any) return fail(rows.front().refused);
  return print(arguments.json() ? report::schedules_json(asked, rows)
                                : report::schedules_text(asked, rows, program.style));
}

Result<int> run_schedule(const Arguments& arguments, Program& program) {
  const auto asked = asked_pipeline(arguments);
  if (!asked) return fail(asked.error());
  if (!arguments.has("schedule")) return run_all(*asked, arguments, program);
  const auto kind = schedule_kind_named(arguments.text("schedule"));
  if (!kind) return fail(kind.error());
  if (arguments.has("tokens") && *kind != ScheduleKind::inference) {
    return fail({"tokens", "a training step passes every micro-batch once", "leave it out, or ask for inference"});
  }
  const auto answer = answer_schedule(*asked, *kind);
  if (!answer) return fail(answer.error());
  if (arguments.has("trace_out")) {
    if (const auto wrote = write(arguments.text("trace_out"), report::schedule_trace(*answer)); !wrote) return wrote;
  }
  return print_with_svg(
      arguments, arguments.json() ? report::schedule_json(*answer) : report::schedule_text(*answer, program.style),
      [&] { return report::schedule_svg(*answer); });
}

}  // namespace

Command schedule_command() {
  return {
      .name = "schedule",
      .purpose = Purpose::model,
      .place = 6,
      .summary = "pipeline schedules drawn: bubble, live micro-batches",
      .groups = {{kUsual,
                  {{"SCHEDULE", "schedule", "SCHEDULE",
                    "gpipe, 1f1b, interleaved, zb-h1, zb-h2, zb-v, dualpipe, dualpipev or inference", "all, compared"},
                   {"--stages", "stages", "N", "pipeline stages: ranks that a model is divided over", "8",
                    Reads::command, false, false, 1, 4096},
                   {"--microbatches", "microbatches", "N", "micro-batches of a step", "32", Reads::command, false,
                    false, 1, 1'000'000},
                   {"--chunks", "chunks", "N", "model chunks on each stage (interleaved)", "2", Reads::command, false,
                    false, 1, 64},
                   {"--tokens", "tokens", "N", "tokens that each micro-batch decodes (inference)", "1", Reads::command,
                    false, false, 1, 1'000'000}}},
                 {"Times of a stage and micro-batch: one for all, or one for each with commas",
                  {{"--forward", "forward", "TIMES", "forward pass, F", "1 ms"},
                   {"--input-gradient", "input_gradient", "TIMES", "gradient of the input, I", "as --forward"},
                   {"--weight-gradient", "weight_gradient", "TIMES", "gradient of the weights, W", "as --forward"},
                   {"--hop", "hop", "TIME", "between stages on different ranks", "0 s"},
                   {"--pair", "pair", "RATIO", "of a forward and a backward run together (DualPipe), over F + B", "1"},
                   {"--jitter", "jitter", "SHARE", "standard deviation of a stage's time over micro-batches", "0"},
                   {"--seed", "seed", "N", "of the jitter", "1"}}},
                 output_options({kSvg, {"--trace-out", "trace_out", "FILE", "write operations for ui.perfetto.dev"}}),
                 rare_options()},
      .examples = {"ridge schedule 1f1b --stages 8 --microbatches 32", "ridge schedule --stages 8 --microbatches 32",
                   "ridge schedule zb-v --stages 4 --microbatches 12 --svg zbv.svg",
                   "ridge schedule 1f1b --stages 4 --microbatches 8 --forward 1ms,1ms,1ms,2ms --hop 50us",
                   "ridge schedule dualpipe --microbatches 20 --pair 0.85 --trace-out dualpipe.json",
                   "ridge schedule inference --stages 4 --microbatches 2 --tokens 8"},
      .notes =
          "Every operation of every rank is simulated in whole nanoseconds; a closed form is printed beside it, with "
          "the "
          "reason where it does not hold (docs/theory/schedules.md). A time is that of a stage's whole share of the "
          "model: "
          "schedules with several chunks divide it; a list may also name every chunk, in the order of the model. "
          "--json holds the makespan, the bubble both ways and each rank's figures, in seconds (ridge.schedule/1; "
          "ridge.schedules/1 without SCHEDULE); --trace-out every operation.",
      .run = run_schedule};
}

}  // namespace ridge::cli
