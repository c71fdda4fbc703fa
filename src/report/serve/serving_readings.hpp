#pragma once
// A calibrated answer read otherwise: the derivation of a figure, and figures over ranges of inputs.

#include <array>
#include <string>
#include <vector>

#include "base/number/traced.hpp"
#include "library/library.hpp"
#include "report/base/style.hpp"
#include "serve/serving.hpp"

namespace ridge::report {

/// Every figure, with the lines that lead to it.
std::array<Traced, kServingOutputs> traced_figures(const ServingAnswer& answer);

/// The lines below one figure, then its inputs with their sources.
std::string serving_derivation_text(const ServingAnswer& answer, std::size_t figure, int depth, const Library& library,
                                    const Style& style);

std::string serving_range_text(const std::array<Interval, kServingOutputs>& bounds, const ServingAnswer& answer,
                               const Style& style);

}  // namespace ridge::report
