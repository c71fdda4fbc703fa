#include "price/sheet/sheet_list.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/text/text.hpp"

namespace ridge {

std::string sold_name(const PriceSheet& sheet) {
  // some maps write the provider into the model's name
  const bool inside = sheet.provider.empty() || sheet.model.starts_with(sheet.provider + "/");
  return inside ? sheet.model : sheet.provider + "/" + sheet.model;
}

std::vector<SoldModel> by_model(const std::vector<PriceSheet>& sheets) {
  std::map<std::string, std::vector<const PriceSheet*>> found;
  for (const PriceSheet& sheet : sheets) found[sold_name(sheet)].push_back(&sheet);
  std::vector<SoldModel> models;
  for (auto& [name, all] : found) {
    std::stable_sort(all.begin(), all.end(),
                     [](const PriceSheet* a, const PriceSheet* b) { return a->date < b->date; });
    models.push_back({name, std::move(all)});
  }
  return models;
}

namespace {

Result<const PriceSheet*> dated(const SoldModel& sold, std::string_view date, std::string_view where) {
  if (date.empty()) return sold.sheets.back();
  std::vector<std::string> dates;
  for (const PriceSheet* sheet : sold.sheets) {
    if (sheet->date == date) return sheet;
    dates.push_back(sheet->date);
  }
  return fail({std::string(where), fmt::format("{} has no sheet of {}", sold.name, shortened(date)),
               "its dates: " + joined(dates, ", ")});
}

}  // namespace

Result<const PriceSheet*> find_sheet(const std::vector<PriceSheet>& sheets, std::string_view name,
                                     std::string_view where) {
  const std::size_t at = name.rfind('@');
  const std::string_view date = at == std::string_view::npos ? std::string_view{} : name.substr(at + 1);
  const std::string wanted = lower_case(name.substr(0, at));
  const std::vector<SoldModel> models = by_model(sheets);
  std::vector<const SoldModel*> same;
  std::vector<std::string> known;
  for (const SoldModel& sold : models) {
    known.push_back(sold.name);
    known.push_back(sold.sheets.back()->model);
    if (lower_case(sold.name) == wanted) return dated(sold, date, where);
    if (lower_case(sold.sheets.back()->model) == wanted) same.push_back(&sold);
  }
  const auto is_makers = [](const SoldModel* sold) { return !sold->sheets.back()->hosted; };
  if (std::count_if(same.begin(), same.end(), is_makers) == 1)
    return dated(**std::find_if(same.begin(), same.end(), is_makers), date, where);
  if (same.size() == 1) return dated(*same.front(), date, where);
  if (same.size() > 1) {
    std::vector<std::string> names;
    for (const SoldModel* sold : same) names.push_back(sold->name);
    return fail({std::string(where), fmt::format("\"{}\" is sold by several", shortened(name)),
                 "one of: " + joined(names, ", ")});
  }
  return fail({std::string(where), fmt::format("no price sheet is called \"{}\"", shortened(name)),
               suggestion(wanted, known) + " (ridge list prices)"});
}

}  // namespace ridge
