#include "calibrate/fit/spread_fit.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include <fmt/format.h>

#include "library/calibrations.hpp"

namespace ridge {

namespace {

std::vector<ErrorGroup> error_groups(const std::vector<const LeftOutRun*>& runs, SpreadFigure figure) {
  // by what was left out, and by which parts count
  std::map<std::tuple<std::string, std::string, unsigned>, ErrorGroup> groups;
  for (const LeftOutRun* run : runs) {
    const auto& ratio = run->log_ratio[static_cast<std::size_t>(figure)];
    if (!ratio) continue;
    const auto times = parts_of(run->situation);
    unsigned which = 0;
    for (std::size_t i = 0; i < kSpreadParts; ++i) which |= times[i] > 0 ? 1u << i : 0u;
    ErrorGroup& group = groups[{run->way, run->group, which}];
    for (std::size_t i = 0; i < kSpreadParts; ++i) group.times[i] += times[i];
    group.error += std::abs(*ratio);
    ++group.runs;
  }
  std::vector<ErrorGroup> out;
  for (auto& [key, group] : groups) {
    for (double& times : group.times) times /= group.runs;
    group.error /= group.runs;
    out.push_back(group);
  }
  return out;
}

}  // namespace

SpreadPrior spread_prior(const Library& library) {
  SpreadPrior out;
  const CalibrationEntry* entry = find_calibration(library, "prior", "spread-prior");
  if (entry == nullptr) return out;
  const auto read = [&](const char* name, double& field) {
    const auto found = entry->numbers.find(name);
    if (found != entry->numbers.end()) field = found->second.value;
  };
  read("share", out.share);
  read("groups", out.groups);
  read("half_at", out.half_at);
  return out;
}

PartSizes believed_parts(const std::vector<ErrorGroup>& groups, const SpreadPrior& prior) {
  double runs = 0, error = 0;
  for (const ErrorGroup& group : groups) {
    runs += group.runs;
    error += group.error * group.runs;
  }
  constexpr double kLeast = 1e-6;  // no error is nothing
  PartSizes out;
  out.fill(std::max(kLeast, prior.share * (runs > 0 ? error / runs : 0)));
  return out;
}

// The likelihood of a mean size m under the expected s is that of a square m^2 with mean s^2 (a gamma's): the divergence
// m^2/s^2 - ln(m^2/s^2). Its minimum over squares v that add is found by multiplying each v by the root of what pulls it
// up over what pulls it down (majorize and minimize): always positive, and never further from the minimum.
PartSizes fit_parts(const std::vector<ErrorGroup>& groups, const PartSizes& believed, const SpreadPrior& prior) {
  PartSizes before{};
  for (std::size_t i = 0; i < kSpreadParts; ++i) before[i] = believed[i] * believed[i];
  PartSizes squares = before;
  constexpr int kRounds = 400;
  for (int round = 0; round < kRounds; ++round) {
    PartSizes up{}, down{};
    for (std::size_t i = 0; i < kSpreadParts; ++i) {
      up[i] = prior.groups * before[i] / (squares[i] * squares[i]);
      down[i] = prior.groups / squares[i];
    }
    for (const ErrorGroup& group : groups) {
      double expected = 0;
      for (std::size_t i = 0; i < kSpreadParts; ++i) expected += group.times[i] * squares[i];
      const double weight = group.runs / (group.runs + prior.half_at);
      for (std::size_t i = 0; i < kSpreadParts; ++i) {
        up[i] += weight * group.times[i] * group.error * group.error / (expected * expected);
        down[i] += weight * group.times[i] / expected;
      }
    }
    for (std::size_t i = 0; i < kSpreadParts; ++i) squares[i] *= std::sqrt(up[i] / down[i]);
  }
  for (double& square : squares) square = std::sqrt(square);
  return squares;
}

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const double at = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const double rest = at - static_cast<double>(below);
  return below + 1 < values.size() ? values[below] * (1 - rest) + values[below + 1] * rest : values[below];
}

FigureSpread fit_spread(const std::vector<const LeftOutRun*>& runs, SpreadFigure figure, const SpreadPrior& prior) {
  const auto groups = error_groups(runs, figure);
  const auto nearest = figure == SpreadFigure::throughput ? SpreadFigure::tpot
                       : figure == SpreadFigure::prefill  ? SpreadFigure::ttft
                                                          : figure;
  FigureSpread out;
  if (nearest == figure) {
    out.part = believed_parts(groups, prior);
  } else {
    out = fit_spread(runs, nearest, prior);
  }
  if (groups.empty()) return out;  // nothing but what is believed
  out.part = fit_parts(groups, out.part, prior);
  std::vector<double> sizes;
  for (const LeftOutRun* run : runs) {
    if (const auto& ratio = run->log_ratio[static_cast<std::size_t>(figure)])
      sizes.push_back(std::abs(*ratio) / expected_error(out, parts_of(run->situation)));
  }
  for (std::size_t level = 0; level < kLevels.size(); ++level) out.reach[level] = quantile(sizes, kLevels[level]);
  return out;
}

FigureSpread spread_from_others(const std::vector<LeftOutRun>& runs, const std::set<std::size_t>& without,
                                SpreadFigure figure, const SpreadPrior& prior) {
  std::vector<const LeftOutRun*> others;
  for (const LeftOutRun& run : runs) {
    if (!without.contains(run.run)) others.push_back(&run);
  }
  return fit_spread(others, figure, prior);
}

CalibrationEntry spread_entry(const std::vector<LeftOutRun>& runs, const SpreadPrior& prior) {
  CalibrationEntry entry;
  entry.name = entry.of = "spread";
  entry.title = "How far off answers are: errors of measured runs that were left out of the fit";
  entry.note =
      "part: mean size of ln(measured / predicted) that it adds, in squares; runs: left-out runs that speak about it; "
      "reach: half of an interval over the mean size";
  entry.from = {"ridge-left-out", Kind::derived};
  std::vector<const LeftOutRun*> all;
  for (const LeftOutRun& run : runs) {
    all.push_back(&run);
    if (const auto& ratio = run.log_ratio[static_cast<std::size_t>(SpreadFigure::tpot)]) {
      entry.error += std::abs(std::exp(-*ratio) - 1);
      ++entry.rows;
    }
  }
  entry.error /= std::max(1.0, entry.rows);
  for (std::size_t i = 0; i < kSpreadFigures; ++i) {
    const auto figure = static_cast<SpreadFigure>(i);
    const auto tells = [&](const LeftOutRun& run) { return run.log_ratio[i].has_value(); };
    if (std::none_of(runs.begin(), runs.end(), tells)) continue;  // and answers say that it is not known
    const FigureSpread spread = fit_spread(all, figure, prior);
    for (std::size_t part = 0; part < kSpreadParts; ++part) {
      const std::string_view name = name_of(static_cast<SpreadPart>(part));
      double spoke = 0;
      for (const LeftOutRun& run : runs) spoke += run.log_ratio[i] && parts_of(run.situation)[part] > 0 ? 1 : 0;
      entry.numbers[fmt::format("{}.part.{}", name_of(figure), name)] = {spread.part[part], 0};
      if (spoke > 0) entry.numbers[fmt::format("{}.runs.{}", name_of(figure), name)] = {spoke, 0};
    }
    for (std::size_t level = 0; level < kLevels.size(); ++level)
      entry.numbers[fmt::format("{}.reach.{:g}", name_of(figure), 100 * kLevels[level])] = {spread.reach[level], 0};
  }
  return entry;
}

}  // namespace ridge
