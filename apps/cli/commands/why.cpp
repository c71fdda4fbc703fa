// ridge why: the decode step, its cost and its reasons.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/unit_text.hpp"
#include "catalog/question/scenario_text.hpp"
#include "cli/program.hpp"
#include "report/derive/derivation.hpp"
#include "report/roofline/why_json.hpp"
#include "report/roofline/why_text.hpp"
#include "roofline/bounds.hpp"
#include "roofline/readings.hpp"

namespace ridge::cli {

namespace {

Result<std::vector<RangedInput>> ranges_of(const Options& options, const ResolvedCase& resolved) {
  std::vector<RangedInput> ranges;
  Errors errors;
  for (const std::string& text : options.ranges) {
    const auto range = catalog::split_range(text, "--range");
    if (!range) return fail(range.error());
    const auto indices = input_indices(range->key, resolved, "--range");
    if (!indices) return fail(indices.error());
    for (const std::size_t index : *indices) {
      const auto values = catalog::parse_range(*range, input_dimension(index), "--range " + range->key);
      if (!values) return fail(values.error());
      for (const double end : {values->low, values->high}) {
        if (const auto checked = checked_input(index, end, "--range " + range->key); !checked)
          append(errors, checked.error());
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
    return fail({"--range", fmt::format("a token cannot use {:g} of {:g} experts", most_used, fewest_experts),
                 "keep experts.per_token at or below experts.count over the whole range"});
  }
  return ranges;
}

Result<std::size_t> figure_named(const std::string& name) {
  std::vector<std::string> keys = output_keys();
  const auto found = std::find(keys.begin(), keys.end(), name == "step" ? "step_time" : name);
  if (found != keys.end()) return static_cast<std::size_t>(found - keys.begin());
  keys.emplace_back("step");
  return fail({"--derive", fmt::format("unknown figure \"{}\"", shortened(name)),
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

}  // namespace

int run_why(const Options& options, Program& program) {
  if (asks_serving(options)) return run_serving(options, program);
  const bool extras_asked = options.sensitivity || !options.ranges.empty();
  if (extras_asked && !options.json && (options.csv || options.derive)) {
    return report_errors({{options.csv ? "--csv" : "--derive", "does not go with --sensitivity or --range",
                           "ask for one of them at a time, or for all with --json"}},
                         options);
  }
  const auto scenario = scenario_of(program, options, options.subject);
  if (!scenario) return report_errors(scenario.error(), options);
  const auto answer = answer_why(*scenario, program.library);
  if (!answer) return report_errors(answer.error(), options);
  report::WhyExtras extras;
  if (options.sensitivity) extras.sensitivity = sensitivities(answer->resolved);
  if (!options.ranges.empty()) {
    const auto ranges = ranges_of(options, answer->resolved);
    if (!ranges) return report_errors(ranges.error(), options);
    extras.bounds = bound_decode(answer->resolved.numbers, *ranges);
  }
  const auto figure = figure_named(options.derive.value_or("step"));
  if (!figure) return report_errors(figure.error(), options);
  std::string out;
  if (options.json) {
    out = report::why_json(*answer, extras);
  } else if (options.csv) {
    out = figures_csv(*answer);
  } else if (options.derive) {
    out = derivation_of(*figure, options.depth, *answer, program);
  } else {
    out = report::why_text(*answer, program.style);
    if (extras.sensitivity) out += "\n" + report::sensitivity_text(*extras.sensitivity, program.style);
    if (extras.bounds) out += "\n" + report::range_text(*extras.bounds, answer->estimate, program.style);
  }
  const bool bare =
      options.subject.empty() && options.settings.empty() && options.sets.empty() && options.ranges.empty();
  if (bare && !options.json && !options.csv && !options.derive && !options.sensitivity) {
    out += fmt::format(
        "\nthis was: ridge why {} --on {} --kv {}\nnext: --derive step, --sensitivity; ridge curve batch; ridge "
        "claims; --help\n",
        scenario->model, scenario->machine, *scenario->kv);
  }
  if (!options.save_file.empty()) {
    if (const int code = write(options.save_file, catalog::write_scenario(*answer), options); code != kAnswered)
      return code;
  }
  if (const int code = print(out); code != kAnswered) return code;
  return answer->fit.fits ? kAnswered : kNoAnswer;
}

}  // namespace ridge::cli
