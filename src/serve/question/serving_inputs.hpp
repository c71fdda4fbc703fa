#pragma once
// The inputs and figures of a calibrated answer by name: what --set, --range, --sensitivity and --derive speak of.

#include <string_view>
#include <vector>

#include "serve/estimate.hpp"

namespace ridge {

/// Place of an input that is known to exist.
std::size_t serving_input_index(std::string_view key);
/// Inputs that a word stands for: a key, a symbol, or an alias ("hbm", "bandwidth"); an error names the nearest.
Result<std::size_t> find_serving_input(std::string_view word, std::string_view where);
InputInfo serving_input_info(std::size_t index);
Dimension serving_input_dimension(std::size_t index);

Result<std::size_t> find_serving_figure(std::string_view word, std::string_view where);
OutputInfo serving_figure_info(std::size_t index);
Dimension serving_figure_dimension(std::size_t index);

/// Puts a number the user gave into its place, with its source; what the load says cannot be given twice.
Result<bool> set_serving_input(ServingGround& ground, const GivenInput& given);

}  // namespace ridge
