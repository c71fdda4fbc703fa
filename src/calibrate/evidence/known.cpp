#include "calibrate/evidence/known.hpp"

#include <algorithm>

#include "calibrate/fit/calibrate.hpp"
#include "calibrate/fit/first_fit.hpp"
#include "library/calibrations.hpp"

namespace ridge {

namespace {

constexpr const char* kFromKernels = "ridge-fit-kernels";

void add(Library& library, const char* of, const std::string& name, std::map<std::string, FittedNumber> numbers,
         const char* source) {
  CalibrationEntry entry;
  entry.name = name;
  entry.of = of;
  entry.numbers = std::move(numbers);
  entry.from = {source, Kind::derived};
  library.calibrations.push_back(std::move(entry));
}

}  // namespace

Library knowing(const Library& library, const CalibrationSet& alone) {
  Library known = library;
  known.calibrations.clear();
  for (const auto& [name, chip] : alone.chips) add(known, "chip", name, numbers_of(chip), kFromKernels);
  add(known, "kernels", "kernels", numbers_of(alone.kernel), kFromKernels);
  return known;
}

CalibrationSet measured_alone(const Library& library) {
  CalibrationSet alone;
  alone.kernel = kernels_alone(library);
  for (const CalibrationEntry& entry : library.calibrations) {
    if (entry.of != "chip" || entry.from.source != kFromKernels) continue;
    alone.chips[entry.name] = calibration_from<ChipCalibration<double>>(entry.numbers);
  }
  return alone;
}

Library with_calibrations(const Library& library, const std::vector<CalibrationEntry>& entries) {
  Library out = library;
  out.calibrations.clear();
  for (const CalibrationEntry& old : library.calibrations) {
    const auto same = [&](const CalibrationEntry& entry) { return entry.of == old.of && entry.name == old.name; };
    if (std::none_of(entries.begin(), entries.end(), same)) out.calibrations.push_back(old);
  }
  for (const CalibrationEntry& entry : entries) out.calibrations.push_back(entry);
  return out;
}

void learn(Library& library, const ServingFit& fit) {
  constexpr const char* kFromRuns = "ridge-fit-serving";
  for (const auto& [name, chip] : fit.unmeasured) add(library, "chip", name, numbers_of(chip), kFromRuns);
  add(library, "step", "step", numbers_of(with_fields<ChipCalibration<double>>(fit.ratios)), kFromRuns);
  add(library, "kernels", "kernels-in-step", numbers_of(fit.set.kernel), kFromRuns);
  for (const auto& [name, engine] : fit.set.engines) {
    auto numbers = numbers_of(engine);
    for (const auto& [own, fresh] : fresh_of(fit.set, name)) {
      numbers[fresh_number_name(own, false)] = {fresh.first, 0};
      numbers[fresh_number_name(own, true)] = {fresh.token, 0};
    }
    add(library, "engine", name, std::move(numbers), kFromRuns);
  }
}

CalibrationSet set_for(const Library& library, const std::vector<RunCase>& cases) {
  CalibrationSet set = serving_set(library);
  for (const RunCase& one : cases) {
    set.engines.try_emplace(one.engine, engine_calibration(library, one.engine).value);
  }
  return set;
}

Result<KnownFromOthers> known_from(const std::vector<const RunCase*>& others, const std::string& without_kernels_of,
                                   bool first_tokens, const Library& library) {
  const Priors priors = priors_of(library);
  CalibrationSet left = measured_alone(library);
  left.chips.erase(without_kernels_of);
  Library known = knowing(library, left);
  auto fit = fit_serving(others, known, priors);
  if (!fit) return fail(fit.error());
  if (first_tokens) {
    const auto first = fit_first_time(others, fit->set, priors, library, FirstLevels::closed_form);
    if (!first) return fail(first.error());
  }
  learn(known, *fit);
  return KnownFromOthers{std::move(*fit), std::move(known)};
}

}  // namespace ridge
