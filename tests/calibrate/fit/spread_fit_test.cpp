// Are the parts of an error found again, held by their prior where few speak, and do the quantiles reach so far?

#include "calibrate/fit/spread_fit.hpp"

#include <cmath>

#include <doctest/doctest.h>

#include "calibrate/judge/coverage.hpp"
#include "catalog_library.hpp"
#include "library/calibrations.hpp"

namespace spread_fit_test {

using namespace ridge;
using doctest::Approx;

using ridge::testing::library;

namespace {

constexpr std::size_t at(SpreadPart part) { return static_cast<std::size_t>(part); }

ErrorGroup group(double error, double runs, std::initializer_list<SpreadPart> parts) {
  ErrorGroup out;
  out.error = error;
  out.runs = runs;
  for (const SpreadPart part : parts) out.times[at(part)] = 1;
  return out;
}

/// So many runs that were left out with a group, off by this much in turns up and down.
void add_runs(std::vector<LeftOutRun>& all, const char* way, const char* name, const Situation& situation, double error,
              int count) {
  for (int i = 0; i < count; ++i) {
    LeftOutRun run;
    run.way = way;
    run.group = name;
    run.run = all.size();
    run.situation = situation;
    run.log_ratio[0] = (i % 2 == 0 ? 1 : -1) * error * (0.5 + static_cast<double>(i) / (count - 1));
    all.push_back(run);
  }
}

}  // namespace

TEST_CASE("a quantile lies between its two neighbors") {
  CHECK(quantile({}, 0.5) == 0);
  CHECK(quantile({3}, 0.95) == 3);
  // of 1, 2, 3, 4 the place of 0.8 is 0.8 * 3 = 2.4: 3 * 0.6 + 4 * 0.4
  CHECK(quantile({4, 1, 3, 2}, 0.8) == Approx(3.4));
  CHECK(quantile({4, 1, 3, 2}, 0.5) == Approx(2.5));
  CHECK(quantile({4, 1, 3, 2}, 1) == 4);
}

TEST_CASE("parts that add in squares are found again where many groups speak") {
  // seen runs are off by 0.06, an unseen model's by 0.10: the model adds sqrt(0.10^2 - 0.06^2) = 0.08
  std::vector<ErrorGroup> groups;
  for (int i = 0; i < 200; ++i) {
    groups.push_back(group(0.06, 1e6, {SpreadPart::every_run}));
    groups.push_back(group(0.10, 1e6, {SpreadPart::every_run, SpreadPart::model}));
  }
  const auto parts = fit_parts(groups, believed_parts(groups, {}), {});
  CHECK(parts[at(SpreadPart::every_run)] == Approx(0.06).epsilon(0.01));
  CHECK(parts[at(SpreadPart::model)] == Approx(0.08).epsilon(0.01));
}

TEST_CASE("a part that nobody speaks about stays at its prior, a share of the mean error of all") {
  // 30 runs off by 0.1 and 10 by 0.2: 0.125 on average, half of it 0.0625
  const std::vector<ErrorGroup> groups = {group(0.1, 30, {SpreadPart::every_run}),
                                          group(0.2, 10, {SpreadPart::every_run})};
  const SpreadPrior prior{.share = 0.5, .groups = 1, .half_at = 10};
  const auto parts = fit_parts(groups, believed_parts(groups, prior), prior);
  CHECK(parts[at(SpreadPart::engine)] == Approx(0.0625).epsilon(1e-6));
  CHECK(parts[at(SpreadPart::load)] == Approx(0.0625).epsilon(1e-6));
}

TEST_CASE("one group is shrunk towards the prior, the more the fewer runs it has") {
  // one part alone: squares v solve w (m^2 - v)/v^2 + g (p^2 - v)/v^2 = 0, so v = (w m^2 + g p^2) / (w + g)
  const auto of = [](double runs) {
    const std::vector<ErrorGroup> one = {group(0.2, runs, {SpreadPart::every_run})};
    const SpreadPrior prior{.share = 0.5, .groups = 1, .half_at = 10};
    return fit_parts(one, believed_parts(one, prior), prior)[0];
  };
  // 10 runs: w = 1/2; m^2 = 0.04, p^2 = 0.01: (0.02 + 0.01) / 1.5 = 0.02
  CHECK(of(10) == Approx(std::sqrt(0.02)));
  // any number: w = 1: (0.04 + 0.01) / 2 = 0.025
  CHECK(of(1e9) == Approx(std::sqrt(0.025)));
  CHECK(of(1) < of(10));
}

TEST_CASE("throughput starts from TPOT's parts where its own runs do not tell") {
  Situation experts;
  experts.experts = true;
  std::vector<LeftOutRun> runs;
  add_runs(runs, "rows", "0", {}, 0.05, 40);
  add_runs(runs, "rows", "1", experts, 0.1, 40);
  for (LeftOutRun& run : runs) {
    if (run.situation.experts) run.log_ratio[3] = run.log_ratio[0];  // rates of mixtures of experts alone
  }
  std::vector<const LeftOutRun*> all;
  for (const LeftOutRun& run : runs) all.push_back(&run);
  const FigureSpread tpot = fit_spread(all, SpreadFigure::tpot, {}),
                     rate = fit_spread(all, SpreadFigure::throughput, {});
  CHECK(rate.part[at(SpreadPart::engine)] == Approx(tpot.part[at(SpreadPart::engine)]));
  CHECK(rate.part[at(SpreadPart::every_run)] == Approx(tpot.part[at(SpreadPart::every_run)]).epsilon(0.1));
}

TEST_CASE("a figure that no run tells of is off as its nearest is") {
  std::vector<LeftOutRun> runs;
  add_runs(runs, "rows", "0", {}, 0.05, 40);
  std::vector<const LeftOutRun*> all;
  for (const LeftOutRun& run : runs) all.push_back(&run);
  const FigureSpread tpot = fit_spread(all, SpreadFigure::tpot, {}),
                     rate = fit_spread(all, SpreadFigure::throughput, {});
  CHECK(rate.part == tpot.part);
  CHECK(rate.reach == tpot.reach);
}

TEST_CASE("reaches are quantiles of errors over what is expected") {
  std::vector<LeftOutRun> runs;
  for (int i = 0; i < 101; ++i) {  // sizes 0, 0.001, ..., 0.1
    LeftOutRun run;
    run.way = "rows";
    run.group = "0";
    run.log_ratio[0] = 0.001 * i;
    runs.push_back(run);
  }
  std::vector<const LeftOutRun*> all;
  for (const LeftOutRun& run : runs) all.push_back(&run);
  const FigureSpread spread = fit_spread(all, SpreadFigure::tpot, {});
  const double expected = spread.part[0];
  CHECK(spread.reach[0] * expected == Approx(0.05));
  CHECK(spread.reach[1] * expected == Approx(0.08));
  CHECK(spread.reach[2] * expected == Approx(0.095));
}

TEST_CASE("the interval of a run knows nothing of the runs that were left out with it") {
  Situation unseen;
  unseen.model_seen = unseen.together = false;
  std::vector<LeftOutRun> runs;
  add_runs(runs, "rows", "0", {}, 0.05, 40);
  add_runs(runs, "model", "a", unseen, 0.1, 40);
  add_runs(runs, "model", "b", unseen, 0.1, 40);
  add_runs(runs, "model", "wild", unseen, 3, 40);
  const Coverage coverage = coverage_of(runs, {});
  for (const CoverageLine& line : coverage.lines) {
    if (line.name != "wild") continue;
    CHECK(line.inside[2] == 0);  // had it seen its own errors, most would be inside
    CHECK(line.width < 1);
  }
  CHECK_FALSE(coverage.failures.empty());
}

TEST_CASE("the gate holds where errors are as expected and fails where intervals are too wide") {
  std::vector<LeftOutRun> runs;
  for (const char* fold : {"0", "1", "2", "3"}) add_runs(runs, "rows", fold, {}, 0.1, 200);
  const Coverage coverage = coverage_of(runs, {});
  REQUIRE(coverage.lines.front().group == "all");
  // sizes are even from 0.05 to 0.15: 80 % are below 0.13, twice that over the mean of 0.1 is 2.6
  CHECK(coverage.lines.front().inside[1] == Approx(0.8).epsilon(0.01));
  CHECK(coverage.lines.front().width / coverage.lines.front().error == Approx(2.6).epsilon(0.01));
  CHECK(coverage.failures.empty());
}

TEST_CASE("what is written is what answers read") {
  std::vector<LeftOutRun> runs;
  add_runs(runs, "rows", "0", {}, 0.05, 40);
  for (LeftOutRun& run : runs) run.log_ratio[1] = run.log_ratio[2] = run.log_ratio[3] = run.log_ratio[0];
  const CalibrationEntry entry = spread_entry(runs, {});
  CHECK(entry.rows == 40);
  CHECK(entry.numbers.at("tpot.runs.every_run").value == 40);
  CHECK_FALSE(entry.numbers.contains("tpot.runs.engine"));
  Library with = library();
  with.calibrations.clear();
  CHECK_FALSE(error_spread(with));
  with.calibrations.push_back(entry);
  const auto spread = error_spread(with);
  REQUIRE(spread);
  CHECK(spread->figures[0].part[0] == entry.numbers.at("tpot.part.every_run").value);
  CHECK(spread->figures[3].reach[2] == entry.numbers.at("throughput.reach.95").value);
}

}  // namespace spread_fit_test
