// A libFuzzer target: any bytes as a part of a sweep in a database, read and appended. Built and run by `make fuzz`.

#include <cstdint>
#include <cstdio>
#include <string>

#include <unistd.h>

#include "cli/sweep/row_file.hpp"
#include "search/sweep/roofline_sweep.hpp"

namespace {

/// The columns that it names and a sweep knows, as `ridge merge` reads them; a case where there is none.
std::vector<ridge::SweepColumn> columns_of(const std::string& path) {
  using namespace ridge;
  static const std::vector<SweepColumn> known = roofline_columns();
  std::vector<SweepColumn> columns;
  for (const std::string& name : cli::database_columns(path).value_or(std::vector<std::string>())) {
    if (const auto column = find_column(name, known, path)) columns.push_back(*column);
  }
  if (columns.empty()) columns = {{"case", SweepColumn::Kind::index, 0, kNone, SweepColumn::Holds::count, false}};
  return columns;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string folder = "/dev/shm/ridge-fuzz-" + std::to_string(getpid());
  const std::string path = folder + ".sqlite", whole = folder + "-whole.sqlite";
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return 0;
  std::fwrite(data, 1, size, file);
  std::fclose(file);
  using namespace ridge;
  const std::vector<SweepColumn> columns = columns_of(path);
  cli::Contents any;
  any.size = 2;
  any.hash.clear();  // whatever it holds
  (void)cli::check_database(path, any);
  if (auto database = cli::Database::open(whole, columns, {})) {
    if (database->begin() && database->append(path, any)) (void)database->sync();
  }
  (void)cli::Database::open(path, columns, any);
  for (const std::string& name : {path, whole}) {
    for (const char* suffix : {"", "-journal", "-wal"}) std::remove((name + suffix).c_str());
  }
  return 0;
}
