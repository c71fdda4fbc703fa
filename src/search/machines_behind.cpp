#include "search/machines_behind.hpp"

#include <algorithm>

namespace ridge {

std::vector<MachineBehind> machines_behind(const InferQuestion& question, const Library& library,
                                           const SampleRequest& request) {
  const std::size_t anyway = infer(question).contradictions.size();
  std::vector<MachineBehind> out;
  double sum = 0;
  for (const Machine& machine : library.machines) {
    const std::vector<ChipInFormat> chips = chip_in_formats(machine, library);
    for (const ChipInFormat& chip : chips) {
      InferQuestion on = question;
      on.priors = on_machine(question.priors, machine.name, {chip});
      const Inference inference = infer(on);
      const Posterior posterior = sample_posterior(inference, request);
      const bool explains = inference.contradictions.size() <= anyway;
      const double likely = explains ? posterior.evidence / static_cast<double>(chips.size()) : 0.0;
      sum += likely;
      out.push_back({.machine = machine.name,
                     .title = machine.title,
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
