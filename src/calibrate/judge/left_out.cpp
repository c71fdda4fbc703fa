#include "calibrate/judge/left_out.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include <fmt/format.h>

#include "base/threads.hpp"
#include "calibrate/evidence/known.hpp"
#include "calibrate/fit/first_fit.hpp"
#include "library/calibrations.hpp"

namespace ridge {

namespace {

/// Runs that are left out together, and whether their chip's kernels are, too.
struct LeaveOutFold {
  std::string way, group;
  std::vector<bool> out;  // of each case
  std::string without_kernels_of;
};

/// The same on every machine, whatever the order of the rows (FNV-1a).
std::uint64_t stable_hash(std::string_view text) {
  std::uint64_t hash = 14695981039346656037u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash ^ (hash >> 29);
}

double sequences_in_group(const RunCase& one) {
  return std::max(1.0, one.load.concurrency.value() / (one.operations().attention_data * one.operations().pipeline));
}
double tokens_of_request(const RunCase& one) { return one.load.prompt.value() + one.load.answer.value(); }

LayoutKind layout_kind(const RunCase& one) { return kind_of(one.deployment.layout(), one.deployment.ground.fabric); }

/// One fold for each value that `group` takes.
template <class Group>
void add_folds(const std::vector<RunCase>& cases, const char* way, const Group& group,
               std::vector<LeaveOutFold>& folds) {
  std::map<std::string, std::vector<bool>> groups;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::string own = group(cases[i]);
    if (own.empty()) continue;
    auto& out = groups[own];
    out.resize(cases.size());
    out[i] = true;
  }
  for (auto& [name, out] : groups) {
    if (static_cast<std::size_t>(std::count(out.begin(), out.end(), true)) == cases.size()) continue;
    folds.push_back({way, name, std::move(out), {}});
  }
}

/// The value below which this share of the cases lies.
template <class Figure>
double quantile_of(const std::vector<RunCase>& cases, const Figure& figure, double share) {
  std::vector<double> all;
  for (const RunCase& one : cases) all.push_back(figure(one));
  std::sort(all.begin(), all.end());
  return all.empty() ? 0 : all[static_cast<std::size_t>(share * static_cast<double>(all.size() - 1))];
}

std::vector<LeaveOutFold> folds_of(const std::vector<RunCase>& cases, const std::vector<std::string>& shapes,
                                   const CalibrationSet& alone) {
  constexpr std::uint64_t kFolds = 4;
  std::vector<LeaveOutFold> folds;
  const auto shape = [&](const RunCase& one) { return shapes[static_cast<std::size_t>(&one - cases.data())]; };
  const auto chip = [](const RunCase& one) { return one.chip; };
  add_folds(cases, "model", shape, folds);
  add_folds(cases, "chip", chip, folds);
  const std::size_t first = folds.size();
  add_folds(cases, "chip and kernels", chip, folds);
  for (std::size_t i = first; i < folds.size(); ++i) folds[i].without_kernels_of = folds[i].group;
  std::erase_if(folds, [&](const LeaveOutFold& fold) {
    return !fold.without_kernels_of.empty() && !alone.chips.contains(fold.without_kernels_of);
  });
  add_folds(
      cases, "engine", [](const RunCase& one) { return one.engine; }, folds);
  add_folds(
      cases, "layout",
      [](const RunCase& one) {
        return layout_kind(one) == LayoutKind::tensor ? std::string() : std::string(name_of(layout_kind(one)));
      },
      folds);
  // the quarter of the runs with the fewest and the most in flight, and the longest
  const double few = quantile_of(cases, sequences_in_group, 0.25), many = quantile_of(cases, sequences_in_group, 0.75);
  const double length = quantile_of(cases, tokens_of_request, 0.5);
  const auto end_of = [](const char* name, auto&& is_out) {
    return [name, is_out](const RunCase& one) { return is_out(one) ? std::string(name) : std::string(); };
  };
  add_folds(cases, "load", end_of("few", [&](const RunCase& one) { return sequences_in_group(one) <= few; }), folds);
  add_folds(cases, "load", end_of("many", [&](const RunCase& one) { return sequences_in_group(one) >= many; }), folds);
  add_folds(cases, "load", end_of("long", [&](const RunCase& one) { return tokens_of_request(one) > length; }), folds);
  add_folds(
      cases, "combination",
      [&](const RunCase& one) {
        return std::to_string(stable_hash(shape(one) + "/" + one.chip + "/" + one.engine) % kFolds);
      },
      folds);
  add_folds(
      cases, "rows", [&](const RunCase& one) { return std::to_string(stable_hash(one.row->id) % kFolds); }, folds);
  return folds;
}

/// The first model of each case's shape, by name.
std::vector<std::string> shapes_of(const std::vector<const std::vector<RunCase>*>& all) {
  std::vector<const Model*> known;
  std::vector<std::string> out;
  for (const auto* cases : all) {
    for (const RunCase& one : *cases) {
      const Model* model = one.deployment.ground.model;
      const auto same =
          std::find_if(known.begin(), known.end(), [&](const Model* other) { return same_shape(*model, *other); });
      out.push_back(same == known.end() ? model->name : (*same)->name);
      if (same == known.end()) known.push_back(model);
    }
  }
  return out;
}

LeftOutRun judged_run(const RunCase& one, const CalibrationSet& set) {
  LeftOutRun out;
  const auto note = [&](SpreadFigure figure, double measured, double predicted) {
    if (measured > 0 && predicted > 0) out.log_ratio[static_cast<std::size_t>(figure)] = std::log(measured / predicted);
  };
  const ServingRow& row = *one.row;
  out.tpot = predict_tpot(one, set);
  note(SpreadFigure::tpot, row.tpot, out.tpot);
  if (has_ttft(one, set)) {
    const double first = predict_ttft(one, set);
    note(SpreadFigure::ttft, measured_ttft(row), first);
    if (few_in_flight(one)) note(SpreadFigure::prefill, measured_ttft(row), first);
  }
  if (!one.load.disaggregated) {
    out.output_rate = predict_rate(one, set);
    note(SpreadFigure::throughput, row.output_rate, out.output_rate);
  }
  return out;
}

}  // namespace

