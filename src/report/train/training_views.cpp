#include "report/train/training_views.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "report/base/counts.hpp"
#include "report/derive/ranges.hpp"

namespace ridge::report {

namespace {

std::string share_words(double share) { return fmt::format("{:.1f}%", 100 * share); }

std::string money_or_dash(double dollars) { return dollars > 0 ? money(dollars) : "-"; }

/// "12% faster (PP8)", "no pipeline, 3% faster".
std::string verdict_words(const PipelineVerdict& one) {
  if (!one.flat && !one.staged) return "nothing fits";
  if (!one.flat) return fmt::format("PP{:g}: does not fit without one", one.staged->layout.pipeline);
  if (!one.staged) return "none: nothing with one fits";
  const double gain = one.gain();
  if (gain > 1) return fmt::format("PP{:g}, {:.1f}% quicker", one.staged->layout.pipeline, 100 * (gain - 1));
  return fmt::format("none, {:.1f}% quicker than PP{:g}", 100 * (1 / gain - 1), one.staged->layout.pipeline);
}

double micro_batches_of(const PipelineVerdict& one) { return one.staged ? one.staged->times.micro_batches : 0; }

std::string verdict_table(const std::vector<PipelineVerdict>& all, bool machines, const Style& style) {
  if (all.empty()) return "";
  const int first = machines ? 26 : 10;
  std::string out = dim(style, fmt::format("  {}{}{}  {}", padded(machines ? "machine" : "domain", first, !machines),
                                           padded("batch", 10, true), padded("m", 8, true), "pipeline?")) +
                    "\n";
  for (const PipelineVerdict& one : all) {
    const std::string name = machines ? machine_kind(one.machine) : fmt::format("{:g}", one.domain);
    const double m = micro_batches_of(one);
    out += fmt::format("  {}{}{}  {}\n", padded(name, first, !machines), padded(with_commas(one.batch), 10, true),
                       padded(m > 0 ? fmt::format("{:g}", m) : "-", 8, true), verdict_words(one));
  }
  return out;
}

}  // namespace

std::string phases_text(const PhasedAnswer& answer, const Style& style) {
  const auto line = [&](const std::string& text) { return wrapped(plain_text(style, text), style.columns, 2) + "\n"; };
  std::string head =
      fmt::format("{} tokens in {}", count_text(answer.tokens), time_text(Seconds<double>(answer.seconds)));
  if (answer.dollars > 0) head += ", " + money(answer.dollars);
  if (!answer.fits) head += ": a phase does not fit";
  std::string out = bold(style, head) + "\n";
  out += line(fmt::format("{} chip-hours{}", count_text(answer.chip_hours),
                          answer.joules > 0 ? fmt::format(", {:.3g} GWh", answer.joules / 3.6e12) : ""));
  out += "\n" +
         dim(style, fmt::format("  {}{}{}{}{}{}  {}", padded("sequence", 10, true), padded("batch", 9, true),
                                padded("tokens", 9, true), padded("time", 12, true), padded("cost", 10, true),
                                padded("MFU", 7, true), "layout")) +
         "\n";
  for (std::size_t i = 0; i < answer.phases.size(); ++i) {
    const TrainingPhase& phase = answer.phases[i];
    const TrainingEstimate& e = answer.answers[i].estimate;
    out += fmt::format("  {}{}{}{}{}{}  {}\n", padded(with_commas(phase.sequence), 10, true),
                       padded(count_text(phase.batch), 9, true), padded(count_text(phase.tokens), 9, true),
                       padded(time_text(e.run), 12, true), padded(money_or_dash(e.dollars.value()), 10, true),
                       padded(share_words(e.mfu()), 7, true),
                       plain_text(style, short_name(e.layout) + (e.memory.fits() ? "" : " (does not fit)")));
  }
  return out;
}

std::string pipelining_text(const PipeliningArgument& argument, const TrainingGround& ground, const Style& style) {
  const auto line = [&](const std::string& text) { return wrapped(plain_text(style, text), style.columns, 2) + "\n"; };
  std::string out = bold(style, "Pipelining: " + ground.model->title) + "\n\n";
  out += line(
      "Serving. A token passes all layers one after another, in one group of chips or in several: the "
      "latency stays, and hops come on top. Each stage needs sequences of its own to be busy, so the KV "
      "cache of a group stays what it was; only the weights are divided. A pipeline buys capacity for "
      "weights, nothing else.");
  out += dim(style, fmt::format("  {}{}{}{}{}", padded("stages", 8, true), padded("weights", 13, true),
                                padded("in flight", 12, true), padded("KV cache", 13, true), padded("hops", 7, true))) +
         "\n";
  for (const ServedStages& one : argument.served) {
    out += fmt::format("  {}{}{}{}{}\n", padded(fmt::format("{:g}", one.stages), 8, true),
                       padded(show_gib(one.weights.value()), 13, true), padded(with_commas(one.in_flight), 12, true),
                       padded(show_gib(one.kv.value()), 13, true), padded(fmt::format("{:g}", one.hops), 7, true));
  }
  out += line(fmt::format("of one group of chips; {:g} sequences a stage of {} tokens, both in 16 bit",
                          argument.sequences, with_commas(argument.context)));
  out += "\n";
  out += line(
      "Training. A pipeline loses its bubble, (p-1)/m of a stage's work for m micro-batches; without one, "
      "ZeRO moves the weights over the network, and tensor parallelism ends where the scale-up domain does. "
      "The larger the domain, the less a pipeline is worth; the more micro-batches, the more.");
  out += verdict_table(argument.domains, false, style);
  out +=
      line(fmt::format("the best layout with a pipeline against the best without, {} chips of {}; domain: chips "
                       "of a scale-up domain; batch in sequences; m: micro-batches of the best pipeline",
                       with_commas(ground.chips), ground.chip->title));
  if (!argument.generations.empty()) out += "\n" + verdict_table(argument.generations, true, style);
  return out;
}

std::string training_sensitivity_text(const std::vector<TrainingElasticity>& all, const Style& style) {
  constexpr std::size_t kShown = 16;
  std::string out =
      bold(style, "Sensitivity") + dim(style, "   % change for 1% more of an input; --json has all") + "\n";
  out += fmt::format("  {} {} {}\n", padded("", 30), padded("step", 11, true), padded("cost", 11, true));
  const auto shown = [](double value) {
    return std::abs(value) < 5e-4 ? std::string(".") : fmt::format("{:+.3f}", value);
  };
  for (std::size_t i = 0; i < std::min(kShown, all.size()); ++i)
    out += fmt::format("  {} {} {}\n", padded(all[i].input, 30), padded(shown(all[i].step), 11, true),
                       padded(shown(all[i].cost), 11, true));
  return out;
}

std::string training_range_text(const std::array<Interval, 6>& bounds, const TrainingEstimate& here,
                                const Style& style) {
  std::vector<RangedFigure> figures;
  const auto values = training_figures(here);
  for (std::size_t i = 0; i < bounds.size(); ++i)
    figures.push_back({kTrainingFigures[i], training_figure_dimension(i), values[i], bounds[i]});
  return ranges_text(figures, style) +
         wrapped("at the ends and the middles of the ranges: each figure rises or falls with each input", style.columns,
                 2) +
         "\n";
}

std::string training_derivation_text(const std::vector<StepLine>& lines, const Style& style) {
  std::string out;
  for (const StepLine& line : lines) {
    const std::string shown = line.dimension == kNone     ? fmt::format("{:.4g}", line.value)
                              : line.dimension == kDollar ? money(line.value)
                                                          : show(line.value, line.dimension, 4);
    out += wrapped(plain_text(style, fmt::format("{} = {}", line.symbol, line.formula)), style.columns, 4) + "\n";
    out += wrapped(plain_text(style, fmt::format("  = {} = {}", line.numbers, shown)), style.columns, 4) + "\n";
  }
  return out + wrapped("numbers in s, tokens, FLOP, $; the parts: docs/theory/training.md", style.columns, 2) + "\n";
}

std::string rl_text(const RlStep& step, const Style& style) {
  const auto line = [&](const std::string& text) { return wrapped(plain_text(style, text), style.columns, 2) + "\n"; };
  std::string out = bold(style, "Reinforcement learning on this cluster") + "\n";
  out += line(fmt::format("{} answers of {} tokens to prompts of {}: generated in {}, trained on in {}",
                          with_commas(step.rollouts), with_commas(step.answer), with_commas(step.prompt),
                          show(step.rollout(), 3), show(step.training, 3)));
  out += line(fmt::format("in turns on all {} chips: {} a step; training waits {} of it, generating {}",
                          with_commas(step.chips), show(step.in_turns(), 3), share_words(step.training_waits()),
                          share_words(step.rollout_waits())));
  out += line(fmt::format("divided, {} chips generate and {} train: neither waits, and answers are one step old",
                          with_commas(std::round(step.generating_chips())),
                          with_commas(step.chips - std::round(step.generating_chips()))));
  out += line("the last, longest answers run almost alone: not in these figures");
  return out;
}

}  // namespace ridge::report
