#pragma once
// What every command starts with and ends in: the catalog, the terminal's style, printing and exit codes.

#include <string>
#include <string_view>

#include "base/lazy.hpp"
#include "base/result.hpp"
#include "catalog/facts/fact.hpp"
#include "claims/claim.hpp"
#include "cli/options.hpp"
#include "report/base/style.hpp"
#include "roofline/answer.hpp"
#include "serve/serving.hpp"

namespace ridge::cli {

enum Exit { kAnswered = 0, kOurBug = 1, kWrongUsage = 2, kBadInput = 3, kNoAnswer = 4, kGateFailed = 5 };

struct Program {
  Lazy<std::vector<catalog::Fact>> facts;  // of the whole catalog
  Library library;
  Lazy<std::vector<Claim>> claims;
  report::Style style;
  std::vector<std::string> unread;  // keys of a model file that were there and not needed
  std::vector<std::string> taken;   // words of the case that stands where neither model nor machine is named
};

/// The built-in catalog with the user's folder over it, and the style for this terminal.
Result<Program> start(const Options& options);

/// The scenario that the options describe: a file, or a model, with every setting applied.
Result<Scenario> scenario_of(Program& program, const Options& options, const std::string& model);

/// Writes to standard error as well as it can: control characters are shown as '?', and a closed stream is no disaster.
void say(std::string_view text);
/// A message is for reading: what a megabyte of input leaves in it is cut.
std::string readable(const std::string& text);

/// Writes to standard output; a full disk or a closed pipe gives a message and kBadInput.
int print(std::string_view text);
/// Explains errors on standard error, and as JSON on standard output where that was asked for.
int report_errors(const Errors& errors, const Options& options);
/// Writes a file and says so on standard error.
int write(const std::string& path, std::string_view text, const Options& options);

/// The same for a picture; other formats are refused by their name.
int write_svg(const std::string& path, std::string_view svg, const Options& options);

/// A model's name as the library has it: where the word is a path, its file is read and added to the library.
Result<std::string> model_named(Program& program, const std::string& word, const Options& options);

int run_why(const Options& options, Program& program);
/// A layout or a load was given: the operator's answer.
bool asks_serving(const Options& options);
int run_plan(const Options& options, Program& program);
/// What --from and the options beside it ask together.
struct Asked {
  ServingQuestion question;
  std::vector<std::string> notes, ignored;  // about the command it was read from
};
Result<Asked> asked_with(const Options& options, Program& program);
/// --tp, --isl, ...: over what is known of the question already.
Result<ServingQuestion> with_options(ServingQuestion question, const Options& options);
int run_serving(const Options& options, Program& program);
int run_serving_fit(const Options& options, Program& program);
int run_curve(const Options& options, Program& program);
int run_fit(const Options& options, Program& program);
int run_list(const Options& options, Program& program);
int run_show(const Options& options, Program& program);
int run_claims(const Options& options, Program& program);
int run_diff(const Options& options, Program& program);
int run_import(const Options& options, Program& program);
int run_lifecycle(const Options& options, Program& program);
int run_activations(const Options& options, Program& program);
int run_tier(const Options& options, Program& program);
int run_context(const Options& options, Program& program);
int run_demand(const Options& options, Program& program);
int run_layout(const Options& options, Program& program);
int run_validate(const Options& options, Program& program);
int run_sweep(const Options& options, Program& program);
int run_price(const Options& options, Program& program);
int run_infer(const Options& options, Program& program);
int run_merge(const Options& options, Program& program);
int run_calibrate(const Options& options, Program& program);

}  // namespace ridge::cli
