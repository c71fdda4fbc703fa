#include "base/text/unit_text.hpp"
#include "report/base/json.hpp"
#include "report/price/infer/infer_text.hpp"

namespace ridge::report {

namespace {

Json range_json(const Interval& range) { return {json_number(range.low), json_number(range.high)}; }

/// What is sold, in dollars a token: below the first price break, and above each.
Json sold_json(const PriceSheet& sheet) {
  Json json{{"input", json_number(sheet.input.value())}, {"output", json_number(sheet.output.value())}};
  json["max_input"] = sheet.max_input ? json_number(sheet.max_input->value()) : Json(nullptr);
  json["price_breaks"] = Json::array();
  for (const PriceBreak& one : sheet.tiers)
    json["price_breaks"].push_back({{"above", json_number(one.above.value())},
                                    {"input", json_number(one.input.value())},
                                    {"output", json_number(one.output.value())}});
  return json;
}

}  // namespace

std::string infer_json(const InferReport& report) {
  const Inference& inference = report.inference;
  const Posterior& posterior = report.posterior;
  Json json;
  json["schema"] = "ridge.infer/2";
  json["provider"] = inference.sheet.provider;
  json["model"] = inference.sheet.model;
  json["date"] = inference.sheet.date;
  json["prior"] = inference.priors.name;
  json["sheet"] = sold_json(inference.sheet);
  json["identifiable"] = Json::array();
  for (const SheetReading& one : inference.readings) {
    json["identifiable"].push_back({{"key", one.key},
                                    {"meaning", one.meaning},
                                    {"formula", one.formula},
                                    {"value", json_number(one.value)},
                                    {"unit", unit_name(one.dimension)}});
  }
  for (std::size_t q = 0; q < kInferred; ++q) {
    const Inferred& one = inference.inferred[q];
    Json entry{{"symbol", std::string(one.symbol)},    {"meaning", std::string(one.meaning)},
               {"unit", unit_name(one.dimension)},     {"prior", range_json(one.prior)},
               {"interval", range_json(one.interval)}, {"narrowed", json_number(one.narrowed())}};
    if (q < kTotal || q == kKv) {
      const Provenance& from = q == kKv ? inference.priors.kv_from : inference.priors.from[q];
      entry["prior_from"] = {{"kind", name_of(from.kind)}, {"source", from.source}, {"note", from.note}};
    }
    if (posterior.accepted > 0) {
      const Marginal& m = posterior.marginals[q];
      entry["posterior"] = {
          {"low", json_number(m.low)}, {"median", json_number(m.median)}, {"high", json_number(m.high)}};
    }
    json["quantities"][std::string(one.key)] = std::move(entry);
  }
  json["samples"] = {
      {"drawn", posterior.samples}, {"accepted", posterior.accepted}, {"effective", json_number(posterior.effective)}};
  for (const MachineBehind& one : report.machines) {
    json["machines"].push_back({{"machine", one.machine},
                                {"format", one.chip.format},
                                {"intensity", json_number(one.chip.intensity.value())},
                                {"flop_price", json_number(one.chip.flop.value())},
                                {"explains", one.explains},
                                {"share", json_number(one.share)},
                                {"active", range_json(one.active)},
                                {"posterior",
                                 {{"low", json_number(one.sampled.low)},
                                  {"median", json_number(one.sampled.median)},
                                  {"high", json_number(one.sampled.high)}}}});
  }
  json["contradictions"] = inference.contradictions;
  json["findings"] = report.findings;
  json["notes"] = report.notes;
  json["not_identifiable"] = inference.not_identifiable;
  json["not_stated"] = inference.silent;
  return dumped(json);
}

}  // namespace ridge::report
