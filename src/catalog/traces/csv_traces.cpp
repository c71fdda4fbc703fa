#include "catalog/traces/csv_traces.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "catalog/results/result_fields.hpp"
#include "catalog/traces/session_chunks.hpp"
#include "catalog/traces/trace_numbers.hpp"
#include "catalog/traces/trace_rows.hpp"

namespace ridge::catalog {

namespace {

constexpr std::string_view kChunksPrefix = "chunks_";
constexpr std::int64_t kLargestChunk = 1'000'000;  // tokens

/// The headings of a kind of file; those that a kind does not have are empty.
struct CsvTraceFormat {
  std::string_view sent, prompt, output, ttft, e2e;
  int sent_power = 9, span_power = 9;  // of ten, in nanoseconds; 0: a date
  bool own = false;                    // with sessions, priorities and chunks
};

constexpr CsvTraceFormat kCsvTraces[] = {
    {"sent_s", "prompt_tokens", "output_tokens", "ttft_s", "e2e_s", 9, 9, true},
    {"send_s", "prompt_tokens", "output_tokens", "ttft_ms", "e2e_ms", 9, 6, false},  // llama-server
    {"TIMESTAMP", "ContextTokens", "GeneratedTokens", {}, {}, 0, 9, false},          // Azure
};

/// The cells of a line, as they stand in it; quotes around one are taken off. False where a quote is not closed.
bool split_cells(std::string_view line, std::vector<std::string_view>& cells) {
  cells.clear();
  for (;;) {
    if (line.starts_with('"')) {
      std::size_t end = line.find('"', 1);
      while (end != std::string_view::npos && end + 1 < line.size() && line[end + 1] == '"')
        end = line.find('"', end + 2);
      if (end == std::string_view::npos) return false;
      cells.push_back(line.substr(1, end - 1));
      line.remove_prefix(end + 1);
      if (line.empty()) return true;
      if (line.front() != ',') return false;
      line.remove_prefix(1);
      continue;
    }
    const std::size_t end = line.find(',');
    cells.push_back(line.substr(0, end));
    if (end == std::string_view::npos) return true;
    line.remove_prefix(end + 1);
  }
}

const CsvTraceFormat* csv_trace_format(const std::vector<std::string_view>& headings) {
  for (const CsvTraceFormat& format : kCsvTraces) {
    const auto has = [&](std::string_view name) {
      return std::any_of(headings.begin(), headings.end(), [&](auto heading) { return trimmed(heading) == name; });
    };
    if (has(format.sent) && (has(format.prompt) || has(format.output))) return &format;
  }
  return nullptr;
}

/// Where each value of a request stands in a line.
struct TraceColumns {
  const CsvTraceFormat* format = nullptr;
  std::vector<std::string_view> headings;
  std::optional<std::size_t> sent, prompt, output, ttft, e2e, session, priority, chunks;
  std::int64_t chunk_tokens = 0;
};

std::optional<TraceColumns> trace_columns(std::string_view line, std::size_t number, TraceRows& rows) {
  constexpr std::size_t kMostColumns = 1000;
  TraceColumns columns;
  if (!split_cells(line, columns.headings) || columns.headings.size() > kMostColumns) {
    rows.stop(number, "", "has a quote that is not closed, or more than 1,000 headings", "is this a trace?");
    return {};
  }
  columns.format = csv_trace_format(columns.headings);
  if (columns.format == nullptr) {
    rows.stop(number, "", "has headings of no known trace", "docs/traces.md lists them");
    return {};
  }
  const CsvTraceFormat& format = *columns.format;
  for (std::size_t i = 0; i < columns.headings.size(); ++i) {
    std::string_view& heading = columns.headings[i];
    heading = trimmed(heading);
    const bool chunks = format.own && heading.starts_with(kChunksPrefix);
    std::optional<std::size_t>* column = heading.empty()            ? nullptr
                                         : heading == format.sent   ? &columns.sent
                                         : heading == format.prompt ? &columns.prompt
                                         : heading == format.output ? &columns.output
                                         : heading == format.ttft   ? &columns.ttft
                                         : heading == format.e2e    ? &columns.e2e
                                         : !format.own              ? nullptr
                                         : heading == "session"     ? &columns.session
                                         : heading == "priority"    ? &columns.priority
                                         : chunks                   ? &columns.chunks
                                                                    : nullptr;
    if (column == nullptr) {
      rows.ignored(heading.empty() ? "a column without a heading" : heading);
      continue;
    }
    if (*column) {
      rows.stop(number, heading, "stands twice among the headings", "remove one of the columns");
      return {};
    }
    *column = i;
    if (!chunks) continue;
    const auto tokens = whole_number(heading.substr(kChunksPrefix.size()));
    if (!tokens || *tokens < 1 || *tokens > static_cast<std::uint64_t>(kLargestChunk)) {
      rows.stop(number, heading, "names no size of a chunk", "such as chunks_16, from 1 to 1,000,000 tokens");
      return {};
    }
    columns.chunk_tokens = static_cast<std::int64_t>(*tokens);
  }
  for (const auto& [column, name] :
       {std::pair{&columns.prompt, format.prompt}, std::pair{&columns.output, format.output}}) {
    if (*column) continue;
    rows.stop(number, name, "is missing among the headings",
              fmt::format("{},{},{} are needed", format.sent, format.prompt, format.output));
    return {};
  }
  return columns;
}

/// The names of a cell as chunks of its request.
bool add_named_chunks(const TraceCell& cell, std::int64_t size, simulate::TraceRequest& request, TraceRows& rows) {
  auto& chunks = rows.trace().chunks;
  const std::size_t before = chunks.size();
  const auto most = static_cast<std::size_t>((std::int64_t{request.prompt} + request.output) / size);
  std::size_t at = 0, count = 0;
  while (at < cell.text.size()) {
    const std::size_t end = std::min(cell.text.find(' ', at), cell.text.size());
    const std::string_view word = cell.text.substr(at, end - at);
    at = end + 1;
    if (word.empty()) continue;
    const auto name = whole_number(word);
    if (!name) {
      chunks.resize(before);
      rows.refuse(cell.line, cell.column, number_trouble(word, "is no whole number of 64 bits"),
                  "names are whole numbers with blanks between them");
      return false;
    }
    if (++count > most) continue;
    if (!rows.room_for_chunks(1, cell)) return false;
    chunks.push_back(*name);
  }
  if (count > most) {
    chunks.resize(before);
    rows.refuse(cell.line, cell.column,
                fmt::format("names {} chunks, where prompt and output hold {} of {} tokens", count, most, size),
                "name whole chunks alone");
    return false;
  }
  if (count == 0) return true;
  request.first_chunk = static_cast<std::uint32_t>(before);
  request.prompt_chunks =
      static_cast<std::uint32_t>(std::min<std::size_t>(count, static_cast<std::size_t>(request.prompt / size)));
  request.output_chunks = static_cast<std::uint32_t>(count) - request.prompt_chunks;
  return true;
}

/// Conversations by their names in a file, and how many names of chunks they will need at least.
class SessionNumbers {
 public:
  explicit SessionNumbers(TraceRows& rows) : rows_(&rows) {}

