#include "library/calibrations.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ridge {

namespace {

std::vector<const CalibrationEntry*> all_of(const Library& library, std::string_view of) {
  std::vector<const CalibrationEntry*> found;
  for (const CalibrationEntry& entry : library.calibrations) {
    if (entry.of == of) found.push_back(&entry);
  }
  return found;
}

std::string names_text(const std::vector<const CalibrationEntry*>& entries) {
  std::vector<std::string> names;
  for (const CalibrationEntry* entry : entries) names.push_back(entry->name);
  return fmt::format("{}", fmt::join(names, ", "));
}

double wide_peak(const Chip& chip) {
  const auto* rate = find_rate(chip.matmul, "bf16");
  return rate == nullptr ? 0 : rate->value.value();
}

/// "66 whole steps and 12 serving runs"; empty where nothing of the chip is in the evidence.
std::string measured_text(const Library& library, const Chip& chip) {
  const MeasuredChip* measured = library.measured.find(chip.name);
  if (measured == nullptr) return "";
  double runs = measured->other_runs;
  for (const MeasuredRuns& one : measured->runs) runs += one.count;
  std::vector<std::string> parts;
  const auto add = [&](double count, const char* one, const char* many) {
    if (count > 0) parts.push_back(fmt::format("{:g} {}", count, count == 1 ? one : many));
  };
  add(measured->kernels, "kernel", "kernels");
  add(measured->steps, "whole step", "whole steps");
  add(runs, "serving run", "serving runs");
  return fmt::format("{}", fmt::join(parts, " and "));
}

/// Why numbers are borrowed: what there is of this chip, if anything, was not fitted.
std::string why_borrowed(const Library& library, const Chip& chip) {
  const std::string measured = measured_text(library, chip);
  if (measured.empty()) return "for nobody has measured this chip";
  return fmt::format("for no calibration of this chip was fitted; {} of it in the evidence", measured);
}

/// A figure of this chip over its geometric mean among the relatives that have one; 1 where it is not known.
template <class Figure>
double against(const Library& library, const Chip& chip, const std::vector<const CalibrationEntry*>& relatives,
               const Figure& figure) {
  double logs = 0, count = 0;
  for (const CalibrationEntry* entry : relatives) {
    const Chip* known = find_named(library.chips, entry->name);
    if (known == nullptr || figure(*known) <= 0) continue;
    logs += std::log(figure(*known));
    ++count;
  }
  return count > 0 && figure(chip) > 0 ? figure(chip) / std::exp(logs / count) : 1;
}

/// Exponentials keep step with matrix units from chip to chip, so their rate is borrowed as a share of those; and where
/// large products reach another share of the peak than on the relatives, all products do.
std::map<std::string, FittedNumber> borrowed_chip(const Library& library, const Chip& chip,
                                                  const std::vector<const CalibrationEntry*>& relatives) {
  auto numbers = mean_numbers(relatives);
  const auto scale = [&](const char* name, double factor) {
    if (const auto found = numbers.find(name); found != numbers.end()) found->second.value *= factor;
  };
  scale("softmax_rate", against(library, chip, relatives, wide_peak));
  const double reached = against(library, chip, relatives, searched_share);
  for (const char* name : {"matrix_16bit", "matrix_8bit", "matrix_4bit", "attention_matrix"}) scale(name, reached);
  return numbers;
}

}  // namespace

double searched_share(const Chip& chip) {
  const auto* best = find_rate(chip.measured_matmul, "bf16");
  return best == nullptr || wide_peak(chip) <= 0 ? 0 : best->value.value() / wide_peak(chip);
}

const CalibrationEntry* find_calibration(const Library& library, std::string_view of, std::string_view name) {
  for (const CalibrationEntry& entry : library.calibrations) {
    if (entry.of == of && entry.name == name) return &entry;
  }
  return nullptr;
}

std::map<std::string, FittedNumber> mean_numbers(const std::vector<const CalibrationEntry*>& entries) {
  std::map<std::string, FittedNumber> mean;
  std::map<std::string, double> known;  // entries that have the number: engines have some that others have not
  for (const CalibrationEntry* entry : entries) {
    for (const auto& [name, number] : entry->numbers) known[name] += 1;
  }
  for (const CalibrationEntry* entry : entries) {
    for (const auto& [name, number] : entry->numbers) {
      FittedNumber& own = mean.try_emplace(name, FittedNumber{0, 0}).first->second;
      own.value += std::log(number.value) / known[name];
      own.spread += number.spread / known[name];
    }
  }
  for (auto& [name, number] : mean) {
    const double share = 1 / known[name];
    double apart = 0;  // how far the relatives are from each other is how well they speak for another
    for (const CalibrationEntry* entry : entries) {
      const auto found = entry->numbers.find(name);
      if (found != entry->numbers.end()) apart += std::pow(std::log(found->second.value) - number.value, 2) * share;
    }
    number.value = std::exp(number.value);
    number.spread = std::sqrt(number.spread * number.spread + apart);
  }
  return mean;
}

Calibrated<ChipCalibration<double>> chip_alone(const Library& library, const Chip& chip) {
  if (const CalibrationEntry* own = find_calibration(library, "chip", chip.name)) {
    return {calibration_from<ChipCalibration<double>>(own->numbers),
            fmt::format("{} rows of {}", own->rows, chip.title), false};
  }
  constexpr double kAlike = 1.5;  // of one family: matrix peaks this close
  std::vector<const CalibrationEntry*> family, relatives;
  for (const CalibrationEntry* entry : all_of(library, "chip")) {
    const Chip* known = find_named(library.chips, entry->name);
    if (known == nullptr || known->vendor != chip.vendor) continue;
    relatives.push_back(entry);
    if (std::abs(std::log(wide_peak(*known) / wide_peak(chip))) < std::log(kAlike)) family.push_back(entry);
  }
  if (!family.empty()) relatives = family;
  if (relatives.empty()) relatives = all_of(library, "chip");
  return {calibration_from<ChipCalibration<double>>(borrowed_chip(library, chip, relatives)),
          "numbers borrowed from " + names_text(relatives) + ", " + why_borrowed(library, chip), true};
}

