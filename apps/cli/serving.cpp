#include "cli/serving.hpp"

#include "catalog/entries/evidence_file.hpp"
#include "catalog/question/serving_text.hpp"
#include "cli/flags.hpp"
#include "cli/option_reader.hpp"
#include "report/serve/serving_text.hpp"
#include "serve/engine_setup.hpp"

namespace ridge::cli {

bool asks_serving(const Arguments& arguments) {
  return arguments.any(Reads::serving) || arguments.has("commands") || arguments.has("from");
}

Result<ServingQuestion> with_options(ServingQuestion question, const Arguments& arguments) {
  question.sensitivity = arguments.has("sensitivity");
  OptionReader reader(arguments);
  for (const Given& one : arguments.given) {
    if (one.by == Reads::serving) reader.take(catalog::set_serving_option(question, one.key, one.text, one.key));
  }
  if (!reader.errors().empty()) return fail(reader.errors());
  return question;
}

void in_flags(ServingResult& result, const Command& command) {
  if (result.answer) in_flags(result.answer->notes, command);
  if (result.shortfall) {
    in_flags(result.shortfall->notes, command);
    in_flags(result.shortfall->ways_out, command);
  }
}

namespace {

/// Options of the bound that a serving answer would have to ignore.
Errors without_meaning(const Arguments& arguments) {
  constexpr std::pair<const char*, const char*> kOfTheBound[] = {
      {"batch", "say --concurrency: requests in flight"},
      {"context", "say --isl and --osl: the context follows from them"},
      {"attention", "leave it out"},
      {"utilization", "leave it out"},
      {"set", "put changed facts into a catalog of your own (--catalog DIR)"},
      {"range", "ask for each end of the range"},
      {"derive", "docs/theory/serving.md has the equations; --json has every part"},
      {"csv", "use --json"},
      {"save", "leave it out"},
  };
  Errors errors;
  for (const auto& [key, instead] : kOfTheBound) {
    if (arguments.has(key)) errors.push_back({key, "has no meaning beside a layout or a load", instead});
  }
  return errors;
}

Result<AskedServing> asked_of(const Arguments& arguments, Program& program) {
  if (Errors wrong = without_meaning(arguments); !wrong.empty()) return fail(std::move(wrong));
  if (arguments.has("from")) return asked_with_command(arguments, program);
  ServingQuestion question;
  const auto scenario = scenario_of(program, arguments, arguments.text("model"));
  if (!scenario) return fail(scenario.error());
  question.scenario = *scenario;
  const auto whole = with_options(std::move(question), arguments);
  if (!whole) return fail(whole.error());
  return AskedServing{*whole, {}, {}};
}

/// The answer with what is to be said of the question.
Result<ServingResult> answered(const AskedServing& asked, const Command& command, const Program& program) {
  auto result = answer_serving(asked.question, program.library);
  if (!result) return fail(result.error());
  auto& notes = result->answer ? result->answer->notes : result->shortfall->notes;
  notes.insert(notes.begin(), asked.notes.begin(), asked.notes.end());
  in_flags(*result, command);
  return result;
}

report::ServingExtras extras_of(const Arguments& arguments, const AskedServing& asked, const ServingResult& result,
                                const Program& program) {
  report::ServingExtras extras{{}, arguments.has("from"), asked.ignored};
  if (arguments.has("commands") && result.answer) extras.commands = engine_commands(*result.answer, program.library);
  return extras;
}

}  // namespace

Result<int> run_serving(const Arguments& arguments, Program& program) {
  const auto asked = asked_of(arguments, program);
  if (!asked) return fail(asked.error());
  const auto result = answered(*asked, *arguments.command, program);
  if (!result) return fail(result.error());
  const report::ServingExtras extras = extras_of(arguments, *asked, *result, program);
  std::optional<NearestRun> nearest;
  const auto evidence = catalog::read_evidence(catalog::embedded_evidence());
  if (evidence && result->answer) nearest = nearest_run(*result->answer, *evidence, program.library);
  std::string out;
  if (arguments.json()) {
    out = report::serving_json(*result, nearest, extras);
  } else if (result->answer) {
    out = report::serving_text(*result->answer, nearest, program.style);
  } else {
    out = report::shortfall_text(*result->shortfall, asked->question, program.style);
  }
  if (!arguments.json()) out += report::commands_text(extras.commands, program.style);
  if (const int code = print(out); code != kAnswered) return code;
  return result->answer ? kAnswered : kNoAnswer;
}

Result<int> run_serving_fit(const Arguments& arguments, Program& program) {
  const auto asked = asked_of(arguments, program);
  if (!asked) return fail(asked.error());
  const auto result = answered(*asked, *arguments.command, program);
  if (!result) return fail(result.error());
  const report::ServingExtras extras = extras_of(arguments, *asked, *result, program);
  std::string out = arguments.json()     ? report::serving_json(*result, {}, extras)
                    : result->answer ? report::serving_fit_text(*result->answer, program.style)
                                     : report::shortfall_text(*result->shortfall, asked->question, program.style);
  if (!arguments.json()) out += report::commands_text(extras.commands, program.style);
  if (const int code = print(out); code != kAnswered) return code;
  return result->answer && !result->answer->waits ? kAnswered : kNoAnswer;
}

}  // namespace ridge::cli
