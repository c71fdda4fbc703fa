#include "cli/options/flags.hpp"

#include "base/text/field_text.hpp"
#include "base/text/text.hpp"

namespace ridge::cli {

namespace {

/// Words that a shell would cut or read are quoted.
std::string for_a_shell(std::string_view value) {
  if (value.find_first_of(" $*&;<>|()") == std::string_view::npos) return std::string(value);
  return "'" + std::string(value) + "'";
}

/// "prefill_layout: tp" is two fields; from the first part that is none on (a file, a line) all stays as it is.
std::string place_in_flags(std::string_view where, const Command& command) {
  const std::size_t colon = where.find(": ");
  const std::string_view part = where.substr(0, colon);
  if (find_option(command, part) == nullptr) return std::string(where);
  const std::string flag = flag_of(part, command);
  return colon == std::string_view::npos ? flag : flag + ": " + place_in_flags(where.substr(colon + 2), command);
}

}  // namespace

std::string flag_of(std::string_view field, const Command& command) {
  if (const Option* option = find_option(command, field)) return std::string(option->flag());
  if (field == "machine") return "--on";
  if (field == "model") return "MODEL";
  std::string flag = "--" + std::string(field);
  for (char& c : flag) {
    if (c == '_') c = '-';
  }
  return flag;
}

std::string in_flags(std::string_view text, const Command& command) {
  return with_fields_shown(text, [&](std::string_view name, std::string_view value) {
    const std::string flag = flag_of(name, command);
    return value.empty() ? flag : flag + " " + for_a_shell(value);
  });
}

void in_flags(std::vector<std::string>& texts, const Command& command) {
  for (std::string& text : texts) text = in_flags(text, command);
}

void in_flags(WhyAnswer& answer, const Command& command) {
  in_flags(answer.resolved.notes, command);
  in_flags(answer.fit.ways_out, command);
}

Errors in_flags(Errors errors, const Command& command) {
  for (Error& error : errors) {
    error.where = place_in_flags(in_flags(error.where, command), command);
    error.what = in_flags(error.what, command);
    error.hint = in_flags(error.hint, command);
  }
  return errors;
}

}  // namespace ridge::cli
