#include "report/roofline/why_json.hpp"

#include <cmath>

#include "base/text/unit_text.hpp"
#include "library/owned.hpp"
#include "report/derive/derivation_json.hpp"
#include "report/roofline/flips_json.hpp"
#include "report/roofline/why_text.hpp"
#include "roofline/readings.hpp"

namespace ridge::report {

namespace {

Json figure(double value, Dimension dimension) {
  Json json = JsonMembers(4)
                  .add("value", json_number(value))
                  .add("unit", unit_name(dimension))
                  .add("class", "roofline bound")
                  .take();
  if (!std::isfinite(value)) json["unbounded"] = true;
  return json;
}

Json modes_json(const WhyAnswer& answer) {
  Json modes = Json::array();
  for (const Mode& mode : answer.modes) {
    modes.push_back({{"name", mode.name},
                     {"meaning", mode.meaning},
                     {"batch", json_number(mode.batch)},
                     {"step_time", json_number(mode.step.value())},
                     {"tok_s_per_user", json_number(mode.user_rate.value())},
                     {"cost", json_number(mode.cost.value())},
                     {"fits", mode.fits}});
  }
  return modes;
}

Json sensitivity_json(const std::vector<Sensitivity>& all) {
  Json json = Json::object();
  for (const Sensitivity& one : all) {
    Json outputs = Json::object();
    for (std::size_t i = 0; i < kDecodeOutputs; ++i)
      outputs[std::string(output_info(i).key)] = one.defined[i] ? json_number(one.elasticity[i]) : Json(nullptr);
    json[one.input] = std::move(outputs);
    Json kinks = Json::array();
    for (std::size_t i = 0; i < kDecodeOutputs; ++i) {
      if (one.kink[i]) kinks.push_back(output_info(i).key);
    }
    if (!kinks.empty()) json[one.input]["at_a_kink"] = std::move(kinks);
  }
  return json;
}

}  // namespace

Json case_json(const ResolvedCase& r) {
  JsonMembers inputs(kDecodeInputs);
  const auto listed = derivation_inputs(r.numbers, r.from);
  for (std::size_t i = 0; i < kDecodeInputs; ++i) inputs.add(input_info(i).key, input_json(listed[i]));
  Json json{{"model", r.model},
            {"machine", r.machine},
            {"formats",
             {{"weights", r.precision.weights},
              {"experts", r.precision.experts},
              {"attention", r.precision.attention},
              {"kv", r.precision.kv}}},
            {"matmul_formats", r.matmul_format},
            {"inputs", inputs.take()}};
  if (!r.owned) return json;
  for (const OwnedInput& input : owned_inputs(*r.owned)) {
    json["owned"][std::string(input.key)] =
        input_json({input.symbol, input.meaning, input.value, input.dimension, input.from});
  }
  return json;
}

std::string why_json(const WhyAnswer& answer, const WhyExtras& extras) {
  Json json;
  json["schema"] = "ridge.why/2";
  json["case"] = case_json(answer.resolved);
  json["verdict"] = {{"text", verdict_line(answer)},
                     {"binds", answer.binds == Resource::memory ? "memory" : "compute"},
                     {"other_share", answer.other_share},
                     {"flip_batch", json_number(answer.flip_batch)}};
  JsonMembers figures(kDecodeOutputs);
  const auto values = output_values(answer.estimate);
  for (std::size_t i = 0; i < kDecodeOutputs; ++i) {
    Json one = figure(values[i], output_dimension(i));
    if (extras.bounds) one["range"] = {json_number((*extras.bounds)[i].low), json_number((*extras.bounds)[i].high)};
    figures.add(output_info(i).key, std::move(one));
  }
  json["figures"] = figures.take();
  json["fit"] = {{"fits", answer.fit.fits},
                 {"needed", answer.fit.needed.value()},
                 {"capacity", answer.fit.there.value()},
                 {"shortfall", answer.fit.fits ? 0.0 : answer.fit.shortfall().value()},
                 {"ways_out", answer.fit.ways_out}};
  json["modes"] = modes_json(answer);
  json["notes"] = answer.resolved.notes;
  if (extras.sensitivity) {
    json["sensitivity"] = sensitivity_json(*extras.sensitivity);
    json["flips"] = flips_json(flips(answer.resolved));
  }
  json["derivation"] = derivation_json(output_values(estimate_decode(traced_case(answer.resolved))));
  return dumped(json);
}

std::string errors_json(const Errors& errors) {
  Json json;
  json["schema"] = "ridge.errors/1";
  json["errors"] = Json::array();
  for (const Error& error : errors)
    json["errors"].push_back({{"where", error.where}, {"what", error.what}, {"hint", error.hint}});
  return dumped(json);
}

}  // namespace ridge::report
