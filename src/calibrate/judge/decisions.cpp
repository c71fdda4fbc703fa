#include "calibrate/judge/decisions.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include <fmt/format.h>

#include "calibrate/evidence/nearest.hpp"
#include "calibrate/judge/step_bound.hpp"
#include "serve/slo/slo_odds.hpp"

namespace ridge {

std::string_view name_of(Predictor predictor) {
  constexpr std::string_view kNames[] = {"calibrated", "datasheet roofline", "roofline times one factor",
                                         "nearest measured run"};
  return kNames[static_cast<std::size_t>(predictor)];
}

std::vector<double> decision_targets() {
  std::vector<double> out;
  for (int i = 1; i <= 10; ++i) out.push_back(0.01 * i);
  return out;
}

void DecisionTally::add(const DecisionTally& other) {
  cases += other.cases;
  offered += other.offered;
  missed += other.missed;
  offered_in_vain += other.offered_in_vain;
  not_offered += other.not_offered;
  lost += other.lost;
  lost_by_layout += other.lost_by_layout;
  laid_out += other.laid_out;
}

namespace {

double per(double sum, std::size_t count) { return count == 0 ? 0 : sum / static_cast<double>(count); }

}  // namespace

double DecisionTally::missed_share() const { return per(static_cast<double>(missed), offered); }
double DecisionTally::regret() const { return per(lost, offered - missed); }
double DecisionTally::loss() const { return per(lost + static_cast<double>(missed), offered); }
double DecisionTally::loss_of_all() const {
  return per(lost + static_cast<double>(missed + not_offered), offered + not_offered);
}
double DecisionTally::layout_regret() const { return per(lost_by_layout, laid_out); }

namespace {

const DecisionOption* highest_within(const DecisionGroup& group, double target, bool with_margin) {
  const DecisionOption* best = nullptr;
  for (const DecisionOption& one : group.options) {
    const double margin = with_margin ? one.margin : 1;
    if (one.predicted_tpot <= 0 || one.predicted_tpot * margin > target) continue;
    if (best == nullptr || one.predicted_rate > best->predicted_rate) best = &one;
  }
  return best;
}

}  // namespace

const DecisionOption* chosen_option(const DecisionGroup& group, double target) {
  return highest_within(group, target, true);
}

const DecisionOption* chosen_layout(const DecisionGroup& group, double target) {
  return highest_within(group, target, false);
}

namespace {

/// The fastest measured within a target, of all or of one layout; null where none holds.
const DecisionOption* best_measured(const DecisionGroup& group, double target, const std::string* layout = nullptr) {
  const DecisionOption* best = nullptr;
  for (const DecisionOption& one : group.options) {
    if (one.tpot > target || (layout != nullptr && one.layout != *layout)) continue;
    if (best == nullptr || one.rate > best->rate) best = &one;
  }
  return best;
}

double rate_of(const DecisionOption* option) { return option == nullptr ? 0 : option->rate; }

}  // namespace

std::optional<LayoutMistake> layout_mistake(const DecisionGroup& group, double target) {
  const DecisionOption *taken = chosen_layout(group, target), *best = best_measured(group, target);
  if (taken == nullptr || best == nullptr || taken->layout == best->layout) return {};
  const DecisionOption* tuned = best_measured(group, target, &taken->layout);
  const double lost = 1 - rate_of(tuned) / best->rate;
  if (!(lost > 0)) return {};
  return LayoutMistake{target, taken->layout, best->layout, lost, taken->tpot <= target};
}

DecisionTally judged_choice(const DecisionGroup& group, double target) {
  const DecisionOption *chosen = chosen_option(group, target), *layout = chosen_layout(group, target);
  const double best = rate_of(best_measured(group, target));
  const double best_of_layout = layout == nullptr ? 0 : rate_of(best_measured(group, target, &layout->layout));
  DecisionTally out;
  out.cases = best > 0 ? 1 : 0;
  out.offered = chosen != nullptr ? 1 : 0;
  out.not_offered = best > 0 && chosen == nullptr ? 1 : 0;
  if (best > 0 && layout != nullptr) {
    out.laid_out = 1;
    out.lost_by_layout = 1 - best_of_layout / best;
  }
  if (chosen == nullptr) return out;
  out.missed = chosen->tpot > target ? 1 : 0;
  out.offered_in_vain = best > 0 ? 0 : 1;
  if (out.missed == 0) out.lost = 1 - chosen->rate / best;
  return out;
}

namespace {

/// TPOT in s, output tok/s per chip.
struct TokenPace {
  double tpot = 0, rate = 0;
};

/// Of requests that wait for their prompt, then decode all of their output.
double little_rate(const RunCase& one, double sequences, double ttft, double tpot) {
  const double answer = one.load.answer.value();
  return sequences * answer / (ttft + tpot * (answer - 1)) / one.row->chips;
}

/// A run states its rate, or Little's law gives it.
TokenPace measured_pace(const RunCase& one) {
  const ServingRow& row = *one.row;
  if (row.output_rate > 0) return {row.tpot, row.output_rate};
  return {row.tpot, little_rate(one, row.concurrency, row.ttft, row.tpot)};
}

/// At datasheet peaks; every answer has one prompt's prefill between its steps.
TokenPace roofline_pace(const RunCase& one) {
  const double sequences = std::min(one.load.concurrency.value(), one.load.capacity.value());
  const double in_group = sequences / (one.operations().attention_data * one.operations().pipeline);
  const double prefill = prefill_bound(one.deployment, one.load);
  const double tpot = step_bound(one.deployment, one.load) + prefill * in_group / one.load.answer.value();
  return {tpot, little_rate(one, sequences, prefill, tpot)};
}

/// A run that may be chosen, or that somebody may learn from.
struct KnownRun {
  const RunCase* one = nullptr;
  std::string group, layout, loaded;  // loaded: the layout under its load, equal where nothing predicted can differ
  RunTraits traits;
  TokenPace measured, roofline;
};

void add_known(const std::vector<RunCase>& cases, std::vector<KnownRun>& out) {
  for (const RunCase& one : cases) {
    const ServingRow& row = *one.row;
    KnownRun run;
    run.one = &one;
    run.group = fmt::format("{} {} {} {:g}/{:g}", row.model, one.chip, one.engine, row.isl, row.osl);
    run.layout = fmt::format("{} tp{:g} pp{:g} dp{:g} ep{:g} chips{:g}", row.format, row.tensor, row.pipeline,
                             row.attention_data, row.expert, row.chips);
    run.loaded =
        fmt::format("{} {} {:g} {:g} {}", run.layout, row.kv_format, row.concurrency, row.length_mean, row.moe_tensor);
    run.traits = {row.model, one.chip, one.engine, row.concurrency, row.isl, row.osl, row.chips, row.expert};
    // decode workers of two pools state no rate, and their prompts are somebody else's
    if (!one.load.disaggregated) {
      run.measured = measured_pace(one);
      run.roofline = roofline_pace(one);
    }
    out.push_back(std::move(run));
  }
}

bool can_be_chosen(const KnownRun& run) { return run.measured.rate > 0 && run.roofline.tpot > 0; }

/// A predicted pace, and the margin that its errors elsewhere ask for.
struct PredictedPace {
  TokenPace pace;
  double margin = 1;
};

double quantile_of_logs(std::vector<double> logs, double share) { return std::exp(quantile(std::move(logs), share)); }

/// One fold: which runs no prediction may look at, and what every run would be left out with in the same way.
struct DecisionFold {
  std::string way, group;
  std::set<std::size_t> out;
  std::map<std::size_t, std::string> with;

