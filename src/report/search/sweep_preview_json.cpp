#include <fmt/format.h>

#include "base/text.hpp"
#include "base/unit_text.hpp"
#include "report/base/json.hpp"
#include "report/search/sweep_preview.hpp"

namespace ridge::report {

namespace {

std::string values_text(const Space& space, std::uint64_t index) {
  std::string out;
  for (std::size_t a = 0; a < space.axes().size(); ++a) {
    out +=
        fmt::format("{}{} = {}", a == 0 ? "" : ", ", space.axes()[a].key, space.axes()[a].text(space.digit(a, index)));
  }
  return out;
}

Json values_json(const Space& space, std::uint64_t index) {
  Json json;
  json["case"] = index;
  for (std::size_t a = 0; a < space.axes().size(); ++a) {
    const SweepAxis& axis = space.axes()[a];
    const std::size_t digit = space.digit(a, index);
    json[axis.key] = axis.is_numeric() ? json_number(axis.numbers[digit]) : Json(axis.text(digit));
  }
  return json;
}

}  // namespace

std::string plan_text(const SweepPlan& plan) {
  const Space& space = *plan.space;
  std::string out = fmt::format("{} {} cases:", with_commas(static_cast<double>(plan.range.size())),
                                plan.serves ? "serving" : "chalk");
  for (std::size_t a = 0; a < space.axes().size(); ++a) {
    out += fmt::format("{} {} {}", a == 0 ? "" : " x", space.axes()[a].size(), space.axes()[a].key);
  }
  out += '\n';
  if (plan.range.size() < space.cases())
    out += fmt::format("cases {} to {} of {}\n", plan.range.first, plan.range.last,
                       with_commas(static_cast<double>(space.cases())));
  if (plan.range.size() > 0) {
    out += fmt::format("first: {}\nlast:  {}\n", values_text(space, plan.range.first),
                       values_text(space, plan.range.last - 1));
  }
  out += "columns:";
  for (std::size_t c = 0; c < plan.columns.size(); ++c) {
    const std::string unit = unit_name(plan.columns[c].dimension);
    out += fmt::format("{} {}{}", c == 0 ? "" : ",", plan.columns[c].name, unit.empty() ? "" : " [" + unit + "]");
  }
  return out + "\n";
}

std::string plan_json(const SweepPlan& plan) {
  const Space& space = *plan.space;
  Json json;
  json["schema"] = "ridge.sweep/1";
  json["question"] = plan.serves ? "serving" : "chalk";
  json["cases"] = space.cases();
  json["part"] = {{"first", plan.range.first}, {"cases", plan.range.size()}};
  json["axes"] = Json::array();
  for (const SweepAxis& axis : space.axes()) {
    json["axes"].push_back({{"key", axis.key}, {"values", axis.size()}, {"unit", axis.unit}});
  }
  if (plan.range.size() > 0) {
    json["first"] = values_json(space, plan.range.first);
    json["last"] = values_json(space, plan.range.last - 1);
  }
  json["columns"] = Json::array();
  for (const SweepColumn& column : plan.columns) {
    json["columns"].push_back({{"name", column.name}, {"unit", unit_name(column.dimension)}});
  }
  json["format"] = plan.format;
  return dumped(json);
}

}  // namespace ridge::report
