// Are engines' numbers found again in runs of a server that has them?

#include "calibrate/fit/first_fit.hpp"

#include <doctest/doctest.h>

#include "calibrate/fit/calibrate.hpp"
#include "calibrate/fit/simulated_row.hpp"
#include "catalog_library.hpp"

namespace first_fit_test {

using namespace ridge;
using doctest::Approx;

using ridge::testing::library;

namespace {

ServingRow run_of(double tensor, double users, double isl) {
  ServingRow row;
  row.set = "inferencemax";
  row.model = "gpt-oss-120b";
  row.machine = "hgx-b200";
  row.format = "mxfp4";
  row.engine = "vllm";
  row.mode = "aggregated";
  row.chips = row.tensor = row.moe_tensor = tensor;
  row.isl = isl;
  row.osl = 256;
  row.length_mean = 0.9;
  row.concurrency = users;
  row.requests_per_user = 10;
  row.token_budget = 8192;
  row.tpot = row.ttft = row.ttft_p50 = 0.01;
  return row;
}

/// What its client would report of a server with these numbers.
void measure(ServingRow& row, const CalibrationSet& set) {
  std::string why;
  const auto run = serving_case(row, library(), why);
  REQUIRE_MESSAGE(run, why);
  REQUIRE(can_simulate(*run));
  const auto seen = simulated_figures(*run, set, library());
  REQUIRE(seen);
  row.ttft = seen->ttft_mean;
  row.ttft_p50 = seen->ttft_p50;
  row.ttft_p99 = seen->ttft_p99;
  row.tpot = seen->tpot;
  row.itl_p50 = seen->itl_p50;
}

}  // namespace

TEST_CASE("runs of a server whose numbers are known give those numbers back") {
  CalibrationSet truth = serving_set(library());
  EngineCalibration<double>& engine = truth.engines.at("vllm");
  engine.first_time = Seconds<double>(0.012);
  engine.first_token_time = Seconds<double>(3e-6);
  engine.prefill_factor = 1.2;
  engine.launch_time = Seconds<double>(5e-6);
  engine.prefill_step_time = Seconds<double>(0.006);
  engine.prompt_time = Seconds<double>(0.0005);
  truth.fresh = {{"vllm.b200_8bit", {0.1, 5e-6}}};
  std::vector<ServingRow> rows;
  for (const double tensor : {1.0, 4.0}) {
    for (const double users : {4.0, 16.0}) {
      for (const double isl : {1024.0, 8192.0}) rows.push_back(run_of(tensor, users, isl));
    }
  }
  std::string why;
  std::vector<RunCase> runs;
  for (ServingRow& row : rows) {
    measure(row, truth);
    runs.push_back(*serving_case(row, library(), why));
  }
  std::vector<const RunCase*> cases;
  for (const RunCase& one : runs) cases.push_back(&one);
  CalibrationSet found = truth;
  const auto fit = fit_first_time(cases, found, priors_of(library()), library(), FirstLevels::simulated);
  REQUIRE(fit);
  // what a median, a burst and a gap each say: the way in, the share, the fresh server; steps and launches trade with each
  // other (both are once a step of the same kernels), and so do tokens of the way in and of a fresh server, within a row's worth
  const EngineCalibration<double>& back = found.engines.at("vllm");
  CHECK(back.first_time.value() == Approx(0.012).epsilon(0.15));
  CHECK(back.prefill_factor.value() == Approx(1.2).epsilon(0.1));
  CHECK(back.prefill_step_time.value() == Approx(0.006).epsilon(0.25));
  CHECK(found.fresh.at("vllm.b200_8bit").first == Approx(0.1).epsilon(0.15));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CAPTURE(i);
    const auto seen = simulated_figures(runs[i], found, library());
    REQUIRE(seen);
    CHECK(seen->ttft_p50 == Approx(rows[i].ttft_p50).epsilon(0.05));
    CHECK(seen->ttft_p99 == Approx(rows[i].ttft_p99).epsilon(0.05));
    CHECK(seen->tpot == Approx(rows[i].tpot).epsilon(0.03));
  }
}

}  // namespace first_fit_test