  bool leaves_out_together(std::size_t a, std::size_t b) const {
    const auto one = with.find(a), other = with.find(b);
    return one != with.end() && other != with.end() && one->second == other->second;
  }
};

PredictedPace scaled(const TokenPace& pace, double by, double margin) {
  return {{pace.tpot * by, pace.rate / by}, margin};
}

std::map<std::size_t, PredictedPace> by_factor(const std::vector<KnownRun>& runs, const DecisionFold& fold,
                                               double confidence) {
  std::vector<double> logs;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!fold.out.contains(i) && can_be_chosen(runs[i]))
      logs.push_back(std::log(runs[i].measured.tpot / runs[i].roofline.tpot));
  }
  const double factor = quantile_of_logs(logs, 0.5), high = quantile_of_logs(logs, confidence);
  std::map<std::size_t, PredictedPace> out;
  for (const std::size_t i : fold.out) out[i] = scaled(runs[i].roofline, factor, high / factor);
  return out;
}

/// Measured over the roofline, of the run nearest to one among those that may be looked at; 1 where there is none.
template <class MayLook>
double nearest_ratio(const std::vector<KnownRun>& runs, std::size_t of, const MayLook& may_look) {
  double least = 1e300, ratio = 1;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (i == of || !can_be_chosen(runs[i]) || !may_look(i)) continue;
    const double distance = distance_between(runs[of].traits, runs[i].traits);
    if (distance >= least) continue;
    least = distance;
    ratio = runs[i].measured.tpot / runs[i].roofline.tpot;
  }
  return ratio;
}

