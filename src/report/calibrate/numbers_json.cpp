#include "report/base/json.hpp"
#include "report/calibrate/numbers_page.hpp"

namespace ridge::report {

namespace {

Json errors_json_of(const FitErrors& errors) {
  return {
      {"kernels", json_number(errors.kernels)}, {"tpot", json_number(errors.tpot)}, {"ttft", json_number(errors.ttft)}};
}

}  // namespace

std::string numbers_json(const std::vector<ListedNumber>& numbers, const std::optional<Worth>& worth, bool with_page) {
  Json json;
  json["schema"] = "ridge.numbers/1";
  json["numbers"] = Json::array();
  for (const ListedNumber& number : numbers) {
    Json one{{"of", number.of}, {"name", number.name}, {"meaning", number.meaning}};
    one["values"] = Json::array();
    for (const auto& value : number.values) {
      one["values"].push_back({{"owner", value.owner},
                               {"value", json_number(value.number.value)},
                               {"spread", json_number(value.number.spread)}});
    }
    if (number.of == "chip") {
      one["step_ratio"] = json_number(number.step_ratio);
      one["step_spread"] = json_number(number.step_spread);
    }
    if (worth) {
      for (const NumberWorth& own : worth->numbers) {
        if (own.of == number.of && own.name == number.name) one["held"] = errors_json_of(own.held);
      }
    }
    json["numbers"].push_back(std::move(one));
  }
  if (worth) json["fitted"] = errors_json_of(worth->fitted);
  if (with_page) json["page"] = numbers_page(numbers, worth);
  return dumped(json);
}

}  // namespace ridge::report
