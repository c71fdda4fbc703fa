#include "report/base/json.hpp"
#include "report/price/tier/long_context_text.hpp"

namespace ridge::report {

namespace {

Json session_json(const LongSession& session) {
  return {{"context", json_number(session.context.value())},
          {"kv_stored", json_number(session.stored.value())},
          {"kv_read", json_number(session.read.value())},
          {"chips_needed", json_number(session.chips_needed.value())},
          {"machines", json_count(session.machines.value())},
          {"chips", json_count(session.chips.value())},
          {"prefill_time", json_number(session.prefill_time.value())},
          {"prefill_cost", json_number(session.prefill_cost.value())},
          {"token_time", json_number(session.token_time.value())},
          {"token_cost", json_number(session.token_cost.value())},
          {"hold_cost", json_number(session.hold_cost.value())}};
}

}  // namespace

std::string long_context_json(const LongContextAnswer& answer) {
  Json json;
  json["schema"] = "ridge.context/2";
  json["class"] = "roofline bound";
  json["prefill_mfu"] = json_number(answer.mfu.value());
  json["models"] = Json::array();
  for (const LongContextModel& model : answer.models) {
    Json one{{"model", model.resolved.model},
             {"machine", model.resolved.machine},
             {"attention", model.kind},
             {"kv", model.resolved.precision.kv},
             {"price", json_number(model.resolved.numbers.price.value())},
             {"balance_context", json_number(model.balance.value())},
             {"doubles_at", json_number(model.doubles.value())}};
    one["points"] = Json::array();
    for (const LongContextPoint& point : model.points) {
      one["points"].push_back({{"context", json_number(point.context.value())},
                               {"chips", json_count(point.chips.value())},
                               {"batch", json_count(point.batch.value())},
                               {"weights_time", json_number(point.weights_time.value())},
                               {"kv_time", json_number(point.context_time.value())},
                               {"compute_time", json_number(point.compute_time.value())},
                               {"step_time", json_number(point.step_time.value())},
                               {"cost", json_number(point.cost.value())}});
    }
    one["session"] = session_json(model.session);
    json["models"].push_back(std::move(one));
  }
  json["notes"] = answer.notes;
  return dumped(json);
}

}  // namespace ridge::report
