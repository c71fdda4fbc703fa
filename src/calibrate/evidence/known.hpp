#pragma once
// A library that knows some calibrations and not others: what a fit may lean on, and what an answer would be with it.

#include "calibrate/fit/serving_fit.hpp"

namespace ridge {

/// The numbers of a calibration by name, each with how well it is known (by owner and name).
template <class C>
std::map<std::string, FittedNumber> numbers_of(const C& calibration, const std::map<std::string, double>& spread = {},
                                               const std::string& owner = {}) {
  std::map<std::string, FittedNumber> numbers;
  const auto names = field_names<C>();
  const auto values = fitted_values(calibration);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto known = spread.find(owner + "." + names[i]);
    numbers[names[i]] = {values[i], known == spread.end() ? 0 : known->second};
  }
  return numbers;
}

/// The same library with these kernels alone, on these chips alone: no serving runs yet.
Library knowing(const Library& library, const CalibrationSet& alone);

/// Chips whose kernels somebody timed, and the constants that all share.
CalibrationSet measured_alone(const Library& library);

/// The same library with these entries instead of its own of the same name and kind.
Library with_calibrations(const Library& library, const std::vector<CalibrationEntry>& entries);

/// Adds what a fit to serving runs found.
void learn(Library& library, const ServingFit& fit);

/// The numbers that a library gives for these runs: an engine it does not know borrows, as an answer would.
CalibrationSet set_for(const Library& library, const std::vector<RunCase>& cases);

/// What is known where some runs were never seen.
struct KnownFromOthers {
  ServingFit fit;
  Library library;
};

/// A fit to `others`, the kernels of a chip left out as well (empty: of none). `first_tokens`: the way to the first
/// token is fitted, too.
Result<KnownFromOthers> known_from(const std::vector<const RunCase*>& others, const std::string& without_kernels_of,
                                   bool first_tokens, const Library& library);

}  // namespace ridge
