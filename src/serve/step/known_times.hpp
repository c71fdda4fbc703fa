#pragma once
// Steps of one plan on one chip, asked for again and again: everything beside attention hangs on the tokens of a step
// alone, and a simulation that runs for hours has few different numbers of them. The same equations, each evaluated once.

#include <vector>

#include "serve/step/step.hpp"

namespace ridge {

/// Of one plan, paces and overlap: whoever changes those takes new ones. A place holds what fell there last, so that it
/// never grows. Not for several threads at once; a copy may be used by another.
class KnownTimes {
 public:
  struct Place {
    Ratio<double> all{-1.0}, predicted{}, in_group{};  // tokens; none has fewer than 0
    std::array<Seconds<double>, kStepParts> part{};    // attention is 0
    bool padded = false;                               // experts, by the plan's engine
  };

  /// Where a step of so many tokens is, or would be.
  Place& place_of(const Ratio<double>& all, const Ratio<double>& predicted, const Ratio<double>& in_group);

 private:
  std::vector<Place> places_;
};

/// overlapped_step() to the last bit.
Seconds<double> overlapped_step(KnownTimes& known, const StepOperations& plan, const ChipPaces<double>& paces,
                                const StepLoad<double>& load, Overlap overlap);

}  // namespace ridge
