#include "base/text/unit_text.hpp"
#include "report/derive/derivation_json.hpp"
#include "report/train/lifecycle_text.hpp"

namespace ridge::report {

namespace {

Json figures_json(const LifecycleEstimate<double>& estimate, const FigureBounds* bounds) {
  Json figures;
  const auto values = output_values(estimate);
  for (std::size_t i = 0; i < kLifecycleOutputs; ++i) {
    Json one{{"value", json_number(values[i])}, {"unit", unit_name(lifecycle_output_dimension(i))}};
    if (bounds != nullptr) one["range"] = {json_number((*bounds)[i].low), json_number((*bounds)[i].high)};
    figures[std::string(lifecycle_output_info(i).key)] = std::move(one);
  }
  return figures;
}

Json lifecycle_case_json(const ResolvedLifecycle& resolved) {
  Json json{{"law", resolved.law}, {"machine", resolved.machine}, {"format", resolved.format}};
  if (!resolved.model_title.empty()) json["model"] = resolved.model_title;
  const auto inputs = derivation_inputs(resolved.numbers, resolved.from);
  for (std::size_t i = 0; i < kLifecycleInputs; ++i) {
    const std::string_view key = lifecycle_input_info(i).key;
    if (is_present(resolved.numbers.plan, key)) json["inputs"][std::string(key)] = input_json(inputs[i]);
  }
  return json;
}

Json domain_json(const LifecycleAnswer& answer) {
  const LawDomain& domain = answer.resolved.domain;
  const auto end = [](const auto& value) { return value ? json_number(value->value()) : Json(nullptr); };
  Json json{{"params", {end(domain.least_params), end(domain.most_params)}},
            {"tokens", {end(domain.least_tokens), end(domain.most_tokens)}},
            {"outside", Json::array()}};
  for (const AskedModel& one : answer.extrapolated) {
    json["outside"].push_back({{"model", one.name},
                               {"params", json_number(one.model.params.value())},
                               {"tokens", json_number(one.model.tokens.value())}});
  }
  return json;
}

}  // namespace

std::string lifecycle_json(const LifecycleAnswer& answer, const LifecycleExtras& extras) {
  Json json;
  json["schema"] = "ridge.lifecycle/1";
  json["case"] = lifecycle_case_json(answer.resolved);
  json["figures"] = figures_json(answer.estimate, extras.bounds ? &*extras.bounds : nullptr);
  json["flat"] = Json::array();
  for (const FlatRange& range : answer.flat) {
    json["flat"].push_back({{"within", range.within},
                            {"smallest", json_number(range.smallest.value())},
                            {"largest", json_number(range.largest.value())}});
  }
  json["what_if"] = Json::array();
  for (const WhatIf& one : answer.what_ifs)
    json["what_if"].push_back({{"name", one.name}, {"figures", figures_json(one.estimate, nullptr)}});
  json["extrapolated"] = !answer.extrapolation.empty();
  json["law_domain"] = domain_json(answer);
  json["notes"] = answer.resolved.notes;
  if (!answer.extrapolation.empty()) json["notes"].push_back(answer.extrapolation);
  if (extras.sensitivity) {
    for (const LifecycleElasticity& one : *extras.sensitivity) {
      Json row;
      for (std::size_t i = 0; i < kLifecycleOutputs; ++i)
        row[std::string(lifecycle_output_info(i).key)] = json_number(one.elasticity[i]);
      json["sensitivity"][std::string(lifecycle_input_info(one.input).key)] = std::move(row);
    }
  }
  json["derivation"] = derivation_json(output_values(estimate_lifecycle(traced_case(answer.resolved.numbers))));
  return dumped(json);
}

}  // namespace ridge::report
