// Does a measurement of one's own move what it can, and nothing else?

#include "calibrate/anchor/anchor_fit.hpp"

#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/text/text.hpp"
#include "calibrate/fit/calibrate.hpp"
#include "calibrate/judge/validate.hpp"
#include "catalog/evidence/evidence_file.hpp"
#include "catalog_library.hpp"
#include "library/calibrations.hpp"

namespace anchor_fit_test {

using namespace ridge;
using doctest::Approx;
using ridge::testing::library;

namespace {

/// A run of Llama 3.1 8B on one MI300X, which nobody measured: its chip's numbers are borrowed.
BenchmarkResult run_at(double concurrency, double tpot) {
  BenchmarkResult r;
  r.place = "run";
  r.tool = "vllm bench serve";
  r.engine = "vllm";
  r.model = "llama-3.1-8b";
  r.hardware = "mi300x";
  r.tensor = 1;
  r.isl = 1000;
  r.osl = 250;
  r.concurrency = concurrency;
  r.tpot.mean = tpot;
  return r;
}

AnchorCase case_at(double concurrency) {
  const auto found = anchor_case(run_at(concurrency, 1), {}, library());
  REQUIRE(found.has_value());
  return *found;
}

/// The library without some entries, and with others instead.
Library with_entries(const std::vector<std::string>& left_out, const std::vector<CalibrationEntry>& entries) {
  Library changed = library();
  changed.calibrations.clear();
  for (const CalibrationEntry& entry : library().calibrations) {
    if (std::find(left_out.begin(), left_out.end(), entry.name) == left_out.end())
      changed.calibrations.push_back(entry);
  }
  for (const CalibrationEntry& entry : entries) changed.calibrations.push_back(entry);
  return changed;
}

}  // namespace

TEST_CASE("an anchor with the prediction's own time moves nothing, and narrows what it speaks of") {
  const AnchorCase one = case_at(1);
  const auto answer = calibrate_by({run_at(1, predicted_time(one))}, {}, library());
  REQUIRE(answer.has_value());
  CHECK(!answer->left_out);
  for (const AnchorFactor& factor : answer->fit.factors) {
    CHECK(factor.value == Approx(1).epsilon(1e-6));
    CHECK(factor.spread <= factor.prior);
  }
  // one sequence of an 8B model is read from memory: compute and prefill have no part in its TPOT
  CHECK(moved_of(*answer->fit.find("mi300x", "pace")) == Moved::yes);
  CHECK(moved_of(*answer->fit.find("mi300x", "compute")) == Moved::no);
  CHECK(moved_of(*answer->fit.find("vllm", "prefill")) == Moved::no);
}

TEST_CASE("a chip that is slower than believed is found out by its anchors, and its entries read back as the fit") {
  // the truth: every share 15 % below the borrowed one, every launch 15 % longer
  const auto truth = [](const AnchorCase& one) {
    AnchorFit slower;
    slower.factors = {{one.chip(), "pace", 0.1, 0.85, 0.1},
                      {one.chip(), "memory", 0.1, 1, 0.1},
                      {one.chip(), "latency", 0.1, 1, 0.1},
                      {one.chip(), "compute", 0.1, 1, 0.1}};
    return predicted_time(one, slower);
  };
  std::vector<BenchmarkResult> runs;
  for (const double concurrency : {1.0, 8.0, 64.0}) {
    runs.push_back(run_at(concurrency, truth(case_at(concurrency))));
    runs.back().place = fmt::format("run at {:g}", concurrency);
  }
  const auto answer = calibrate_by(runs, {}, library());
  REQUIRE(answer.has_value());
  CHECK(answer->left_out);
  CHECK(answer->before > 0.1);
  CHECK(answer->after < answer->before / 2);  // each predicted by a fit to the other two
  CHECK(answer->error_of(&AnchorLine::after) <= answer->after);
  CHECK(answer->fit.find("mi300x", "pace")->value < 0.97);

  // an answer with the entries is the fit's
  for (const CalibrationEntry& entry : answer->entries) CHECK(entry.from.kind == Kind::measured);
  std::vector<std::string> names;
  for (const CalibrationEntry& entry : answer->entries) names.push_back(entry.name);
  const Library anchored = with_entries(names, answer->entries);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto again = anchor_case(runs[i], {}, anchored);
    REQUIRE(again.has_value());
    CHECK(again->chip_prior == ChipPrior::own);
    CHECK(predicted_time(*again) == Approx(answer->lines[i].after).epsilon(0.005));  // but for factors within 1 %
  }
}

