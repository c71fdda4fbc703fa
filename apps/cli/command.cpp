#include "cli/command.hpp"

#include <algorithm>
#include <cassert>
#include <tuple>

#include "base/text/unit_text.hpp"

namespace ridge::cli {

const std::vector<Command>& commands() {
  static const std::vector<Command> all = [] {
    std::vector<Command> sorted = commands_of_files();
    std::sort(sorted.begin(), sorted.end(), [](const Command& a, const Command& b) {
      return std::tie(a.purpose, a.place, a.name) < std::tie(b.purpose, b.place, b.name);
    });
    return sorted;
  }();
  return all;
}

const Command& command_named(std::string_view name) {
  const auto& all = commands();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Command& one) { return one.name == name; });
  assert(found != all.end() && "the parser knows only names of the table");
  return *found;
}

const Option* find_option(const Command& command, std::string_view key) {
  for (const OptionGroup& group : command.groups) {
    for (const Option& option : group.options) {
      if (option.key == key) return &option;
    }
  }
  return nullptr;
}

bool Arguments::is_given(std::string_view key) const {
  return std::any_of(given.begin(), given.end(), [&](const Given& one) { return one.key == key; });
}

std::string Arguments::text(std::string_view key, std::string_view otherwise) const {
  std::string found(otherwise);
  for (const Given& one : given) {
    if (one.key == key) found = one.text;
  }
  return found;
}

std::vector<std::string> Arguments::all(std::string_view key) const {
  std::vector<std::string> texts;
  for (const Given& one : given) {
    if (one.key == key) texts.push_back(one.text);
  }
  return texts;
}

int Arguments::whole(std::string_view key, int otherwise) const {
  if (!has(key)) return otherwise;
  return static_cast<int>(parse_as(text(key), kNone, key).value_or(otherwise));
}

bool Arguments::any(Reads by) const {
  return std::any_of(given.begin(), given.end(), [&](const Given& one) { return one.by == by; });
}

}  // namespace ridge::cli
