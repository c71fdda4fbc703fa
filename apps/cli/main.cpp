// ridge: parse, start, run one command.

#include <array>
#include <cstdio>
#include <string_view>

#include <fmt/format.h>

#include "cli/program.hpp"

namespace {

using Run = int (*)(const ridge::cli::Options&, ridge::cli::Program&);

struct Command {
  std::string_view name;
  Run run;
};

constexpr std::array kCommands = {
    Command{"why", ridge::cli::run_why},
    Command{"plan", ridge::cli::run_plan},
    Command{"curve", ridge::cli::run_curve},
    Command{"fit", ridge::cli::run_fit},
    Command{"list", ridge::cli::run_list},
    Command{"show", ridge::cli::run_show},
    Command{"claims", ridge::cli::run_claims},
    Command{"diff", ridge::cli::run_diff},
    Command{"import", ridge::cli::run_import},
    Command{"validate", ridge::cli::run_validate},
    Command{"calibrate", ridge::cli::run_calibrate},
    Command{"layout", ridge::cli::run_layout},
    Command{"lifecycle", ridge::cli::run_lifecycle},
    Command{"activations", ridge::cli::run_activations},
};

}  // namespace

int main(int count, char** arguments) {
  const ridge::cli::Parsed parsed = ridge::cli::parse_options(count, arguments);
  if (parsed.exit_code) return *parsed.exit_code;
  auto program = ridge::cli::start(parsed.options);
  if (!program) return ridge::cli::report_errors(program.error(), parsed.options);
  for (const Command& command : kCommands) {
    if (command.name == parsed.options.command) return command.run(parsed.options, *program);
  }
  ridge::cli::say(fmt::format("ridge: no command \"{}\"\n", parsed.options.command));
  return ridge::cli::kOurBug;
}