TEST_CASE("what cannot be is named and not absorbed") {
  const AnchorCase one = case_at(1);
  BenchmarkResult good = run_at(1, predicted_time(one)), fast = run_at(1, bound_of(one) * 0.9), failed = good,
                  lost = good;
  fast.place = "fast";
  failed.place = "failed";
  failed.faults.push_back("3 of 20 requests failed");
  lost.place = "lost";
  lost.hardware.clear();
  const auto answer = calibrate_by({fast, good, failed, lost}, {}, library());
  REQUIRE(answer.has_value());
  REQUIRE(answer->lines.size() == 1);
  REQUIRE(answer->refused.size() == 3);
  CHECK(contains(answer->refused[0].why, "faster than physics allows"));
  CHECK(contains(answer->refused[1].why, "3 of 20 requests failed"));
  CHECK(contains(answer->refused[2].why, "machine"));
  const auto none = calibrate_by({fast, failed}, {}, library());
  REQUIRE(!none.has_value());
  CHECK(none.error().size() == 2);
}

TEST_CASE("a given model, machine and engine win over the file's; a batch is a step, prefill is prefill") {
  BenchmarkResult batch = run_at(16, 1);
  batch.kind = ResultKind::batch;
  const auto step = anchor_case(batch, {}, library());
  REQUIRE(step.has_value());
  CHECK(step->figure == AnchorFigure::step);
  CHECK(predicted_time(*step) < predicted_time(case_at(16)));  // nobody's prefill comes between its steps
  BenchmarkResult prefill = run_at(1, 1);
  prefill.kind = ResultKind::prefill;
  prefill.ttft.mean = 0.03;
  prefill.tpot = {};
  const auto prompt = anchor_case(prefill, {}, library());
  REQUIRE(prompt.has_value());
  CHECK(prompt->figure == AnchorFigure::prefill);
  CHECK(bound_of(*prompt) < predicted_time(*prompt));
  AnchorGiven given;
  given.machine = "hgx-h100";
  given.engine = "sglang";
  const auto other = anchor_case(run_at(4, 1), given, library());
  REQUIRE(other.has_value());
  CHECK(other->chip() == "h100-sxm");
  CHECK(other->engine() == "sglang");
  CHECK(other->chip_prior == ChipPrior::own);
}

TEST_CASE("one run of a chip left out brings the others nearer, on average over every choice of it") {
  // MI355X without its entry borrows from NVIDIA's. The shared numbers of the library have seen its runs, which
  // ridge validate --leave-one-out anchor fits again without; that takes longer than a test may.
  const auto evidence = catalog::read_evidence(catalog::embedded_evidence());
  REQUIRE(evidence.has_value());
  const Library without = with_entries({"mi355x"}, {});
  const RunCases runs = serving_cases(evidence->serving, without);
  const auto priors = anchor_priors(without);
  REQUIRE(priors.has_value());
  std::vector<AnchorCase> cases;
  for (const RunCase& run : runs.cases) {
    if (run.chip != "mi355x" || run.load.disaggregated) continue;
    cases.push_back({.name = run.row->id,
                     .deployment = run.deployment,
                     .load = run.load,
                     .figure = AnchorFigure::tpot,
                     .measured = run.row->tpot,
                     .chip_prior = ChipPrior::stranger,
                     .notes = {}});
  }
  REQUIRE(cases.size() > 50);
  double before = 0, after = 0, count = 0;
  for (std::size_t i = 0; i < cases.size(); i += 5) {  // a fifth of the choices is enough
    const auto fit = fit_anchors({&cases[i]}, *priors);
    REQUIRE(fit.has_value());
    for (std::size_t j = 0; j < cases.size(); ++j) {
      if (i == j) continue;
      before += std::abs(predicted_time(cases[j]) / cases[j].measured - 1);
      after += std::abs(predicted_time(cases[j], *fit) / cases[j].measured - 1);
      ++count;
    }
  }
  MESSAGE("mean error of the other runs ", before / count, " before, ", after / count, " after");
  CHECK(after < 0.85 * before);
}

}  // namespace anchor_fit_test
