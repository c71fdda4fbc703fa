#pragma once
// Where the rows of a sweep go: a text file, standard output, or a SQLite database. A file vouches for its state and the
// state for its file: both know how much was written, and its hash.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/content_hash.hpp"
#include "base/result.hpp"
#include "report/search/sweep_rows.hpp"
#include "search/sweep/table.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace ridge::cli {

/// What a file holds, or should: bytes of a text, rows of a database. With no hash, whatever it holds.
struct Contents {
  std::uint64_t size = 0;
  std::string hash = ContentHash().text();
};

/// Whether a finished file is what was written, and nothing else.
Result<bool> check_text(const std::string& path, const Contents& contents);
Result<bool> check_database(const std::string& path, const Contents& contents);

/// CSV or JSON Lines. Whatever fails, the file ends behind a whole piece.
class TextFile {
 public:
  /// Empty path: standard output. Looks, and changes nothing: `keep` must be what the file begins with.
  static Result<TextFile> open(const std::string& path, const Contents& keep);
  TextFile(TextFile&& other) noexcept;
  TextFile& operator=(TextFile&&) = delete;
  ~TextFile();

  /// Cuts what is behind the part that is kept.
  Result<bool> begin();
  Result<bool> add(std::string_view piece);
  /// On the disk, not only on its way there.
  Result<bool> sync();
  Contents contents() const { return {hash_.size(), hash_.text()}; }
  /// A device or a pipe can neither be cut nor gone on with.
  bool is_regular() const { return regular_; }
  /// Whether rows may still be synced after an `add` that failed.
  static constexpr bool kGoodAfterFailure = true;

 private:
  TextFile(int descriptor, std::string name, bool regular)
      : descriptor_(descriptor), name_(std::move(name)), regular_(regular) {}

  int descriptor_;
  std::string name_;
  bool regular_;
  ContentHash hash_;
};

/// Tables `cases` (the rows, in order) and `columns` (their units). Rows arrive packed, and count when synced.
class Database {
 public:
  /// Looks, and changes nothing: what is there must be a sweep's, or empty, and `keep` the rows that it begins with.
  static Result<Database> open(const std::string& path, const std::vector<SweepColumn>& columns, const Contents& keep);
  Database(Database&& other) noexcept;
  Database& operator=(Database&&) = delete;
  ~Database();

  /// Drops what is behind the rows that are kept.
  Result<bool> begin();
  Result<bool> add(std::string_view packed);
  Result<bool> sync();
  Contents contents() const { return {rows_, hash_.text()}; }
  bool is_regular() const { return true; }
  static constexpr bool kGoodAfterFailure = false;  // some rows of a piece may be in, and some not
  /// All rows of another such database behind our own, if they are what they should be.
  Result<bool> append(const std::string& path, const Contents& contents);

 private:
  Database(std::string path, std::vector<SweepColumn> columns) : path_(std::move(path)), columns_(std::move(columns)) {}
  Result<bool> connect();
  Result<bool> run(const std::string& sql);
  Result<bool> create();
  Result<bool> add_row(const std::vector<report::PackedCell>& cells);
  tl::unexpected<Errors> failed() const;

  sqlite3* handle_ = nullptr;
  sqlite3_stmt* insert_ = nullptr;
  std::string path_;
  std::vector<SweepColumn> columns_;
  std::uint64_t rows_ = 0;
  ContentHash hash_;
};

/// What a database that is gone left beside it: another in its place would be rolled back to the one before.
void remove_leftovers(const std::string& path);
/// The names of the columns of such a database.
Result<std::vector<std::string>> database_columns(const std::string& path);

}  // namespace ridge::cli
