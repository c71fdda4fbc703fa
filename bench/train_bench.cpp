// The search for a layout, all degrees and schedules on one core. Target: a trillion parameters on 4,096 chips in 5 s.
// A peer did not finish 512 chips in 300 s.

#include <algorithm>

#include <benchmark/benchmark.h>

#include "catalog/entries/library.hpp"
#include "catalog/entries/recipes.hpp"
#include "train/plan/training_search.hpp"
#include "train/schedule/schedule.hpp"

namespace ridge {

namespace {

void searched_layouts(benchmark::State& state, const char* model, const char* machine) {
  static const Library built = catalog::checked_library(catalog::embedded_entries());
  static const auto recipes = catalog::recipes(catalog::embedded_facts());
  TrainingQuestion asked;
  asked.model = model;
  asked.machine = machine;
  asked.chips = static_cast<double>(state.range(0));
  asked.sequence = 8192;
  asked.global_batch = 64.0 * 1024 * 1024;
  const auto ground = training_ground(asked, built, *recipes);
  if (!ground) return state.SkipWithError("does not resolve");
  TrainingSearch found;
  for (auto _ : state) found = search_training(*ground, {});
  state.counters["considered"] = found.considered;
  state.counters["evaluated"] = found.evaluated;
  state.counters["simulated"] = found.simulated;
}
BENCHMARK_CAPTURE(searched_layouts, kimi_k2, "kimi-k2", "gb200-nvl72")->Arg(4096)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(searched_layouts, llama_405b, "llama-3.1-405b", "hgx-h100")
    ->Arg(4096)
    ->Arg(16384)
    ->Unit(benchmark::kMillisecond);

/// Figures of one schedule, its order made each time.
void simulated_schedule(benchmark::State& state, train::ScheduleKind kind) {
  train::ScheduleQuestion question;
  question.shape = {.kind = kind, .ranks = 16, .microbatches = 64, .chunks = std::max(1, train::fixed_chunks(kind))};
  question.times.stages = {{1000, 1000, 1000}};
  for (auto _ : state) benchmark::DoNotOptimize(train::schedule_figures(question));
}
BENCHMARK_CAPTURE(simulated_schedule, gpipe, train::ScheduleKind::gpipe)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(simulated_schedule, one_f_one_b, train::ScheduleKind::one_f_one_b)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(simulated_schedule, zb_v, train::ScheduleKind::zb_v)->Unit(benchmark::kMicrosecond);

}  // namespace

}  // namespace ridge
