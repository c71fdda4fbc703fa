// Is a run held against the whole answer, and does a trend say what a line says?

#include "calibrate/judge/compare.hpp"

#include <algorithm>

#include <doctest/doctest.h>

#include "catalog_library.hpp"

namespace compare_test {

using namespace ridge;
using doctest::Approx;
using ridge::testing::library;

namespace {

/// A run of Llama 3.1 70B on four H100 under vLLM; every figure stated.
BenchmarkResult some_result() {
  BenchmarkResult r;
  r.place = "run.json";
  r.engine = "vllm";
  r.model = "llama-3.1-70b";
  r.hardware = "hgx-h100";
  r.format = "fp8";
  r.tensor = 4;
  r.isl = r.osl = 1024;
  r.concurrency = 16;
  r.tpot.mean = 0.020;
  r.ttft.mean = 0.300;
  r.ttft.median = 0.250;
  r.e2e.mean = 20.76;
  r.output_rate = 780;
  r.total_rate = 1560;
  r.request_rate = 0.77;
  return r;
}

ComparedRun point(double predicted, double measured) {
  ComparedRun run;
  run.figures.push_back({"tpot", "TPOT", true, measured, predicted, {}});
  run.bound = 0.5 * predicted;
  return run;
}

}  // namespace

TEST_CASE("every figure that a file states stands beside its prediction") {
  const ComparedRun run = compared(some_result(), {}, library());
  REQUIRE_MESSAGE(run.answer, run.unpredicted);
  std::vector<std::string> keys;
  for (const ComparedFigure& figure : run.figures) keys.push_back(figure.key);
  CHECK(keys == std::vector<std::string>{"tpot", "ttft", "e2e", "output_tok_s", "total_tok_s", "requests_per_s"});
  const ServingEstimate& e = run.answer->estimate;
  CHECK(run.figures[0].predicted == Approx(e.times.tpot.value()));
  CHECK(run.figures[1].measured == 0.250);  // the median, where there is one
  CHECK(run.figures[2].predicted == Approx(e.times.ttft.value() + 1023 * e.times.tpot.value()));
  CHECK(run.figures[3].predicted == Approx(e.output_rate.value()));
  for (const ComparedFigure& figure : run.figures) {
    CHECK(figure.interval.low < figure.predicted);
    CHECK(figure.interval.high > figure.predicted);
  }
  CHECK(run.bound < run.figures[0].predicted);
}

TEST_CASE("with less than one request in flight an engine is idle in between, and nobody is told a part of a request") {
  BenchmarkResult r = some_result();
  r.concurrency.reset();
  r.in_flight = 0.25;
  const ComparedRun run = compared(r, {}, library());
  REQUIRE_MESSAGE(run.answer, run.unpredicted);
  const ServingEstimate& e = run.answer->estimate;  // of one alone
  CHECK(run.figures[0].predicted == Approx(e.times.tpot.value()));
  CHECK(run.figures[3].key == "output_tok_s");
  CHECK(run.figures[3].predicted == Approx(0.25 * e.output_rate.value()));
  r.in_flight = 12.3;
  for (const ComparedChange& one : compared(r, {}, library()).changes) CHECK(one.what.find('.') == std::string::npos);
}

TEST_CASE("where the time goes adds up to what was measured") {
  const ComparedRun run = compared(some_result(), {}, library());
  double sum = 0;
  for (const TimeShare& share : run.shares) sum += share.seconds;
  CHECK(sum == Approx(0.020));
  CHECK(run.shares.back().key == "unexplained");
}

TEST_CASE("a change is one that is worth it, the best first, and fits") {
  const ComparedRun run = compared(some_result(), {}, library());
  REQUIRE_FALSE(run.changes.empty());
  double before = 1e9;
  for (const ComparedChange& one : run.changes) {
    CHECK((one.tpot < 0.95 || one.chip_rate > 1.05));
    const double worth = std::max(one.chip_rate, 1 / one.tpot);
    CHECK(worth <= before);
    before = worth;
  }
}

TEST_CASE("a TTFT that no prefill can have is the prefix cache's") {
  BenchmarkResult r = some_result();
  r.isl = 16384;
  r.ttft.mean = r.ttft.median = 0.020;
  const ComparedRun run = compared(r, {}, library());
  REQUIRE(run.result.faults.size() == 1);
  CHECK(run.result.faults.front().find("prefix cache") != std::string::npos);
  AnchorGiven told;
  told.cached = 0.95;
  CHECK(compared(r, told, library()).result.faults.empty());
}

TEST_CASE("a mean TTFT far above its median is said to be a warm-up") {
  BenchmarkResult r = some_result();
  r.ttft.mean = 1.5;
  const ComparedRun run = compared(r, {}, library());
  CHECK(std::any_of(run.notes.begin(), run.notes.end(),
                    [](const std::string& note) { return note.find("warm-up") != std::string::npos; }));
}

TEST_CASE("what cannot be predicted says why") {
  BenchmarkResult r = some_result();
  r.hardware.clear();
  const ComparedRun run = compared(r, {}, library());
  CHECK(run.figures.empty());
  CHECK(run.unpredicted.find("machine") != std::string::npos);
}

TEST_CASE("a trend is the line through relative errors") {
  // measured = 0.5 + 2 x predicted
  std::vector<ComparedRun> runs = {point(1, 2.5), point(2, 4.5), point(4, 8.5)};
  const auto trend = trend_of(runs);
  REQUIRE(trend);
  CHECK(trend->constant == Approx(0.5));
  CHECK(trend->slope == Approx(2));
  CHECK(trend->left == Approx(0).epsilon(1e-9));
  runs.push_back(point(1, 100));
  runs.back().result.faults.push_back("5 requests failed");
  CHECK(trend_of(runs)->runs == 3);  // an odd run takes no part
  runs.resize(2);
  CHECK_FALSE(trend_of(runs));
  CHECK_FALSE(trend_of({point(1, 2), point(1, 3), point(1, 4)}));  // no line through one place
}

}  // namespace compare_test