std::map<std::size_t, PredictedPace> by_nearest(const std::vector<KnownRun>& runs, const DecisionFold& fold,
                                                double confidence) {
  // its errors elsewhere: other runs, whose model or chip is left out in the same way
  std::vector<double> logs;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (fold.out.contains(i) || !can_be_chosen(runs[i])) continue;
    const double ratio = nearest_ratio(
        runs, i, [&](std::size_t other) { return !fold.out.contains(other) && !fold.leaves_out_together(i, other); });
    logs.push_back(std::log(runs[i].measured.tpot / (runs[i].roofline.tpot * ratio)));
  }
  const double margin = std::max(1.0, quantile_of_logs(logs, confidence));
  std::map<std::size_t, PredictedPace> out;
  for (const std::size_t i : fold.out) {
    const double ratio = nearest_ratio(runs, i, [&](std::size_t other) { return !fold.out.contains(other); });
    out[i] = scaled(runs[i].roofline, ratio, margin);
  }
  return out;
}

std::map<std::size_t, PredictedPace> by_calibration(const LeftOutRuns& left_out, const DecisionFold& fold,
                                                    const SpreadPrior& prior, double confidence) {
  ErrorSpread spread;
  spread.figures[static_cast<std::size_t>(SpreadFigure::tpot)] =
      spread_from_others(left_out.seen_otherwise, fold.out, SpreadFigure::tpot, prior);
  std::map<std::size_t, PredictedPace> out;
  for (const auto* runs : {&left_out.seen_otherwise, &left_out.never_seen}) {
    for (const LeftOutRun& run : *runs) {
      if (run.way != fold.way || run.group != fold.group || !fold.out.contains(run.run)) continue;
      const AnswerErrors errors = errors_in(run.situation, spread);
      out[run.run] = {{run.tpot, run.output_rate}, margin_at(confidence, errors, SpreadFigure::tpot)};
    }
  }
  return out;
}

double median_of(const std::vector<const KnownRun*>& runs, double TokenPace::*figure) {
  std::vector<double> values;
  for (const KnownRun* run : runs) values.push_back(run->measured.*figure);
  return quantile(std::move(values), 0.5);
}

/// Groups of at least two configurations. What was measured several times counts once, by its medians: a prediction is the
/// same for all of these, so that the first of them would be chosen by accident. `seen`: so many runs, the first, are in
/// fits of others.
std::vector<DecisionGroup> decision_groups(const std::vector<KnownRun>& runs, std::size_t seen,
                                           const std::map<std::size_t, PredictedPace>& predicted) {
  std::map<std::string, std::map<std::string, std::vector<std::size_t>>> groups;
  for (const auto& [i, pace] : predicted) {
    if (can_be_chosen(runs[i])) groups[runs[i].group][runs[i].loaded].push_back(i);
  }
  std::vector<DecisionGroup> out;
  for (const auto& [name, configurations] : groups) {
    if (configurations.size() < 2) continue;
    DecisionGroup group{name, {}, 0, 0};
    for (const auto& [loaded, members] : configurations) {
      std::vector<const KnownRun*> same;
      for (const std::size_t i : members) {
        same.push_back(&runs[i]);
        ++group.runs;
        group.never_seen += i >= seen ? 1 : 0;
      }
      const PredictedPace& pace = predicted.at(members.front());
      group.options.push_back({runs[members.front()].layout, median_of(same, &TokenPace::tpot),
                               median_of(same, &TokenPace::rate), pace.pace.tpot, pace.pace.rate, pace.margin});
    }
    out.push_back(std::move(group));
  }
  return out;
}

