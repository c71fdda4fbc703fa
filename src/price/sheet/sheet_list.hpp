#pragma once
// Many sheets: what is sold, its dates, and finding one by name.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "price/sheet/sheet.hpp"

namespace ridge {

/// One model of one provider through time.
struct SoldModel {
  std::string name;                       // provider/model
  std::vector<const PriceSheet*> sheets;  // oldest first
};

/// "provider/model"; the model alone where no provider is known.
std::string sold_name(const PriceSheet& sheet);

/// All that is sold, by name.
std::vector<SoldModel> by_model(const std::vector<PriceSheet>& sheets);

/// The sheet that a person means: provider/model@date, provider/model (its newest) or a model that one provider alone
/// sells, or whose maker does. `where` stands in the error.
Result<const PriceSheet*> find_sheet(const std::vector<PriceSheet>& sheets, std::string_view name,
                                     std::string_view where);

}  // namespace ridge
