// The rows of a sweep in SQLite: the one file that knows it.

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <sqlite3.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "cli/output/output_target.hpp"
#include "cli/sweep/row_file.hpp"

namespace ridge::cli {

namespace {

std::string in_quotes(std::string_view name, char quote) {
  std::string out(1, quote);
  for (const char c : name) {
    if (c == quote) out += quote;
    out += c;
  }
  return out + quote;
}

std::string type_of(const SweepColumn& column) {
  switch (column.holds) {
    case SweepColumn::Holds::number:
      return "REAL";
    case SweepColumn::Holds::count:
    case SweepColumn::Holds::flag:
      return "INTEGER";
    case SweepColumn::Holds::text:
      break;
  }
  return "TEXT";
}

using report::PackedCell;

constexpr int kApplication = 0x52494447;  // "RIDG": what says that a database is ours (sqlite.org/fileformat.html)
constexpr int kForm = 1;                  // of its tables
constexpr const char* kUnits = "CREATE TABLE columns (name TEXT, unit TEXT)";
constexpr const char* kPutBackRows =
    "put back the database that was written, or remove it and its .state to start again";

struct CloseDatabase {
  void operator()(sqlite3* handle) const { sqlite3_close(handle); }
};
using Handle = std::unique_ptr<sqlite3, CloseDatabase>;
struct EndStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, EndStatement>;

/// SQLite has names of its own (":memory:"): a path is one by its first letter.
std::string as_path(const std::string& path) { return path.starts_with('/') ? path : "./" + path; }

/// Somebody who reads along is waited for.
int connect_to(const std::string& path, int flags, sqlite3*& handle) {
  constexpr int kPatience = 10000;  // milliseconds
  const int opened = sqlite3_open_v2(as_path(path).c_str(), &handle, flags, nullptr);
  if (handle != nullptr) sqlite3_busy_timeout(handle, kPatience);
  return opened;
}

Handle opened(const std::string& path, int flags) {
  sqlite3* handle = nullptr;
  connect_to(path, flags, handle);
  return Handle(handle);
}

Statement prepared(sqlite3* handle, const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  sqlite3_prepare_v2(handle, sql.c_str(), -1, &statement, nullptr);
  return Statement(statement);
}

/// Whether a sweep may take the place of what is there: nothing, nothing in it, or a sweep's rows alone.
Result<bool> may_replace(const std::string& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (error || size == 0) return true;
  const Handle handle = opened(path, SQLITE_OPEN_READWRITE);  // so that what was left half written is rolled back
  const Statement id = prepared(handle.get(), "PRAGMA application_id");
  const Statement things = prepared(handle.get(), "SELECT type, name, sql FROM sqlite_master WHERE type != 'index'");
  const int read = things ? sqlite3_step(things.get()) : sqlite3_errcode(handle.get());
  if (read != SQLITE_ROW && read != SQLITE_DONE) {
    const bool stranger = read == SQLITE_NOTADB;
    return fail({path, stranger ? "is there, and is no database" : sqlite3_errmsg(handle.get()),
                 "name another file, or remove it first"});
  }
  bool ours = id && sqlite3_step(id.get()) == SQLITE_ROW && sqlite3_column_int(id.get(), 0) == kApplication;
  std::vector<std::string> strange;
  bool any = false;
  for (int row = read; row == SQLITE_ROW; row = sqlite3_step(things.get())) {
    const auto text = [&](int column) {
      const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(things.get(), column));
      return std::string(bytes == nullptr ? "" : bytes);
    };
    any = true;
    if (text(2) == kUnits) ours = true;  // an older ridge gave it no number
    if (text(0) != "table" || (text(1) != "cases" && text(1) != "columns" && !text(1).starts_with("sqlite_")))
      strange.push_back(fmt::format("{} {}", text(0), shortened(text(1))));
  }
  if (!any || (ours && strange.empty())) return true;
  return fail({path,
               strange.empty()
                   ? "is a database that ridge did not write"
                   : fmt::format("is a database with something that ridge did not write: {}", strange.front()),
               "name another file, or remove it first"});
}

/// By value, whichever way SQLite stores it: 2.0 may come back as 2, and -0.0 as 0.
void add_cell(ContentHash& hash, const PackedCell& cell) {
  const bool is_text = cell.type == PackedCell::Type::text, none = cell.type == PackedCell::Type::none;
  const double number = is_text ? static_cast<double>(cell.text.size()) : none ? 0.0 : cell.number + 0.0;
  char bytes[1 + sizeof number] = {none ? 'n' : is_text ? 't' : '1'};
  std::memcpy(bytes + 1, &number, sizeof number);
  hash.add({bytes, sizeof bytes});
  if (is_text) hash.add(cell.text);
}

void read_row(sqlite3_stmt* row, std::vector<PackedCell>& cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const int column = static_cast<int>(i) + 1;  // the first is the row's number
    PackedCell& cell = cells[i];
    cell = {};
    switch (sqlite3_column_type(row, column)) {
      case SQLITE_NULL:
        break;
      case SQLITE_INTEGER: {
        constexpr double kExact = 9007199254740992;  // 2^53: what is more is no count, and may be no int64 again
        const auto count = static_cast<double>(sqlite3_column_int64(row, column));
        const bool whole = count >= -kExact && count <= kExact;
        cell = {whole ? PackedCell::Type::count : PackedCell::Type::number, count, {}};
        break;
      }
      case SQLITE_FLOAT:
        cell = {PackedCell::Type::number, sqlite3_column_double(row, column), {}};
        break;
      default: {
        const auto* text = static_cast<const char*>(sqlite3_column_blob(row, column));
        const auto size = static_cast<std::size_t>(sqlite3_column_bytes(row, column));
        cell = {PackedCell::Type::text, 0.0, {text == nullptr ? "" : text, size}};
      }
    }
  }
}