DecisionTally tally_of(const DecisionGroup& group) {
  DecisionTally out;
  for (const double target : decision_targets()) out.add(judged_choice(group, target));
  return out;
}

DecisionGroupLine group_line(const std::string& left_out, const DecisionGroup& group) {
  DecisionGroupLine out{left_out, group.name, tally_of(group), group.options.size(), 0, 0};
  const double count = static_cast<double>(group.options.size());
  for (const DecisionOption& one : group.options) {
    out.bias += std::log(one.tpot / one.predicted_tpot) / count;
    out.margin += one.margin / count;
  }
  for (const double target : decision_targets()) {
    if (auto mistake = layout_mistake(group, target)) out.mistakes.push_back(std::move(*mistake));
  }
  return out;
}

DecisionLine& line_for(std::vector<DecisionLine>& lines, const std::string& way, Predictor predictor,
                       double confidence) {
  for (DecisionLine& line : lines) {
    if (line.left_out == way && line.predictor == predictor && line.confidence == confidence) return line;
  }
  return lines.emplace_back(DecisionLine{way, predictor, confidence, {}});
}

}  // namespace

Decisions decisions_of(const Evidence& evidence, const Library& library, const LeftOutRuns& left_out, double confidence,
                       DecisionRows rows) {
  constexpr double kPoint = 0.5;
  const RunCases serving = serving_cases(evidence.serving, library);
  RunCases others;
  if (rows == DecisionRows::all) others = serving_cases(evidence.judged, library);
  std::vector<KnownRun> known;
  add_known(serving.cases, known);
  add_known(others.cases, known);
  const SpreadPrior prior = spread_prior(library);
  std::map<std::pair<std::string, std::string>, std::set<std::size_t>> folds;
  std::map<std::size_t, std::string> models, chips;
  for (const auto* runs : {&left_out.seen_otherwise, &left_out.never_seen}) {
    for (const LeftOutRun& run : *runs) {
      if (run.run >= known.size()) continue;
      if (run.way == "model") models[run.run] = run.group;
      if (run.way == "chip") chips[run.run] = run.group;
      if (run.way == "model" || run.way == "chip" || run.way == "chip and kernels")
        folds[{run.way, run.group}].insert(run.run);
    }
  }
  Decisions out;
  out.confidence = confidence;
  for (const char* way : {"model", "chip", "chip and kernels"}) {
    for (const auto& [names, members] : folds) {
      if (names.first != way) continue;
      const DecisionFold fold{names.first, names.second, members, names.first == "model" ? models : chips};
      const auto judge = [&](Predictor predictor, double with, const std::map<std::size_t, PredictedPace>& predicted) {
        DecisionLine& line = line_for(out.lines, fold.way, predictor, with);
        for (const DecisionGroup& group : decision_groups(known, serving.cases.size(), predicted)) {
          line.tally.add(tally_of(group));
          if (predictor != Predictor::calibrated || with != confidence) continue;
          out.by_group.push_back(group_line(fold.way, group));
          if (fold.way != "model") continue;
          ++out.groups;
          out.configurations += group.options.size();
          out.runs += group.runs;
          out.never_seen += group.never_seen;
        }
      };
      judge(Predictor::calibrated, confidence, by_calibration(left_out, fold, prior, confidence));
      if (confidence != kPoint) judge(Predictor::calibrated, kPoint, by_calibration(left_out, fold, prior, kPoint));
      std::map<std::size_t, PredictedPace> roofline;
      for (const std::size_t i : fold.out) roofline[i] = {known[i].roofline, 1};
      judge(Predictor::roofline, kPoint, roofline);
      for (const double with : {confidence, kPoint}) {
        judge(Predictor::factor, with, by_factor(known, fold, with));
        judge(Predictor::nearest, with, by_nearest(known, fold, with));
        if (confidence == kPoint) break;
      }
    }
  }
  const auto order = [](const DecisionGroupLine& line) {
    return std::tuple(-line.tally.lost - static_cast<double>(line.tally.missed), line.left_out, line.name);
  };
  std::sort(out.by_group.begin(), out.by_group.end(),
            [&](const auto& a, const auto& b) { return order(a) < order(b); });
  return out;
}

}  // namespace ridge
