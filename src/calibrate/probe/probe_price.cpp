#include "calibrate/probe/probe_price.hpp"

#include <cmath>

#include <fmt/format.h>

namespace ridge {

namespace {

constexpr double kHour = 3600;

/// How far two chips are apart: the logarithm of the ratio of their size.
double distance_to(const ProbedSize& size, const Chip& chip) {
  const double own = size.is_cpu ? size.threads : size.bandwidth;
  const double other = size.is_cpu ? chip.threads : chip.bandwidth.value.value();
  return own > 0 && other > 0 ? std::fabs(std::log(own / other)) : 1e300;
}

}  // namespace

std::optional<ProbedPrice> price_like(const ProbedSize& size, const Library& library) {
  const Machine* nearest_machine = nullptr;
  const Chip* nearest_chip = nullptr;
  for (const Machine& machine : library.machines) {
    const Chip* chip = find_named(library.chips, machine.chip);
    if (chip == nullptr || chip->is_cpu != size.is_cpu || !machine.on_demand || (size.is_cpu && chip->threads <= 0))
      continue;
    if (nearest_chip != nullptr && distance_to(size, *nearest_chip) <= distance_to(size, *chip)) continue;
    nearest_machine = &machine;
    nearest_chip = chip;
  }
  if (nearest_machine == nullptr) return {};
  const double share = size.is_cpu ? size.threads / nearest_chip->threads : 1;
  return ProbedPrice{
      .dollars = nearest_machine->on_demand->value.value() * kHour * share,
      .source = nearest_machine->on_demand->from.source,
      .note = fmt::format(
          "not measured: as {}{}", nearest_machine->name,
          size.is_cpu ? fmt::format(", {:g} of its {:g} threads", size.threads, nearest_chip->threads) : "")};
}

}  // namespace ridge
