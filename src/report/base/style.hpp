#pragma once
// How text is dressed for the reader's terminal. Decided once by the program, passed down as a value.

#include <string>
#include <string_view>

namespace ridge::report {

struct Style {
  bool color = false;
  bool unicode = false;
  int columns = 80;
  bool details = false;  // asked for with --verbose: what a screen leaves out otherwise
};

std::string bold(const Style& style, std::string_view text);
std::string dim(const Style& style, std::string_view text);
std::string warn(const Style& style, std::string_view text);

/// A horizontal bar for a share of 1; at most `width` characters, at least one for anything above zero.
std::string bar(const Style& style, double share, int width);

/// Characters a terminal shows, not bytes.
int shown_width(std::string_view text);
std::string padded(std::string_view text, int width, bool right = false);

/// At most `width` characters, the middle left out of longer ones: "deepinfra/..-Turbo".
std::string clipped(std::string_view text, int width);

/// Text broken at spaces so that no line is longer than `width`; later lines start with `indent` spaces.
std::string wrapped(std::string_view text, int width, int indent);

/// A name and what is to be said of it, in as many lines as that takes.
std::string named_line(std::string_view name, std::string_view text, const Style& style);
/// A name, one figure, and a remark beside it.
std::string figure_row(std::string_view name, std::string_view value, std::string_view remark = "");

/// A layout or another text for this terminal: "TP2·PP4" and "2×TP4" are TP2-PP4 and 2xTP4 without Unicode.
std::string plain_text(const Style& style, std::string text);

/// "1.000" -> "100%", 0.9327 -> "93%", 0.0003 -> "0.03%".
std::string percent(double share);

}  // namespace ridge::report
