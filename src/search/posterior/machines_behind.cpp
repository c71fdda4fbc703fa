#include "search/posterior/machines_behind.hpp"

#include <algorithm>

namespace ridge {

std::vector<MachineBehind> machines_behind(const InferQuestion& question, const Library& library,
                                           const SampleRequest& request) {
  const Inference anyway = infer(question);
  const auto same_equations = [&](const Inference& other) {
    return std::equal(anyway.constraints.begin(), anyway.constraints.end(), other.constraints.begin(),
                      other.constraints.end(),
                      [](const Constraint& a, const Constraint& b) { return a.what == b.what; });
  };
  std::vector<MachineBehind> out;
  double sum = 0;
  for (const Machine& machine : library.machines) {
    const std::vector<ChipInFormat> chips = chip_in_formats(machine, library);
    for (const ChipInFormat& chip : chips) {
      InferQuestion on = question;
      on.priors = on_machine(question.priors, machine.name, {chip});
      const Inference inference = infer(on);
      const Posterior posterior = sample_posterior(inference, request);
      const bool explains = same_equations(inference);
      const double likely = explains ? posterior.evidence / static_cast<double>(chips.size()) : 0.0;
      sum += likely;
      out.push_back({.machine = machine.name,
                     .chip = chip,
                     .explains = explains,
                     .share = likely,
                     .active = inference.inferred[kActive].interval,
                     .sampled = posterior.marginals[kActive]});
    }
  }
  for (MachineBehind& one : out) one.share = sum > 0 ? one.share / sum : 0.0;
  std::stable_sort(out.begin(), out.end(),
                   [](const MachineBehind& a, const MachineBehind& b) { return a.share > b.share; });
  return out;
}

}  // namespace ridge
