#include "report/price/sheet/price_history.hpp"
#include "report/price/sheet/sheet_json.hpp"

namespace ridge::report {

namespace {

Json trend_json(const std::optional<PriceTrend>& trend) {
  if (!trend) return nullptr;
  const auto years = [](const std::optional<double>& value) { return value ? json_number(*value) : Json(nullptr); };
  return {{"factor_per_year", json_number(trend->per_year)},
          {"halving_years", years(trend->halving)},
          {"doubling_years", years(trend->doubling)}};
}

Json moves_json(const PriceMoves& moves) {
  Json list = Json::array();
  for (std::size_t i = 0; i < moves.sheets.size(); ++i)
    list.push_back({{"date", moves.sheets[i]->date}, {"factor", json_number(moves.factors[i])}});
  return list;
}

}  // namespace

std::string price_history_json(const PriceHistory& history) {
  Json json;
  json["schema"] = "ridge.price_history/2";
  json["family"] = history.family;
  json["hosted"] = history.hosted;
  json["years"] = json_number(history.years);
  json["undated"] = history.undated;
  json["input"] = trend_json(history.input);
  json["output"] = trend_json(history.output);
  json["input_moves"] = moves_json(history.input_moves);
  json["output_moves"] = moves_json(history.output_moves);
  json["changes"] = Json::array();
  for (const PriceChange& one : history.changes) {
    Json change{
        {"date", one.sheet->date},
        {"names", one.names},
        {"class", one.kind},
        {"new", one.is_new},
        {"than", one.than != nullptr ? Json{{"name", sold_name(*one.than)}, {"date", one.than->date}} : Json(nullptr)},
        {"input_factor", one.input ? json_number(*one.input) : Json(nullptr)},
        {"output_factor", one.output ? json_number(*one.output) : Json(nullptr)}};
    if (one.cached) change["cached_factor"] = json_number(*one.cached);
    if (!one.findings.empty()) change["findings"] = one.findings;
    change["sheet"] = sheet_json(*one.sheet);
    json["changes"].push_back(std::move(change));
  }
  return dumped(json);
}

}  // namespace ridge::report
