#include "cli/question/defaults.hpp"

#include "base/text/text.hpp"

namespace ridge::cli {

Arguments with_default_machine(Arguments arguments) {
  if (!arguments.has("machine"))
    arguments.given.insert(arguments.given.begin(), {"machine", kDefaultMachine, Reads::scenario});
  return arguments;
}

void note_defaults(std::vector<std::string>& notes, const std::vector<std::string>& taken) {
  if (!taken.empty()) notes.insert(notes.begin(), "not given, so taken: " + joined(taken, " "));
}

}  // namespace ridge::cli
