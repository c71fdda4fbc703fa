#include "calibrate/judge/coverage.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

namespace ridge {

namespace {

/// One run with the interval that others' errors give it.
struct JudgedRun {
  const LeftOutRun* run = nullptr;
  double error = 0;     // size of ln(measured / predicted)
  double expected = 0;  // mean size, as others have it
  std::array<double, kLevels.size()> reach{};
};

using Fold = std::pair<std::string, std::string>;

std::vector<JudgedRun> judged_runs(const std::vector<LeftOutRun>& runs, SpreadFigure figure, const SpreadPrior& prior) {
  std::map<Fold, std::set<std::size_t>> folds;  // which runs each leaves out
  for (const LeftOutRun& run : runs) folds[{run.way, run.group}].insert(run.run);
  std::vector<JudgedRun> out;
  for (const auto& [fold, members] : folds) {
    const FigureSpread spread = spread_from_others(runs, members, figure, prior);
    for (const LeftOutRun& run : runs) {
      const auto& ratio = run.log_ratio[static_cast<std::size_t>(figure)];
      if (!ratio || run.way != fold.first || run.group != fold.second) continue;
      out.push_back({&run, std::abs(*ratio), expected_error(spread, parts_of(run.situation)), spread.reach});
    }
  }
  return out;
}

CoverageLine line_of(const std::string& group, const std::string& name, SpreadFigure figure,
                     const std::vector<const JudgedRun*>& runs) {
  CoverageLine line{group, name, figure, runs.size(), {}, 0, 0};
  const double share = 1 / static_cast<double>(std::max<std::size_t>(1, runs.size()));
  for (const JudgedRun* one : runs) {
    for (std::size_t level = 0; level < kLevels.size(); ++level)
      line.inside[level] += one->error <= one->reach[level] * one->expected ? share : 0;
    line.width += 2 * one->reach[kShownLevel] * one->expected * share;
    line.error += one->error * share;
  }
  return line;
}

void judge_line(const CoverageLine& line, std::vector<std::string>& failures) {
  for (std::size_t level = 0; level < kLevels.size(); ++level) {
    const double inside = line.inside[level];
    if (inside >= kCoverageGate.least[level] && inside <= kCoverageGate.most[level]) continue;
    failures.push_back(fmt::format("{}: {:.1f} % of the left-out runs lie in the {:g} % interval, not {:g} to {:g} %",
                                   name_of(line.figure), 100 * inside, 100 * kLevels[level],
                                   100 * kCoverageGate.least[level], 100 * kCoverageGate.most[level]));
  }
  if (line.width > kCoverageGate.widest * line.error)
    failures.push_back(fmt::format("{}: the 80 % interval is {:.2f} times as wide as the mean error, not {:g}",
                                   name_of(line.figure), line.width / line.error, kCoverageGate.widest));
}

}  // namespace

Coverage coverage_of(const std::vector<LeftOutRun>& runs, const SpreadPrior& prior) {
  Coverage out;
  for (std::size_t i = 0; i < kSpreadFigures; ++i) {
    const auto figure = static_cast<SpreadFigure>(i);
    const std::vector<JudgedRun> judged = judged_runs(runs, figure, prior);
    if (judged.empty()) continue;
    std::vector<std::pair<Fold, std::vector<const JudgedRun*>>> groups = {{{"all", "all"}, {}}};
    const auto add = [&](const std::string& group, const std::string& name, const JudgedRun& one) {
      const auto same = [&](const auto& entry) { return entry.first == Fold{group, name}; };
      auto found = std::find_if(groups.begin(), groups.end(), same);
      if (found == groups.end()) found = groups.insert(groups.end(), {{group, name}, {}});
      found->second.push_back(&one);
    };
    for (const JudgedRun& one : judged) add("all", "all", one);
    for (const JudgedRun& one : judged) add("left out", one.run->way, one);
    for (const JudgedRun& one : judged) add("kind", one.run->situation.experts ? "mixture of experts" : "dense", one);
    for (const JudgedRun& one : judged) {
      if (one.run->situation.disaggregated) add("kind", "prefill disaggregated", one);
    }
    for (const JudgedRun& one : judged) add("layout", std::string(name_of(one.run->situation.layout)), one);
    for (const JudgedRun& one : judged) add(one.run->way, one.run->group, one);
    for (const auto& [names, members] : groups)
      out.lines.push_back(line_of(names.first, names.second, figure, members));
  }
  for (const CoverageLine& line : out.lines) {
    if (line.group == "all") judge_line(line, out.failures);
  }
  return out;
}

}  // namespace ridge
