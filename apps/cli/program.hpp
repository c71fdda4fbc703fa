#pragma once
// What every command starts with and ends in: the catalog, the terminal's style, printing and exit codes.

#include <string>
#include <string_view>

#include "base/lazy.hpp"
#include "base/result.hpp"
#include "catalog/facts/fact.hpp"
#include "claims/claim.hpp"
#include "cli/command.hpp"
#include "cli/output/outlet.hpp"
#include "report/base/style.hpp"
#include "roofline/answer.hpp"

namespace ridge::cli {

enum Exit { kAnswered = 0, kOurBug = 1, kWrongUsage = 2, kBadInput = 3, kNoAnswer = 4, kGateFailed = 5 };

struct Program {
  Lazy<std::vector<catalog::Fact>> facts;  // of the whole catalog
  Library library;
  Lazy<std::vector<Claim>> claims;
  report::Style style;
  std::vector<std::string> unread;   // keys of a model file that were there and not needed
  std::vector<std::string> assumed;  // what --assume decided about the models that were read
  std::vector<std::string> taken;    // words of the case that stands where neither model nor machine is named
};

/// The built-in catalog with the user's folder over it, and the style for this terminal.
Result<Program> start(const Arguments& arguments);

/// The scenario that the options describe: a file, or a model, with every setting applied.
Result<Scenario> scenario_of(Program& program, const Arguments& arguments, const std::string& model);

/// A model's name as the library has it: where the word is a path, its file is read and added to the library.
Result<std::string> model_named(Program& program, const std::string& word, const Arguments& arguments);

/// The same for several at once: an assumption must be needed by one of their files. Words that are no paths are left.
Result<bool> models_named(Program& program, const std::vector<std::string>& words, const Arguments& arguments);

/// Writes to standard error as well as it can: control characters are shown, not sent, and a closed stream is no
/// disaster.
void say(std::string_view text);
/// A message is for reading: what a megabyte of input leaves in it is cut.
std::string readable(const std::string& text);

/// An answer that says what was assumed about a model's file, where it does not say so itself: a line more, or in JSON the
/// key "assumptions". A table for other programs (--csv) is left as it is, and a note says it.
std::string with_assumptions(std::string answer, const Arguments& arguments, const Program& program);

/// Writes an answer to standard output, cleaned for people (base/text/clean_text.hpp). A full disk or a closed pipe gives a
/// message and kBadInput; an answer with a figure that is no number is not printed: kOurBug.
int print(std::string_view answer);
/// A place that can be seen: what is blank stands in quotes.
std::string in_sight(std::string_view place);
/// Place, cause and remedy of each, on standard error.
void say_errors(const Errors& shown);
/// The same with fields as flags, and as JSON on standard output where that was asked for.
int report_errors(const Errors& errors, const Arguments& arguments);
/// Writes a file and says so on standard error.
Result<int> write(const std::string& path, std::string_view text);

/// Other pictures than SVG are refused by their name.
Result<int> svg_named(const std::string& path);
/// Whether --svg, where it is given, can be written: for commands that work for seconds before they know what.
Result<int> svg_writable(const Arguments& arguments);
Result<int> write_svg(const std::string& path, std::string_view svg);
/// The picture that --svg asks for, then the answer.
template <class Draw>
Result<int> print_with_svg(const Arguments& arguments, std::string_view answer, const Draw& draw) {
  if (arguments.has("svg")) {
    if (const auto wrote = write_svg(arguments.text("svg"), draw()); !wrote) return wrote;
  }
  return print(answer);
}

}  // namespace ridge::cli
