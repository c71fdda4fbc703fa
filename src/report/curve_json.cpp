#include <cmath>

#include <nlohmann/json.hpp>

#include "base/unit_text.hpp"
#include "report/curve.hpp"
#include "report/why_json.hpp"

namespace ridge::report {

std::string curve_json(const Curve& curve, const WhyAnswer& answer) {
  using Json = nlohmann::ordered_json;
  const auto numbers = [](const std::vector<double>& values) {
    Json list = Json::array();
    for (const double value : values) list.push_back(std::isfinite(value) ? Json(value) : Json(nullptr));
    return list;
  };
  Json json;
  json["schema"] = "ridge.curve/1";
  json["curve"] = std::string(name_of(curve.kind));
  json["case"] = Json::parse(case_json_text(answer.resolved));
  const auto number = [](double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); };
  json["marks"] = {{"flip_batch", number(answer.flip_batch)},
                   {"floor_all", number(answer.estimate.floor_all.value())},
                   {"balance_context", number(answer.estimate.balance_context.value())},
                   {"capacity_limit", number(curve.capacity_limit)}};
  json["x"] = numbers(curve.x);
  for (const ridge::Axis& axis : curve.axes)
    json["inputs"][std::string(input_info(axis.input).key)] = numbers(axis.values);
  for (std::size_t i = 0; i < kDecodeOutputs; ++i) {
    json["figures"][std::string(output_info(i).key)] = {
        {"unit", unit_name(output_dimension(i))}, {"class", "bound"}, {"values", numbers(curve.columns[i])}};
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace ridge::report
