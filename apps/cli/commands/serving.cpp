// The serving half of ridge why and ridge fit: a layout and a load given, so the answer is the operator's.

#include "catalog/entries/evidence_file.hpp"
#include "catalog/question/serving_text.hpp"
#include "cli/program.hpp"
#include "report/serve/serving_text.hpp"
#include "serve/engine_setup.hpp"

namespace ridge::cli {

bool asks_serving(const Options& options) {
  return !options.serving.empty() || options.disaggregated || options.commands || !options.pasted.empty();
}

Result<ServingQuestion> with_options(ServingQuestion question, const Options& options) {
  question.disaggregated = question.disaggregated || options.disaggregated;
  question.sensitivity = options.sensitivity;
  Errors errors;
  for (const auto& [key, text] : options.serving) {
    const auto set = catalog::set_serving_option(question, key, text, "--" + key);
    if (!set) append(errors, set.error());
  }
  if (!errors.empty()) return fail(std::move(errors));
  return question;
}

namespace {

/// Options of the chalk step that a serving answer would have to ignore.
Errors without_meaning(const Options& options) {
  Errors errors;
  const auto refuse = [&](const std::string& flag, const char* instead) {
    errors.push_back({flag, "has no meaning beside a layout or a load", instead});
  };
  for (const auto& [key, text] : options.settings) {
    if (key == "batch") refuse("--batch", "say --concurrency: requests in flight");
    if (key == "context") refuse("--context", "say --isl and --osl: the context follows from them");
    if (key == "attention" || key == "utilization") refuse("--" + key, "leave it out");
  }
  if (!options.sets.empty()) refuse("--set", "put changed facts into a catalog of your own (--catalog DIR)");
  if (!options.ranges.empty()) refuse("--range", "ask for each end of the range");
  if (options.derive) refuse("--derive", "docs/theory/serving.md has the equations; --json has every part");
  if (options.csv) refuse("--csv", "use --json");
  if (!options.save_file.empty()) refuse("--save", "leave it out");
  return errors;
}

Result<Asked> asked_of(const Options& options, Program& program) {
  if (Errors wrong = without_meaning(options); !wrong.empty()) return fail(std::move(wrong));
  if (!options.pasted.empty()) return asked_with(options, program);
  ServingQuestion question;
  const auto scenario = scenario_of(program, options, options.subject);
  if (!scenario) return fail(scenario.error());
  question.scenario = *scenario;
  const auto whole = with_options(std::move(question), options);
  if (!whole) return fail(whole.error());
  return Asked{*whole, {}, {}};
}

/// The answer with what is to be said of the question.
Result<ServingResult> answered(const Asked& asked, const Program& program) {
  auto result = answer_serving(asked.question, program.library);
  if (!result) return fail(result.error());
  auto& notes = result->answer ? result->answer->notes : result->shortfall->notes;
  notes.insert(notes.begin(), asked.notes.begin(), asked.notes.end());
  return result;
}

report::ServingExtras extras_of(const Options& options, const Asked& asked, const ServingResult& result,
                                const Program& program) {
  report::ServingExtras extras{{}, !options.pasted.empty(), asked.ignored};
  if (options.commands && result.answer) extras.commands = engine_commands(*result.answer, program.library);
  return extras;
}

}  // namespace

int run_serving(const Options& options, Program& program) {
  const auto asked = asked_of(options, program);
  if (!asked) return report_errors(asked.error(), options);
  const auto result = answered(*asked, program);
  if (!result) return report_errors(result.error(), options);
  const report::ServingExtras extras = extras_of(options, *asked, *result, program);
  std::optional<NearestRun> nearest;
  const auto evidence = catalog::read_evidence(catalog::embedded_evidence());
  if (evidence && result->answer) nearest = nearest_run(*result->answer, *evidence, program.library);
  std::string out;
  if (options.json) {
    out = report::serving_json(*result, nearest, extras);
  } else if (result->answer) {
    out = report::serving_text(*result->answer, nearest, program.style);
  } else {
    out = report::shortfall_text(*result->shortfall, asked->question, program.style);
  }
  if (!options.json) out += report::commands_text(extras.commands, program.style);
  if (const int code = print(out); code != kAnswered) return code;
  return result->answer ? kAnswered : kNoAnswer;
}

int run_serving_fit(const Options& options, Program& program) {
  const auto asked = asked_of(options, program);
  if (!asked) return report_errors(asked.error(), options);
  const auto result = answered(*asked, program);
  if (!result) return report_errors(result.error(), options);
  const report::ServingExtras extras = extras_of(options, *asked, *result, program);
  std::string out = options.json     ? report::serving_json(*result, {}, extras)
                    : result->answer ? report::serving_fit_text(*result->answer, program.style)
                                     : report::shortfall_text(*result->shortfall, asked->question, program.style);
  if (!options.json) out += report::commands_text(extras.commands, program.style);
  if (const int code = print(out); code != kAnswered) return code;
  return result->answer && !result->answer->waits ? kAnswered : kNoAnswer;
}

}  // namespace ridge::cli
