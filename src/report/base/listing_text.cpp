#include "report/base/listing_text.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "base/text/text.hpp"

namespace ridge::report {

namespace {

constexpr int kColumnGap = 2, kBelowIndent = 2;
constexpr int kLeastProse = 16;  // with less beside the others, prose goes below
constexpr int kAmpleProse = 24;  // with less, headings are broken to give it more
constexpr int kMostName = 32;    // so that one long name does not widen the column of all
constexpr int kLeastName = 12;   // with less, every name stands above its row

using Cells = std::vector<std::string>;

/// Where a word is cut so that at most `width` characters stand before: behind a separator if it has one there.
std::size_t cut_at(std::string_view word, int width) {
  std::size_t end = 0, separator = 0;
  for (int shown = 0; end < word.size() && shown < width; ++shown) {
    do ++end;
    while (end < word.size() && (static_cast<unsigned char>(word[end]) & 0xC0) == 0x80);
    if (std::string_view("/-_,").find(word[end - 1]) != std::string_view::npos) separator = end;
  }
  return separator > 0 ? separator : end;
}

/// Broken at spaces, and inside a word only where it alone is too long.
Cells broken(std::string_view text, int width) {
  Cells lines;
  for (std::string line : split(wrapped(text, width, 0), '\n')) {
    while (shown_width(line) > width) {
      const std::size_t cut = cut_at(line, width);
      lines.push_back(line.substr(0, cut));
      line.erase(0, cut);
    }
    lines.push_back(line);
  }
  return lines;
}

int longest_word(std::string_view text) {
  int longest = 0;
  for (const std::string& word : split(text, ' ')) longest = std::max(longest, shown_width(word));
  return longest;
}

int widest_cell(const Listing& listing, std::size_t column) {
  int widest = 0;
  for (const Cells& row : listing.rows) widest = std::max(widest, shown_width(row[column]));
  return widest;
}

int row_width(const std::vector<int>& widths) {
  return std::accumulate(widths.begin(), widths.end(), kColumnGap * (static_cast<int>(widths.size()) - 1));
}

Cells headings_of(const Listing& listing) {
  Cells headings;
  for (const ListingColumn& column : listing.columns) headings.push_back(column.heading);
  return headings;
}

std::string one_line(const Cells& cells, const std::vector<int>& widths) {
  std::string out;
  for (std::size_t i = 0; i < cells.size(); ++i)
    out += i + 1 < cells.size() ? padded(cells[i], widths[i] + kColumnGap) : cells[i];
  return out;
}

std::string without_end_spaces(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

/// The same with units in the headings: "total" of "671B params" becomes "total params" of "671B".
Listing with_units_in_headings(Listing listing) {
  for (std::size_t i = 0; i < listing.columns.size(); ++i) {
    ListingColumn& column = listing.columns[i];
    if (column.unit.empty()) continue;
    for (Cells& row : listing.rows) {
      if (row[i].ends_with(column.unit)) row[i].resize(row[i].size() - column.unit.size());
    }
    column.heading += (column.unit.starts_with(' ') ? "" : " ") + column.unit;
  }
  return listing;
}

/// How a table stands where not every row has room in one line.
struct NarrowLayout {
  std::vector<int> widths;
  std::optional<std::size_t> below;
  bool names_above = false;
  int columns = 0;  // of the terminal
};

/// Of every column; names longer than most do not count, and headings by their longest word or whole.
std::vector<int> narrow_widths(const Listing& listing, bool whole_headings) {
  std::vector<int> widths;
  for (std::size_t i = 0; i < listing.columns.size(); ++i) {
    const std::string& heading = listing.columns[i].heading;
    widths.push_back(std::max(whole_headings ? shown_width(heading) : longest_word(heading), widest_cell(listing, i)));
  }
  widths.front() = std::min(widths.front(), kMostName);
  return widths;
}

NarrowLayout narrow_layout(const Listing& listing, int columns) {
  NarrowLayout layout;
  layout.columns = columns;
  std::vector<int>& widths = layout.widths;
  widths = narrow_widths(listing, true);
  const auto room_for = [&](std::size_t column) { return columns - row_width(widths) + widths[column]; };
  std::optional<std::size_t> prose;
  for (std::size_t i = 0; i < listing.columns.size(); ++i) {
    if (listing.columns[i].prose) prose = i;
  }
  if (!prose || room_for(*prose) < kAmpleProse) widths = narrow_widths(listing, false);
  if (prose && room_for(*prose) >= kLeastProse) {
    widths[*prose] = std::min(room_for(*prose), widths[*prose]);
  } else if (prose) {
    layout.below = prose;
    widths[*prose] = -kColumnGap;  // neither it nor the gap beside it
  }
  widths.front() = std::min(room_for(0), widths.front());
  layout.names_above = widths.front() < std::min(kLeastName, widest_cell(listing, 0));
  if (layout.names_above) widths.front() = 0;  // its gap is the indent of the rest
  return layout;
}

/// The lines of a row, or of the headings.
Cells narrow_lines(const Cells& cells, const NarrowLayout& layout) {
  Cells out;
  const bool name_above = layout.names_above || shown_width(cells.front()) > layout.widths.front();
  if (name_above) out = broken(cells.front(), layout.columns);
  std::vector<Cells> parts;
  std::size_t height = 1;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const bool elsewhere = (i == 0 && name_above) || i == layout.below;
    parts.push_back(elsewhere ? Cells{} : broken(cells[i], std::max(1, layout.widths[i])));
    height = std::max(height, parts.back().size());
  }
  for (std::size_t line = 0; line < height; ++line) {
    std::string text;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (i == layout.below) continue;
      text += padded(line < parts[i].size() ? parts[i][line] : "", layout.widths[i] + kColumnGap);
    }
    out.push_back(without_end_spaces(text));
  }
  if (layout.below && cells[*layout.below] != "-" && !cells[*layout.below].empty()) {
    const int indent = layout.names_above ? 2 * kBelowIndent : kBelowIndent;
    for (const std::string& line : broken(cells[*layout.below], layout.columns - indent))
      out.push_back(std::string(static_cast<std::size_t>(indent), ' ') + line);
  }
  return out;
}

}  // namespace

std::string listing_text(const Listing& listing, const Style& style) {
  const Cells headings = headings_of(listing);
  std::vector<int> widths;
  for (std::size_t i = 0; i < headings.size(); ++i)
    widths.push_back(std::max(shown_width(headings[i]), widest_cell(listing, i)));
  std::string out;
  if (row_width(widths) <= style.columns) {
    out = dim(style, one_line(headings, widths)) + "\n";
    for (const Cells& row : listing.rows) out += one_line(row, widths) + "\n";
    return out;
  }
  const Listing shown = with_units_in_headings(listing);
  const NarrowLayout layout = narrow_layout(shown, style.columns);
  for (const std::string& line : narrow_lines(headings_of(shown), layout)) out += dim(style, line) + "\n";
  for (const Cells& row : shown.rows) {
    for (const std::string& line : narrow_lines(row, layout)) out += line + "\n";
  }
  return out;
}

}  // namespace ridge::report
