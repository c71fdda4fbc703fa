#pragma once
// Price sheets in the format of LiteLLM's price map, so that gateways and other tools can bill by them.

#include <string>
#include <vector>

#include "price/sheet/sheet.hpp"

namespace ridge::report {

struct PriceMap {
  std::string text;                   // JSON
  std::vector<std::string> left_out;  // what the map has no place for, with the model it belongs to
};

/// Models by name; where two sheets share one, provider/model, and where those do, provider/model@date.
PriceMap price_map(const std::vector<PriceSheet>& sheets);

}  // namespace ridge::report