/// Goes through the rows that a database should begin with, or hold (`exactly`), and says what is wrong with them.
template <class Take>
Result<ContentHash> read_rows(const std::string& path, const Contents& contents, bool exactly, const Take& take) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    return fail({path,
                 fmt::format("is not there, though its state says that it holds {} rows",
                             with_commas(static_cast<double>(contents.size))),
                 kPutBackRows});
  }
  const Handle handle = opened(path, SQLITE_OPEN_READWRITE);
  const Statement rows = prepared(handle.get(), "SELECT rowid, * FROM cases ORDER BY rowid");
  if (!rows)
    return fail({path, fmt::format("is no database of a sweep: {}", sqlite3_errmsg(handle.get())), kPutBackRows});
  std::vector<PackedCell> cells(static_cast<std::size_t>(sqlite3_column_count(rows.get()) - 1));
  ContentHash hash;
  std::uint64_t count = 0;
  int step = SQLITE_ROW;
  for (; count < contents.size && (step = sqlite3_step(rows.get())) == SQLITE_ROW; ++count) {
    if (static_cast<std::uint64_t>(sqlite3_column_int64(rows.get(), 0)) != count + 1) break;
    read_row(rows.get(), cells);
    for (const PackedCell& cell : cells) add_cell(hash, cell);
    if (const Result<bool> taken = take(cells); !taken) return fail(taken.error());
  }
  const auto number = [](std::uint64_t n) { return with_commas(static_cast<double>(n)); };
  if (step != SQLITE_ROW && step != SQLITE_DONE) return fail({path, sqlite3_errmsg(handle.get()), kPutBackRows});
  if (count < contents.size) {
    return fail({path,
                 fmt::format("lacks rows that its state says it holds: row {} of {} is missing", number(count + 1),
                             number(contents.size)),
                 kPutBackRows});
  }
  if (hash.text() != contents.hash)
    return fail(
        {path, fmt::format("is not what was written: its first {} rows have changed", number(count)), kPutBackRows});
  if (exactly && sqlite3_step(rows.get()) == SQLITE_ROW)
    return fail({path, "holds more rows than were written", kPutBackRows});
  return hash;
}

constexpr auto kOnlyLook = [](const std::vector<PackedCell>&) { return Result<bool>(true); };

}  // namespace

Result<bool> check_database(const std::string& path, const Contents& contents) {
  const auto read = read_rows(path, contents, true, kOnlyLook);
  if (!read) return fail(read.error());
  return true;
}

Result<Database> Database::open(const std::string& path, const std::vector<SweepColumn>& columns,
                                const Contents& keep) {
  const auto target = output_target(path);
  if (!target) return fail(target.error());
  if (!target->is_plain) return fail({path, "is not a file that a database can be in", "name a plain file"});
  Database database(target->path, columns);
  if (keep.size > 0) {
    const auto kept = read_rows(target->path, keep, false, kOnlyLook);
    if (!kept) return fail(kept.error());
    database.hash_ = *kept;
    database.rows_ = keep.size;
  } else if (const auto ours = may_replace(target->path); !ours) {
    return fail(ours.error());
  }
  return database;
}

Database::Database(Database&& other) noexcept
    : handle_(other.handle_),
      insert_(other.insert_),
      path_(std::move(other.path_)),
      columns_(std::move(other.columns_)),
      rows_(other.rows_),
      hash_(other.hash_) {
  other.handle_ = nullptr;
  other.insert_ = nullptr;
}

Database::~Database() {
  sqlite3_finalize(insert_);
  sqlite3_close(handle_);  // what was not synced is rolled back
}

