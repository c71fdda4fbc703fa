#include "train/schedule/division.hpp"

#include <algorithm>
#include <cmath>

namespace ridge::train {

namespace {

/// The nearest count that the schedule takes, not above the one there is where it can be helped.
int taken_microbatches(ScheduleKind kind, int stages, double there) {
  const int m = static_cast<int>(std::clamp(std::floor(there), 1.0, 4096.0));
  if (kind == ScheduleKind::interleaved) return std::max(1, m / stages) * stages;
  if (kind == ScheduleKind::dualpipe) return std::max(2 * stages, m / 2 * 2);
  return kind == ScheduleKind::dualpipev ? std::max(2 * stages, m) : m;
}

int stages_of(const DivisionCase<double>& c) {
  return static_cast<int>(std::clamp(std::ceil(domains_of_replica(c).value()), 1.0, 1024.0));
}

}  // namespace

Result<DividedStep<double>> step_by_stages(const DivisionCase<double>& c, ScheduleKind kind) {
  const int stages = stages_of(c), fixed = fixed_chunks(kind);
  const PipelineShape shape{kind, stages, taken_microbatches(kind, stages, pipeline_microbatches(c, stages)),
                            fixed > 0 ? fixed : 2};
  constexpr Nanoseconds kPart = 1'000'000;
  const auto figures = schedule_figures({shape, even_times(shape, {kPart, kPart, kPart}), 1});
  if (!figures) return fail(figures.error());
  const double busy = static_cast<double>(figures->makespan - figures->bubble_of_makespan());
  const Seconds<double> compute = divided_compute(c);
  return DividedStep<double>{compute, compute * (static_cast<double>(figures->bubble_of_makespan()) / busy)};
}

Result<DivisionVerdict> divide_model(const DivisionCase<double>& c, ScheduleKind kind) {
  DivisionVerdict verdict;
  verdict.stages = stages_of(c);
  verdict.microbatches = pipeline_microbatches(c, verdict.stages);
  verdict.by_zero = step_by_zero(c);
  const auto by_stages = step_by_stages(c, kind);
  if (!by_stages) return fail(by_stages.error());
  verdict.by_stages = *by_stages;
  if (verdict.stages > 1)
    verdict.cheaper = verdict.by_stages.lost < verdict.by_zero.lost ? Division::stages : Division::zero;
  return verdict;
}

Result<double> domain_without_stages(DivisionCase<double> c, ScheduleKind kind) {
  double found = 0;
  for (double domain = 1; domain <= c.chips.value(); domain *= 2) {
    c.domain = domain;
    const auto verdict = divide_model(c, kind);
    if (!verdict) return fail(verdict.error());
    if (verdict->cheaper == Division::stages) found = 0;
    if (verdict->cheaper != Division::stages && found == 0) found = domain;
  }
  return found;
}

}  // namespace ridge::train
