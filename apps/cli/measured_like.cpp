#include "cli/measured_like.hpp"

#include <cmath>
#include <set>

namespace ridge::cli {

namespace {

std::string_view maker_of(const std::string& machine, const Library& library) {
  const Machine* found = find_named(library.machines, machine);
  const Chip* chip = found != nullptr ? find_named(library.chips, found->chip) : nullptr;
  return chip != nullptr ? std::string_view(chip->vendor) : std::string_view();
}

bool is_near(double one, double other) { return std::abs(one - other) <= kNearLength * other; }

}  // namespace

std::optional<NearestRun> nearest_of_kind(const ServingAnswer& answer, const Evidence& evidence,
                                          const Library& library) {
  const auto any = nearest_run(answer, evidence, library);
  const std::string_view asked = answer.ground().chip->vendor;
  if (!any || maker_of(any->row->machine, library) == asked) return any;
  Evidence alike;
  std::vector<const ServingRow*> origin;
  for (const ServingRow& row : evidence.serving) {
    if (maker_of(row.machine, library) != asked) continue;
    alike.serving.push_back(row);
    origin.push_back(&row);
  }
  auto near = nearest_run(answer, alike, library);
  if (!near || (any->same.model && !near->same.model)) return any;
  near->row = origin[static_cast<std::size_t>(near->row - alike.serving.data())];
  near->outside = any->outside;  // of all runs there are
  return near;
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
