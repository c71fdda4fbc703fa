#include "report/base/json.hpp"
#include "report/claims/lecture_text.hpp"

namespace ridge::report {

std::string lecture_json(const std::vector<LectureStep>& steps) {
  Json json;
  json["schema"] = "ridge.lecture/1";
  json["steps"] = Json::array();
  for (const LectureStep& step : steps) {
    json["steps"].push_back({{"name", step.name},
                             {"chapter", step.chapter},
                             {"title", step.title},
                             {"at", step.at},
                             {"text", step.text},
                             {"command", step.command},
                             {"claims", step.claims}});
  }
  return dumped(json);
}

}  // namespace ridge::report
