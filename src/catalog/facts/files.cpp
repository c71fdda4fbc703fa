#include "catalog/facts/files.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>

#include "base/text/text.hpp"
#include "catalog/facts/read_toml.hpp"
#include "catalog/prices/price_entry.hpp"

namespace ridge::catalog {

namespace fs = std::filesystem;

namespace {

constexpr const char* kFolders[] = {"chip",    "machine",     "model",     "claim",  "calibration",
                                    "rack",    "scaling_law", "lifecycle", "tier",   "reuse",
                                    "traffic", "contract",    "lecture",   "day",    "prior",
                                    "engine",  "client",      "failure",   "recipe", "trainer"};

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

}  // namespace

namespace {

Result<std::string> read_all(std::FILE* file, const std::string& path, std::size_t largest) {
  std::string text;
  char block[65536];
  std::size_t count = 0;
  while ((count = std::fread(block, 1, sizeof block, file)) > 0) {
    text.append(block, count);
    if (text.size() > largest)
      return fail(
          {path, "is larger than " + std::to_string(largest >> 20) + " MiB",
           largest == kLargestFile ? "catalog, scenario and config files are a few kilobytes" : "give a part of it"});
  }
  if (std::ferror(file) != 0) return fail({path, "could not be read to its end", "check the disk"});
  return text;
}

}  // namespace

namespace {

/// A pipe that nobody writes to would keep us waiting for ever.
Result<std::string> read_pipe(const std::string& path, std::size_t largest) {
  constexpr int kPatience = 5000;  // milliseconds
  const int descriptor = open(path.c_str(), O_RDONLY | O_NONBLOCK);
  if (descriptor < 0) return fail({path, std::strerror(errno), "check the path and its permissions"});
  pollfd waited{.fd = descriptor, .events = POLLIN, .revents = 0};
  const bool ready = poll(&waited, 1, kPatience) > 0 && (waited.revents & POLLIN) != 0;
  fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
  const File file(fdopen(descriptor, "rb"));
  if (!ready || !file) return fail({path, "is a pipe through which nothing came", "write to it, or name a file"});
  return read_all(file.get(), path, largest);
}

}  // namespace

Result<std::string> read_file(const std::string& path, std::size_t largest) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return fail({path, "is a folder, not a file", "name a file inside it"});
  if (fs::is_fifo(path, ignored)) return read_pipe(path, largest);
  const File file(std::fopen(path.c_str(), "rb"));
  if (!file) return fail({path, std::strerror(errno), "check the path and its permissions"});
  return read_all(file.get(), path, largest);
}

Result<ByteSource> file_source(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status)) return fail({path, "is a folder, not a file", "name a file inside it"});
  if (!fs::exists(status)) return fail({path, "there is no such file", "check the path"});
  if (!fs::is_regular_file(status)) return fail({path, "is not a regular file", "copy it to a disk first"});
  const std::uintmax_t size = fs::file_size(path, error);
  if (error) return fail({path, error.message(), "check the path and its permissions"});
  auto stream = std::make_shared<std::ifstream>(path, std::ios::binary);
  if (!*stream) return fail({path, std::strerror(errno), "check the path and its permissions"});
  return ByteSource{size, [stream](std::uint64_t offset, std::span<char> into) {
                      stream->clear();
                      stream->seekg(static_cast<std::streamoff>(offset));
                      stream->read(into.data(), static_cast<std::streamsize>(into.size()));
                      return static_cast<bool>(*stream);
                    }};
}

