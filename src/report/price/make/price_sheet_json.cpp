#include "base/text/unit_text.hpp"
#include "report/base/json.hpp"
#include "report/derive/derivation_json.hpp"
#include "report/price/make/cost_parts_json.hpp"
#include "report/price/make/price_sheet_text.hpp"
#include "report/price/sheet/sheet_json.hpp"
#include "report/search/fleet_json.hpp"
#include "report/serve/deployment_json.hpp"

namespace ridge::report {

namespace {

/// A load, with cost and speed over the usual ones.
Json load_json(const LoadPoint& point) {
  return {{"concurrency", json_number(point.concurrency)},
          {"batch", json_number(point.batch)},
          {"tok_s_per_user", json_if_any(point.user_rate)},
          {"speed", json_number(point.speed)},
          {"input", json_number(point.input)},
          {"output", json_number(point.output)},
          {"mixed", json_number(point.mixed)}};
}

}  // namespace

std::string price_sheet_json(const PriceAnswer& answer, const FleetAnswer* fleet) {
  Json json;
  json["schema"] = "ridge.price/2";
  json["model"] = answer.serving.ground().model->name;
  json["machine"] = answer.serving.question.scenario.machine;
  json["margin"] = answer.margin;
  json["assumed_price"] = assumes_price(answer.serving);
  json["fleet"] = fleet != nullptr ? bought_json(*fleet) : Json(nullptr);
  json["sheet"] = sheet_json(answer.sheet);
  json["standard"] = {{"isl", json_number(answer.serving.question.isl)},
                      {"osl", json_number(answer.serving.question.osl)},
                      {"engine", answer.serving.question.engine},
                      {"batch", json_number(answer.serving.estimate.times.batch.value())},
                      {"tok_s_per_user", json_if_any(answer.serving.estimate.user_rate.value())},
                      {"input_cost", json_number(answer.usual.input.value())},
                      {"output_cost", json_number(answer.usual.output.value())}};
  json["intervals"] = intervals_json(answer.serving);
  json["intervals"]["input_price"] =
      interval_json(answer.serving.errors, SpreadFigure::throughput, answer.estimate.input.value());
  json["intervals"]["output_price"] =
      interval_json(answer.serving.errors, SpreadFigure::throughput, answer.estimate.output.value());
  json["situation"] = situation_json(answer.serving.errors.situation);
  const std::vector<DerivationInput> inputs = derivation_inputs(answer);
  for (std::size_t i = 0; i < kSheetInputs; ++i) {
    if (i < kDecodeInputs && !is_present(answer.numbers.decode.has, i)) continue;
    json["inputs"][std::string(sheet_input_info(i).key)] = input_json(inputs[i]);
  }
  const auto figures = output_values(answer.estimate);
  for (std::size_t i = 0; i < kSheetOutputs; ++i)
    json["figures"][std::string(sheet_output_info(i).key)] = {{"value", json_number(figures[i])},
                                                              {"unit", unit_name(sheet_output_dimension(i))}};
  json["parts"]["output"] = parts_json(answer.usual.output, answer.output_parts);
  json["parts"]["input"] = parts_json(answer.usual.input, answer.input_parts);
  json["demand"] = answer.demand;
  if (answer.step) {
    json["price_break"] = {{"above", json_number(answer.step->above.value())},
                           {"written", answer.step_written},
                           {"input", json_number(answer.step->input())},
                           {"output", json_number(answer.step->output())},
                           {"requests_above", json_number(answer.step->over.requests)},
                           {"tokens_above", json_number(answer.step->over.tokens)},
                           {"cross_subsidy", json_number(answer.step->moved)},
                           {"cross_subsidy_without", json_number(answer.step->moved_without)}};
  }
  if (answer.fast) json["fast"] = load_json(*answer.fast);
  json["fastest"] = load_json(answer.fastest);
  json["cheapest"] = load_json(answer.cheapest);
  json["curve"] = Json::array();
  for (const LoadPoint& point : answer.curve) json["curve"].push_back(load_json(point));
  json["notes"] = answer.serving.notes;
  return dumped(json);
}

}  // namespace ridge::report
