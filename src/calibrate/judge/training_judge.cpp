#include "calibrate/judge/training_judge.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <set>

#include <fmt/format.h>

#include "calibrate/fit/training_fit.hpp"
#include "train/step/model_shape.hpp"

namespace ridge {

TrainingLine error_line(std::string group, std::string name, const std::vector<TrainingError>& errors) {
  TrainingLine line{std::move(group), std::move(name), static_cast<double>(errors.size()), 0, 0, 0};
  for (const TrainingError& one : errors) {
    line.mean += std::abs(one.ratio());
    line.bias += one.ratio();
    line.worst = std::max(line.worst, std::abs(one.ratio()));
  }
  if (!errors.empty()) {
    line.mean /= line.rows;
    line.bias /= line.rows;
  }
  return line;
}

namespace {

template <class Key>
void add_lines(std::vector<TrainingLine>& lines, const std::string& group, const std::vector<TrainingError>& errors,
               const Key& key) {
  std::map<std::string, std::vector<TrainingError>> by;
  for (const TrainingError& one : errors) by[key(*one.of)].push_back(one);
  for (const auto& [name, some] : by) lines.push_back(error_line(group, name, some));
}

std::string shown_model(const TrainingCase& one) {
  return is_shape(one.row.model) ? fmt::format("shape of {:.3g}B", count_parameters(*one.model).total() / 1e9)
                                 : one.row.model;
}

/// Everything that a prediction knows of a row.
std::string asked_of_row(const TrainingRow& row) {
  return fmt::format("{} {} {} {} {} {:g} {:g} {:g} {:g} {:g} {:g} {:g} {:g} {:g} {:g} {:g}", row.model, row.machine,
                     row.recipe, row.framework, row.recompute, row.chips, row.global_batch, row.micro_batch,
                     row.sequence, row.tensor, row.pipeline, row.context, row.expert, row.expert_tensor,
                     row.virtual_stages, row.zero);
}

/// Rows that say the same of themselves and were measured more than once, each against the median of its kin: no
/// prediction can be better than this.
TrainingLine noise_floor(const TrainingCases& cases) {
  std::map<std::string, std::vector<const TrainingCase*>> by;
  for (const TrainingCase& one : cases.cases) {
    if (one.row.step > 0) by[asked_of_row(one.row)].push_back(&one);
  }
  std::vector<TrainingError> errors;
  for (const auto& [asked, kin] : by) {
    if (kin.size() < 2) continue;
    std::vector<double> steps;
    for (const TrainingCase* one : kin) steps.push_back(one->row.step);
    std::sort(steps.begin(), steps.end());
    const double median = (steps[(steps.size() - 1) / 2] + steps[steps.size() / 2]) / 2;
    for (const TrainingCase* one : kin) errors.push_back({one, median, one->row.step});
  }
  return error_line("noise floor", "the same run measured again", errors);
}

/// Rows that other tools are judged by: all of them, and those that were not fitted here.
std::vector<TrainingLine> lines_of_others(const TrainingCases& cases, const TrainingSet& set) {
  std::vector<TrainingError> all, unseen;
  for (const TrainingCase& one : cases.cases) {
    if (one.row.set != "train-seqpar" || !(one.row.step > 0)) continue;
    all.push_back({&one, timed_step(predict_training(one, set), one.row), one.row.step});
    if (one.row.half == "judge") unseen.push_back(all.back());
  }
  return {error_line("rows of Calculon (it says 3.65%)", "all that are here", all),
          error_line("rows of Calculon (it says 3.65%)", "of them, not fitted here", unseen)};
}

}  // namespace

TrainingValidation validate_training(const TrainingCases& cases, const Library& library) {
  TrainingValidation out;
  const TrainingSet set = training_set(library);
  std::vector<TrainingError> forward, backward, kept, state, peak;
  for (const TrainingCase& one : cases.cases) {
    const TrainingRow& row = one.row;
    if (row.half != "judge") continue;
    if (row.step > 0) {
      const auto times = predict_training(one, set);
      out.steps.push_back({&one, timed_step(times, row), row.step});
      if (row.forward > 0) forward.push_back({&one, timed(times, TimedStep::forward), row.forward});
      if (row.backward > 0) backward.push_back({&one, timed(times, TimedStep::backward), row.backward});
    }
    TrainingMemory memory =
        training_memory(*one.model, one.stages, one.layout, one.ground.recipe, one.ground.load, one.ground.habits);
    memory.capacity = one.ground.capacity;
    memory.reserve = one.ground.reserve;
    const StageMemory& worst = measured_stage(memory, row);
    const bool alone = row.chips == 1 && row.forward > 0;  // gradients are freed between steps there
    const MemoryHabits& habits = one.ground.habits;
    if (row.kept > 0) {
      const Bytes<double> logits = worst[MemoryTerm::logits] * (habits.logits_kept / habits.logits);
      kept.push_back({&one, (worst[MemoryTerm::activations] + logits).value(), row.kept});
    }
    double most = 0;
    for (const StageMemory& stage : memory.stages)
      if (!(row.last_stage || row.first_stage) || &stage == &worst)
        most = std::max(most, (stage.state() + stage.held_buffers).value());
    if (row.state > 0)
      state.push_back({&one, alone ? (worst.state() - worst[MemoryTerm::gradients]).value() : most, row.state});
    const Bytes<double> margin = row.reserved ? memory.margin : Bytes<double>(0.0);
    if (row.peak > 0) peak.push_back({&one, (worst.peak() + margin).value(), row.peak});
    if (row.set == "train-ultrascale") {
      const bool fits = memory.fits();
      ++(row.failed ? out.crashed : out.worked);
      if (row.failed && !fits) ++out.flagged;
      if (!row.failed && fits) ++out.accepted;
    }
  }
  const auto of_kind = [&](const char* kind) {
    std::vector<TrainingError> some;
    for (const TrainingError& one : out.steps) {
      if (one.of->row.kind == kind && one.of->row.set != "train-vtrain") some.push_back(one);
    }
    out.lines.push_back(error_line("step time", kind, some));
  };
  for (const char* kind : {"dense", "moe", "hybrid"}) of_kind(kind);
  add_lines(out.lines, "by source", out.steps, [](const TrainingCase& one) { return one.row.set; });
  std::vector<TrainingError> multi;
  for (const TrainingError& one : out.steps) {
    if (one.of->row.set == "train-vtrain" && one.of->row.chips > 8) multi.push_back(one);
  }
  out.lines.push_back(error_line("by source", "train-vtrain, several nodes", multi));
  add_lines(out.lines, "by chip", out.steps, [](const TrainingCase& one) { return one.ground.chip->name; });
  add_lines(out.lines, "by framework and generation", out.steps,
            [](const TrainingCase& one) { return one.row.framework; });
  add_lines(out.lines, "by context parallelism", out.steps, [](const TrainingCase& one) {
    return one.row.context > 1 ? std::string("sequences divided") : std::string("sequences whole");
  });
  add_lines(out.lines, "by recipe", out.steps, [](const TrainingCase& one) { return one.row.recipe; });
  out.lines.push_back(noise_floor(cases));
  for (TrainingLine& line : lines_of_others(cases, set)) out.lines.push_back(std::move(line));
  out.lines.push_back(error_line("one H200", "forward", forward));
  out.lines.push_back(error_line("one H200", "backward", backward));
  out.lines.push_back(error_line("memory", "kept activations (one H200)", kept));
  add_lines(out.lines, "state", state, [](const TrainingCase& one) { return one.row.set; });
  add_lines(out.lines, "peak", peak, [](const TrainingCase& one) { return one.row.set; });
  out.figures = {{"step_s", out.steps}, {"forward_s", forward}, {"backward_s", backward},
                 {"kept_bytes", kept},  {"state_bytes", state}, {"peak_bytes", peak}};
  return out;
}

Result<std::vector<TrainingLine>> leave_out_training(const TrainingCases& cases, const Library& library, bool chips) {
  const auto key = [&](const TrainingCase& one) { return chips ? one.ground.chip->name : shown_model(one); };
  std::set<std::string> names;
  std::map<std::string, std::size_t> rows;
  for (const TrainingCase& one : cases.cases) {
    if (is_memory_only(one) || one.row.set == "train-vtrain") continue;
    names.insert(key(one));
  }
  std::vector<TrainingError> all;
  std::deque<TrainingSet> kept;
  for (const std::string& name : names) {
    std::vector<const TrainingCase*> others, out;
    for (const TrainingCase& one : cases.cases) {
      if (is_memory_only(one) || one.row.set == "train-vtrain") continue;
      (key(one) == name ? out : others).push_back(&one);
    }
    if (others.empty()) continue;
    const auto fit = fit_training(others, library);
    if (!fit) return fail(fit.error());
    for (const TrainingCase* one : out)
      all.push_back({one, timed_step(predict_training(*one, fit->set), one->row), one->row.step});
  }
  std::vector<TrainingLine> lines;
  const std::string group = chips ? "chip left out" : "model left out";
  for (const char* kind : {"dense", "moe", "hybrid"}) {
    std::vector<TrainingError> some;
    for (const TrainingError& one : all) {
      if (one.of->row.kind == kind) some.push_back(one);
    }
    lines.push_back(error_line(group, kind, some));
  }
  add_lines(lines, group, all, key);
  return lines;
}

}  // namespace ridge
