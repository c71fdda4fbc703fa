// ridge demand: how many people it takes to keep a deployment busy.

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/unit_text.hpp"
#include "cli/defaults.hpp"
#include "cli/program.hpp"
#include "report/price/money/demand_text.hpp"

namespace ridge::cli {

namespace {

Result<DemandQuestion> question_of(const Options& options) {
  DemandQuestion question;
  Errors errors;
  const auto positive = [&](const auto& value, const std::string& flag, const std::string& text) {
    if (!value) {
      append(errors, value.error());
      return false;
    }
    if (value->value() > 0) return true;
    errors.push_back({flag, fmt::format("\"{}\" must be above zero", shortened(text)), "check the value"});
    return false;
  };
  for (const auto& [key, text] : options.serving) {
    if (key == "law") question.law = text;
    if (key == "per-user") {
      const auto rate = parse<TokensPerSecond<double>>(text, "--per-user");
      if (positive(rate, "--per-user", text)) question.per_user = *rate;
    }
    if (key == "streams") {
      for (const std::string& word : split(text, ',')) {
        const auto many = parse<Ratio<double>>(trimmed(word), "--streams");
        if (positive(many, "--streams", word)) question.streams.push_back(*many);
      }
    }
  }
  if (!errors.empty()) return fail(std::move(errors));
  return question;
}

}  // namespace

int run_demand(const Options& options, Program& program) {
  auto question = question_of(options);
  if (!question) return report_errors(question.error(), options);
  auto scenario = scenario_of(program, options, options.subject);
  if (!scenario) return report_errors(scenario.error(), options);
  question->scenario = std::move(*scenario);
  for (const GivenInput& one : question->scenario.given) question->given_batch |= one.key == "batch";
  auto answer = answer_demand(*question, program.library);
  if (!answer) return report_errors(answer.error(), options);
  note_defaults(answer->notes, program.taken);
  if (!options.svg_file.empty()) {
    const int code = write_svg(options.svg_file, report::to_svg(report::demand_chart(*answer)), options);
    if (code != kAnswered) return code;
  }
  return print(options.json ? report::demand_json(*answer) : report::demand_text(*answer, program.style));
}

}  // namespace ridge::cli