tl::unexpected<Errors> Database::failed() const {
  const int code = sqlite3_errcode(handle_);
  const bool busy = code == SQLITE_BUSY || code == SQLITE_LOCKED;
  return fail({path_, fmt::format("could not be written: {}", sqlite3_errmsg(handle_)),
               busy ? "another program has it open: close that and go on with --resume"
                    : "make room and go on with --resume, or check the folder"});
}

Result<bool> Database::run(const std::string& sql) {
  if (sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) return failed();
  return true;
}

void remove_leftovers(const std::string& path) {
  const auto target = output_target(path);  // a journal lies beside the file itself, not beside a link to it
  for (const char* suffix : {"-journal", "-wal", "-shm"})
    std::remove(((target ? target->path : path) + suffix).c_str());
}

Result<bool> Database::begin() {
  std::error_code error;
  if (!std::filesystem::exists(path_, error)) remove_leftovers(path_);
  if (connect_to(path_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, handle_) != SQLITE_OK) return failed();
  return create();
}

Result<bool> Database::create() {
  std::string fields, places, units;
  for (const SweepColumn& column : columns_) {
    fields += fmt::format("{}{} {}", fields.empty() ? "" : ", ", in_quotes(column.name, '"'), type_of(column));
    places += places.empty() ? "?" : ", ?";
    units += fmt::format("INSERT INTO columns VALUES ({}, {});", in_quotes(column.name, '\''),
                         in_quotes(unit_name(column.dimension), '\''));
  }
  const std::string start = rows_ > 0 ? fmt::format("DELETE FROM cases WHERE rowid > {}; BEGIN;", rows_)
                                      : fmt::format(
                                            "BEGIN EXCLUSIVE; DROP TABLE IF EXISTS cases; DROP TABLE IF EXISTS "
                                            "columns; PRAGMA application_id = {}; "
                                            "PRAGMA user_version = {}; {}; {} CREATE TABLE cases ({}); "
                                            "COMMIT; BEGIN;",
                                            kApplication, kForm, kUnits, units, fields);
  if (const auto done = run(start); !done) return done;
  const std::string insert = fmt::format("INSERT INTO cases VALUES ({})", places);
  if (sqlite3_prepare_v2(handle_, insert.c_str(), -1, &insert_, nullptr) != SQLITE_OK) return failed();
  return true;
}

Result<bool> Database::add_row(const std::vector<PackedCell>& cells) {
  using Type = PackedCell::Type;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const PackedCell& cell = cells[i];
    const int column = static_cast<int>(i) + 1;
    int bound = SQLITE_OK;
    if (cell.type == Type::none) bound = sqlite3_bind_null(insert_, column);
    if (cell.type == Type::number) bound = sqlite3_bind_double(insert_, column, cell.number);
    if (cell.type == Type::count) bound = sqlite3_bind_int64(insert_, column, static_cast<sqlite3_int64>(cell.number));
    if (cell.type == Type::text)
      bound = sqlite3_bind_text(insert_, column, cell.text.data(), static_cast<int>(cell.text.size()), nullptr);
    if (bound != SQLITE_OK) return failed();
  }
  if (sqlite3_step(insert_) != SQLITE_DONE || sqlite3_reset(insert_) != SQLITE_OK) return failed();
  for (const PackedCell& cell : cells) add_cell(hash_, cell);
  ++rows_;
  return true;
}

Result<bool> Database::add(std::string_view packed) {
  std::vector<PackedCell> cells(columns_.size());
  for (std::size_t at = 0; at < packed.size();) {
    for (PackedCell& cell : cells) cell = report::next_cell(packed, at);
    if (const auto added = add_row(cells); !added) return added;
  }
  return true;
}

Result<bool> Database::sync() { return run("COMMIT; BEGIN;"); }

Result<bool> Database::append(const std::string& path, const Contents& contents) {
  const auto read =
      read_rows(path, contents, true, [&](const std::vector<PackedCell>& cells) { return add_row(cells); });
  if (!read) return fail(read.error());
  return true;
}

Result<std::vector<std::string>> database_columns(const std::string& path) {
  const Handle handle = opened(path, SQLITE_OPEN_READWRITE);
  const Statement rows = prepared(handle.get(), "SELECT name FROM columns ORDER BY rowid");
  std::vector<std::string> names;
  while (rows && sqlite3_step(rows.get()) == SQLITE_ROW) {
    const auto* name = reinterpret_cast<const char*>(sqlite3_column_text(rows.get(), 0));
    names.emplace_back(name == nullptr ? "" : name);
  }
  if (!names.empty()) return names;
  return fail({path, fmt::format("is no database of a sweep: {}", sqlite3_errmsg(handle.get())),
               "name files that ridge sweep wrote"});
}

}  // namespace ridge::cli
