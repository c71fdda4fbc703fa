#include "train/plan/training_phases.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/field_text.hpp"
#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"

namespace ridge {

namespace {

/// The stretches as ends on the axis of the run's tokens; the last reaches its end.
Result<std::vector<std::pair<double, double>>> ends_of(const std::vector<TrainingStretch>& stretches, double run,
                                                       std::string_view where) {
  std::vector<std::pair<double, double>> ends;  // up to here, this value
  double at = 0;
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    const bool last = i + 1 == stretches.size();
    if (stretches[i].tokens == 0 && !last)
      return fail({std::string(where), "only the last part may leave out its tokens", "such as 8Ki:14T,128Ki:1T"});
    at = stretches[i].tokens == 0 ? run : at + stretches[i].tokens;
    ends.emplace_back(at, stretches[i].value);
  }
  if (ends.empty()) return ends;
  if (at > run * (1 + 1e-9))
    return fail({std::string(where), fmt::format("the parts are {:g} tokens, and the run has {:g}", at, run),
                 fmt::format("{} or shorter parts", field("tokens", fmt::format("{:g}", at)))});
  ends.back().first = run;
  return ends;
}

double value_at(const std::vector<std::pair<double, double>>& ends, double token, double otherwise) {
  for (const auto& [end, value] : ends) {
    if (token < end) return value;
  }
  return otherwise;
}

}  // namespace

Result<std::vector<TrainingStretch>> parse_stretches(std::string_view text, std::string_view where) {
  std::vector<TrainingStretch> out;
  for (const std::string& part : split(text, ',')) {
    const std::size_t colon = part.find(':');
    const auto value = parse<Tokens<double>>(trimmed(part.substr(0, colon)), where);
    if (!value) return fail(value.error());
    TrainingStretch one{value->value(), 0};
    if (colon != std::string::npos) {
      const auto tokens = parse<Tokens<double>>(trimmed(part.substr(colon + 1)), where);
      if (!tokens) return fail(tokens.error());
      one.tokens = tokens->value();
      if (!(one.tokens > 0)) return fail({std::string(where), "a part of no tokens", "leave it out"});
    }
    if (!(one.value >= 1) || one.value != std::floor(one.value))
      return fail({std::string(where), fmt::format("{:g} is no number of tokens", one.value), "such as 8Ki:14T"});
    out.push_back(one);
  }
  return out;
}

Result<std::vector<TrainingPhase>> training_phases(const TrainingQuestion& question,
                                                   const std::vector<TrainingStretch>& lengths,
                                                   const std::vector<TrainingStretch>& ramp) {
  double run = question.tokens;
  if (!(run > 0)) {
    for (const TrainingStretch& one : lengths) run += one.tokens;
    if (lengths.empty() || lengths.back().tokens == 0)
      return fail({"tokens", "how many tokens the run has is not said", "such as 15T"});
  } else if (!lengths.empty() && lengths.back().tokens > 0) {
    double sum = 0;
    for (const TrainingStretch& one : lengths) sum += one.tokens;
    if (std::abs(sum - run) > 1e-9 * run)
      return fail({"phases", fmt::format("the phases are {:g} tokens, and the run has {:g}", sum, run),
                   fmt::format("leave out {}, or the last phase's tokens", field("tokens"))});
  }
  const auto long_ends = ends_of(lengths, run, "phases"), batch_ends = ends_of(ramp, run, "ramp");
  if (!long_ends) return fail(long_ends.error());
  if (!batch_ends) return fail(batch_ends.error());
  std::vector<double> cuts = {run};
  for (const auto* ends : {&*long_ends, &*batch_ends}) {
    for (const auto& [end, value] : *ends) cuts.push_back(std::min(end, run));
  }
  // after a ramp that says where it ends comes the batch that is asked for
  if (!ramp.empty() && ramp.back().tokens > 0) {
    double end = 0;
    for (const TrainingStretch& one : ramp) end += one.tokens;
    cuts.push_back(std::min(end, run));
  }
  std::sort(cuts.begin(), cuts.end());
  std::vector<TrainingPhase> out;
  double from = 0;
  for (const double end : cuts) {
    if (end <= from) continue;
    double batch = question.global_batch, ramped = 0;
    bool inside = false;
    for (const TrainingStretch& one : ramp) {
      ramped = one.tokens == 0 ? run : ramped + one.tokens;
      if (!inside && from < ramped) {
        batch = one.value;
        inside = true;
      }
    }
    out.push_back({value_at(*long_ends, from, question.sequence), batch, end - from});
    from = end;
  }
  return out;
}

Result<PhasedAnswer> answer_phases(const TrainingQuestion& question, const std::vector<TrainingPhase>& phases,
                                   const Library& library, const std::vector<NumbersEntry>& recipes, bool search) {
  PhasedAnswer out;
  out.phases = phases;
  for (const TrainingPhase& phase : phases) {
    TrainingQuestion part = question;
    part.sequence = phase.sequence;
    part.global_batch = phase.batch;
    part.tokens = phase.tokens;
    auto answer = answer_training(part, library, recipes, search, {});
    if (!answer) {
      Errors errors = answer.error();
      for (Error& error : errors)
        error.what = fmt::format("phase of {:g} tokens a sequence and {:g} a batch: {}", phase.sequence, phase.batch,
                                 error.what);
      return fail(std::move(errors));
    }
    const TrainingEstimate& e = answer->estimate;
    out.fits = out.fits && e.memory.fits();
    out.tokens += phase.tokens;
    out.seconds += e.run.value();
    out.chip_hours += e.chip_hours;
    out.dollars += e.dollars.value();
    out.joules += e.energy.value();
    out.answers.push_back(std::move(*answer));
  }
  return out;
}

}  // namespace ridge
