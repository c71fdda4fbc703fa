#pragma once
// What requests of each class of a mix saw, as a table.

#include <string>

#include "report/base/style.hpp"
#include "simulate/answer/class_samples.hpp"

namespace ridge::report {

/// Empty where there are no classes.
std::string classes_table(const simulate::RequestMix& mix, const std::vector<simulate::ClassSpread>& classes,
                          const Style& style);

}  // namespace ridge::report
