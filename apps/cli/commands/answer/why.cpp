// ridge why: the decode step, its cost and its reasons.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "catalog/question/scenario_text.hpp"
#include "cli/answer_page.hpp"
#include "cli/options/flags.hpp"
#include "cli/options/option_groups.hpp"
#include "cli/options/option_reader.hpp"
#include "cli/question/serving.hpp"
#include "report/derive/derivation.hpp"
#include "report/roofline/why_json.hpp"
#include "report/roofline/why_text.hpp"
#include "roofline/bounds.hpp"
#include "roofline/readings.hpp"

namespace ridge::cli {

namespace {

Result<std::vector<RangedInput>> why_ranges(const Arguments& arguments, const ResolvedCase& resolved) {
  std::vector<RangedInput> ranges;
  Errors errors;
  for (const std::string& text : arguments.all("range")) {
    const auto range = catalog::split_range(text, "range");
    if (!range) return fail(range.error());
    const auto indices = input_indices(range->key, resolved, "range");
    if (!indices) return fail(indices.error());
    for (const std::size_t index : *indices) {
      const auto values = checked_range(*range, input_info(index), input_dimension(index));
      if (!values) {
        append(errors, values.error());
        continue;
      }
      ranges.push_back({index, *values});
    }
  }
  if (!errors.empty()) return fail(std::move(errors));
  double fewest_experts = resolved.numbers.experts.value(), most_used = resolved.numbers.experts_per_token.value();
  for (const RangedInput& range : ranges) {
    if (input_info(range.index).key == "experts.count") fewest_experts = range.values.low;
    if (input_info(range.index).key == "experts.per_token") most_used = range.values.high;
  }
  if (most_used > fewest_experts) {
    return fail({"range", fmt::format("a token cannot use {:g} of {:g} experts", most_used, fewest_experts),
                 "keep experts.per_token at or below experts.count over the whole range"});
  }
  return ranges;
}

Result<std::size_t> figure_named(const std::string& name) {
  std::vector<std::string> keys = output_keys();
  const auto found = std::find(keys.begin(), keys.end(), name == "step" ? "step_time" : name);
  if (found != keys.end()) return static_cast<std::size_t>(found - keys.begin());
  keys.emplace_back("step");
  return fail({"derive", fmt::format("unknown figure \"{}\"", shortened(name)),
               suggestion(name, keys) + " (ridge list figures shows all)"});
}

std::string derivation_of(std::size_t figure, int depth, const WhyAnswer& answer, const Program& program) {
  const auto figures = output_values(estimate_decode(report::traced_case(answer.resolved)));
  return report::derivation_text(report::derive(figures[figure], depth), report::derivation_inputs(answer.resolved),
                                 program.library, program.style);
}

std::string figures_csv(const WhyAnswer& answer) {
  std::string out = "figure,value,unit,class\n";
  const auto values = output_values(answer.estimate);
  for (std::size_t i = 0; i < kDecodeOutputs; ++i) {
    out += fmt::format("{},{},{},bound\n", output_info(i).key,
                       std::isfinite(values[i]) ? fmt::format("{}", values[i]) : "", unit_name(output_dimension(i)));
  }
  return out;
}

/// What to try next, for whoever typed `ridge` alone.
std::string next_steps(const Scenario& scenario) {
  return fmt::format(
      "\nthis was: ridge why {} --on {} --kv {}\nnext: --derive step, --sensitivity; ridge curve batch; ridge "
      "claims; --help\n",
      scenario.model, scenario.machine, *scenario.kv);
}

Result<int> run_why(const Arguments& arguments, Program& program) {
  if (asks_serving(arguments)) return run_serving(arguments, program);
  const bool json = arguments.json(), csv = arguments.has("csv"), derive = arguments.has("derive");
  const bool sensitivity = arguments.has("sensitivity"), ranges_given = arguments.has("range");
  if ((sensitivity || ranges_given) && !json && (csv || derive)) {
    return fail({csv ? "csv" : "derive", "does not go with --sensitivity or --range",
                 "ask for one of them at a time, or for all with --json"});
  }
  const auto scenario = scenario_of(program, arguments, arguments.text("model"));
  if (!scenario) return fail(scenario.error());
  auto answer = answer_why(*scenario, program.library);
  if (!answer) return fail(answer.error());
  in_flags(*answer, *arguments.command);
  report::WhyExtras extras;
  if (sensitivity) extras.sensitivity = sensitivities(answer->resolved);
  if (ranges_given) {
    const auto ranges = why_ranges(arguments, answer->resolved);
    if (!ranges) return fail(ranges.error());
    extras.bounds = bound_decode(answer->resolved.numbers, *ranges);
  }
  const auto figure = figure_named(arguments.text("derive", "step"));
  if (!figure) return fail(figure.error());
  std::string out;
  if (json) {
    out = report::why_json(*answer, extras);
  } else if (csv) {
    out = figures_csv(*answer);
  } else if (derive) {
    out = derivation_of(*figure, arguments.whole("depth", 3), *answer, program);
  } else {
    out = report::why_text(*answer, program.style);
    if (extras.sensitivity) out += "\n" + report::sensitivity_text(*extras.sensitivity, program.style);
    if (extras.bounds) out += "\n" + report::range_text(*extras.bounds, answer->estimate, program.style);
    const bool bare = !arguments.has("model") && !arguments.any(Reads::scenario) && !arguments.has("set");
    if (bare && !extras.sensitivity && !extras.bounds) out += next_steps(*scenario);
  }
  if (arguments.has("html")) {
    if (const auto wrote = write_answer_page(arguments, board_link(arguments, answer->resolved)); !wrote) return wrote;
  }
  if (arguments.has("save")) {
    if (const auto wrote = write(arguments.text("save"), catalog::write_scenario(*answer)); !wrote) return wrote;
  }
  if (const int code = print(with_assumptions(out, arguments, program)); code != kAnswered) return code;
  return answer->fit.fits ? kAnswered : kNoAnswer;
}

}  // namespace

Command why_command() {
  return {
      .name = "why",
      .purpose = Purpose::answer,
      .place = 1,
      .summary = "how long a decode step takes, what it costs, and why",
      .groups = step_options(
          {{"Reasons",
            {kDerive.saying("print the derivation of a figure (ridge list figures)"), kDepth, kSensitivity, kRange,
             kSet}},
           output_options({kCsv,
                           {"--html", "html", "FILE",
                            "write the answer as a page: the board in this state, with its reasons open"}}),
           rare_options(
               {{"--save", "save", "FILE", "write the resolved scenario, to run again or to mail"}, kAssume})}),
      .examples = {"ridge why deepseek-v3 --on gb200-nvl72 --batch 2048 --context 8k --kv fp8",
                   "ridge why qwen3-32b --on hgx-h100 --chips 2 --sensitivity",
                   "ridge why deepseek-v3 --on gb200-nvl72 --range 'hbm=6.5..8 TB/s' --range 'price=$2..4/h'",
                   "ridge why llama-3-70b --on hgx-h100 --derive cost --depth 0",
                   "ridge why deepseek-v3 --on gb200-nvl72 --save case.toml",
                   "ridge why llama-3.1-70b --on hgx-h100 --batch 64 --context 4k --html report.html",
                   "ridge why llama-3.1-70b --on hgx-h100 --tp 4 --isl 1k --osl 1k --concurrency 64 --engine vllm",
                   "ridge why deepseek-v3 --on hgx-b200 --dp 8 --ep 8 --isl 8k --osl 1k --rate 4 --engine trtllm",
                   "ridge why --from 'vllm serve deepseek-ai/DeepSeek-V3 -tp 8' --on hgx-h200 --isl 2k --osl 500",
                   "ridge why deepseek-v3 --on hgx-b200 --dp 8 --concurrency 512 --commands",
                   "ridge why llama-3-8b --on rtx-4090-1 --set 'hbm.bandwidth=0.9 TB/s' --price '$0.40/h'"},
      .notes =
          "With --batch and --context the answer is the roofline bound of a decode step. With a load or a layout it is "
          "that of a deployment under an engine, calibrated.\n"
          "Numbers take units: 80 GB, 4.8 TB/s, $2.10/h, 20 ms. k, M, B and T are 10^3, 10^6, 10^9 and 10^12, and Ki "
          "is 1,024: 8k context is 8,000 tokens, 8Ki is 8,192.",
      .run = run_why};
}

}  // namespace ridge::cli