Calibrated<ChipCalibration<double>> chip_in_step(const Library& library, const Chip& chip) {
  auto out = chip_alone(library, chip);
  const CalibrationEntry* step = find_calibration(library, "step", "step");
  if (step == nullptr) return out;
  ChipCalibration<double>::visit_fields(out.value, [&](std::string_view name, auto& field) {
    const auto ratio = step->numbers.find(std::string(name));
    if (ratio != step->numbers.end()) field = field * ratio->second.value;
  });
  return out;
}

KernelCalibration<double> kernels_alone(const Library& library) {
  const CalibrationEntry* entry = find_calibration(library, "kernels", "kernels");
  return entry == nullptr ? KernelCalibration<double>{} : calibration_from<KernelCalibration<double>>(entry->numbers);
}

KernelCalibration<double> kernels_in_step(const Library& library) {
  const CalibrationEntry* entry = find_calibration(library, "kernels", "kernels-in-step");
  return entry == nullptr ? kernels_alone(library) : calibration_from<KernelCalibration<double>>(entry->numbers);
}

Calibrated<GgmlCalibration> ggml_calibration(const Library& library, const Chip& chip) {
  const CalibrationEntry* own = find_calibration(library, "ggml", "ggml-" + chip.name);
  const CalibrationEntry* usual = find_calibration(library, "ggml", chip.is_cpu ? "ggml-cpu" : "ggml-gpu");
  const CalibrationEntry* entry = own != nullptr ? own : usual;
  if (entry == nullptr) return {{}, "nothing", true};
  const bool measured = own != nullptr || entry->measured == chip.name;
  return {calibration_from<GgmlCalibration>(entry->numbers),
          measured ? fmt::format("{} rows of {}", entry->rows, chip.title)
                   : fmt::format("kernels' shares of the datasheet borrowed from {}, for nobody has measured them here",
                                 entry->measured),
          !measured};
}

Bytes<double> process_reserve(const Library& library) {
  const CalibrationEntry* entry = find_calibration(library, "reserve", "reserve");
  if (entry == nullptr || !entry->numbers.contains("process")) return Bytes<double>(0.0);
  return Bytes<double>(entry->numbers.at("process").value);
}

Calibrated<EngineCalibration<double>> engine_calibration(const Library& library, std::string_view engine) {
  if (const CalibrationEntry* own = find_calibration(library, "engine", engine)) {
    return {calibration_from<EngineCalibration<double>>(own->numbers), fmt::format("{} runs", own->rows), false};
  }
  if (const CalibrationEntry* own = find_calibration(library, "local engine", engine)) {  // speaks for no other
    return {calibration_from<EngineCalibration<double>>(own->numbers), fmt::format("{} rows", own->rows), false};
  }
  // Not its other versions alone: versions of one engine differ as much as engines do (docs/validation.md).
  const auto all = all_of(library, "engine");
  return {calibration_from<EngineCalibration<double>>(mean_numbers(all)), "the mean of " + names_text(all), true};
}

namespace {

constexpr std::string_view kFresh = "fresh_", kTime = "_time", kTokenTime = "_token_time";

/// The kernels of which "fresh_b200_4bit_time" and "fresh_b200_4bit_token_time" speak; nothing of other names.
std::string_view kernels_in(std::string_view name, bool of_token) {
  const std::string_view ending = of_token ? kTokenTime : kTime;
  if (!name.starts_with(kFresh) || !name.ends_with(ending) || of_token != name.ends_with(kTokenTime)) return {};
  if (name.size() <= kFresh.size() + ending.size()) return {};
  return name.substr(kFresh.size(), name.size() - kFresh.size() - ending.size());
}

Seconds<double> fresh_number(const Library& library, std::string_view engine, std::string_view kernels, bool of_token) {
  const CalibrationEntry* own = find_calibration(library, "engine", engine);
  if (own == nullptr) return Seconds<double>(0.0);
  double sum = 0, count = 0;
  for (const auto& [name, number] : own->numbers) {
    const std::string_view found = kernels_in(name, of_token);
    if (found.empty()) continue;
    if (found == kernels) return Seconds<double>(number.value);
    sum += number.value;
    count += 1;
  }
  return Seconds<double>(count > 0 ? sum / count : 0);
}

}  // namespace

std::string fresh_number_name(std::string_view kernels, bool of_token) {
  return fmt::format("{}{}{}", kFresh, kernels, of_token ? kTokenTime : kTime);
}

Seconds<double> fresh_time(const Library& library, std::string_view engine, std::string_view kernels) {
  return fresh_number(library, engine, kernels, false);
}

Seconds<double> fresh_token_time(const Library& library, std::string_view engine, std::string_view kernels) {
  return fresh_number(library, engine, kernels, true);
}

std::vector<std::string> fresh_kernels_of(const Library& library, std::string_view engine) {
  std::vector<std::string> names;
  const CalibrationEntry* own = find_calibration(library, "engine", engine);
  if (own == nullptr) return names;
  for (const auto& [name, number] : own->numbers) {
    if (const std::string_view found = kernels_in(name, false); !found.empty()) names.emplace_back(found);
  }
  return names;
}

std::vector<std::string> engine_names(const Library& library) {
  std::vector<std::string> names;
  for (const CalibrationEntry* entry : all_of(library, "engine")) names.push_back(entry->name);
  return names;
}

}  // namespace ridge
