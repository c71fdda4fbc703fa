#pragma once
// What each fitted number bought: it is put back where it was believed to be before any row, the runs are fitted again
// without each model in turn, and the errors are compared.

#include <optional>

#include "calibrate/judge/validate.hpp"

namespace ridge {

/// Mean errors as shares.
struct FitErrors {
  double kernels = 0;         // of single kernels, in-sample
  double tpot = 0, ttft = 0;  // of runs whose model was left out; prefill not disaggregated
};

struct NumberWorth {
  std::string of, name;  // "chip", "kernel" or "engine", and its field
  FitErrors held;        // with this number at its prior, on all chips or engines
};

struct Worth {
  FitErrors fitted;  // all numbers fitted
  std::vector<NumberWorth> numbers;
};

/// The library with one number at its prior: of kernels timed alone on all chips, where the others keep their values; and
/// inside a step or around it, where a fit to runs may move all others.
Library holding(const Library& library, const std::string& of, const std::string& name);

/// Errors of the library's numbers on kernels, and of fits without each model in turn.
Result<FitErrors> fit_errors(const Evidence& evidence, const Library& library, unsigned threads);

/// Every number held in turn: a fit without each of the models, for each. `held` is told of each when it is done.
template <class Held>
Result<Worth> worth_of_numbers(const Evidence& evidence, const Library& library, unsigned threads, const Held& held) {
  const auto fitted = fit_errors(evidence, library, threads);
  if (!fitted) return tl::unexpected(fitted.error());
  Worth worth{*fitted, {}};
  const auto all = [&](const char* of, const std::vector<std::string>& names) -> Errors {
    for (const std::string& name : names) {
      const auto without = fit_errors(evidence, holding(library, of, name), threads);
      if (!without) return without.error();
      worth.numbers.push_back({of, name, *without});
      held(worth.numbers.back());
    }
    return {};
  };
  for (const Errors& wrong :
       {all("chip", field_names<ChipCalibration<double>>()), all("kernel", field_names<KernelCalibration<double>>()),
        all("engine", field_names<EngineCalibration<double>>())}) {
    if (!wrong.empty()) return tl::unexpected(wrong);
  }
  return worth;
}

/// As an entry of the catalog, and from it; nothing where the library has none.
CalibrationEntry worth_entry(const Worth& worth);
std::optional<Worth> worth_in(const Library& library);

}  // namespace ridge
