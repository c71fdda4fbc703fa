#pragma once
// Text from strangers, made safe to show: names in a model file, a folder's name, a title of a catalog may hold anything.

#include <string>
#include <string_view>

namespace ridge {

/// What may stay of control characters.
enum class Allowed {
  none,   // a cell, a label: one line
  lines,  // a page: line ends and tabs
  colors  // a page for a terminal: also the four codes of report/base/style.cpp; a stranger's bold is bold
};

/// Control characters, marks that turn the direction of writing, and bytes that are no UTF-8 as \u001b or \xff, so that
/// they are seen and do nothing. Inside JSON that is the same text, for there it can stand only in strings.
std::string cleaned(std::string_view text, Allowed allowed);

/// The line of an answer in which a number is none ("nan", "inf"); empty where there is no such line. A last guard.
std::string_view line_without_number(std::string_view text);

/// What stands in JSON for a number that is none, so that the guard finds it.
inline constexpr std::string_view kNoNumber = "\x18 no number";

}  // namespace ridge