bool few_in_flight(const RunCase& one) { return sequences_in_group(one) <= 4; }

Shelf<MeasuredChip> measured_by(const std::vector<const RunCase*>& cases) {
  std::map<std::string, MeasuredChip> chips;
  for (const RunCase* one : cases) {
    MeasuredChip& chip = chips[one->chip];
    chip.name = one->chip;
    const auto same = [&](const MeasuredRuns& runs) {
      return runs.engine == one->engine && runs.model == one->row->model;
    };
    auto runs = std::find_if(chip.runs.begin(), chip.runs.end(), same);
    if (runs == chip.runs.end()) runs = chip.runs.insert(runs, {one->engine, one->row->model, 0});
    ++runs->count;
    const std::string kind(name_of(layout_kind(*one)));
    if (std::find(chip.layouts.begin(), chip.layouts.end(), kind) == chip.layouts.end()) chip.layouts.push_back(kind);
    chip.sequences.include(sequences_in_group(*one));
    chip.tokens.include(tokens_of_request(*one));
  }
  std::vector<MeasuredChip> out;
  for (auto& [name, chip] : chips) out.push_back(std::move(chip));
  return Shelf<MeasuredChip>(std::move(out));
}

namespace {

/// Whether whatever is of the fold's model, or chip, is out.
bool leaves_out(const LeaveOutFold& fold, const RunCase& one, const std::string& shape) {
  if (fold.way == "model") return fold.group == shape;
  return (fold.way == "chip" || fold.way == "chip and kernels") && fold.group == one.chip;
}

/// The runs of a fold, under a fit to all others. `never_seen`: cases that no fit sees, and the shapes of all.
Result<LeftOutRuns> judged_fold(const LeaveOutFold& fold, const std::vector<RunCase>& cases,
                                const std::vector<RunCase>& never_seen, const std::vector<std::string>& shapes,
                                const Library& library) {
  std::vector<const RunCase*> others;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (!fold.out[i]) others.push_back(&cases[i]);
  }
  auto known = known_from(others, fold.without_kernels_of, true, library);
  if (!known) return fail(known.error());
  known->library.measured = measured_by(others);
  const CalibrationSet set = set_for(known->library, cases);
  const auto judged = [&](const RunCase& one, std::size_t place) {
    LeftOutRun run = judged_run(one, set);
    run.way = fold.way;
    run.group = fold.group;
    run.run = place;
    const RequestLoad load{one.load.prompt.value(), one.load.answer.value(), 0, one.load.concurrency.value()};
    run.situation = situation_of(one.deployment, load, known->library);
    return run;
  };
  LeftOutRuns runs;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (fold.out[i]) runs.seen_otherwise.push_back(judged(cases[i], i));
  }
  for (std::size_t i = 0; i < never_seen.size(); ++i) {
    const std::size_t place = cases.size() + i;
    if (leaves_out(fold, never_seen[i], shapes[place])) runs.never_seen.push_back(judged(never_seen[i], place));
  }
  return runs;
}

}  // namespace

Result<LeftOutRuns> left_out_runs(const Evidence& evidence, const Library& library, unsigned threads) {
  const RunCases serving = serving_cases(evidence.serving, library), others = serving_cases(evidence.judged, library);
  const auto shapes = shapes_of({&serving.cases, &others.cases});
  const auto folds = folds_of(serving.cases, shapes, measured_alone(library));
  std::vector<Result<LeftOutRuns>> judged(folds.size(), LeftOutRuns());
  for_each_index(folds.size(), threads, [&](std::size_t i) {
    judged[i] = judged_fold(folds[i], serving.cases, others.cases, shapes, library);
  });
  LeftOutRuns all;
  for (const auto& runs : judged) {
    if (!runs) return fail(runs.error());
    all.seen_otherwise.insert(all.seen_otherwise.end(), runs->seen_otherwise.begin(), runs->seen_otherwise.end());
    all.never_seen.insert(all.never_seen.end(), runs->never_seen.begin(), runs->never_seen.end());
  }
  return all;
}

}  // namespace ridge
