#pragma once
// What stands on a sheet without believing anything: ratios of its prices, with the formula that each follows from; and
// what of it no set of numbers explains.

#include <string>
#include <vector>

#include "price/infer/infer.hpp"

namespace ridge {

std::vector<SheetReading> sheet_readings(const PriceSheet& sheet, const std::optional<FastMode>& fast);

std::vector<std::string> sheet_contradictions(const PriceSheet& sheet, const std::optional<double>& fast_speed);

/// The fast mode of a sheet, where its speed is known and its price and speed can be meant.
std::optional<FastMode> fast_mode_of(const PriceSheet& sheet, const std::optional<double>& fast_speed);

const SpeedMode* mode_named(const PriceSheet& sheet, std::string_view name);

}  // namespace ridge
