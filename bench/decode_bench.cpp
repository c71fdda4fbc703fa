// What a roofline decode estimate costs: all outputs of one case, in double and over SIMD lanes.

#include <chrono>
#include <numeric>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "catalog/entries/library.hpp"
#include "roofline/answer.hpp"
#include "roofline/bounds.hpp"
#include "search/lanes/decode_columns.hpp"

namespace {

using namespace ridge;

constexpr std::size_t kCases = 1000;  // all outputs of that many cases stay in the second-level cache

constexpr std::size_t kCostColumn = [] {
  std::size_t index = 0, found = 0;
  DecodeEstimate<double> none;
  visit_outputs(none, [&](const OutputInfo& info, auto&) {
    if (info.key == "cost") found = index;
    ++index;
  });
  return found;
}();

const Library& library() {
  static const Library built = catalog::build_library(catalog::embedded_facts()).value();
  return built;
}

DecodeCase<double> roofline_case() {
  Scenario scenario;
  scenario.model = "deepseek-v3";
  scenario.machine = "gb200-nvl72";
  return resolve(scenario, library()).value().numbers;
}

Axis batches() {
  Axis axis{input_index("batch"), std::vector<double>(kCases)};
  std::iota(axis.values.begin(), axis.values.end(), 1.0);
  return axis;
}

void in_double(benchmark::State& state) {
  DecodeCase<double> c = roofline_case();
  const Axis axis = batches();
  std::size_t i = 0;
  for (auto _ : state) {
    c.batch = axis.values[i++ % kCases];
    benchmark::DoNotOptimize(estimate_decode(c));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(in_double);

void in_lanes(benchmark::State& state, InstructionSet set) {
  const DecodeCase<double> c = roofline_case();
  const std::vector<Axis> axes = {batches()};
  Columns columns = sweep_decode(c, axes, set);
  for (auto _ : state) {
    sweep_into(columns, c, axes, set);
    benchmark::DoNotOptimize(columns);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kCases));
}

void bounds_of_two_ranges(benchmark::State& state) {
  const DecodeCase<double> c = roofline_case();
  const std::vector<RangedInput> ranges = {{input_index("hbm"), {6.5e12, 8e12}}, {input_index("batch"), {256, 4096}}};
  for (auto _ : state) benchmark::DoNotOptimize(bound_decode(c, ranges));
}
BENCHMARK(bounds_of_two_ranges);

void whole_answer(benchmark::State& state) {
  Scenario scenario;
  scenario.model = "deepseek-v3";
  scenario.machine = "gb200-nvl72";
  for (auto _ : state) benchmark::DoNotOptimize(answer_why(scenario, library()));
}
BENCHMARK(whole_answer);

void catalog_load(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(catalog::build_library(catalog::embedded_facts()));
}
BENCHMARK(catalog_load);

template <class Run>
double best_seconds(Run&& run) {
  double best = 1e9;
  for (int i = 0; i < 200; ++i) {
    const auto began = std::chrono::steady_clock::now();
    run();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
  }
  return best;
}

/// The ratio the project promises: cases a second over lanes against double, every output stored by both.
void report_ratio(InstructionSet set) {
  DecodeCase<double> c = roofline_case();
  const std::vector<Axis> axes = {batches()};
  std::vector<DecodeEstimate<double>> results(kCases);
  const double one = best_seconds([&] {
    for (std::size_t i = 0; i < kCases; ++i) {
      c.batch = axes[0].values[i];
      results[i] = estimate_decode(c);
    }
    benchmark::DoNotOptimize(results.data());
  });
  const auto lanes = [&](Columns columns) {
    return best_seconds([&] {
      sweep_into(columns, c, axes, set);
      benchmark::DoNotOptimize(columns);
    });
  };
  const double many = lanes(sweep_decode(c, axes, set));
  Columns cost_only;
  cost_only[kCostColumn].resize(kCases);
  const double few = lanes(cost_only);
  fmt::print(
      "{:<9} {:6.1f} ns a case in double; over lanes {:5.1f} ns ({:.2f} times faster) with all {} outputs stored, "
      "{:5.1f} ns ({:.2f} times) for the cost alone\n",
      name_of(set), one / kCases * 1e9, many / kCases * 1e9, one / many, kDecodeOutputs, few / kCases * 1e9, one / few);
}

}  // namespace

int main(int count, char** arguments) {
  benchmark::Initialize(&count, arguments);
  for (const InstructionSet set : {InstructionSet::baseline, InstructionSet::avx2, InstructionSet::avx512}) {
    if (set > best_instruction_set()) continue;
    report_ratio(set);
    benchmark::RegisterBenchmark(fmt::format("in_lanes/{}", name_of(set)).c_str(), in_lanes, set);
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
