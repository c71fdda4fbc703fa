#pragma once
// A file that is there as a whole, or not at all: everything that ridge writes, other than the growing rows of a sweep.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/content_hash.hpp"
#include "base/result.hpp"
#include "cli/output/early_end.hpp"

namespace ridge::cli {

/// A plain file is written beside itself under another name and takes its place at the end, with the permissions of the old
/// one. Links are followed. What is not plain (a device, a pipe, /dev/stdout) is written through, and never replaced.
class WholeFile {
 public:
  enum class Holds { text, database };  // a text takes no database's place

  static Result<WholeFile> open(const std::string& path, Holds holds = Holds::text);
  WholeFile(WholeFile&& other) noexcept;
  WholeFile& operator=(WholeFile&&) = delete;
  /// What was not committed is removed.
  ~WholeFile();

  Result<bool> add(std::string_view piece);
  /// On the disk, not only on its way there.
  Result<bool> sync();
  /// Now it is the file.
  Result<bool> commit();

  bool is_plain() const { return !temporary_.empty(); }
  /// Where it grows: for writers that want a path of their own.
  const std::string& temporary() const { return temporary_; }
  const ContentHash& hash() const { return hash_; }

 private:
  WholeFile(std::string named, std::string path, std::string temporary, int descriptor);
  tl::unexpected<Errors> failed(int error) const;

  std::string named_, path_, temporary_;
  int descriptor_;
  std::optional<Temporary> guard_, journal_guard_;
  ContentHash hash_;
};

/// A whole text at once.
Result<bool> write_file(const std::string& path, std::string_view text);

}  // namespace ridge::cli
