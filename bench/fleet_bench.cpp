// A fleet on one machine kind, from the question to the answer, on one core. Target: 0.5 s screened, 5 s simulated.

#include <benchmark/benchmark.h>

#include "catalog/entries/library.hpp"
#include "search/fleet/fleet.hpp"

namespace ridge {

namespace {

void planned_fleet(benchmark::State& state, const char* model, const char* machine, double rate) {
  static const Library built = catalog::checked_library(catalog::embedded_entries());
  FleetQuestion asked;
  asked.plan.question.scenario.model = model;
  asked.plan.machines = {machine};
  asked.plan.question.scenario.machine = machine;
  asked.plan.question.isl = 4000;
  asked.plan.question.osl = 500;
  asked.plan.fleet = FleetAim{.rate = rate, .nodes = {}, .budget = {}};
  asked.slo = parse_slo("ttft=2s,tpot=50ms").value();
  asked.simulates = state.range(0) != 0;
  std::uint64_t simulations = 0;
  for (auto _ : state) {
    const auto answer = plan_fleet(asked, built);
    if (!answer || answer->fleets.empty()) return state.SkipWithError("no fleet");
    simulations += answer->simulations;
  }
  state.counters["simulations"] =
      benchmark::Counter(static_cast<double>(simulations), benchmark::Counter::kAvgIterations);
}
BENCHMARK_CAPTURE(planned_fleet, llama_70b, "llama-3.3-70b", "hgx-h100", 50)
    ->Arg(0)
    ->Arg(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(planned_fleet, deepseek, "deepseek-v3", "gb200-nvl72", 20)
    ->Arg(0)
    ->Arg(1)
    ->Unit(benchmark::kMillisecond);

// large fleets, of which a part is simulated
BENCHMARK_CAPTURE(planned_fleet, kimi_k2, "kimi-k2", "hgx-b200", 248)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(planned_fleet, gpt_oss, "gpt-oss-120b", "hgx-h100", 3000)
    ->Arg(0)
    ->Arg(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace

}  // namespace ridge