  bool add(const TraceCell& cell, simulate::TraceRequest& request) {
    const auto [found, fresh] = numbers_.try_emplace(cell.text, static_cast<std::int32_t>(longest_.size()));
    request.session = found->second;
    if (fresh) longest_.push_back(0);
    std::int32_t& longest = longest_[static_cast<std::size_t>(request.session)];
    if (request.prompt < longest) ++shrunk_;
    if (request.prompt <= longest) return true;
    chunks_ += request.prompt / kLargestSessionChunk - longest / kLargestSessionChunk;
    longest = request.prompt;
    return rows_->room_for_chunks(static_cast<std::size_t>(chunks_), cell);
  }
  std::size_t shrunk() const { return shrunk_; }

 private:
  TraceRows* rows_;
  std::unordered_map<std::string_view, std::int32_t> numbers_;
  std::vector<std::int32_t> longest_;  // prompt of each
  std::int64_t chunks_ = 0;
  std::size_t shrunk_ = 0;
};

/// One line of a CSV trace, cell by cell.
class CsvTraceRows {
 public:
  CsvTraceRows(TraceColumns columns, TraceRows& rows) : columns_(std::move(columns)), rows_(&rows), sessions_(rows) {}

  void read(std::string_view line, std::size_t number) {
    if (!split_cells(line, cells_))
      return rows_->refuse(number, "", "has a quote that is not closed", "is the file whole?");
    if (cells_.size() != columns_.headings.size())
      return rows_->refuse(number, "",
                           fmt::format("has {} cells below {} headings", cells_.size(), columns_.headings.size()),
                           "is the file whole?");
    simulate::TraceRequest request;
    request.prompt = rows_->tokens(cell(number, *columns_.prompt));
    request.output = rows_->tokens(cell(number, *columns_.output));
    if (request.prompt < 0 || request.output < 0 || !rows_->counts(request)) return;
    const TraceCell sent = cell(number, *columns_.sent);
    if (!read_time(sent, request) || !read_measured(number, request)) return;
    if (columns_.priority && !read_priority(cell(number, *columns_.priority), request)) return;
    if (columns_.session) {
      const TraceCell session = cell(number, *columns_.session);
      if (!session.text.empty() && !sessions_.add(session, request)) return;
    }
    if (columns_.chunks && !add_named_chunks(cell(number, *columns_.chunks), columns_.chunk_tokens, request, *rows_))
      return;
    rows_->add(request, sent);
  }

