// ridge lifecycle: pre-training, reinforcement learning and serving on one bill.

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/unit_text.hpp"
#include "catalog/question/scenario_text.hpp"
#include "cli/program.hpp"
#include "report/train/lifecycle_text.hpp"

namespace ridge::cli {

namespace {

/// The flag that sets an input; other keys have none and are set with --set.
std::string flag_of(const std::string& key) {
  constexpr std::array<std::pair<std::string_view, const char*>, 9> kFlags = {{{"rl_tokens", "--rl-tokens"},
                                                                               {"rl.trained", "--trained"},
                                                                               {"rl.references", "--references"},
                                                                               {"life", "--for"},
                                                                               {"mfu.training", "--mfu"},
                                                                               {"mfu.decode", "--decode-mfu"},
                                                                               {"mfu.prefill", "--prefill-mfu"},
                                                                               {"machine", "--on"},
                                                                               {"per-token", "--per-token"}}};
  for (const auto& [name, flag] : kFlags) {
    if (name == key) return flag;
  }
  return "--" + key;
}

/// A budget in FLOP is of chips that run at training's share of their peak; it becomes dollars when those are known.
struct Said {
  LifecycleQuestion question;
  std::optional<double> budget_flops;
};

class LifecycleReader {
 public:
  Result<Said> read(const Options& options, const std::string& model) {
    said_.question.model = model;
    for (const auto& [key, text] : options.settings) take(key, text, flag_of(key));
    for (const std::string& set : options.sets) {
      const std::size_t equals = set.find('=');
      if (equals == std::string::npos) {
        errors_.push_back({"--set", fmt::format("\"{}\" has no =", shortened(set)),
                           "write KEY=VALUE, e.g. --set 'peak=989 TFLOP/s'"});
        continue;
      }
      const std::string key(trimmed(set.substr(0, equals)));
      take(key, set.substr(equals + 1), "--set " + key);
    }
    if (!errors_.empty()) return fail(std::move(errors_));
    return std::move(said_);
  }

 private:
  void take(const std::string& key, const std::string& text, const std::string& where) {
    LifecycleQuestion& q = said_.question;
    if (key == "law") {
      q.law = text;
    } else if (key == "machine") {
      q.machine = text;
    } else if (key == "price" && (text == "rental" || text == "owned")) {
      q.basis = text;
    } else if (key == "experts" || key == "per-token") {
      const auto count = parse_as(text, kNone, where);
      if (!count) return append(errors_, count.error());
      (key == "experts" ? q.experts : q.per_token) = *count;
    } else {
      number(key, text, where);
    }
  }

  void number(const std::string& key, const std::string& text, const std::string& where) {
    const auto index = lifecycle_input(key, where);
    if (!index) return append(errors_, index.error());
    const std::string name(lifecycle_input_info(*index).key);
    if (name == "budget") {
      const auto measure = parse_measure(text, where);
      if (measure && measure->dimension == kFlop && measure->value > 0.0) {
        said_.budget_flops = measure->value;
        said_.question.given.push_back({name, 1.0, {where, Kind::user, "", ""}});
        return;
      }
    }
    const auto value = parse_as(text, lifecycle_input_dimension(*index), where);
    if (!value) return append(errors_, value.error());
    said_.question.given.push_back({name, *value, {where, Kind::user, "", ""}});
  }

  Said said_;
  Errors errors_;
};

Result<LifecycleAnswer> answer_of(Said said, const Library& library) {
  if (said.budget_flops) {
    const auto resolved = resolve_lifecycle(said.question, library);
    if (!resolved) return fail(resolved.error());
    const LifecycleCase<double>& c = resolved->numbers;
    const Dollars<double> dollars = c.price / c.peak * Flops<double>(*said.budget_flops) / c.mfu_training;
    for (GivenInput& one : said.question.given) {
      if (one.key == "budget") one.value = dollars.value();
    }
  }
  return answer_lifecycle(said.question, library);
}

Result<Box> ranges_of(const Options& options, const LifecycleCase<double>& c) {
  Box ranges;
  for (const std::string& text : options.ranges) {
    const auto range = catalog::split_range(text, "--range");
    if (!range) return fail(range.error());
    const auto index = lifecycle_input(range->key, "--range");
    if (!index) return fail(index.error());
    const InputInfo info = lifecycle_input_info(*index);
    const Dimension dimension = lifecycle_input_dimension(*index);
    if (!is_present(c.plan, info.key)) {
      return fail({"--range", fmt::format("{} is not read here: it follows from the others", info.key),
                   fmt::format("give it with {} first", flag_of(std::string(info.key)))});
    }
    const auto values = catalog::parse_range(*range, dimension, "--range " + range->key);
    if (!values) return fail(values.error());
    for (const double end : {values->low, values->high}) {
      const auto checked = checked_value(info, dimension, end, "--range " + range->key);
      if (!checked) return fail(checked.error());
    }
    ranges.push_back({*index, *values});
  }
  return ranges;
}

}  // namespace

int run_lifecycle(const Options& options, Program& program) {
  const bool extras_asked = options.sensitivity || !options.ranges.empty();
  if (extras_asked && !options.json && options.derive) {
    return report_errors({{"--derive", "does not go with --sensitivity or --range",
                           "ask for one of them at a time, or for all with --json"}},
                         options);
  }
  std::string model;
  if (!options.subject.empty()) {
    const auto named = model_named(program, options.subject, options);
    if (!named) return report_errors(named.error(), options);
    model = *named;
  }
  auto said = LifecycleReader().read(options, model);
  if (!said) return report_errors(said.error(), options);
  const auto answer = answer_of(std::move(*said), program.library);
  if (!answer) return report_errors(answer.error(), options);
  const LifecycleCase<double>& numbers = answer->resolved.numbers;
  report::LifecycleExtras extras;
  if (options.sensitivity) extras.sensitivity = lifecycle_sensitivity(numbers);
  if (!options.ranges.empty()) {
    const auto ranges = ranges_of(options, numbers);
    if (!ranges) return report_errors(ranges.error(), options);
    extras.bounds = bound_lifecycle(numbers, *ranges);
  }
  const auto figure = lifecycle_output(options.derive.value_or("best_params"), "--derive");
  if (!figure) return report_errors(figure.error(), options);
  if (!options.svg_file.empty()) {
    const int code = write_svg(options.svg_file, report::to_svg(report::lifecycle_chart(*answer)), options);
    if (code != kAnswered) return code;
  }
  if (options.json) return print(report::lifecycle_json(*answer, extras));
  if (options.derive) {
    const auto traced = output_values(estimate_lifecycle(report::traced_case(numbers)));
    return print(report::derivation_text(report::derive(traced[*figure], options.depth),
                                         report::derivation_inputs(numbers, answer->resolved.from), program.library,
                                         program.style));
  }
  std::string out = report::lifecycle_text(*answer, program.style);
  if (extras.sensitivity) out += "\n" + report::lifecycle_sensitivity_text(*extras.sensitivity, program.style);
  if (extras.bounds) out += "\n" + report::lifecycle_range_text(*extras.bounds, answer->estimate, program.style);
  return print(out);
}

}  // namespace ridge::cli
