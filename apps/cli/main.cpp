// ridge: parse, start, run one command.

#include <exception>

#include <fmt/format.h>

#include "cli/output/early_end.hpp"
#include "cli/program.hpp"
#include "cli/run_words.hpp"

int main(int count, char** words) {
  using namespace ridge::cli;
  prepare_for_early_end();
  try {
    return run_words(count, words);
  } catch (const std::exception& error) {
    say(fmt::format("ridge: {}\n  hint: this is a bug: please report it with the command\n", error.what()));
    return kOurBug;
  }
}
