#include "report/base/json.hpp"
#include "report/calibrate/bad_prediction.hpp"

namespace ridge::report {

namespace {

Json reported_json(const ReportedRun& run) {
  const auto text = [](const std::string& word) { return word.empty() ? Json(nullptr) : Json(word); };
  Json json{{"kind", run.kind},
            {"tool", run.tool},
            {"engine", text(run.engine)},
            {"model", text(run.model)},
            {"machine", text(run.machine)},
            {"line", text(run.line)},
            {"faults", run.faults},
            {"stated", Json::object()},
            {"figures", Json::array()}};
  for (const auto& [key, value] : run.load) json["stated"][key] = json_number(value);
  for (const ComparedFigure& one : run.figures) {
    const bool known = one.interval.high > 0;
    json["figures"].push_back({{"figure", one.key},
                               {"measured", json_number(one.measured)},
                               {"predicted", json_number(one.predicted)},
                               {"low_80", known ? json_number(one.interval.low) : Json(nullptr)},
                               {"high_80", known ? json_number(one.interval.high) : Json(nullptr)},
                               {"error", json_number(one.error())}});
  }
  json["bound"] = run.line.empty() ? Json(nullptr) : json_number(run.bound);
  return json;
}

}  // namespace

std::string bad_prediction_json(const BadPrediction& report) {
  Json json{{"schema", "ridge.bad_prediction/1"}, {"version", report.version}, {"runs", Json::array()}};
  for (const ReportedRun& run : report.runs) json["runs"].push_back(reported_json(run));
  json["unread_flags"] = report.unread_flags;
  json["refused"] = report.refused;
  return dumped(json);
}

}  // namespace ridge::report
