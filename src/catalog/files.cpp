#include "catalog/files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>

#include "base/text.hpp"
#include "catalog/read_toml.hpp"

namespace ridge::catalog {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kLargestFile = 64u << 20;
constexpr const char* kFolders[] = {"chip", "machine", "model", "claim"};

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

}  // namespace

Result<std::string> read_file(const std::string& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return fail({path, "is a folder, not a file", "name a file inside it"});
  const File file(std::fopen(path.c_str(), "rb"));
  if (!file) return fail({path, std::strerror(errno), "check the path and its permissions"});
  std::string text;
  char block[65536];
  std::size_t count = 0;
  while ((count = std::fread(block, 1, sizeof block, file.get())) > 0) {
    text.append(block, count);
    if (text.size() > kLargestFile) return fail({path, "is larger than 64 MiB", "catalog and scenario files are a few kilobytes"});
  }
  if (std::ferror(file.get()) != 0) return fail({path, "could not be read to its end", "check the disk"});
  return text;
}

Result<bool> write_file(const std::string& path, std::string_view text) {
  const std::string temporary = path + ".part";
  std::error_code error;
  // a device such as /dev/null or /dev/stdout cannot be renamed onto
  const bool special = fs::exists(path, error) && !fs::is_regular_file(path, error);
  const std::string target = special ? path : temporary;
  File file(std::fopen(target.c_str(), "wb"));
  if (!file) return fail({path, std::strerror(errno), "check that the folder exists and can be written"});
  const bool wrote = std::fwrite(text.data(), 1, text.size(), file.get()) == text.size();
  const bool closed = std::fclose(file.release()) == 0;
  if (!wrote || !closed) {
    if (!special) fs::remove(temporary, error);
    return fail({path, fmt::format("could not be written: {}", std::strerror(errno)), "check the free space"});
  }
  if (special) return true;
  fs::rename(temporary, path, error);
  if (error) return fail({path, error.message(), "check that the folder can be written"});
  return true;
}

Result<std::vector<Fact>> read_folder(const std::string& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    return fail({folder, "is not a folder", "a catalog folder holds chip/, machine/, model/ and sources.toml, as catalog/ in the source"});
  }
  std::vector<Fact> facts;
  Errors errors;
  const auto collect = [&](Result<std::vector<Fact>> read) {
    if (read) facts.insert(facts.end(), read->begin(), read->end());
    else append(errors, read.error());
  };
  const auto load = [&](const fs::path& path, const std::string& category, const std::string& entry, const std::string& place) {
    const auto text = read_file(path.string());
    if (!text) return append(errors, text.error());
    collect(entry.empty() ? read_entries(*text, category, place) : read_entry(*text, category, entry, place));
  };
  const fs::path root(folder);
  if (fs::exists(root / "sources.toml", error)) load(root / "sources.toml", "source", "", "sources.toml");
  if (fs::exists(root / "format.toml", error)) load(root / "format.toml", "format", "", "format.toml");
  bool found = fs::exists(root / "sources.toml", error) || fs::exists(root / "format.toml", error);
  for (const char* category : kFolders) {
    if (!fs::is_directory(root / category, error)) continue;
    found = true;
    std::vector<fs::path> files;
    for (const auto& file : fs::directory_iterator(root / category, error)) {
      if (file.path().extension() == ".toml") files.push_back(file.path());
    }
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) {
      load(file, category, file.stem().string(), fmt::format("{}/{}", category, file.filename().string()));
    }
  }
  if (!found) errors.push_back({folder, "holds no catalog files", "it needs chip/, machine/, model/ or sources.toml"});
  if (!errors.empty()) return fail(std::move(errors));
  return facts;
}

}  // namespace ridge::catalog
