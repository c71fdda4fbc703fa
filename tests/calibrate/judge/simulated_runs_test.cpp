#include "calibrate/judge/simulated_runs.hpp"

#include <doctest/doctest.h>

#include "catalog_library.hpp"

namespace simulated_runs_test {

using namespace ridge;

namespace {

SentRow stage(double rate) {
  SentRow row;
  row.set = "open-loop";
  row.id = "stage";
  row.model = "llama-2-7b";
  row.machine = "hgx-h100";
  row.engine = "vllm";
  row.token_budget = 2048;
  row.max_sequences = 32;
  row.prefix_cache = true;
  row.arrivals = "poisson";
  row.rate = rate;
  row.requests = 400;
  row.isl = row.isl_most = row.system_tokens = 512;
  row.osl = row.osl_most = 100;
  row.system_prompts = 8;
  row.ttft = row.ttft_p50 = row.ttft_p99 = 0.05;
  return row;
}

SimulatedRun simulated(const SentRow& row) {
  Evidence evidence;
  evidence.sent = {row};
  const std::vector<SimulatedRun> runs = simulate_sent(evidence, testing::library());
  REQUIRE(runs.size() == 1);
  return runs.front();
}

double predicted(const SimulatedRun& run, std::string_view name) {
  for (const SimulatedFigure& figure : run.figures) {
    if (figure.name == name) return figure.predicted;
  }
  return 0;
}

}  // namespace

TEST_CASE("a stage is told apart where a tenth of capacity changes its TTFT several-fold") {
  const SimulatedRun calm = simulated(stage(5));
  CHECK(calm.set == "open-loop");
  CHECK_FALSE(calm.is_in_range);
  // 32 sequences of 100 tokens at 8 to 12 ms a step are 27 to 40 requests a second
  SentRow busy = stage(30);
  const SimulatedRun near = simulated(busy);
  CHECK(near.set.starts_with("open-loop, "));
  busy.rate = 300;
  CHECK(simulated(busy).set == "open-loop, saturated here");
}

TEST_CASE("a stage whose prompts an earlier one has sent computes none of them again") {
  SentRow row = stage(5);
  const double first = predicted(simulated(row), "TTFT p99");
  row.warmups = 8;
  CHECK(predicted(simulated(row), "TTFT p99") < first);
}

TEST_CASE("of a run that compiled meanwhile medians are judged, and the mean of whole requests") {
  SentRow row = stage(5);
  row.e2e = 1;
  row.cold = true;
  const SimulatedRun run = simulated(row);
  REQUIRE(run.figures.size() == 2);
  CHECK(run.figures[0].name == "TTFT p50");
  CHECK(run.figures[1].name == "E2E mean");
}

}  // namespace simulated_runs_test
