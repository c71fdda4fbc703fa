#include "base/text/unit_text.hpp"
#include "report/base/json.hpp"
#include "report/search/curve.hpp"

namespace ridge::report {

std::string curve_json(const Curve& curve, const WhyAnswer& answer, std::string_view extrapolation) {
  const auto numbers = [](const std::vector<double>& values) {
    Json list = Json::array();
    for (const double value : values) list.push_back(json_number(value));
    return list;
  };
  Json json;
  json["schema"] = "ridge.curve/2";
  json["curve"] = std::string(name_of(curve.kind));
  json["case"] = case_json(answer.resolved);
  json["marks"] = {
      {"flip_batch", json_number(answer.flip_batch)},
      {"floor_all", json_number(answer.estimate.floor_all.value())},
      {"balance_context", json_number(answer.estimate.balance_context.value())},
      {"capacity_limit", json_number(curve.capacity_limit)},
      {"scale_up_domain", answer.resolved.domain > 0 ? json_count(answer.resolved.domain) : Json(nullptr)}};
  json["x"] = numbers(curve.x);
  for (const ridge::Axis& axis : curve.axes)
    json["inputs"][std::string(input_info(axis.input).key)] = numbers(axis.values);
  for (std::size_t i = 0; i < kDecodeOutputs; ++i) {
    json["figures"][std::string(output_info(i).key)] = {
        {"unit", unit_name(output_dimension(i))}, {"class", "roofline bound"}, {"values", numbers(curve.columns[i])}};
  }
  if (!curve.dense_equivalent.empty()) {
    json["quality"] = {{"dense_equivalent", numbers(curve.dense_equivalent)},
                       {"active", json_number(curve.active)},
                       {"extrapolated", !extrapolation.empty()}};
    if (!extrapolation.empty()) json["quality"]["note"] = std::string(extrapolation);
  }
  return dumped(json);
}

}  // namespace ridge::report
