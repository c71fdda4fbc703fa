#pragma once
// All calibrated numbers together, and the plain lists of doubles that a fit turns them into.

#include <map>
#include <span>
#include <string>
#include <vector>

#include "calibrate/fit/kernels.hpp"
#include "cost/calibration.hpp"

namespace ridge {

/// Names of the fields of ChipCalibration, KernelCalibration or EngineCalibration, in their order.
template <class C>
std::vector<std::string> field_names() {
  std::vector<std::string> names;
  C none;
  C::visit_fields(none, [&](std::string_view name, auto&) { names.emplace_back(name); });
  return names;
}

template <class C>
std::vector<double> fitted_values(const C& calibration) {
  std::vector<double> values;
  C::visit_fields(calibration, [&](std::string_view, const auto& field) { values.push_back(field.value()); });
  return values;
}

/// The calibration whose fields are these numbers in base units.
template <class C>
C with_fields(std::span<const double> values) {
  C calibration;
  std::size_t i = 0;
  C::visit_fields(calibration, [&](std::string_view, auto& field) {
    field = std::remove_reference_t<decltype(field)>(values[i++]);
  });
  return calibration;
}

/// Of an engine's kernels for a maker's chips and a format (fresh_kernels) on a server that was just started: what the first step with a prompt takes longer, and each token of prompts
/// above those of the largest step before; s.
struct FreshTimes {
  double first = 0, token = 0;
};

struct CalibrationSet {
  std::map<std::string, ChipCalibration<double>> chips;
  KernelCalibration<double> kernel;
  std::map<std::string, EngineCalibration<double>> engines;
  std::map<std::string, FreshTimes> fresh;  // by the engine, a dot and what fresh_kernels calls its kernels
  std::map<std::string, Harness> harness;
};

}  // namespace ridge
