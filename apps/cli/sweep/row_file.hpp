#pragma once
// Where the rows of a sweep go: a text file, standard output, or a SQLite database.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "search/sweep/table.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace ridge::cli {

/// CSV or JSON Lines. Whatever fails, the file ends behind a whole piece.
class TextFile {
 public:
  /// Empty path: standard output. `keep` bytes of what is there stay.
  static Result<TextFile> open(const std::string& path, std::uint64_t keep);
  TextFile(TextFile&& other) noexcept;
  TextFile& operator=(TextFile&&) = delete;
  ~TextFile();

  Result<bool> add(std::string_view piece);
  /// On the disk, not only on its way there.
  Result<bool> sync();
  std::uint64_t size() const { return size_; }
  /// A device or a pipe can neither be cut nor gone on with.
  bool is_regular() const { return regular_; }

 private:
  TextFile(int descriptor, std::string name, bool regular, std::uint64_t size)
      : descriptor_(descriptor), name_(std::move(name)), regular_(regular), size_(size) {}

  int descriptor_;
  std::string name_;
  bool regular_;
  std::uint64_t size_;
};

/// Tables `cases` (the rows, in order) and `columns` (their units). Rows arrive packed, and count when synced.
class Database {
 public:
  /// `keep` rows of what is there stay.
  static Result<Database> open(const std::string& path, const std::vector<SweepColumn>& columns, std::uint64_t keep);
  Database(Database&& other) noexcept;
  Database& operator=(Database&&) = delete;
  ~Database();

  Result<bool> add(std::string_view packed);
  Result<bool> sync();
  std::uint64_t size() const { return size_; }
  bool is_regular() const { return true; }
  /// All rows of another such database behind our own.
  Result<bool> append(const std::string& path);

 private:
  Database(sqlite3* handle, std::string name, std::size_t columns)
      : handle_(handle), name_(std::move(name)), columns_(columns) {}
  Result<bool> run(const std::string& sql);
  Result<bool> create(const std::vector<SweepColumn>& columns, std::uint64_t keep);
  tl::unexpected<Errors> failed() const;

  sqlite3* handle_;
  sqlite3_stmt* insert_ = nullptr;
  std::string name_;
  std::size_t columns_;
  std::uint64_t size_ = 0;
};

/// The names of the columns of such a database.
Result<std::vector<std::string>> database_columns(const std::string& path);

}  // namespace ridge::cli
