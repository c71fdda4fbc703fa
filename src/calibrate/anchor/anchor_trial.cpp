#include "calibrate/anchor/anchor_trial.hpp"

#include <cmath>
#include <set>

#include <fmt/format.h>

#include "calibrate/anchor/anchor_fit.hpp"
#include "calibrate/evidence/known.hpp"
#include "calibrate/judge/step_bound.hpp"
#include "library/calibrations.hpp"

namespace ridge {

namespace {

/// A run of a chip, as an answer would see it that knows nothing of the chip.
struct TrialRun {
  AnchorCase anchor;
  const ServingRow* row = nullptr;
  double before = 0;  // predicted / measured - 1

  std::string group() const { return row->model + " " + anchor.engine(); }
  std::string sweep() const {
    return fmt::format("{} {} {} {} {:g} {:g} {:g} {:g} {:g}", row->model, row->format, row->engine, row->version,
                       row->tensor, row->attention_data, row->expert, row->isl, row->osl);
  }
};

/// Errors of the runs that were not given back, summed over the choices of the anchor: each choice counts once.
struct TrialErrors {
  double bias_before = 0, bias_after = 0;
  std::vector<double> after_of_choice, before_of_choice;

  void add(const std::vector<double>& without, const std::vector<double>& with) {
    if (without.empty()) return;
    before_of_choice.push_back(summary_of(without).mean);
    after_of_choice.push_back(summary_of(with).mean);
    bias_before += summary_of(without).bias;
    bias_after += summary_of(with).bias;
  }

  void join(const TrialErrors& other) {
    before_of_choice.insert(before_of_choice.end(), other.before_of_choice.begin(), other.before_of_choice.end());
    after_of_choice.insert(after_of_choice.end(), other.after_of_choice.begin(), other.after_of_choice.end());
    bias_before += other.bias_before;
    bias_after += other.bias_after;
  }

  void put(std::vector<ValidationLine>& lines, const std::string& group, const std::string& name) const {
    if (after_of_choice.empty()) return;
    const double choices = static_cast<double>(after_of_choice.size());
    ErrorSummary without = summary_of(before_of_choice), with = summary_of(after_of_choice);
    without.bias = bias_before / choices;
    with.bias = bias_after / choices;
    std::size_t better = 0;
    for (std::size_t i = 0; i < after_of_choice.size(); ++i) better += after_of_choice[i] < before_of_choice[i] ? 1 : 0;
    lines.push_back({group, name + ": before", without, {}, 0});
    lines.push_back(
        {group, name + ": after", with,
         fmt::format("of the choices make it better ({:.0f} % of the error left)", 100 * with.mean / without.mean),
         static_cast<double>(better) / choices});
  }
};

std::vector<TrialRun> runs_of(const std::string& chip, ChipPrior prior, const RunCases& serving,
                              const CalibrationSet& set,
                              const std::map<std::string, EngineCalibration<double>>& engines) {
  std::vector<TrialRun> runs;
  for (const RunCase& one : serving.cases) {
    if (one.chip != chip || one.load.disaggregated) continue;
    TrialRun run;
    run.row = one.row;
    run.anchor.name = one.row->id;
    run.anchor.deployment = one.deployment;
    run.anchor.load = one.load;
    run.anchor.measured = one.row->tpot;
    run.anchor.chip_prior = prior;
    ServingCase<double>& numbers = run.anchor.deployment.ground.numbers;
    numbers.chip = set.chips.at(one.chip);
    numbers.kernel = set.kernel;
    numbers.engine = set.engines.at(one.engine);
    run.anchor.deployment.ground.engine_borrowed = !engines.contains(one.engine);
    run.before = predicted_time(run.anchor) / one.row->tpot - 1;
    runs.push_back(std::move(run));
  }
  return runs;
}

/// Gives back these runs and judges the others.
Result<bool> judge(const std::vector<TrialRun>& runs, const std::vector<const TrialRun*>& given,
                   const AnchorPriors& priors, TrialErrors& all, TrialErrors& same_model) {
  std::vector<const AnchorCase*> anchors;
  std::set<const TrialRun*> seen;
  for (const TrialRun* one : given) {
    anchors.push_back(&one->anchor);
    seen.insert(one);
  }
  const auto fit = fit_anchors(anchors, priors);
  if (!fit) return fail(fit.error());
  std::vector<double> before, after, before_model, after_model;
  for (const TrialRun& run : runs) {
    if (seen.contains(&run)) continue;
    const double error = predicted_time(run.anchor, *fit) / run.anchor.measured - 1;
    before.push_back(run.before);
    after.push_back(error);
    if (run.group() != given.front()->group()) continue;
    before_model.push_back(run.before);
    after_model.push_back(error);
  }
  all.add(before, after);
  same_model.add(before_model, after_model);
  return true;
}

}  // namespace

Result<LeftOut> anchor_trials(const Evidence& evidence, const Library& library) {
  const auto spreads = anchor_priors(library);
  if (!spreads) return fail(spreads.error());
  const RunCases serving = serving_cases(evidence.serving, library);
  std::set<std::string> chips;
  for (const RunCase& one : serving.cases) {
    if (!one.load.disaggregated) chips.insert(one.chip);
  }
  LeftOut out;
  for (const std::string& chip : chips) {
    std::vector<const RunCase*> others;
    for (const RunCase& one : serving.cases) {
      if (one.chip != chip) others.push_back(&one);
    }
    const auto known = known_from(others, chip, false, library);
    if (!known) return fail(known.error());
    const std::vector<TrialRun> runs = runs_of(chip, chip_prior(known->library, *find_named(library.chips, chip)),
                                               serving, set_for(known->library, serving.cases), known->fit.set.engines);
    TrialErrors one_run, one_run_model, sweep, sweep_model;
    std::map<std::string, TrialErrors> one_run_of;
    std::map<std::string, std::vector<const TrialRun*>> sweeps;
    for (const TrialRun& run : runs) {
      sweeps[run.sweep()].push_back(&run);
      TrialErrors own;
      if (const auto judged = judge(runs, {&run}, *spreads, one_run, own); !judged) return fail(judged.error());
      one_run_model.join(own);
      one_run_of[run.group()].join(own);
    }
    for (const auto& [name, given] : sweeps) {
      if (given.size() < 2) continue;
      if (const auto judged = judge(runs, given, *spreads, sweep, sweep_model); !judged) return fail(judged.error());
    }
    const std::string title = "one anchor run on a chip left out: ";
    one_run.put(out.lines, title + chip, "all other runs");
    one_run_model.put(out.lines, title + chip, "of its model, engine");
    for (const auto& [name, errors] : one_run_of) errors.put(out.lines, title + chip, name);
    sweep.put(out.lines, title + chip, "a sweep: all others");
    sweep_model.put(out.lines, title + chip, "a sweep: model, engine");
  }
  return out;
}

}  // namespace ridge
