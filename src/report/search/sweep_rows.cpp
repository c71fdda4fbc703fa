#include "report/search/sweep_rows.hpp"

#include <cmath>
#include <cstring>
#include <iterator>

#include <fmt/format.h>

#include "base/text/clean_text.hpp"
#include "base/text/text.hpp"

namespace ridge::report {

namespace {

using Holds = SweepColumn::Holds;

/// Quoted where it must be; a row is one line, whatever stands in it. What a spreadsheet would compute gets an
/// apostrophe before it, which keeps it text.
void add_csv(std::string& out, std::string_view given) {
  const std::string text = cleaned(given, Allowed::none);
  const bool formula = std::string_view("=+-@").find(text.front()) != std::string_view::npos;
  const bool plain = text.find_first_of(",\"") == std::string_view::npos;
  if (!plain) out += '"';
  if (formula) out += '\'';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  if (!plain) out += '"';
}

void add_json(std::string& out, std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '"' || c == '\\') safe += '\\';
    safe += c;
  }
  out += '"' + cleaned(safe, Allowed::none) + '"';
}

void add_number(std::string& out, double value, Holds holds) {
  if (holds == Holds::flag) {
    out += value != 0.0 ? "true" : "false";
  } else if (constexpr double kPlain = 1e15; value >= 0.0 && value < kPlain && value == std::floor(value)) {
    const fmt::format_int whole(static_cast<std::uint64_t>(value));  // the same digits, sooner
    out.append(whole.data(), whole.size());
  } else {
    fmt::format_to(std::back_inserter(out), "{}", value);
  }
}

template <class T>
void add_bytes(std::string& out, const T& value) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out.append(bytes, sizeof(T));
}

/// Text that is not UTF-8 would make the whole file unreadable.
std::string clean(const std::string& text) {
  if (is_utf8(text)) return text;
  std::string out = text;
  for (char& c : out) {
    if (static_cast<unsigned char>(c) >= 0x80) c = '?';
  }
  return out;
}

void add_cell(std::string& out, const SweepColumn& column, const TableColumn& values, std::size_t row,
              RowFormat format) {
  const bool is_text = column.holds == Holds::text;
  const bool none = is_text ? values.texts[row].empty() : !std::isfinite(values.numbers[row]);
  if (format == RowFormat::sqlite) {
    using Type = PackedCell::Type;
    const bool whole = column.holds == Holds::count || column.holds == Holds::flag;
    out += static_cast<char>(none ? Type::none : is_text ? Type::text : whole ? Type::count : Type::number);
    if (none) return;
    if (!is_text) return add_bytes(out, values.numbers[row]);
    const std::string text = clean(values.texts[row]);
    add_bytes(out, static_cast<std::uint64_t>(text.size()));
    out += text;
    return;
  }
  if (none) {
    if (format == RowFormat::json_lines) out += "null";
  } else if (!is_text) {
    add_number(out, values.numbers[row], column.holds);
  } else if (format == RowFormat::csv) {
    add_csv(out, clean(values.texts[row]));
  } else {
    add_json(out, clean(values.texts[row]));
  }
}

}  // namespace

std::string_view name_of(RowFormat format) {
  switch (format) {
    case RowFormat::csv:
      return "csv";
    case RowFormat::json_lines:
      return "jsonl";
    case RowFormat::sqlite:
      break;
  }
  return "sqlite";
}

Result<RowFormat> parse_row_format(std::string_view word, std::string_view where) {
  for (const RowFormat format : {RowFormat::csv, RowFormat::json_lines, RowFormat::sqlite}) {
    if (word == name_of(format)) return format;
  }
  if (word == "db" || word == "sqlite3") return RowFormat::sqlite;
  if (word == "ndjson" || word == "json") return RowFormat::json_lines;
  return fail({std::string(where), fmt::format("unknown format \"{}\"", shortened(word)), "csv, jsonl or sqlite"});
}

std::string rows_header(const std::vector<SweepColumn>& columns, RowFormat format) {
  std::string out;
  if (format != RowFormat::csv) return out;
  for (const SweepColumn& column : columns) {
    if (!out.empty()) out += ',';
    add_csv(out, column.name);
  }
  return out + "\n";
}

std::string rows_text(const SweepTable& table, const std::vector<SweepColumn>& columns,
                      const std::vector<Condition>& conditions, RowFormat format) {
  std::string out;
  std::vector<std::string> before;  // what stands before each cell
  for (const SweepColumn& column : columns) {
    std::string text;
    if (format == RowFormat::csv && !before.empty()) text = ",";
    if (format == RowFormat::json_lines) {
      text = before.empty() ? "{" : ",";
      add_json(text, column.name);
      text += ':';
    }
    before.push_back(std::move(text));
  }
  constexpr std::size_t kUsualCell = 20;
  out.reserve(table.rows * columns.size() * kUsualCell);
  std::vector<char> kept;
  find_kept(conditions, table, kept);
  for (std::size_t row = 0; row < table.rows; ++row) {
    if (kept[row] == 0) continue;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      out += before[c];
      add_cell(out, columns[c], table.columns[c], row, format);
    }
    if (format == RowFormat::csv) out += '\n';
    if (format == RowFormat::json_lines) out += "}\n";
  }
  return out;
}

PackedCell next_cell(std::string_view packed, std::size_t& at) {
  PackedCell cell;
  cell.type = static_cast<PackedCell::Type>(packed[at++]);
  if (cell.type == PackedCell::Type::number || cell.type == PackedCell::Type::count) {
    std::memcpy(&cell.number, packed.data() + at, sizeof cell.number);
    at += sizeof cell.number;
  } else if (cell.type == PackedCell::Type::text) {
    std::uint64_t length = 0;
    std::memcpy(&length, packed.data() + at, sizeof length);
    at += sizeof length;
    cell.text = packed.substr(at, length);
    at += length;
  }
  return cell;
}

}  // namespace ridge::report
