#pragma once
// Decisions, not only errors: of the measured configurations of one model, chip, engine and lengths, the one that a plan
// would rank first within a target for TPOT, and what became of it. docs/theory/errors.md says how it is counted.

#include "calibrate/fit/spread_fit.hpp"

namespace ridge {

/// A measured configuration as it is, and as somebody predicts it.
struct DecisionOption {
  std::string layout;         // format and degrees: what is left when the load is tuned
  double tpot = 0, rate = 0;  // measured: s, output tok/s per chip
  double predicted_tpot = 0, predicted_rate = 0;
  double margin = 1;  // on the predicted TPOT
};

/// Those that a plan chooses among.
struct DecisionGroup {
  std::string name;  // "deepseek-r1 b200 sglang 1024/1024"
  std::vector<DecisionOption> options;
  std::size_t runs = 0, never_seen = 0;  // that they were measured in; of these, in no fit at all
};

/// What became of choices, each for one group and one target. A case: somebody measured a configuration within the target.
struct DecisionTally {
  std::size_t cases = 0;
  std::size_t offered = 0,
              missed = 0;           // of all targets: a configuration was chosen; it turned out slower than the target
  std::size_t offered_in_vain = 0;  // of these, where nothing measured holds: missed, too
  std::size_t not_offered = 0;      // nothing was predicted within the target, though something held
  std::size_t laid_out = 0;         // cases for which a layout was chosen, its load left to measurement
  // Sums of shares of the best measured rate that were lost: by choices that held; by layouts, had the load been tuned.
  double lost = 0, lost_by_layout = 0;

  void add(const DecisionTally& other);
  double missed_share() const;   // of what was offered
  double regret() const;         // mean, of what was offered and held
  double loss() const;           // mean, of what was offered: a missed target counts 1
  double loss_of_all() const;    // the same, and nothing offered counts 1, too
  double layout_regret() const;  // mean, of cases with a layout: its best measured load; none within: 1
};

/// The option with the highest predicted rate of those whose predicted TPOT with its margin is within the target.
const DecisionOption* chosen_option(const DecisionGroup& group, double target);
/// The option whose layout is kept where the load is tuned by measurement: the same without margins, which are for loads
/// that nobody will tune.
const DecisionOption* chosen_layout(const DecisionGroup& group, double target);
DecisionTally judged_choice(const DecisionGroup& group, double target);

/// A layout that was taken where another was better: what it lost, and how both were measured and predicted.
struct LayoutMistake {
  double target = 0;        // s
  std::string taken, best;  // layouts
  double lost = 0;          // share of the best measured rate, the taken one's load tuned by measurement
  bool held = true;         // the load taken was measured within the target: a wrong order, and no load to tune
};
/// None where the layout taken is the best, or nothing measured holds.
std::optional<LayoutMistake> layout_mistake(const DecisionGroup& group, double target);

/// Targets for TPOT, s: 10 to 100 ms.
std::vector<double> decision_targets();

/// How configurations are predicted.
enum class Predictor {
  calibrated,  // by the fit that left them out
  roofline,    // step and prompts at datasheet peaks
  factor,      // the same times the median of measured over it, of other runs
  nearest,     // the nearest other run, times the ratio of the two rooflines
};
std::string_view name_of(Predictor predictor);

/// One way to predict and one confidence, over all groups.
struct DecisionLine {
  std::string left_out;  // "model", "chip", "chip and kernels"
  Predictor predictor = Predictor::calibrated;
  double confidence = 0.5;
  DecisionTally tally;
};

/// One group under the calibrated prediction with its margin: where it goes wrong.
struct DecisionGroupLine {
  std::string left_out, name;
  DecisionTally tally;
  std::size_t options = 0;
  double bias = 0;    // mean ln(measured / predicted) of TPOT
  double margin = 1;  // mean
  std::vector<LayoutMistake> mistakes = {};
};

/// What we want to be true where a model, or a chip's runs, were left out.
struct DecisionGoals {
  double missed = 0.10, regret = 0.08, loss = 0.15, layout_regret = 0.03;
};
inline constexpr DecisionGoals kDecisionGoals{};

/// Which runs are chosen among: all that are known, or those alone that fits of others see.
enum class DecisionRows { all, seen_otherwise };

struct Decisions {
  double confidence = 0;  // of the margins
  std::size_t groups = 0, configurations = 0;
  std::size_t runs = 0, never_seen = 0;  // in them; of these, in no fit at all
  std::vector<DecisionLine> lines;
  std::vector<DecisionGroupLine> by_group;  // those with the greatest loss first
};

/// `left_out`: left_out_runs of the same evidence. Margins are from the errors of runs that fits of others see.
Decisions decisions_of(const Evidence& evidence, const Library& library, const LeftOutRuns& left_out, double confidence,
                       DecisionRows rows);

}  // namespace ridge
