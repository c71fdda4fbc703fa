#pragma once
// What the JSON of a deployment and of a plan share. Heavy, like json.hpp: only for the *_json.cpp files of this folder.

#include "calibrate/evidence/nearest.hpp"
#include "engine/engine_commands.hpp"
#include "report/base/json.hpp"
#include "serve/serving.hpp"

namespace ridge::report {

inline Json layout_json(const Layout& layout) {
  return {{"name", short_name(layout)},
          {"chips", json_count(layout.chips())},
          {"tensor", json_count(layout.tensor)},
          {"pipeline", json_count(layout.pipeline)},
          {"context", json_count(layout.context)},
          {"attention_data", json_count(layout.attention_data)},
          {"expert", json_count(layout.expert)},
          {"redundant_experts", json_count(layout.redundant_experts)},
          {"replicas", json_count(layout.replicas)}};
}

/// Low and high ends by level, "80" among them, around an estimate.
inline Json interval_json(const AnswerErrors& errors, SpreadFigure figure, double estimate) {
  if (!errors.known || !(estimate > 0)) return nullptr;
  Json json;
  for (std::size_t level = 0; level < kLevels.size(); ++level) {
    const FigureInterval ends = errors.around(estimate, figure, level);
    json[std::to_string(static_cast<int>(100 * kLevels[level] + 0.5))] = {json_number(ends.low),
                                                                          json_number(ends.high)};
  }
  return json;
}

inline Json situation_json(const Situation& situation) {
  constexpr const char* kChips[] = {"runs", "kernels", "borrowed"};
  return {{"experts", situation.experts},
          {"disaggregated", situation.disaggregated},
          {"layout", name_of(situation.layout)},
          {"model_seen", situation.model_seen},
          {"attention_seen", situation.attention_seen},
          {"engine_seen", situation.engine_seen},
          {"seen_together", situation.together},
          {"layout_seen", situation.layout_seen},
          {"chip_known_by", kChips[static_cast<std::size_t>(situation.chip)]},
          {"doublings_beyond_load", json_number(situation.doublings_beyond)},
          {"unmeasured", unmeasured_in(situation)}};
}

/// Intervals of an answer's figures, by name; null where nothing is known.
inline Json intervals_json(const ServingAnswer& answer) {
  const ServingTimes<double>& t = answer.estimate.times;
  const auto of = [&](SpreadFigure figure, double estimate) { return interval_json(answer.errors, figure, estimate); };
  return {{"tpot", of(SpreadFigure::tpot, t.tpot.value())},
          {"ttft", answer.waits ? Json(nullptr) : of(SpreadFigure::ttft, t.ttft.value())},
          {"prefill_time", of(SpreadFigure::prefill, t.prefill_alone.value())},
          {"output_tok_s", of(SpreadFigure::throughput, answer.estimate.output_rate.value())},
          {"requests_per_s", of(SpreadFigure::throughput, answer.estimate.requests.value())},
          {"output_cost", of(SpreadFigure::throughput, answer.estimate.output_cost.value())},
          {"input_cost", of(SpreadFigure::throughput, answer.estimate.input_cost.value())}};
}

inline Json nearest_json(const NearestRun& nearest) {
  const ServingRow& row = *nearest.row;
  return {{"set", row.set},
          {"id", row.id},
          {"model", row.model},
          {"machine", row.machine},
          {"engine", row.engine},
          {"format", row.format},
          {"mode", row.mode},
          {"concurrency", json_number(row.concurrency)},
          {"isl", json_number(row.isl)},
          {"osl", json_number(row.osl)},
          {"chips", json_number(row.chips)},
          {"tpot", json_number(row.tpot)},
          {"predicted", json_number(nearest.predicted)},
          {"tok_s_per_user", json_number(1 / row.tpot)},
          {"ttft", json_if_any(row.ttft)},
          {"output_tok_s_per_chip", json_if_any(row.rate_of_all())},
          {"same",
           {{"model", nearest.same.model},
            {"precision", nearest.same.precision},
            {"machine", nearest.same.machine},
            {"engine", nearest.same.engine},
            {"mode", nearest.same.mode}}},
          {"extrapolated", nearest.outside}};
}

inline Json commands_json(const std::vector<EngineCommand>& commands) {
  Json json = Json::array();
  for (const EngineCommand& command : commands) {
    json.push_back({{"engine", command.engine},
                    {"role", command.role.empty() ? Json(nullptr) : Json(command.role)},
                    {"command", command.text},
                    {"copies", json_count(command.copies)},
                    {"exact", command.exact},
                    {"notes", command.notes}});
  }
  return json;
}

}  // namespace ridge::report
