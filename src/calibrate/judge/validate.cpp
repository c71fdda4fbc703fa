#include "calibrate/judge/validate.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "base/threads.hpp"
#include "calibrate/evidence/known.hpp"
#include "calibrate/fit/bare_steps.hpp"
#include "calibrate/fit/first_fit.hpp"
#include "calibrate/fit/ggml_fit.hpp"
#include "calibrate/judge/left_out.hpp"
#include "calibrate/judge/step_bound.hpp"
#include "library/calibrations.hpp"
#include "serve/step/step_formats.hpp"

namespace ridge {

namespace {

std::string described(const ServingRow& row) {
  return fmt::format("{} {} on {:g} of {}, {} {}, ISL {:g}, OSL {:g}, concurrency {:g}", row.model, row.format,
                     row.chips, row.machine, row.engine, row.version, row.isl, row.osl, row.concurrency);
}

void append_lines(std::vector<ValidationLine>& to, std::vector<ValidationLine> from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

std::string model_family(const std::string& model) {
  return model.starts_with("deepseek-") ? "deepseek-v3 and r1" : model;
}

JudgedPoint first_token_point(const RunCase& one, const CalibrationSet& set) {
  return {"", few_in_flight(one) ? "TTFT, at most 4 in flight" : "TTFT, more in flight", measured_ttft(*one.row),
          predict_ttft(one, set)};
}

}  // namespace

std::vector<ValidationLine> ErrorsByPart::lines(const std::string& group) const {
  std::vector<ValidationLine> out;
  for (const auto& [name, parts] : errors_) {
    ValidationLine line{group, name, {}, {}, 0, 0};
    std::vector<double> all;
    for (const auto& [part, errors] : parts) {
      all.insert(all.end(), errors.begin(), errors.end());
      const double mean = summary_of(errors).mean;
      constexpr std::size_t kEnough = 5;
      if ((errors.size() >= kEnough || parts.size() == 1) && mean > line.worst_error) {
        line.worst = part;
        line.worst_error = mean;
        line.worst_rows = errors.size();
      }
    }
    line.errors = summary_of(std::move(all));
    out.push_back(std::move(line));
  }
  return out;
}

ErrorSummary summary_of(std::vector<double> errors) {
  ErrorSummary summary;
  summary.rows = errors.size();
  if (errors.empty()) return summary;
  const double count = static_cast<double>(errors.size());
  for (double& error : errors) {
    summary.bias += error / count;
    error = std::abs(error);
    summary.mean += error / count;
  }
  std::sort(errors.begin(), errors.end());
  summary.p90 = errors[static_cast<std::size_t>(0.9 * (count - 1))];
  return summary;
}

Validation validate(const Evidence& evidence, const Library& library) {
  Validation out;
  const CalibrationSet alone = kernels_set(library);
  const KernelCases kernels = kernel_cases(evidence.kernels, library);
  ErrorsByPart by_class;
  for (const KernelCase& one : kernels.cases) {
    const Chip* chip = find_named(library.chips, one.row.chip);
    const double predicted = predict_kernel(one, alone, peaks_of(*chip, library));
    by_class.add(std::string(name_of(one.row.kind)), one.row.chip + " " + harness_name(one.row),
                 predicted / one.row.seconds - 1);
    out.points.kernels.push_back({std::string(name_of(one.row.kind)), one.row.chip, one.row.seconds, predicted});
  }
  append_lines(out.lines, by_class.lines("kernels"));
  for (const auto& [why, count] : kernels.left_out) out.left_out["kernels: " + why] += count;

  const RunCases serving = serving_cases(evidence.serving, library);
  const CalibrationSet set = set_for(library, serving.cases);
  for (const auto& [why, count] : serving.left_out) out.left_out["serving: " + why] += count;
  ErrorsByPart tpot, apart, ttft, rate;
  std::vector<NoiseSample> samples;
  for (const RunCase& one : serving.cases) {
    const ServingRow& row = *one.row;
    const ChipRates<double> rates{one.peaks(), set.chips.at(one.chip), set.kernel};
    const auto times = serving_times(one.operations(), rates, set.engines.at(one.engine), one.load);
    const std::string part = fmt::format("{} {} {} {}", row.model, one.chip, one.engine, row.format);
    (one.load.disaggregated ? apart : tpot).add(row.set, part, times.tpot.value() / row.tpot - 1);
    out.points.tpot.push_back({"", model_family(row.model), row.tpot, times.tpot.value()});
    const std::string configuration = configuration_of(row);
    samples.push_back({std::string(kTpotGroup), configuration, one.engine, row.tpot});
    if (has_ttft(one, set)) {
      ttft.add(row.set, part, predict_ttft(one, set) / measured_ttft(row) - 1);
      out.points.prefill.push_back(first_token_point(one, set));
      samples.push_back({"TTFT", configuration, one.engine, measured_ttft(row)});
    }
    samples.push_back({std::string(kThroughputGroup), configuration, one.engine, row.output_rate});
    if (row.output_rate > 0) rate.add(row.set, part, predict_rate(one, set) / row.output_rate - 1);
    ++out.bounded;
    if (const double bound = step_bound(one.deployment, one.load); bound > row.tpot) {
      out.suspects.push_back({row.set, described(row), row.tpot, bound});
    }
  }
  out.noise = noise_of(samples);
  append_lines(out.lines, tpot.lines(std::string(kTpotGroup)));
  append_lines(out.lines, apart.lines("TPOT, disaggregated"));
  append_lines(out.lines, ttft.lines("TTFT"));
  append_lines(out.lines, rate.lines(std::string(kThroughputGroup)));
  ErrorsByPart bare;
  for (const ServingRow& row : evidence.serving) {
    if (const auto one = bare_step(row, library)) {
      const std::string name = fmt::format("{} {} ep{:g} {:g}", row.set, row.mode, row.expert, row.isl);
      bare.add(name,
               fmt::format("{:.0f} tok/s/chip; measured {:.0f}; without overlap {:.0f}", one->predicted, one->measured,
                           one->alone),
               one->predicted / one->measured - 1);
    }
  }
  append_lines(out.lines, bare.lines("wide expert parallelism"));
  ErrorsByPart ggml;
  for (const GgmlRow& row : evidence.ggml) {
    const auto one = row.half == "judge" ? ggml_case(row, library) : std::nullopt;
    if (!one) continue;
    const std::string part = fmt::format("{} {} batch {:g}", row.model, row.format, row.batch);
    const double predicted = predict_ggml(*one, library);
    ggml.add(row.chip + " " + row.phase, part, predicted / row.seconds - 1);
    if (row.phase == "prefill") out.points.prefill.push_back({"", "llama.cpp prefill", row.seconds, predicted});
  }
  append_lines(out.lines, ggml.lines("llama.cpp, rows not fitted"));
  return out;
}

Result<LeftOut> leave_one_out(const Evidence& evidence, const Library& library, LeaveOut by, unsigned threads) {
  const RunCases serving = serving_cases(evidence.serving, library);
  const auto group_of = [&](const RunCase& one) {
    return by == LeaveOut::model ? model_family(one.row->model) : one.chip;
  };
  std::set<std::string> named;
  for (const RunCase& one : serving.cases) named.insert(group_of(one));
  const std::vector<std::string> groups(named.begin(), named.end());
  ErrorsByPart each, kinds, first;
  LeftOut out;
  out.left_out = by == LeaveOut::model ? "model" : "chip";
  const bool first_tokens = by == LeaveOut::model;
  std::vector<Result<KnownFromOthers>> fitted(groups.size(), KnownFromOthers{});  // without each
  for_each_index(groups.size(), threads, [&](std::size_t i) {
    std::vector<const RunCase*> others;
    for (const RunCase& one : serving.cases) {
      if (group_of(one) != groups[i]) others.push_back(&one);
    }
    fitted[i] = known_from(others, by == LeaveOut::chip_and_kernels ? groups[i] : "", first_tokens, library);
  });
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const std::string& group = groups[i];
    const auto& known = fitted[i];
    if (!known) return fail(known.error());
    const CalibrationSet set = set_for(known->library, serving.cases);
    for (const RunCase& one : serving.cases) {
      if (group_of(one) != group) continue;
      const bool engine_known = known->fit.set.engines.contains(one.engine);
      const double predicted = predict_tpot(one, set), error = predicted / one.row->tpot - 1;
      out.points.tpot.push_back({"", model_family(one.row->model), one.row->tpot, predicted});
      if (first_tokens && has_ttft(one, set)) {
        out.points.prefill.push_back(first_token_point(one, set));
        const JudgedPoint& point = out.points.prefill.back();
        first.add(group, one.chip + " " + one.engine + " " + one.row->format, point.predicted / point.measured - 1);
        first.add("all", group, point.predicted / point.measured - 1);
      }
      const bool routed = find_named(library.models, one.row->model)->experts() != nullptr;
      if (one.load.disaggregated) {
        kinds.add("prefill disaggregated", group, error);
        continue;
      }
      each.add(group, one.chip + " " + one.engine + " " + one.row->format, error);
      kinds.add(routed ? "mixture of experts" : "dense", group, error);
      kinds.add(std::string(kAggregated), group, error);
      kinds.add(engine_known ? "engines seen elsewhere" : "engines seen there alone", group, error);
    }
  }
  const char* title = by == LeaveOut::model  ? "leaving out one model"
                      : by == LeaveOut::chip ? "leaving out one chip's runs"
                                             : "leaving out one chip's runs and kernels";
  append_lines(out.lines, each.lines(title));
  append_lines(out.lines, kinds.lines(title));
  append_lines(out.lines, first.lines(std::string("TTFT, ") + title));
  return out;
}

}  // namespace ridge
