#include "report/claims/claims_json.hpp"

#include "base/text/unit_text.hpp"
#include "report/base/json.hpp"

namespace ridge::report {

std::string claims_json(const std::vector<JudgedClaim>& claims) {
  Json json;
  json["schema"] = "ridge.claims/1";
  json["claims"] = Json::array();
  for (const JudgedClaim& judged : claims) {
    Json figures = Json::array();
    for (const JudgedFigure& one : judged.figures) {
      Json entry{{"key", one.figure.key},
                 {"meaning", one.figure.meaning},
                 {"value", json_number(one.figure.value)},
                 {"unit", unit_name(one.figure.dimension)}};
      if (one.expected) {
        entry["expected"] = {json_number(one.expected->low.value), json_number(one.expected->high.value)};
        entry["agrees"] = one.agrees;
      }
      figures.push_back(std::move(entry));
    }
    json["claims"].push_back({{"id", judged.claim.id},
                              {"title", judged.claim.title},
                              {"statement", judged.claim.statement},
                              {"at", judged.claim.at},
                              {"topic", judged.claim.topic},
                              {"verdict", name_of(judged.verdict)},
                              {"condition", judged.condition},
                              {"band", judged.claim.band},
                              {"figures", std::move(figures)}});
  }
  return dumped(json);
}

}  // namespace ridge::report
