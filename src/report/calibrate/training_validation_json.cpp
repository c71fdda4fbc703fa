#include "report/base/json.hpp"
#include "report/calibrate/training_validation.hpp"

namespace ridge::report {

namespace {

Json training_lines_json(const std::vector<TrainingLine>& lines) {
  Json out = Json::array();
  for (const TrainingLine& line : lines) {
    out.push_back({{"group", line.group},
                   {"name", line.name},
                   {"rows", json_count(line.rows)},
                   {"mean_error", json_number(line.mean)},
                   {"bias", json_number(line.bias)},
                   {"worst", json_number(line.worst)}});
  }
  return out;
}

Json training_figures_json(const TrainingValidation& validation) {
  Json out = Json::array();
  for (const auto& [figure, errors] : validation.figures) {
    for (const TrainingError& one : errors) {
      out.push_back({{"set", one.of->row.set},
                     {"id", one.of->row.id},
                     {"figure", figure},
                     {"predicted", json_number(one.predicted)},
                     {"measured", json_number(one.measured)}});
    }
  }
  return out;
}

}  // namespace

std::string training_validation_json(const TrainingValidationReport& report) {
  const TrainingValidation& v = report.validation;
  Json json;
  json["schema"] = "ridge.validate_train/1";
  json["rows"] = json_count(report.rows);
  json["judged"] = json_count(report.judged);
  json["lines"] = training_lines_json(v.lines);
  json["layouts"] = {{"worked", json_count(v.worked)},
                     {"accepted", json_count(v.accepted)},
                     {"crashed", json_count(v.crashed)},
                     {"flagged", json_count(v.flagged)}};
  json["figures"] = training_figures_json(v);
  json["left_out"] = training_lines_json(report.without);
  return dumped(json);
}

}  // namespace ridge::report
