#include "cli/options/help.hpp"

#include <array>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "report/base/style.hpp"

namespace ridge::cli {

namespace {

constexpr int kColumns = 80, kFlagColumns = 26;

constexpr std::array<std::pair<Purpose, std::string_view>, 5> kPurposes = {{
    {Purpose::answer, "How fast, how much, and why"},
    {Purpose::search, "Which deployment"},
    {Purpose::price, "Money and prices"},
    {Purpose::model, "Models and training"},
    {Purpose::data, "The catalog, and how good it is"},
}};

constexpr std::string_view kMainExamples =
    "Examples:\n"
    "  ridge why llama-3.1-70b --on hgx-h100 --batch 64 --context 4k\n"
    "  ridge why llama-3.1-70b --on hgx-h100 --tp 4 --isl 1k --osl 1k \\\n"
    "      --concurrency 64\n"
    "  ridge plan deepseek-v3 --on gb200-nvl72 --isl 8k --osl 1k --tpot 30ms\n"
    "  ridge fit llama-3.1-405b --on hgx-h200 --context 128k\n"
    "  ridge price deepseek-v3 --on hgx-h200 --margin 60%\n"
    "\n"
    "ridge alone shows an answer, and what to type next. Exit codes:\n"
    "0 answered, 1 our bug, 2 wrong usage, 3 bad input, 4 does not fit,\n"
    "5 accuracy gate failed.\n";

/// The left part, and beside it (or below, where it is too long) a text.
std::string row(const std::string& left, std::string_view text) {
  const std::string indent(kFlagColumns, ' ');
  const bool beside = static_cast<int>(left.size()) < kFlagColumns;
  const std::string start = beside ? report::padded(left, kFlagColumns) : indent;
  return (beside ? "" : left + "\n") + report::wrapped(start + std::string(text), kColumns, kFlagColumns) + "\n";
}

std::string option_row(const Option& option) {
  std::string left = "  " + std::string(option.flag());
  if (option.is_flag() && !option.is_switch()) left += " " + std::string(option.type);
  std::string text(option.help);
  if (!option.fallback.empty()) text += fmt::format("; default: {}", option.fallback);
  if (option.flag().size() < option.flags.size()) {
    const auto names = split(option.flags.substr(option.flag().size() + 1), ',');
    text += fmt::format("; also {}", joined(names, ", "));
  }
  return row(left, text);
}

/// The words of a command, a flag together with its value.
std::vector<std::string> example_pieces(std::string_view command) {
  std::vector<std::string> pieces = {""};
  bool quoted = false;
  for (std::size_t i = 0; i < command.size(); ++i) {
    if (command[i] == '\'') quoted = !quoted;
    const bool flag_follows = command.substr(i).starts_with(" --");
    const bool after_value = pieces.back().find(' ') != std::string::npos || !pieces.back().starts_with("--");
    if (command[i] == ' ' && !quoted && (flag_follows || after_value))
      pieces.emplace_back();
    else
      pieces.back() += command[i];
  }
  return pieces;
}

/// A command in lines that a shell reads as one.
std::string example_lines(std::string_view command) {
  constexpr std::size_t kMost = kColumns - 2;  // room for " \"
  std::string out, line = " ";
  for (const std::string& piece : example_pieces(command)) {
    if (line.size() + 1 + piece.size() > kMost) {
      out += line + " \\\n";
      line = "     ";
    }
    line += " " + piece;
  }
  return out + line + "\n";
}

}  // namespace

std::string usage(const Command& command) {
  std::string out = fmt::format("usage: ridge {}", command.name);
  for (const OptionGroup& group : command.groups) {
    for (const Option& option : group.options) {
      if (option.is_flag()) continue;
      const std::string name = std::string(option.flags) + (option.again ? "..." : "");
      out += option.required ? " " + name : " [" + name + "]";
    }
  }
  return out + " [options]\n";
}

std::string main_help(const std::vector<Command>& all) {
  std::string out =
      "Ridgeline: the math of how large language models are trained and served.\n"
      "usage: ridge COMMAND [options]; ridge COMMAND --help has its options\n";
  constexpr int kNameColumns = 16;
  for (const auto& [purpose, title] : kPurposes) {
    out += fmt::format("\n{}:\n", title);
    for (const Command& command : all) {
      if (command.purpose != purpose) continue;
      const std::string name = "  " + std::string(command.name);
      const bool beside = name.size() < kNameColumns;
      out += (beside ? report::padded(name, kNameColumns) : name + "  ") + std::string(command.summary) + "\n";
    }
  }
  return out + "\n" + std::string(kMainExamples);
}

std::string command_help(const Command& command) {
  std::string out = usage(command) + std::string(command.summary) + "\n";
  for (const OptionGroup& group : command.groups) {
    out += fmt::format("\n{}:\n", group.title);
    for (const Option& option : group.options) out += option_row(option);
  }
  out += "\nExamples:\n";
  for (const std::string_view example : command.examples) out += example_lines(example);
  if (!command.notes.empty()) out += "\n";
  for (const std::string& paragraph : split(command.notes, '\n'))
    if (!paragraph.empty()) out += report::wrapped(paragraph, kColumns, 0) + "\n";
  return out;
}

}  // namespace ridge::cli
