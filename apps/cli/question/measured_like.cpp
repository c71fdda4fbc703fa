#include "cli/question/measured_like.hpp"

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

}  // namespace ridge::cli
