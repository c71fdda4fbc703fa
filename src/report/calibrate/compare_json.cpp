#include "report/base/json.hpp"
#include "report/calibrate/compare_text.hpp"

namespace ridge::report {

namespace {

Json compared_json(const ComparedRun& run) {
  Json json{{"place", run.result.place}, {"kind", name_of(run.result.kind)}, {"figures", Json::array()}};
  json["setting"] = run.setting.empty() ? Json(nullptr) : Json(run.setting);
  for (const ComparedFigure& figure : run.figures) {
    const bool known = figure.interval.high > 0;
    json["figures"].push_back({{"figure", figure.key},
                               {"title", figure.title},
                               {"measured", json_number(figure.measured)},
                               {"predicted", json_number(figure.predicted)},
                               {"low_80", known ? json_number(figure.interval.low) : Json(nullptr)},
                               {"high_80", known ? json_number(figure.interval.high) : Json(nullptr)},
                               {"error", json_number(figure.error())},
                               {"inside", known ? Json(figure.inside()) : Json(nullptr)}});
  }
  const bool none = run.figures.empty();
  json["bound"] = none ? Json(nullptr) : json_number(roofline_of(run));
  json["bound_best_routing"] = none ? Json(nullptr) : json_number(run.bound);
  json["times_bound"] = none ? Json(nullptr) : json_number(run.figures.front().measured / roofline_of(run));
  json["faster_than_bound"] = run.beats_bound();
  json["time"] = Json::object();
  for (const TimeShare& share : run.shares) json["time"][share.key] = json_number(share.seconds);
  json["changes"] = Json::array();
  for (const ComparedChange& one : run.changes)
    json["changes"].push_back(
        {{"change", one.what}, {"tpot", json_number(one.tpot)}, {"chip_rate", json_number(one.chip_rate)}});
  json["missing"] = run.result.missing;
  json["faults"] = run.result.faults;
  json["notes"] = run.notes;
  for (const std::string& note : run.result.notes) json["notes"].push_back(note);
  json["not_compared"] = run.unpredicted.empty() ? Json(nullptr) : Json(run.unpredicted);
  return json;
}

}  // namespace

std::string compare_json(const CompareReport& report) {
  Json json{{"schema", "ridge.compare/1"}, {"headline", compare_headline(report)},
            {"runs", Json::array()},       {"trend", nullptr},
            {"notes", report.notes},       {"refused", Json::array()}};
  for (const ComparedRun& run : report.runs) json["runs"].push_back(compared_json(run));
  if (report.trend)
    json["trend"] = {{"runs", report.trend->runs},
                     {"constant", json_number(report.trend->constant)},
                     {"slope", json_number(report.trend->slope)},
                     {"bias", json_number(report.trend->bias)},
                     {"mean_error", json_number(report.trend->mean_error)},
                     {"mean_error_of_line", json_number(report.trend->left)}};
  for (const Error& error : report.refused)
    json["refused"].push_back({{"where", error.where}, {"what", error.what}, {"hint", error.hint}});
  return dumped(json);
}

}  // namespace ridge::report
