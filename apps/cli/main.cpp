// ridge: parse, start, run one command.

#include <array>
#include <cstdio>
#include <string_view>

#include <fmt/format.h>

#include "cli/prices.hpp"
#include "cli/program.hpp"
#include "cli/sweep/world.hpp"

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
    Command{"tier", ridge::cli::run_tier},
    Command{"context", ridge::cli::run_context},
    Command{"demand", ridge::cli::run_demand},
    Command{"price", ridge::cli::run_price},
    Command{"infer", ridge::cli::run_infer},
    Command{"sweep", ridge::cli::run_sweep},
    Command{"merge", ridge::cli::run_merge},
    Command{"price history", ridge::cli::run_price_history},
    Command{"cost", ridge::cli::run_cost},
    Command{"day", ridge::cli::run_day},
    Command{"host", ridge::cli::run_host},
};

/// What mpirun may start in many processes.
bool is_shared(const ridge::cli::Options& options) { return options.command == "sweep" || options.command == "plan"; }

int run(const ridge::cli::Options& options) {
  auto program = ridge::cli::start(options);
  if (!program) {
    // the others of a shared search wait to hear of it
    if (is_shared(options)) ridge::cli::world::agree(false, "");
    return ridge::cli::world::rank() == 0 ? ridge::cli::report_errors(program.error(), options) : ridge::cli::kBadInput;
  }
  for (const Command& command : kCommands) {
    if (command.name == options.command) return command.run(options, *program);
  }
  ridge::cli::say(fmt::format("ridge: no command \"{}\"\n", options.command));
  return ridge::cli::kOurBug;
}

}  // namespace

int main(int count, char** arguments) {
  const ridge::cli::Parsed parsed = ridge::cli::parse_options(count, arguments);
  if (parsed.exit_code) return *parsed.exit_code;
  const bool shared = is_shared(parsed.options);
  if (shared) {
    if (const std::string why = ridge::cli::world::become_parallel(arguments); !why.empty())
      return ridge::cli::report_errors({{"mpirun", why}}, parsed.options);
    ridge::cli::world::join();
  }
  const int code = run(parsed.options);
  if (shared) ridge::cli::world::leave();
  return code;
}
