#include "cli/question/measured_like.hpp"

#include <cmath>
#include <set>

#include "report/base/counts.hpp"

namespace ridge::cli {

namespace {

/// What chips of a machine are: of the same maker, or at least GPUs alike.
using SameChips = bool (*)(const Machine& one, const Machine& other, const Library& library);

bool of_one_maker(const Machine& one, const Machine& other, const Library& library) {
  const Chip *a = find_named(library.chips, one.chip), *b = find_named(library.chips, other.chip);
  return a != nullptr && b != nullptr && a->vendor == b->vendor;
}

bool of_one_kind(const Machine& one, const Machine& other, const Library&) {
  return report::chip_word(one.title) == report::chip_word(other.title);
}

/// The nearest of the runs on such chips.
std::optional<NearestRun> nearest_among(SameChips same, const ServingAnswer& answer, const Evidence& evidence,
                                        const Library& library) {
  Evidence alike;
  std::vector<const ServingRow*> origin;
  for (const ServingRow& row : evidence.serving) {
    const Machine* machine = find_named(library.machines, row.machine);
    if (machine == nullptr || !same(*machine, *answer.ground().machine, library)) continue;
    alike.serving.push_back(row);
    origin.push_back(&row);
  }
  auto near = nearest_run(answer, alike, library);
  if (near) near->row = origin[static_cast<std::size_t>(near->row - alike.serving.data())];
  return near;
}

bool is_near(double one, double other) { return std::abs(one - other) <= kNearLength * other; }

}  // namespace

std::optional<NearestRun> nearest_of_kind(const ServingAnswer& answer, const Evidence& evidence,
                                          const Library& library) {
  const auto any = nearest_run(answer, evidence, library);
  if (!any) return any;
  const Machine* there = find_named(library.machines, any->row->machine);
  for (const SameChips same : {of_one_maker, of_one_kind}) {
    if (there != nullptr && same(*there, *answer.ground().machine, library)) return any;
    auto near = nearest_among(same, answer, evidence, library);
    if (!near || (any->same.model && !near->same.model)) continue;
    near->outside = any->outside;  // of all runs there are
    return near;
  }
  return any;
}

std::vector<MeasuredPoint> measured_near(const PlanAnswer& plan, const Evidence& evidence, const Library& library) {
  const ServingQuestion& question = plan.request.question;
  std::set<std::pair<double, double>> lengths;
  for (const ServingRow& row : evidence.serving) {
    if (is_near(row.isl, question.isl) && is_near(row.osl, question.osl)) lengths.emplace(row.isl, row.osl);
  }
  PlanAnswer asked;  // what was searched is not read
  asked.request = plan.request;
  asked.machines = plan.machines;
  std::vector<MeasuredPoint> out;
  for (const auto& [isl, osl] : lengths) {
    asked.request.question.isl = isl;
    asked.request.question.osl = osl;
    for (const MeasuredPoint& one : measured_points(asked, evidence, library)) out.push_back(one);
  }
  return out;
}

}  // namespace ridge::cli
