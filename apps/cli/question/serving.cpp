#include "cli/question/serving.hpp"

#include <vector>

#include <fmt/format.h>

#include "base/text/unit_text.hpp"
#include "catalog/evidence/evidence_file.hpp"
#include "catalog/question/scenario_text.hpp"
#include "catalog/question/serving_text.hpp"
#include "cli/answer_page.hpp"
#include "cli/options/flags.hpp"
#include "cli/options/option_reader.hpp"
#include "cli/question/evidence.hpp"
#include "cli/question/measured_like.hpp"
#include "report/serve/serving_readings.hpp"
#include "report/serve/serving_text.hpp"
#include "serve/question/engine_setup.hpp"
#include "serve/question/serving_inputs.hpp"

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
      {"csv", "use --json"},
      {"save", "leave it out"},
  };
  Errors errors;
  for (const auto& [key, instead] : kOfTheBound) {
    if (arguments.has(key)) errors.push_back({key, "has no meaning beside a layout or a load", instead});
  }
  return errors;
}

/// --set: numbers instead of those of the chip, the calibration or the engine.
Result<std::vector<GivenInput>> given_inputs(const Arguments& arguments) {
  std::vector<GivenInput> given;
  OptionReader reader(arguments);
  for (const auto& [key, value, where] : reader.pairs("set", "--set 'hbm.bandwidth=7 TB/s'")) {
    const auto index = reader.take(find_serving_input(key, where));
    if (!index) continue;
    const auto number = reader.take(parse_as(value, serving_input_dimension(*index), where));
    if (number) given.push_back({std::string(serving_input_info(*index).key), *number, {where, Kind::user}});
  }
  if (!reader.errors().empty()) return fail(reader.errors());
  return given;
}

/// --range: inputs of a calibrated answer that are only known to lie between two values.
Result<std::vector<RangedInput>> serving_ranges(const Arguments& arguments, const ServingQuestion& question) {
  std::vector<RangedInput> ranges;
  OptionReader reader(arguments);
  for (const std::string& text : arguments.all("range")) {
    const auto range = reader.take(catalog::split_range(text, "range"));
    if (!range) continue;
    const std::string where = "--range " + range->key;
    const auto index = reader.take(find_serving_input(range->key, where));
    if (!index) continue;
    const auto values = reader.take(checked_range(*range, serving_input_info(*index), serving_input_dimension(*index)));
    if (serving_input_info(*index).key == "osl" && question.osl <= 1)
      reader.refuse({{where, "with one output token nothing is decoded, and longer outputs are another kind of load",
                      "give --osl 2 or more beside the range"}});
    if (values) ranges.push_back({*index, *values});
  }
  if (!reader.errors().empty()) return fail(reader.errors());
  return ranges;
}

Result<AskedServing> asked_of(const Arguments& arguments, Program& program) {
  if (Errors wrong = without_meaning(arguments); !wrong.empty()) return fail(std::move(wrong));
  auto given = given_inputs(arguments);
  if (!given) return fail(given.error());
  if (arguments.has("from")) {
    auto asked = asked_with_command(arguments, program);
    if (asked) asked->question.given = std::move(*given);
    return asked;
  }
  ServingQuestion question;
  const auto scenario = scenario_of(program, arguments, arguments.text("model"));
  if (!scenario) return fail(scenario.error());
  question.scenario = *scenario;
  auto whole = with_options(std::move(question), arguments);
  if (!whole) return fail(whole.error());
  whole->given = std::move(*given);
  return AskedServing{*whole, {}, {}, {}};
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
  report::ServingExtras extras;
  extras.pasted = arguments.has("from");
  extras.ignored = asked.ignored;
  if (result.answer) extras.near = ttft_at_capacities(*result.answer);
  if (arguments.has("commands") && result.answer) extras.commands = engine_commands(*result.answer, program.library);
  return extras;
}

}  // namespace

