#include "report/price/sheet/sheet_json.hpp"

namespace ridge::report {

namespace {

Json writes_json(const std::vector<CacheWrite>& writes) {
  Json json = Json::array();
  for (const CacheWrite& write : writes)
    json.push_back({{"keep", json_number(write.keep.value())}, {"price", json_number(write.price.value())}});
  return json;
}

}  // namespace

Json sheet_json(const PriceSheet& sheet) {
  Json json{{"provider", sheet.provider},
            {"model", sheet.model},
            {"date", sheet.date},
            {"source", sheet.source},
            {"input", json_number(sheet.input.value())},
            {"output", json_number(sheet.output.value())}};
  if (sheet.cached) json["cached"] = json_number(sheet.cached->value());
  if (!sheet.writes.empty()) json["writes"] = writes_json(sheet.writes);
  if (sheet.hold) json["hold"] = json_number(sheet.hold->value());
  for (const PriceBreak& tier : sheet.tiers) {
    Json one{{"above", json_count(tier.above.value())},
             {"input", json_number(tier.input.value())},
             {"output", json_number(tier.output.value())}};
    if (tier.cached) one["cached"] = json_number(tier.cached->value());
    if (!tier.writes.empty()) one["writes"] = writes_json(tier.writes);
    json["price_breaks"].push_back(std::move(one));
  }
  for (const SpeedMode& mode : sheet.modes) {
    Json one{
        {"name", mode.name}, {"input", json_number(mode.input.value())}, {"output", json_number(mode.output.value())}};
    if (mode.speed) one["speed"] = json_number(*mode.speed);
    json["modes"].push_back(std::move(one));
  }
  if (sheet.max_input) json["max_input"] = json_count(sheet.max_input->value());
  if (sheet.max_output) json["max_output"] = json_count(sheet.max_output->value());
  if (!sheet.weights.empty()) json["weights"] = sheet.weights;
  if (sheet.hosted) json["hosted"] = true;
  if (!sheet.note.empty()) json["note"] = sheet.note;
  return json;
}

}  // namespace ridge::report
