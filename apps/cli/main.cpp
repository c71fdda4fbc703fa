// ridge: parse, start, run one command.

#include <exception>

#include <fmt/format.h>

#include "cli/options/parse_options.hpp"
#include "cli/output/early_end.hpp"
#include "cli/program.hpp"
#include "cli/sweep/world.hpp"

namespace {

using namespace ridge::cli;

int run(const Arguments& arguments) {
  auto program = start(arguments);
  if (!program) {
    // the others of a sweep wait to hear of it
    if (arguments.command->shared) world::agree(false, "");
    return world::rank() == 0 ? report_errors(program.error(), arguments) : kBadInput;
  }
  const auto code = arguments.command->run(arguments, *program);
  return code ? *code : report_errors(code.error(), arguments);
}

int run_command(int count, char** words) {
  const Parsed parsed = parse_options(count, words);
  if (parsed.exit_code) return *parsed.exit_code;
  const bool shared = parsed.arguments.command->shared;
  if (shared) {
    if (const std::string why = world::become_parallel(words); !why.empty())
      return report_errors({{"mpirun", why}}, parsed.arguments);
    world::join();
  }
  const int code = run(parsed.arguments);
  if (shared) world::leave();
  return code;
}

}  // namespace

int main(int count, char** words) {
  prepare_for_early_end();
  try {
    return run_command(count, words);
  } catch (const std::exception& error) {
    say(fmt::format("ridge: {}\n  hint: this is a bug: please report it with the command\n", error.what()));
    return kOurBug;
  }
}
