#pragma once
// The serving half of ridge why and ridge fit: with a layout or a load the answer is the operator's, not the bound's.

#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/program.hpp"
#include "serve/serving.hpp"
#include "simulate/setup.hpp"

namespace ridge::cli {

/// A layout or a load was given.
bool asks_serving(const Arguments& arguments);

/// --tp, --isl, ...: over what is known of the question already.
Result<ServingQuestion> with_options(ServingQuestion question, const Arguments& arguments);

/// What an engine's command and the options beside it ask together.
struct AskedServing {
  ServingQuestion question;
  std::vector<std::string> notes, ignored;  // about the command it was read from
  simulate::SchedulerFlags scheduler;       // what that says of the scheduler
};
/// The text of --from: the command itself, or what @FILE or standard input holds.
Result<std::string> pasted_text(const std::string& word);
/// --from: an engine's command as the question, with what is given beside it on top.
Result<AskedServing> asked_with_command(const Arguments& arguments, Program& program);

/// Fields of an answer's notes and ways out, or of a shortfall's, shown as flags.
void in_flags(ServingResult& result, const Command& command);

/// What does not fit, and the exit code that says so.
int print_shortfall(const ServingShortfall& shortfall, const ServingQuestion& question, const Arguments& arguments,
                    const Program& program);

/// What the options ask of a deployment, answered.
Result<ServingResult> serving_result(const Arguments& arguments, Program& program);

Result<int> run_serving(const Arguments& arguments, Program& program);
Result<int> run_serving_fit(const Arguments& arguments, Program& program);

}  // namespace ridge::cli
