#include "price/machines_behind.hpp"

namespace ridge {

std::vector<ChipInFormat> chip_in_formats(const Machine& machine, const Library& library) {
  std::vector<ChipInFormat> out;
  const Chip* chip = find_named(library.chips, machine.chip);
  if (chip == nullptr || !machine.rental) return out;
  for (const auto& [name, rate] : chip->matmul) {
    const Format* format = find_named(library.formats, name);
    if (format == nullptr) continue;
    const BytesPerParam<double> width = format->bytes.value;
    out.push_back({.format = name,
                   .width = width,
                   .intensity = rate.value * width / (literal<FlopsPerParam<double>>(2.0) * chip->bandwidth.value),
                   .flop = machine.rental->value / rate.value});
  }
  return out;
}

InferQuestion on_machine(InferQuestion question, const std::string& machine, const ChipInFormat& chip) {
  Beliefs& priors = question.priors;
  const Provenance from{machine, Kind::user, "", chip.format};
  const auto fix = [&](std::size_t unknown, double value) {
    priors.box[unknown] = Interval(value);
    priors.from[unknown] = from;
  };
  fix(kWidth, chip.width.value());
  fix(kIntensity, chip.intensity.value());
  fix(kFlopPrice, chip.flop.value());
  priors.box[kBalanceContext] = balance_of(priors);
  return question;
}

std::vector<MachineBehind> machines_behind(const InferQuestion& question, const Library& library) {
  const std::size_t anyway = infer(question).contradictions.size();
  std::vector<MachineBehind> out;
  for (const Machine& machine : library.machines) {
    for (const ChipInFormat& chip : chip_in_formats(machine, library)) {
      const Inference inference = infer(on_machine(question, machine.name, chip));
      out.push_back({.machine = machine.name,
                     .title = machine.title,
                     .chip = chip,
                     .explains = inference.contradictions.size() <= anyway,
                     .active = inference.inferred[kActive].interval,
                     .total = inference.inferred[kTotal].interval});
    }
  }
  return out;
}

}  // namespace ridge
