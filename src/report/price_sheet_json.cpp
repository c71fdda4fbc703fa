#include "base/unit_text.hpp"
#include "report/json.hpp"
#include "report/price_sheet_text.hpp"
#include "report/sheet_json.hpp"

namespace ridge::report {

std::string price_sheet_json(const PriceAnswer& answer) {
  Json json;
  json["schema"] = "ridge.price/1";
  json["model"] = answer.serving.model;
  json["machine"] = answer.serving.question.scenario.machine;
  json["margin"] = answer.margin;
  json["sheet"] = sheet_json(answer.sheet);
  json["reference"] = {{"isl", answer.serving.question.isl},
                       {"osl", answer.serving.question.osl},
                       {"engine", answer.serving.question.engine},
                       {"input_cost", json_number(answer.serving.input_cost)},
                       {"output_cost", json_number(answer.serving.output_cost)}};
  const auto values = input_values(answer.numbers);
  for (std::size_t i = 0; i < kSheetInputs; ++i) {
    if (i < kDecodeInputs && !is_present(answer.numbers.decode.has, i)) continue;
    const InputInfo info = sheet_input_info(i);
    const Provenance& from = answer.from[i];
    json["inputs"][std::string(info.key)] = {{"value", json_number(values[i])},
                                             {"unit", unit_name(sheet_input_dimension(i))},
                                             {"symbol", std::string(info.symbol)},
                                             {"meaning", std::string(info.meaning)},
                                             {"kind", name_of(from.kind)},
                                             {"source", from.source},
                                             {"place", from.place},
                                             {"note", from.note}};
  }
  const auto figures = output_values(answer.estimate);
  for (std::size_t i = 0; i < kSheetOutputs; ++i)
    json["figures"][std::string(sheet_output_info(i).key)] = {{"value", json_number(figures[i])},
                                                              {"unit", unit_name(sheet_output_dimension(i))}};
  if (answer.step) {
    json["step"] = {{"above", json_number(answer.step->above.value())},
                    {"input", answer.step->input},
                    {"output", answer.step->output},
                    {"share", answer.step->share},
                    {"deviation", answer.step->deviation},
                    {"deviation_without", answer.step->without},
                    {"demand", answer.demand}};
  }
  json["curve"] = Json::array();
  for (const SpeedPoint& point : answer.curve)
    json["curve"].push_back({{"batch", point.batch}, {"user_rate", point.speed}, {"output", point.price}});
  json["notes"] = answer.serving.notes;
  return dumped(json);
}

}  // namespace ridge::report
