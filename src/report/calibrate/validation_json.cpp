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

Json coverage_json(const CoverageLine& line) {
  return {{"figure", name_of(line.figure)},
          {"group", line.group},
          {"name", line.name},
          {"runs", line.runs},
          {"inside_50", json_number(line.inside[0])},
          {"inside_80", json_number(line.inside[1])},
          {"inside_95", json_number(line.inside[2])},
          {"log_error", json_number(line.error)},
          {"log_width_80", json_number(line.width)}};
}

Json noise_json(const NoiseLine& line) {
  return {{"figure", line.figure},
          {"name", line.name},
          {"configurations", line.configurations},
          {"runs", line.runs},
          {"median", json_number(line.median)},
          {"mean", json_number(line.mean)},
          {"p90", json_number(line.p90)}};
}

Json run_json(const SimulatedRun& run) {
  Json figures = Json::array();
  for (const SimulatedFigure& one : run.figures) {
    figures.push_back({{"name", std::string(one.name)},
                       {"measured", json_number(one.measured)},
                       {"predicted", json_number(one.predicted)}});
  }
  Json json{{"set", run.set}, {"id", run.id}, {"figures", std::move(figures)}};
  if (run.is_in_range) json["in_range"] = *run.is_in_range;
  return json;
}

Json tally_json(const DecisionTally& tally) {
  return {{"cases", tally.cases},
          {"offered", tally.offered},
          {"missed", tally.missed},
          {"offered_in_vain", tally.offered_in_vain},
          {"not_offered", tally.not_offered},
          {"missed_share", json_number(tally.missed_share())},
          {"regret", json_number(tally.regret())},
          {"loss", json_number(tally.loss())},
          {"loss_with_not_offered", json_number(tally.loss_of_all())},
          {"layout_regret", json_number(tally.layout_regret())}};
}

Json decisions_json(const Decisions& decisions) {
  Json json{{"confidence", json_number(decisions.confidence)},
            {"groups", decisions.groups},
            {"configurations", decisions.configurations},
            {"runs", decisions.runs},
            {"never_seen", decisions.never_seen},
            {"goals",
             {{"missed_share", json_number(kDecisionGoals.missed)},
              {"regret", json_number(kDecisionGoals.regret)},
              {"loss", json_number(kDecisionGoals.loss)},
              {"layout_regret", json_number(kDecisionGoals.layout_regret)}}},
            {"lines", Json::array()},
            {"by_group", Json::array()}};
  for (const DecisionLine& line : decisions.lines) {
    Json one = tally_json(line.tally);
    one["left_out"] = line.left_out;
    one["predictor"] = name_of(line.predictor);
    one["confidence"] = json_number(line.confidence);
    json["lines"].push_back(std::move(one));
  }
  for (const DecisionGroupLine& line : decisions.by_group) {
    Json one = tally_json(line.tally);
    one["left_out"] = line.left_out;
    one["name"] = line.name;
    one["configurations"] = line.options;
    one["log_bias"] = json_number(line.bias);
    one["margin"] = json_number(line.margin);
    one["layout_mistakes"] = Json::array();
    for (const LayoutMistake& mistake : line.mistakes) {
      one["layout_mistakes"].push_back({{"tpot_target", json_number(mistake.target)},
                                        {"taken", mistake.taken},
                                        {"best", mistake.best},
                                        {"lost", json_number(mistake.lost)},
                                        {"held", mistake.held}});
    }
    json["by_group"].push_back(std::move(one));
  }
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
  if (report.coverage) {
    json["coverage"] = Json::array();
    for (const CoverageLine& line : report.coverage->lines) json["coverage"].push_back(coverage_json(line));
    json["coverage_failures"] = report.coverage->failures;
  }
  if (report.decisions) json["decisions"] = decisions_json(*report.decisions);
  if (report.seen_decisions) json["seen_decisions"] = decisions_json(*report.seen_decisions);
  json["noise"] = Json::array();
  for (const NoiseLine& line : report.validation.noise) json["noise"].push_back(noise_json(line));
  if (!report.simulated.empty()) {
    json["simulated"] = Json::array();
    for (const SimulatedRun& run : report.simulated) json["simulated"].push_back(run_json(run));
    json["simulated_noise"] = Json::array();
    for (const NoiseLine& line : report.simulated_noise) json["simulated_noise"].push_back(noise_json(line));
  }
  json["failures"] = Json::array();
  for (const ValidationFailure& one : failures_of(report)) {
    json["failures"].push_back({{"group", one.group},
                                {"name", one.name},
                                {"rows", one.rows},
                                {"mean_error", json_number(one.mean)},
                                {"cause", one.cause.empty() ? Json(nullptr) : Json(one.cause)}});
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
