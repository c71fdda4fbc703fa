#include "price/infer/chip_belief.hpp"

#include <algorithm>

#include "library/chip_price.hpp"

namespace ridge {

std::vector<ChipInFormat> chip_in_formats(const Machine& machine, const Library& library) {
  std::vector<ChipInFormat> out;
  const Chip* chip = find_named(library.chips, machine.chip);
  const auto rental = chip_price(machine, kUsualBasis, library);
  if (chip == nullptr || !rental) return out;
  for (const auto& [name, rate] : chip->matmul) {
    const Format* format = find_named(library.formats, name);
    if (format == nullptr) continue;
    const BytesPerParam<double> width = format->bytes.value;
    const DollarsPerFlop<double> flop = rental->price.value / rate.value;
    const auto known = [&](const ChipInFormat& other) { return other.width == width && other.flop == flop; };
    if (std::any_of(out.begin(), out.end(), known)) continue;  // int8 beside fp8
    out.push_back({.format = name,
                   .width = width,
                   .intensity = rate.value * width / (literal<FlopsPerParam<double>>(2.0) * chip->bandwidth.value),
                   .flop = flop});
  }
  return out;
}

Beliefs on_machine(Beliefs priors, const std::string& machine, const std::vector<ChipInFormat>& chips) {
  if (chips.empty()) return priors;
  const auto fix = [&](std::size_t unknown, auto&& of) {
    double low = of(chips.front()), high = low;
    for (const ChipInFormat& chip : chips) {
      low = std::min(low, of(chip));
      high = std::max(high, of(chip));
    }
    priors.box[unknown] = Interval(low, high);
    priors.from[unknown] = {machine, Kind::derived, "", "peak, bandwidth, bytes of a weight and rental"};
  };
  fix(kWidth, [](const ChipInFormat& chip) { return chip.width.value(); });
  fix(kIntensity, [](const ChipInFormat& chip) { return chip.intensity.value(); });
  fix(kFlopPrice, [](const ChipInFormat& chip) { return chip.flop.value(); });
  priors.box[kBalanceContext] = balance_of(priors);
  return priors;
}

}  // namespace ridge