  void finish() {
    if (columns_.chunks) {
      if (!rows_->trace().chunks.empty())
        rows_->trace().chunk_tokens = static_cast<std::int32_t>(columns_.chunk_tokens);
    } else if (columns_.session) {
      name_session_chunks(rows_->trace(), rows_->limits().chunks);
      if (sessions_.shrunk() > 0)
        rows_->note(fmt::format("{} prompts are shorter than an earlier one of their session: read as its beginning",
                                with_commas(static_cast<double>(sessions_.shrunk()))));
    }
  }

 private:
  TraceCell cell(std::size_t line, std::size_t column) const {
    return {line, columns_.headings[column], trimmed(cells_[column])};
  }

  bool read_time(const TraceCell& cell, simulate::TraceRequest& request) {
    if (columns_.format->sent_power != 0) {
      request.sent = rows_->time(cell, columns_.format->sent_power);
      return request.sent >= 0;
    }
    const auto time = date_and_time(cell.text);
    if (time) {
      request.sent = *time;
    } else {
      rows_->refuse(cell.line, cell.column, fmt::format("\"{}\" is no date and time", safe_line(shortened(cell.text))),
                    "such as 2023-11-16 18:15:46.6805900");
    }
    return time.has_value();
  }

  /// TTFT and E2E latency; an empty cell is not known.
  bool read_measured(std::size_t line, simulate::TraceRequest& request) {
    const auto read = [&](const std::optional<std::size_t>& column, simulate::Nanoseconds& to) {
      if (!column || trimmed(cells_[*column]).empty()) return true;
      to = rows_->span(cell(line, *column), columns_.format->span_power);
      return to >= 0;
    };
    return read(columns_.ttft, request.ttft) && read(columns_.e2e, request.e2e);
  }

  bool read_priority(const TraceCell& cell, simulate::TraceRequest& request) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    if (cell.text.empty()) return true;
    std::string_view digits = cell.text;
    const bool negative = digits.starts_with('-');
    if (negative) digits.remove_prefix(1);
    const auto priority = whole_number(digits);
    if (!priority || *priority > static_cast<std::uint64_t>(kMost)) {
      rows_->refuse(cell.line, cell.column, fmt::format("\"{}\" is no priority", safe_line(shortened(cell.text))),
                    "a whole number of 32 bits; lower is served first");
      return false;
    }
    request.priority = static_cast<std::int32_t>(negative ? -static_cast<std::int64_t>(*priority)
                                                          : static_cast<std::int64_t>(*priority));
    return true;
  }

  TraceColumns columns_;
  TraceRows* rows_;
  SessionNumbers sessions_;
  std::vector<std::string_view> cells_;
};

}  // namespace

bool is_csv_trace(std::string_view headings) {
  std::vector<std::string_view> cells;
  return split_cells(headings, cells) && csv_trace_format(cells) != nullptr;
}

Result<simulate::Trace> read_csv_trace(std::string_view text, std::string_view place, const TraceLimits& limits) {
  TraceRows rows(place, limits);
  TraceLines lines(text, limits);
  const auto first = lines.next();
  if (first != TraceLines::Next::line) {
    rows.stop_at(first, lines.number());
    return rows.finish();
  }
  const auto columns = trace_columns(lines.line(), lines.number(), rows);
  if (!columns) return rows.finish();
  CsvTraceRows reader(*columns, rows);
  while (rows.go_on()) {
    const auto next = lines.next();
    if (next == TraceLines::Next::line) {
      reader.read(lines.line(), lines.number());
      continue;
    }
    rows.stop_at(next, lines.number());
    break;
  }
  if (rows.go_on()) reader.finish();
  return rows.finish();
}

}  // namespace ridge::catalog
