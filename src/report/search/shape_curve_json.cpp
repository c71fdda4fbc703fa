#include "report/base/json.hpp"
#include "report/search/shape_curve.hpp"

namespace ridge::report {

std::string shape_curve_json(const ShapeCurve& curve) {
  Json json{{"schema", "ridge.shape/1"}, {"kind", name_of(curve.kind)},
            {"model", curve.model},      {"law", curve.law.empty() ? Json(nullptr) : Json(curve.law)},
            {"points", Json::array()},   {"notes", curve.notes}};
  json["loss_law"] = curve.loss_law.empty() ? Json(nullptr) : Json(curve.loss_law);
  for (const ShapePoint& point : curve.points) {
    Json one{{"value", json_count(point.value)},
             {"own", point.own},
             {"params", json_count(point.params)},
             {"active", json_count(point.active)},
             {"loss_change", point.loss_change ? json_number(*point.loss_change) : Json(nullptr)},
             {"dense_equivalent", point.worth ? json_number(*point.worth) : Json(nullptr)},
             {"why_not", point.why_not.empty() ? Json(nullptr) : Json(point.why_not)}};
    if (point.answer) {
      const ServingEstimate& e = point.answer->estimate;
      const FigureInterval tpot = point.answer->errors.around(e.times.tpot.value(), SpreadFigure::tpot);
      one["layout"] = short_name(point.answer->layout());
      one["concurrency"] = json_number(point.answer->load.concurrency);
      one["tpot"] = json_number(e.times.tpot.value());
      one["tpot_80"] = {json_number(tpot.low), json_number(tpot.high)};
      one["output_tok_s_per_chip"] = json_number(e.output_rate.value() / e.chips.value());
      one["output_cost"] = json_number(e.output_cost.value());
      one["sequences"] = json_number(e.memory.sequences.value());
      one["chips"] = json_number(e.chips.value());
    }
    json["points"].push_back(std::move(one));
  }
  return dumped(json);
}

}  // namespace ridge::report
