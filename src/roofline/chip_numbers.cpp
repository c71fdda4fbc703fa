#include "roofline/chip_numbers.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "library/price_said.hpp"

namespace ridge {

namespace {

/// Formats that weights are served in, from large to small.
constexpr std::array<std::string_view, 3> kServedFormats = {"bf16", "fp8", "fp4"};

constexpr FlopsPerParam<double> kMultiplyAdd(2.0);

FormatNumbers format_numbers(const Chip& chip, std::string_view name, const FlopsPerSecond<double>& peak,
                             const Library& library, const std::optional<DollarsPerSecond<double>>& price) {
  FormatNumbers out;
  out.format = std::string(name);
  out.peak = peak;
  out.intensity = peak / chip.bandwidth.value;
  if (const Format* format = find_named(library.formats, name))
    out.ridge_batch = out.intensity * format->bytes.value / kMultiplyAdd;
  if (price) out.cost = *price / peak;
  return out;
}

/// Bytes of everything that was released; 0 where nobody counted.
double released_in_all(const Model& model) {
  double bytes = 0;
  for (const double part : model.released) bytes += part;
  return bytes;
}

ChipNumbers numbers_of(const Chip& chip, const Machine* machine, const Library& library,
                       const std::optional<PriceBasis>& basis) {
  ChipNumbers out;
  out.name = machine != nullptr ? machine->name : chip.name;
  out.title = machine != nullptr ? machine->title : chip.title;
  out.chip = &chip;
  out.machine = machine;
  if (machine != nullptr) {
    out.domain = machine->chips.value;
    if (machine->scale_up) out.scale_up = machine->scale_up->value;
    if (machine->scale_out) out.scale_out = machine->scale_out->value;
    if (out.scale_up && out.scale_out) out.network_ratio = *out.scale_up / *out.scale_out;
    if (const auto price = chip_price(*machine, basis, library)) {
      out.price = price->price.value;
      out.price_filled = price->filled;
      out.price_assumed = is_assumed(*price);
      out.read_cost = *out.price / chip.bandwidth.value;
    }
  }
  for (const std::string_view format : kServedFormats) {
    if (const auto* peak = find_rate(chip.matmul, std::string(format)))
      out.formats.push_back(format_numbers(chip, format, peak->value, library, out.price));
  }
  out.sweep = chip.capacity.value / chip.bandwidth.value;
  const Ratio<double> chips(out.domain);
  out.domain_memory = chips * chip.capacity.value;
  out.domain_bandwidth = chips * chip.bandwidth.value;
  if (out.formats.empty()) return out;
  if (const Format* format = find_named(library.formats, out.smallest().format))
    out.largest = out.domain_memory / format->bytes.value;
  double most = 0;
  for (const Model& model : library.models) {
    const double bytes = released_in_all(model);
    if (bytes <= most || bytes > out.domain_memory.value()) continue;
    most = bytes;
    out.largest_known = &model;
  }
  return out;
}

}  // namespace

const FormatNumbers* ChipNumbers::in(std::string_view format) const {
  for (const FormatNumbers& one : formats) {
    if (one.format == format) return &one;
  }
  return nullptr;
}

std::vector<ChipNumbers> chip_numbers(const Library& library, const std::optional<PriceBasis>& basis) {
  std::vector<ChipNumbers> out;
  const auto add = [&](const Chip* chip, const Machine* machine) {
    if (chip == nullptr) return;
    ChipNumbers one = numbers_of(*chip, machine, library, basis);
    if (!one.formats.empty()) out.push_back(std::move(one));
  };
  for (const Machine& machine : library.machines) add(find_named(library.chips, machine.chip), &machine);
  for (const Chip& chip : library.chips) {
    const bool in_machine = std::any_of(library.machines.begin(), library.machines.end(),
                                        [&](const Machine& machine) { return machine.chip == chip.name; });
    if (!in_machine) add(&chip, nullptr);
  }
  return out;
}

std::vector<Generation> generations_of(const std::vector<ChipNumbers>& all) {
  std::map<std::pair<std::string, int>, const ChipNumbers*> best;  // by vendor and year
  for (const ChipNumbers& one : all) {
    if (one.chip->is_cpu || one.chip->year == 0) continue;
    const ChipNumbers*& held = best[{one.chip->vendor, one.chip->year}];
    if (held == nullptr || one.domain_memory > held->domain_memory) held = &one;
  }
  std::vector<Generation> out;
  for (const auto& [key, one] : best) {
    const bool same = !out.empty() && out.back().now->chip->vendor == key.first;
    if (same && one->smallest().peak < out.back().now->smallest().peak) continue;  // a lesser chip is no generation
    out.push_back({one, same ? out.back().now : nullptr});
  }
  return out;
}

}  // namespace ridge