Result<ServingResult> serving_result(const Arguments& arguments, Program& program) {
  const auto asked = asked_of(arguments, program);
  if (!asked) return fail(asked.error());
  return answered(*asked, *arguments.command, program);
}

int print_shortfall(const ServingShortfall& shortfall, const ServingQuestion& question, const Arguments& arguments,
                    const Program& program) {
  ServingResult none{{}, shortfall};
  in_flags(none, *arguments.command);
  std::string out = arguments.json() ? report::serving_json(none, {}, {})
                                     : report::shortfall_text(*none.shortfall, question, program.style);
  const int code = print(with_assumptions(std::move(out), arguments, program));
  return code == kAnswered ? kNoAnswer : code;
}

Result<int> run_serving(const Arguments& arguments, Program& program) {
  const auto asked = asked_of(arguments, program);
  if (!asked) return fail(asked.error());
  const auto result = answered(*asked, *arguments.command, program);
  if (!result) return fail(result.error());
  report::ServingExtras extras = extras_of(arguments, *asked, *result, program);
  const bool decodes = asked->question.osl > 1;
  const auto figure = find_serving_figure(arguments.text("derive", decodes ? "tpot" : "ttft"), "derive");
  if (!figure) return fail(figure.error());
  if (arguments.has("derive") && !decodes && of_decode(serving_figure_info(*figure).key)) {
    return fail({"derive",
                 fmt::format("no {} with one output token: prefill gives it, and nothing is decoded",
                             serving_figure_info(*figure).key),
                 "--derive ttft, or --osl 2 or more"});
  }
  if (arguments.has("html")) {
    const auto wrote = write_answer_page(arguments, board_link(arguments, asked->question));
    if (!wrote) return wrote;
  }
  extras.derivation = arguments.has("derive");
  if (arguments.has("range")) {
    const auto ranges = serving_ranges(arguments, asked->question);
    if (!ranges) return fail(ranges.error());
    if (result->answer) extras.bounds = bound_serving(result->answer->deployment, result->answer->load, *ranges);
  }
  if (extras.derivation && result->answer && !arguments.json()) {
    return print(with_assumptions(report::serving_derivation_text(*result->answer, *figure, arguments.whole("depth", 3),
                                                                  program.library, program.style),
                                  arguments, program));
  }
  std::optional<NearestRun> nearest;  // a row of the evidence
  const auto& evidence = runs_compiled_in();
  if (evidence && result->answer) nearest = nearest_of_kind(*result->answer, *evidence, program.library);
  std::string out;
  if (arguments.json()) {
    out = report::serving_json(*result, nearest, extras);
  } else if (result->answer) {
    out = report::serving_text(*result->answer, nearest, program.style, extras.near);
    if (extras.bounds) out += "\n" + report::serving_range_text(*extras.bounds, *result->answer, program.style);
  } else {
    out = report::shortfall_text(*result->shortfall, asked->question, program.style);
  }
  if (!arguments.json()) out += report::commands_text(extras.commands, program.style);
  if (const int code = print(with_assumptions(out, arguments, program)); code != kAnswered) return code;
  return result->answer ? kAnswered : kNoAnswer;
}

Result<int> run_serving_fit(const Arguments& arguments, Program& program) {
  const auto asked = asked_of(arguments, program);
  if (!asked) return fail(asked.error());
  const auto result = answered(*asked, *arguments.command, program);
  if (!result) return fail(result.error());
  const report::ServingExtras extras = extras_of(arguments, *asked, *result, program);
  std::string out = arguments.json() ? report::serving_json(*result, {}, extras)
                    : result->answer ? report::serving_fit_text(*result->answer, program.style)
                                     : report::shortfall_text(*result->shortfall, asked->question, program.style);
  if (!arguments.json()) out += report::commands_text(extras.commands, program.style);
  if (const int code = print(with_assumptions(out, arguments, program)); code != kAnswered) return code;
  return result->answer && !result->answer->waits ? kAnswered : kNoAnswer;
}

}  // namespace ridge::cli
