// Requests a second of simulation, on one core. Targets: 300,000 at 1k in and 128 out with 256 running, 50,000 at 1k out.
// Others, as published or measured: DynoSim about 770 requests/s, Vidur 660.

#include <benchmark/benchmark.h>

#include "catalog/entries/library.hpp"
#include "simulate/setup.hpp"

namespace ridge {

namespace {

void simulated_requests(benchmark::State& state, const char* model, double tensor) {
  static const Library built = catalog::checked_library(catalog::embedded_entries());
  simulate::SimulationQuestion asked;
  asked.serving.scenario.model = model;
  asked.serving.scenario.machine = "hgx-h200";
  asked.serving.tensor = tensor;
  asked.client.arrivals = simulate::ClosedLoop{.users = 256};
  const auto output = static_cast<std::int32_t>(state.range(0));
  asked.client.prompt = {819, 1024};
  asked.client.output = {output * 8 / 10, output};
  asked.client.requests = 256 * 20;
  const auto made = simulate::resolve(asked, built);
  if (!made) return state.SkipWithError("does not resolve");
  std::int64_t tokens = 0;
  for (auto _ : state) tokens += simulate::simulate(made->setup).output_tokens;
  state.SetItemsProcessed(state.iterations() * asked.client.requests);
  state.counters["output_tokens"] = benchmark::Counter(static_cast<double>(tokens), benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(simulated_requests, llama_70b, "llama-3.1-70b", 8)
    ->Arg(128)
    ->Arg(1024)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulated_requests, deepseek, "deepseek-v3", 8)->Arg(128)->Arg(1024)->Unit(benchmark::kMillisecond);

}  // namespace

}  // namespace ridge
