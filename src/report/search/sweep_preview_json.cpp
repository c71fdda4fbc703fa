#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "report/base/json.hpp"
#include "report/base/style.hpp"
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

std::string sweep_preview_text(const SweepPreview& preview) {
  const Space& space = *preview.space;
  std::string out =
      fmt::format("{} {} cases:", with_commas(static_cast<double>(preview.range.size())), preview.question);
  for (std::size_t a = 0; a < space.axes().size(); ++a) {
    out += fmt::format("{} {} {}", a == 0 ? "" : " x", space.axes()[a].size(), space.axes()[a].key);
  }
  out += '\n';
  if (preview.range.size() < space.cases())
    out += fmt::format("cases {} to {} of {}\n", preview.range.first, preview.range.last,
                       with_commas(static_cast<double>(space.cases())));
  if (preview.range.size() > 0) {
    out += wrapped("first: " + values_text(space, preview.range.first), 80, 7) + "\n" +
           wrapped("last:  " + values_text(space, preview.range.last - 1), 80, 7) + "\n";
  }
  std::string columns = "columns:";
  for (std::size_t c = 0; c < preview.columns.size(); ++c) {
    const std::string unit = unit_name(preview.columns[c].dimension);
    columns +=
        fmt::format("{} {}{}", c == 0 ? "" : ",", preview.columns[c].name, unit.empty() ? "" : " [" + unit + "]");
  }
  return out + wrapped(columns, 80, 2) + "\n";
}

std::string sweep_preview_json(const SweepPreview& preview) {
  const Space& space = *preview.space;
  Json json;
  json["schema"] = "ridge.sweep/2";
  json["question"] = preview.question;
  json["cases"] = space.cases();
  json["part"] = {{"first", preview.range.first}, {"cases", preview.range.size()}};
  json["axes"] = Json::array();
  for (const SweepAxis& axis : space.axes()) {
    json["axes"].push_back({{"key", axis.key}, {"values", axis.size()}, {"unit", axis.unit}});
  }
  if (preview.range.size() > 0) {
    json["first"] = values_json(space, preview.range.first);
    json["last"] = values_json(space, preview.range.last - 1);
  }
  json["columns"] = Json::array();
  for (const SweepColumn& column : preview.columns) {
    json["columns"].push_back({{"name", column.name}, {"unit", unit_name(column.dimension)}});
  }
  json["format"] = preview.format;
  return dumped(json);
}

}  // namespace ridge::report
