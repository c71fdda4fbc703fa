#include "report/calibrate/decisions_text.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/text.hpp"

namespace ridge::report {

namespace {

constexpr std::size_t kWorstDecisions = 8;

std::string predictor_title(const DecisionLine& line) {
  return line.confidence == 0.5 ? fmt::format("{}, points", name_of(line.predictor))
                                : fmt::format("{}, {:g} %", name_of(line.predictor), 100 * line.confidence);
}

const DecisionLine* calibrated_line(const Decisions& decisions, std::string_view left_out) {
  for (const DecisionLine& line : decisions.lines) {
    if (line.left_out == left_out && line.predictor == Predictor::calibrated && line.confidence == decisions.confidence)
      return &line;
  }
  return nullptr;
}

/// What is chosen among, and what of it fits see.
std::string what_is_judged(const Decisions& decisions) {
  std::string out = fmt::format("{} groups (model, chip, engine, ISL and OSL) of {} measured configurations",
                                decisions.groups, decisions.configurations);
  if (decisions.never_seen > 0)
    out += fmt::format(
        ", by {} runs: all public ones that are known here. {} of these runs (catalog/evidence/judged.csv) are in no "
        "fit; the others (serving.csv) are in fits of other models, or chips. No fit that predicts a configuration, "
        "and "
        "no margin, has seen a run of its model, or chip",
        decisions.runs, decisions.never_seen);
  return out + ".";
}

std::string how_it_is_counted(const Decisions& decisions) {
  return what_is_judged(decisions) +
         " For each TPOT target of 10, 20, ... 100 ms the configuration with the highest predicted output tok/s/chip "
         "is "
         "taken whose predicted TPOT, times the margin of the confidence, is within it; predictions and margins have "
         "not "
         "seen the model, or the chip. missed: choices whose measured TPOT is above the target. regret: rate lost by "
         "those that held, against the best that was measured within the target. loss: both, a missed target counts "
         "100 %. none: targets that something measured held and nothing was offered for; +none: the loss if each of "
         "these counts 100 %, too. layout: rate lost by the layout that is chosen without margins, once its load is "
         "tuned by measurement.";
}

/// The same choices among fewer configurations.
std::string among_seen(const std::optional<Decisions>& seen) {
  if (!seen) return {};
  std::string out = fmt::format(
      "Among the {} configurations alone whose runs are in fits of other models or chips, fewer loads stand for a "
      "layout to be tuned to:",
      seen->configurations);
  for (const char* left_out : {"model", "chip"}) {
    const DecisionLine* line = calibrated_line(*seen, left_out);
    if (line == nullptr) continue;
    out += fmt::format(" without the {} missed {:.1f} %, regret {:.1f} %, loss {:.1f} %, layout {:.1f} %;", left_out,
                       100 * line->tally.missed_share(), 100 * line->tally.regret(), 100 * line->tally.loss(),
                       100 * line->tally.layout_regret());
  }
  out.back() = '.';
  return out;
}

std::string goals_words() {
  return fmt::format("goals: missed {:.0f} %, regret {:.0f} %, loss {:.0f} %, layout {:.0f} %",
                     100 * kDecisionGoals.missed, 100 * kDecisionGoals.regret, 100 * kDecisionGoals.loss,
                     100 * kDecisionGoals.layout_regret);
}

}  // namespace

std::string decisions_sentence(const Decisions& decisions) {
  std::string out;
  for (const char* left_out : {"model", "chip"}) {
    const DecisionLine* line = calibrated_line(decisions, left_out);
    if (line == nullptr) continue;
    const DecisionTally& tally = line->tally;
    out += fmt::format(
        "{} {} no fit has seen {:.1f} % of choices miss their TPOT target at {:g} % confidence, those that hold lose "
        "{:.1f} % of throughput, {:.1f} % is lost in all; nothing is offered for {:.0f} % of the targets that "
        "something "
        "held",
        out.empty() ? "of a" : "; of a", left_out, 100 * tally.missed_share(), 100 * decisions.confidence,
        100 * tally.regret(), 100 * tally.loss(),
        100.0 * static_cast<double>(tally.not_offered) / static_cast<double>(std::max<std::size_t>(1, tally.cases)));
  }
  return out;
}

namespace {

/// Which layouts are taken for which, and whether the order was wrong or only the load.
std::string layouts_text(const Decisions& decisions, const Style& style) {
  struct Confused {
    std::string group, taken, best;
    double lost = 0;
  };
  std::vector<Confused> all;
  double lost = 0, in_order = 0;
  for (const DecisionGroupLine& group : decisions.by_group) {
    if (group.left_out != "model") continue;
    for (const LayoutMistake& one : group.mistakes) {
      lost += one.lost;
      if (!one.held) in_order += one.lost;
      const auto same = std::find_if(all.begin(), all.end(), [&](const Confused& other) {
        return other.group == group.name && other.taken == one.taken && other.best == one.best;
      });
      if (same != all.end()) {
        same->lost += one.lost;
      } else {
        all.push_back({group.name, one.taken, one.best, one.lost});
      }
    }
  }
  if (!(lost > 0)) return "";
  std::stable_sort(all.begin(), all.end(), [](const Confused& a, const Confused& b) { return a.lost > b.lost; });
  std::string out = "\n" + bold(style, "where layouts lose most, their model left out") + "\n";
  for (std::size_t i = 0; i < std::min(kWorstDecisions, all.size()); ++i)
    out += wrapped(fmt::format("  {:>4.0f}%  {}: {} taken, {} was best", 100 * all[i].lost / lost, all[i].group,
                               all[i].taken, all[i].best),
                   style.columns, 9) +
           "\n";
  return out +
         wrapped(fmt::format("% of all that layouts lose; {:.0f}% of it where the load that was taken turned out "
                             "slower than the target, and less of it was measured only far below or not at all",
                             100 * in_order / lost),
                 style.columns, 0) +
         "\n";
}

}  // namespace

std::string decisions_text(const Decisions& decisions, const std::optional<Decisions>& seen, const Style& style) {
  std::string out, left_out;
  for (const DecisionLine& line : decisions.lines) {
    if (line.left_out != left_out) {
      left_out = line.left_out;
      out += "\n" + bold(style, padded("choices without the " + left_out, 31)) +
             "offers missed regret   loss  none  +none layout\n";
    }
    const DecisionTally& tally = line.tally;
    out +=
        fmt::format("  {}{:>6} {:>5.1f}% {:>5.1f}% {:>5.1f}% {:>5} {:>5.1f}% {:>5.1f}%\n",
                    padded(predictor_title(line), 29), tally.offered, 100 * tally.missed_share(), 100 * tally.regret(),
                    100 * tally.loss(), tally.not_offered, 100 * tally.loss_of_all(), 100 * tally.layout_regret());
  }
  out +=
      wrapped(goals_words(), style.columns, 0) + "\n" + wrapped(how_it_is_counted(decisions), style.columns, 0) + "\n";
  if (seen) out += wrapped(among_seen(seen), style.columns, 0) + "\n";
  if (decisions.by_group.empty()) return out;
  out += "\n" + bold(style, padded("where choices lose most", 50)) + "missed   loss   bias margin\n";
  for (std::size_t i = 0; i < std::min(kWorstDecisions, decisions.by_group.size()); ++i) {
    const DecisionGroupLine& group = decisions.by_group[i];
    out += fmt::format("  {} {:>3}/{:<3} {:>4.0f}% {:>+5.0f}% {:>5.2f}x\n",
                       padded(fmt::format("{} ({} left out)", group.name, group.left_out), 48), group.tally.missed,
                       group.tally.offered, 100 * group.tally.loss(), 100 * group.bias, group.margin);
  }
  out += wrapped("bias: mean ln(measured / predicted) of TPOT; margin: mean factor that the confidence asked for",
                 style.columns, 0) +
         "\n";
  return out + layouts_text(decisions, style);
}

std::string decisions_section(const Decisions& decisions, const std::optional<Decisions>& seen) {
  std::string out = "\n## Decisions\n\n" + wrapped(how_it_is_counted(decisions), 110, 0) + "\n\n" +
                    wrapped(goals_words() + ", where the model or the chip's runs were left out.", 110, 0) + "\n" +
                    "\n| left out | predicted by | offers | missed | regret | loss | none | +none | layout |\n"
                    "|---|---|---|---|---|---|---|---|---|\n";
  for (const DecisionLine& line : decisions.lines) {
    const DecisionTally& tally = line.tally;
    out += fmt::format("| {} | {} | {} | {:.1f} % | {:.1f} % | {:.1f} % | {} | {:.1f} % | {:.1f} % |\n", line.left_out,
                       predictor_title(line), tally.offered, 100 * tally.missed_share(), 100 * tally.regret(),
                       100 * tally.loss(), tally.not_offered, 100 * tally.loss_of_all(), 100 * tally.layout_regret());
  }
  if (seen) out += "\n" + wrapped(among_seen(seen), 110, 0) + "\n";
  return out;
}

}  // namespace ridge::report
