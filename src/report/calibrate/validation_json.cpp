#include "report/base/json.hpp"
#include "report/calibrate/validation_text.hpp"

namespace ridge::report {

namespace {

Json line_json(const ValidationLine& line) {
  Json json{{"group", line.group},
            {"name", line.name},
            {"rows", line.errors.rows},
            {"bias", json_number(line.errors.bias)},
            {"mean_error", json_number(line.errors.mean)},
            {"p90_error", json_number(line.errors.p90)}};
  if (!line.worst.empty()) json["worst"] = {{"part", line.worst}, {"mean_error", json_number(line.worst_error)}};
  return json;
}

}  // namespace

std::string validation_json(const ValidationReport& report, bool with_page) {
  Json json;
  json["schema"] = "ridge.validate/2";
  json["evidence"] = report.evidence;
  json["lines"] = Json::array();
  for (const ValidationLine& line : report.validation.lines) json["lines"].push_back(line_json(line));
  json["held_out"] = Json::array();
  for (const LeftOut& left : report.left_out) {
    for (const ValidationLine& line : left.lines) json["held_out"].push_back(line_json(line));
  }
  json["bounded"] = report.validation.bounded;
  json["suspects"] = Json::array();
  for (const Suspect& one : report.validation.suspects) {
    json["suspects"].push_back({{"set", one.set},
                                {"what", one.what},
                                {"measured", json_number(one.measured)},
                                {"bound", json_number(one.bound)}});
  }
  json["not_judged"] = report.validation.left_out;
  if (with_page) json["page"] = validation_page(report);
  return dumped(json);
}

}  // namespace ridge::report
