#pragma once
// Result files of benchmarks, and what the user says of them: for ridge results and ridge calibrate --anchor.

#include "calibrate/anchor/anchor.hpp"
#include "cli/options/option_groups.hpp"
#include "cli/program.hpp"

namespace ridge::cli {

/// The results of many files; a file that is refused does not hold up the others.
struct ReadResults {
  std::vector<BenchmarkResult> results;
  Errors refused;
};
ReadResults read_result_files(const std::vector<std::string>& files);

/// --model, --on, --tp, ...: over what the files state.
Result<AnchorGiven> anchor_given(const Arguments& arguments, Program& program);

/// What is to be said of an engine's command, and the flags of it that were not understood, with their values.
struct SaidByCommand {
  std::vector<std::string> notes, unread;
};
/// What the command of --from says, under what is given beside it.
Result<SaidByCommand> add_engine_command(AnchorGiven& given, const Arguments& arguments, const Program& program);

/// The same as options.
std::vector<OptionGroup> anchor_options();

}  // namespace ridge::cli
