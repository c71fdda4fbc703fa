#include "report/base/entry_json.hpp"

#include "report/base/json.hpp"

namespace ridge::report {

std::string import_json(const EntryText& entry) {
  return dumped(Json{{"schema", "ridge.import/1"}, {"name", entry.name}, {"toml", entry.toml}});
}

std::string calibrate_json(const std::vector<EntryText>& entries) {
  Json json{{"schema", "ridge.calibrate/1"}, {"entries", Json::array()}};
  for (const EntryText& entry : entries) json["entries"].push_back({{"name", entry.name}, {"toml", entry.toml}});
  return dumped(json);
}

}  // namespace ridge::report