bool is_there(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

std::vector<std::string> files_ending(const std::string& folder, std::string_view ending) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& file : fs::directory_iterator(folder, error)) {
    if (file.path().filename().string().ends_with(ending)) names.push_back(file.path().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string without_links(const std::string& path) {
  std::error_code ignored;
  return fs::weakly_canonical(path, ignored).string();
}

Result<std::string> read_standard_input(std::size_t largest) { return read_all(stdin, "standard input", largest); }

namespace {

/// Collects the facts, and the errors, of one file after another.
class FolderReader {
 public:
  FolderReader(const std::string& folder, std::string shown_as) : root_(folder), shown_as_(std::move(shown_as)) {}

  /// A file whose tables are the entries.
  void read_tables(const char* file, const char* category) {
    if (std::error_code error; !fs::exists(root_ / file, error)) return;
    if (const auto text = open(root_ / file)) keep(read_entries(*text, category, shown_as_ + file), shown_as_ + file);
  }

  /// A folder with one entry a file.
  void read_files(const char* category) {
    for_each_file(category, [&](const fs::path& file, const std::string& text, const std::string& place) {
      keep(read_entry(text, category, file.stem().string(), place), place);
    });
  }

  /// Price sheets: a table each, many in a file, with a file of sources beside them.
  void read_prices() {
    read_tables("price/sources.toml", "source");
    for_each_file("price", [&](const fs::path& file, const std::string& text, const std::string& place) {
      if (file.stem() != "sources") keep(sheet_facts(text, place), place);
    });
  }

  /// What lies beside the known files and folders is most likely a misspelt one.
  void refuse_strangers() {
    std::error_code error;
    std::vector<std::string> known = {"sources.toml",      "format.toml", "alias.toml", "config_keys.toml",
                                      "config_names.toml", "template",    "evidence",   "price"};
    for (const char* category : kFolders) known.emplace_back(category);
    for (const auto& item : fs::directory_iterator(root_, error)) {
      const std::string name = item.path().filename().string();
      const bool ours = item.is_directory(error) || item.path().extension() == ".toml";
      if (!ours || name.starts_with('.') || std::find(known.begin(), known.end(), name) != known.end()) continue;
      errors_.push_back({shown_as_ + name, "is not part of a catalog", suggestion(name, known)});
    }
  }

  Result<std::vector<Fact>> result() {
    if (!found_) {
      errors_.push_back({root_.string(), "holds no catalog files", "it needs chip/, machine/, model/ or sources.toml"});
    }
    if (!errors_.empty()) return fail(std::move(errors_));
    return std::move(facts_);
  }

 private:
  /// The TOML files of a folder in the order of their names: path, text and the name shown.
  template <class Take>
  void for_each_file(const char* folder, const Take& take) {
    std::error_code error;
    if (!fs::is_directory(root_ / folder, error)) return;
    found_ = true;
    std::vector<fs::path> files;
    for (const auto& file : fs::directory_iterator(root_ / folder, error)) {
      if (file.path().extension() == ".toml") files.push_back(file.path());
    }
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) {
      if (const auto text = open(file))
        take(file, *text, fmt::format("{}{}/{}", shown_as_, folder, file.filename().string()));
    }
  }

  std::optional<std::string> open(const fs::path& file) {
    found_ = true;
    auto text = read_file(file.string());
    if (text) return std::move(*text);
    append(errors_, text.error());
    return {};
  }

  void keep(const Result<std::vector<Fact>>& read, const std::string& place) {
    if (read) {
      if (read->empty()) errors_.push_back({place, "is empty", "catalog/template shows what an entry holds"});
      facts_.insert(facts_.end(), read->begin(), read->end());
    } else {
      append(errors_, read.error());
    }
  }

  fs::path root_;
  std::string shown_as_;
  bool found_ = false;
  std::vector<Fact> facts_;
  Errors errors_;
};

}  // namespace

Result<std::vector<Fact>> read_folder(const std::string& folder, const std::string& shown_as) {
  if (std::error_code error; !fs::is_directory(folder, error)) {
    return fail({folder, "is not a folder",
                 "a catalog folder holds chip/, machine/, model/ and sources.toml, as catalog/ in the source"});
  }
  FolderReader reader(folder, shown_as);
  reader.read_tables("sources.toml", "source");
  reader.read_tables("format.toml", "format");
  reader.read_tables("alias.toml", "alias");
  reader.read_tables("config_keys.toml", "config_key");
  reader.read_tables("config_names.toml", "config_name");
  for (const char* category : kFolders) reader.read_files(category);
  reader.read_prices();
  reader.refuse_strangers();
  return reader.result();
}

}  // namespace ridge::catalog
