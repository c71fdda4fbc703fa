#include "cli/question/hosted_for.hpp"

#include <algorithm>
#include <array>

#include "cli/program.hpp"
#include "cli/question/defaults.hpp"
#include "search/plan/best_deployment.hpp"

namespace ridge::cli {

std::optional<Result<ServingResult>> hosted_for(const Scenario& scenario, double isl, const Library& library) {
  constexpr std::array kRead = {"price", "utilization", "chips", "hbm.bandwidth", "hbm.capacity"};
  const auto is_read = [&](const GivenInput& one) {
    return std::find(kRead.begin(), kRead.end(), one.key) != kRead.end();
  };
  if (scenario.model.empty() || !std::all_of(scenario.given.begin(), scenario.given.end(), is_read))
    return std::nullopt;
  ServingQuestion serving;
  serving.scenario = scenario;
  serving.isl = isl;
  const auto deployed = best_deployed(serving, {.slo = {}, .tokens_per_second = {}, .threads = all_threads()}, library);
  if (!deployed) return fail(deployed.error());
  return hosted(*deployed, library);
}

}  // namespace ridge::cli
