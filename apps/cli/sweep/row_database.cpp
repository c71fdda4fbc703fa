// The rows of a sweep in SQLite: the one file that knows it.

#include <cstdio>
#include <filesystem>

#include <fmt/format.h>
#include <sqlite3.h>

#include "base/unit_text.hpp"
#include "cli/sweep/row_file.hpp"
#include "report/search/sweep_rows.hpp"

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

}  // namespace

Result<Database> Database::open(const std::string& path, const std::vector<SweepColumn>& columns, std::uint64_t keep) {
  sqlite3* handle = nullptr;
  std::error_code error;
  if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error))
    return fail({path, "is not a file that a database can be in", "name a plain file"});
  if (keep == 0) {
    // a new one, whatever was there
    for (const char* suffix : {"", "-journal", "-wal"}) std::remove((path + suffix).c_str());
  }
  const int opened = sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  Database database(handle, path, columns.size());
  if (opened != SQLITE_OK) return database.failed();
  if (const auto created = database.create(columns, keep); !created) return fail(created.error());
  return database;
}

Database::Database(Database&& other) noexcept
    : handle_(other.handle_),
      insert_(other.insert_),
      name_(std::move(other.name_)),
      columns_(other.columns_),
      size_(other.size_) {
  other.handle_ = nullptr;
  other.insert_ = nullptr;
}

Database::~Database() {
  sqlite3_finalize(insert_);
  sqlite3_close(handle_);  // what was not synced is rolled back
}

tl::unexpected<Errors> Database::failed() const {
  return fail({name_, fmt::format("could not be written: {}", sqlite3_errmsg(handle_)),
               "make room and go on with --resume, or check the folder"});
}

Result<bool> Database::run(const std::string& sql) {
  if (sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) return failed();
  return true;
}

Result<bool> Database::create(const std::vector<SweepColumn>& columns, std::uint64_t keep) {
  std::string fields, places, units;
  for (const SweepColumn& column : columns) {
    fields += fmt::format("{}{} {}", fields.empty() ? "" : ", ", in_quotes(column.name, '"'), type_of(column));
    places += places.empty() ? "?" : ", ?";
    units += fmt::format("INSERT INTO columns VALUES ({}, {});", in_quotes(column.name, '\''),
                         in_quotes(unit_name(column.dimension), '\''));
  }
  const std::string start = keep > 0 ? fmt::format("DELETE FROM cases WHERE rowid > {}; BEGIN;", keep)
                                     : fmt::format(
                                           "BEGIN; CREATE TABLE columns (name TEXT, unit TEXT); {} CREATE TABLE "
                                           "cases ({}); COMMIT; BEGIN;",
                                           units, fields);
  if (const auto done = run(start); !done) return done;
  const std::string insert = fmt::format("INSERT INTO cases VALUES ({})", places);
  if (sqlite3_prepare_v2(handle_, insert.c_str(), -1, &insert_, nullptr) != SQLITE_OK) return failed();
  size_ = keep;
  return true;
}

Result<bool> Database::add(std::string_view packed) {
  for (std::size_t at = 0; at < packed.size();) {
    for (int column = 1; column <= static_cast<int>(columns_); ++column) {
      const report::PackedCell cell = report::next_cell(packed, at);
      using Type = report::PackedCell::Type;
      int bound = SQLITE_OK;
      if (cell.type == Type::none) bound = sqlite3_bind_null(insert_, column);
      if (cell.type == Type::number) bound = sqlite3_bind_double(insert_, column, cell.number);
      if (cell.type == Type::count)
        bound = sqlite3_bind_int64(insert_, column, static_cast<sqlite3_int64>(cell.number));
      if (cell.type == Type::text) {
        bound = sqlite3_bind_text(insert_, column, cell.text.data(), static_cast<int>(cell.text.size()), nullptr);
      }
      if (bound != SQLITE_OK) return failed();
    }
    if (sqlite3_step(insert_) != SQLITE_DONE || sqlite3_reset(insert_) != SQLITE_OK) return failed();
    ++size_;
  }
  return true;
}

Result<bool> Database::sync() { return run("COMMIT; BEGIN;"); }

Result<bool> Database::append(const std::string& path) {
  // a database cannot be attached inside a transaction
  if (const auto done = run("COMMIT; ATTACH " + in_quotes(path, '\'') + " AS part"); !done) return done;
  const auto copied = run("BEGIN; INSERT INTO cases SELECT * FROM part.cases ORDER BY part.cases.rowid; COMMIT;");
  if (!copied) return copied;
  return run("DETACH part; BEGIN;");
}

Result<std::vector<std::string>> database_columns(const std::string& path) {
  sqlite3* handle = nullptr;
  sqlite3_stmt* rows = nullptr;
  std::vector<std::string> names;
  const bool good =
      sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READONLY, nullptr) == SQLITE_OK &&
      sqlite3_prepare_v2(handle, "SELECT name FROM columns ORDER BY rowid", -1, &rows, nullptr) == SQLITE_OK;
  while (good && sqlite3_step(rows) == SQLITE_ROW) {
    names.emplace_back(reinterpret_cast<const char*>(sqlite3_column_text(rows, 0)));
  }
  const std::string why = sqlite3_errmsg(handle);
  sqlite3_finalize(rows);
  sqlite3_close(handle);
  if (names.empty()) return fail({path, "is no database of a sweep: " + why, "name files that ridge sweep wrote"});
  return names;
}

}  // namespace ridge::cli
