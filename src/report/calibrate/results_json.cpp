#include "report/base/json.hpp"
#include "report/calibrate/results_text.hpp"

namespace ridge::report {

namespace {

Json if_stated(const std::optional<double>& value) { return value ? json_number(*value) : Json(nullptr); }
Json word_json(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json time_json(const MeasuredTime& time) {
  if (!time.any()) return nullptr;
  return Json{{"mean", if_stated(time.mean)}, {"median", if_stated(time.median)}, {"p99", if_stated(time.p99)}};
}

Json result_json(const HeldResult& held) {
  const BenchmarkResult& r = held.result;
  Json json{
      {"place", r.place},
      {"kind", name_of(r.kind)},
      {"tool", r.tool},
      {"version", word_json(r.version)},
      {"engine", word_json(r.engine)},
      {"engine_version", word_json(r.engine_version)},
      {"model", word_json(r.model)},
      {"format", word_json(r.format)},
      {"hardware", word_json(r.hardware)},
      {"layout",
       {{"chips", if_stated(r.chips)},
        {"tp", if_stated(r.tensor)},
        {"pp", if_stated(r.pipeline)},
        {"dp", if_stated(r.attention_data)},
        {"ep", if_stated(r.expert)},
        {"disaggregated", r.disaggregated}}},
      {"speculative", r.speculative},
      {"isl", if_stated(r.isl)},
      {"osl", if_stated(r.osl)},
      {"depth", if_stated(r.depth)},
      {"concurrency", if_stated(r.concurrency)},
      {"rate", if_stated(r.rate)},
      {"in_flight", if_stated(r.in_flight)},
      {"requests_per_s", if_stated(r.request_rate)},
      {"ttft", time_json(r.ttft)},
      {"tpot", time_json(r.tpot)},
      {"itl", time_json(r.itl)},
      {"e2e", time_json(r.e2e)},
      {"output_tok_s", if_stated(r.output_rate)},
      {"input_tok_s", if_stated(r.input_rate)},
      {"total_tok_s", if_stated(r.total_rate)},
      {"completed", if_stated(r.completed)},
      {"failed", if_stated(r.failed)},
      {"duration", if_stated(r.duration)},
      {"memory",
       {{"weights", if_stated(r.weight_bytes)}, {"kv", if_stated(r.kv_bytes)}, {"kv_tokens", if_stated(r.kv_tokens)}}},
      {"missing", r.missing},
      {"notes", r.notes},
      {"faults", r.faults}};
  json["prediction"] = nullptr;
  if (held.predicted) {
    json["prediction"] = {{"figure", name_of(held.figure)},          {"setting", held.setting},
                          {"measured", json_number(held.measured)},  {"predicted", json_number(held.prediction)},
                          {"bound", json_number(held.bound)},        {"error", json_number(held.error())},
                          {"faster_than_bound", held.beats_bound()}, {"notes", held.notes}};
  }
  json["no_prediction"] = word_json(held.unpredicted);
  return json;
}

}  // namespace

std::string results_json(const ResultsReport& report) {
  Json json{{"schema", "ridge.results/1"}, {"results", Json::array()}, {"refused", Json::array()}};
  for (const HeldResult& one : report.results) json["results"].push_back(result_json(one));
  for (const Error& error : report.refused)
    json["refused"].push_back({{"where", error.where}, {"what", error.what}, {"hint", error.hint}});
  return dumped(json);
}

std::string anchor_json(const AnchorAnswer& answer, const std::vector<AnchorEntryText>& entries) {
  Json json{{"schema", "ridge.anchor/1"},
            {"before", json_number(answer.before)},
            {"after", json_number(answer.after)},
            {"left_out", answer.left_out},
            {"runs", Json::array()},
            {"factors", Json::array()},
            {"not_absorbed", Json::array()},
            {"entries", Json::array()}};
  for (const AnchorLine& line : answer.lines) {
    json["runs"].push_back({{"place", line.name},
                            {"figure", line.figure},
                            {"measured", json_number(line.measured)},
                            {"bound", json_number(line.bound)},
                            {"before", json_number(line.before)},
                            {"after", json_number(line.after)},
                            {"left_out", json_if_any(line.left_out)},
                            {"notes", line.notes}});
  }
  for (const AnchorFactor& one : answer.fit.factors) {
    json["factors"].push_back({{"of", one.owner},
                               {"name", one.name},
                               {"factor", json_number(one.value)},
                               {"prior_spread", json_number(one.prior)},
                               {"spread", json_number(one.spread)},
                               {"narrowed", json_number(one.narrowed())},
                               {"moved", moved_of(one) == Moved::yes        ? "yes"
                                         : moved_of(one) == Moved::together ? "together"
                                                                            : "no"}});
  }
  for (const RefusedAnchor& one : answer.refused)
    json["not_absorbed"].push_back({{"place", one.name}, {"why", one.why}});
  for (const AnchorEntryText& one : entries) json["entries"].push_back({{"path", one.path}, {"toml", one.toml}});
  return dumped(json);
}

}  // namespace ridge::report
