#include "report/base/words_json.hpp"

#include "report/base/json.hpp"

namespace ridge::report {

std::string words_json(std::string_view schema, std::string_view what, const std::vector<std::string>& lines) {
  Json json;
  json["schema"] = std::string(schema);
  json["what"] = std::string(what);
  json["lines"] = lines;
  return dumped(json);
}

}  // namespace ridge::report
