#include "cli/run_words.hpp"

#include <fmt/format.h>

#include "cli/front_screen.hpp"
#include "cli/program.hpp"
#include "cli/sweep/world.hpp"

namespace ridge::cli {

namespace {

int run_arguments(const Arguments& arguments) {
  auto program = start(arguments);
  if (!program) {
    // the others of a sweep wait to hear of it
    if (arguments.command->shared) world::agree(false, "");
    return world::rank() == 0 ? report_errors(program.error(), arguments) : kBadInput;
  }
  const auto code = arguments.command->run(arguments, *program);
  return code ? *code : report_errors(code.error(), arguments);
}

/// The same words as a program gets them.
std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

int run_words(int count, char** words) {
  if (count == 1) return run_front_screen();
  const Parsed parsed = parse_options(count, words);
  if (parsed.exit_code) return *parsed.exit_code;
  const bool shared = parsed.arguments.command->shared;
  if (shared) {
    if (const std::string why = world::become_parallel(words); !why.empty())
      return report_errors({{"mpirun", why}}, parsed.arguments);
    world::join();
  }
  const int code = run_arguments(parsed.arguments);
  if (shared) world::leave();
  return code;
}

std::vector<std::string> words_of_line(std::string_view line) {
  std::vector<std::string> words;
  bool quoted = false, open = false;
  for (const char c : line) {
    if (c == '\'') {
      quoted = !quoted;
      if (!open) words.emplace_back();
      open = true;
    } else if (c == ' ' && !quoted) {
      open = false;
    } else {
      if (!open) words.emplace_back();
      open = true;
      words.back() += c;
    }
  }
  return words;
}

Parsed parse_line(std::string_view line) {
  std::vector<std::string> words = words_of_line(line);
  const std::vector<char*> pointers = pointers_to(words);
  return parse_options(static_cast<int>(words.size()), pointers.data());
}

int run_line(std::string_view line) {
  std::vector<std::string> words = words_of_line(line);
  std::vector<char*> pointers = pointers_to(words);
  return run_words(static_cast<int>(words.size()), pointers.data());
}

}  // namespace ridge::cli
