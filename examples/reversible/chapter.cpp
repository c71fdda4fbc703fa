#include "chapter.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace reversible {

namespace {

std::string formatted(const char* form, double value) {
  char text[64];
  std::snprintf(text, sizeof text, form, value);
  return text;
}

std::string padded(const std::string& text, std::size_t width, bool to_the_right) {
  const std::string blanks(width - std::min(width, text.size()), ' ');
  return to_the_right ? blanks + text : text + blanks;
}

/// A column of cells under its heading, all of one width.
std::vector<std::string> aligned(std::vector<std::string> cells, bool to_the_right) {
  std::size_t width = 0;
  for (const std::string& cell : cells) width = std::max(width, cell.size());
  for (std::string& cell : cells) cell = padded(cell, width, to_the_right);
  return cells;
}

std::string table_text(const Table& table) {
  std::vector<std::string> cells = {table.label};
  for (const Row& row : table.rows) cells.push_back(row.label);
  std::vector<std::string> lines = aligned(cells, false);
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    cells = {table.columns[column].heading};
    for (const Row& row : table.rows) {
      const double value = row.values[column];
      cells.push_back(std::isnan(value) ? "-" : formatted(table.columns[column].form, value));
    }
    cells = aligned(cells, true);
    for (std::size_t line = 0; line < lines.size(); ++line) lines[line] += "  " + cells[line];
  }
  std::string text;
  for (const std::string& line : lines) text += "  " + line + "\n";
  return text;
}

/// "at most 1e-12", "between 45 and 55", "exactly 0".
std::string promise(const Claim& claim) {
  if (claim.low == claim.high) return "exactly " + formatted("%.4g", claim.low);
  if (std::isinf(claim.high)) return "at least " + formatted("%.4g", claim.low);
  if (claim.low == 0) return "at most " + formatted("%.4g", claim.high);
  return "between " + formatted("%.4g", claim.low) + " and " + formatted("%.4g", claim.high);
}

std::string verdict(const Claim& claim) {
  return claim.sentence + ": " + formatted("%.4g", claim.measured) + ", promised " + promise(claim);
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (c == '\n') {
      result += "\\n";
    } else {
      result += c;
    }
  }
  return result + '"';
}

/// JSON has neither infinity nor NaN: both are null.
std::string json_number(double value) { return std::isfinite(value) ? formatted("%.17g", value) : "null"; }

template <class Item, class Write>
std::string json_list(const std::vector<Item>& items, Write write) {
  std::string text = "[";
  for (const Item& item : items) text += (text.size() > 1 ? ", " : "") + write(item);
  return text + "]";
}

std::string table_json(const Table& table) {
  return quoted(table.key) + ": " + json_list(table.rows, [&](const Row& row) {
           std::string text = "{\"label\": " + quoted(row.label);
           for (std::size_t i = 0; i < row.values.size(); ++i) {
             text += ", " + quoted(table.columns[i].key) + ": " + json_number(row.values[i]);
           }
           return text + "}";
         });
}

std::string claim_json(const Claim& claim) {
  return "{\"key\": " + quoted(claim.key) + ", \"sentence\": " + quoted(claim.sentence) +
         ", \"measured\": " + json_number(claim.measured) + ", \"low\": " + json_number(claim.low) +
         ", \"high\": " + json_number(claim.high) + ", \"holds\": " + (claim.holds() ? "true" : "false") + "}";
}

std::string chapter_json(const Chapter& chapter) {
  std::string text = quoted(chapter.key) + ": {\"title\": " + quoted(chapter.title);
  for (const Table& table : chapter.tables) text += ",\n    " + table_json(table);
  return text + ",\n    \"claims\": " + json_list(chapter.claims, claim_json) + "}";
}

}  // namespace

std::string as_text(const Chapter& chapter) {
  std::string text = chapter.title + "\n\n" + chapter.text + "\n";
  for (const Table& table : chapter.tables) text += table_text(table) + "\n";
  for (const Claim& claim : chapter.claims)
    text += (claim.holds() ? "  holds   " : "  FAILED  ") + verdict(claim) + "\n";
  return text + "\n";
}

std::string as_json(const std::vector<Chapter>& chapters, unsigned long long seed) {
  std::string text = "{\"seed\": " + std::to_string(seed);
  for (const Chapter& chapter : chapters) text += ",\n  " + chapter_json(chapter);
  return text + "}\n";
}

std::string failures(const std::vector<Chapter>& chapters) {
  std::string text;
  for (const Chapter& chapter : chapters) {
    for (const Claim& claim : chapter.claims) {
      if (!claim.holds()) text += chapter.key + "." + claim.key + ": " + verdict(claim) + "\n";
    }
  }
  return text;
}

}  // namespace reversible
