// Manual pages in roff.

#include <algorithm>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "cli/options/completions.hpp"

namespace ridge::cli {

namespace {

std::string with_hyphens(std::string_view name) {
  std::string out(name);
  std::replace(out.begin(), out.end(), ' ', '-');
  return out;
}

/// A text as roff shows it: hyphens as typed, backslashes, and no line that begins with a request.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

std::string manual_head(std::string_view name, std::string_view version, std::string_view summary) {
  return fmt::format(".TH \"{}\" 1 \"\" \"{}\" \"Ridgeline\"\n.SH NAME\n{} \\- {}\n", name, roff(version), roff(name),
                     roff(summary));
}

std::string option_paragraph(const Option& option) {
  std::string out = ".TP\n.B " + roff(joined(split(option.flags, ','), ", "));
  if (option.is_flag() && !option.is_switch()) out += fmt::format(" \\fI{}\\fR", roff(option.type));
  out += "\n" + roff(option.help);
  if (!option.fallback.empty()) out += fmt::format("; default: {}", roff(option.fallback));
  return out + ".\n";
}

}  // namespace

std::string manual_name(const Command& command) { return "ridge-" + with_hyphens(command.name); }

std::string main_manual(const std::vector<Command>& all, std::string_view version) {
  std::string out = manual_head("ridge", version, "the math of how large language models are trained and served");
  out +=
      ".SH SYNOPSIS\n.B ridge\n.br\n.B ridge\n.I COMMAND\n[options]\n.SH DESCRIPTION\n"
      "How long a step takes, on which machine, for how much money, and why. Without a command it shows an answer and "
      "what to type next.\n.SH COMMANDS\n";
  for (const Command& command : all)
    out += fmt::format(".TP\n.BR {} (1)\n{}.\n", roff(manual_name(command)), roff(command.summary));
  return out +
         ".SH EXIT STATUS\n0 answered, 1 our bug, 2 wrong usage, 3 bad input, 4 does not fit, 5 accuracy gate "
         "failed.\n.SH ENVIRONMENT\n.TP\n.B NO_COLOR\nno colors on terminals.\n";
}

std::string command_manual(const Command& command, std::string_view version) {
  std::string out = manual_head(manual_name(command), version, command.summary);
  out += fmt::format(".SH SYNOPSIS\n.B ridge {}\n", roff(command.name));
  for (const OptionGroup& group : command.groups) {
    for (const Option& option : group.options) {
      if (!option.is_flag())
        out += fmt::format("{}\n", roff(fmt::format(fmt::runtime(option.required ? "{}" : "[{}]"), option.flags)));
    }
  }
  out += "[options]\n.SH OPTIONS\n";
  for (const OptionGroup& group : command.groups) {
    out += fmt::format(".SS {}\n", roff(group.title));
    for (const Option& option : group.options) out += option_paragraph(option);
  }
  if (!command.notes.empty()) {
    out += ".SH NOTES\n";
    for (const std::string& paragraph : split(command.notes, '\n')) out += ".PP\n" + roff(paragraph) + "\n";
  }
  out += ".SH EXAMPLES\n.nf\n";
  for (const std::string_view example : command.examples) out += roff(example) + "\n";
  return out + ".fi\n.SH SEE ALSO\n.BR ridge (1)\n";
}

}  // namespace ridge::cli
