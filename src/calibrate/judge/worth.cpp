#include "calibrate/judge/worth.hpp"

#include <cmath>

#include "calibrate/evidence/known.hpp"
#include "library/calibrations.hpp"

namespace ridge {

namespace {

constexpr double kFirm = 1e-3;  // a standard deviation of the logarithm that no run moves

double mean_error_of(const LeftOut& left, std::string_view group, std::string_view name) {
  for (const ValidationLine& line : left.lines) {
    if (line.group == group && line.name == name) return line.errors.mean;
  }
  return 0;
}

double kernels_error(const Evidence& evidence, const Library& library) {
  const CalibrationSet alone = kernels_set(library);
  double sum = 0, count = 0;
  for (const KernelCase& one : kernel_cases(evidence.kernels, library).cases) {
    const Chip* chip = find_named(library.chips, one.row.chip);
    sum += std::abs(predict_kernel(one, alone, peaks_of(*chip, library)) / one.row.seconds - 1);
    ++count;
  }
  return count > 0 ? sum / count : 0;
}

}  // namespace

Library holding(const Library& library, const std::string& of, const std::string& name) {
  const CalibrationEntry* prior = find_calibration(library, "prior", "prior");
  if (prior == nullptr) return library;
  CalibrationEntry firm = *prior;
  FittedNumber& believed = firm.numbers[of + "." + name];
  believed.spread = kFirm;
  std::vector<CalibrationEntry> changed;
  if (of != "engine") {
    const std::string in_step = of == "chip" ? "step." + name : "step." + of + "." + name;
    firm.numbers.try_emplace(in_step, FittedNumber{1, kFirm}).first->second.spread = kFirm;
    for (const CalibrationEntry& entry : library.calibrations) {
      if (entry.of != of && !(of == "kernel" && entry.name == "kernels")) continue;
      changed.push_back(entry);
      changed.back().numbers[name].value = believed.value;
    }
  }
  changed.push_back(std::move(firm));
  return with_calibrations(library, changed);
}

Result<FitErrors> fit_errors(const Evidence& evidence, const Library& library, unsigned threads) {
  const auto left = leave_one_out(evidence, library, LeaveOut::model, threads);
  if (!left) return fail(left.error());
  return FitErrors{kernels_error(evidence, library), mean_error_of(*left, "leaving out one model", kAggregated),
                   mean_error_of(*left, "TTFT, leaving out one model", "all")};
}

CalibrationEntry worth_entry(const Worth& worth) {
  CalibrationEntry entry;
  entry.name = entry.of = "worth";
  entry.title = "What each fitted number bought: mean errors where it is put back to its prior";
  entry.note =
      "kernels: single kernels, in-sample, the other numbers as they are; tpot, ttft: each model left out in turn, the "
      "other numbers fitted to the runs again";
  entry.from = {"ridge-left-out", Kind::derived};
  const auto add = [&](const std::string& name, const FitErrors& errors) {
    entry.numbers[name + ".kernels"] = {errors.kernels, 0};
    entry.numbers[name + ".tpot"] = {errors.tpot, 0};
    entry.numbers[name + ".ttft"] = {errors.ttft, 0};
  };
  add("fitted", worth.fitted);
  for (const NumberWorth& one : worth.numbers) add(one.of + "." + one.name, one.held);
  return entry;
}

std::optional<Worth> worth_in(const Library& library) {
  const CalibrationEntry* entry = find_calibration(library, "worth", "worth");
  if (entry == nullptr) return {};
  const auto errors_of = [&](const std::string& name) {
    const auto at = [&](const char* figure) {
      const auto found = entry->numbers.find(name + figure);
      return found == entry->numbers.end() ? 0 : found->second.value;
    };
    return FitErrors{at(".kernels"), at(".tpot"), at(".ttft")};
  };
  Worth worth{errors_of("fitted"), {}};
  for (const auto& [key, number] : entry->numbers) {
    if (!key.ends_with(".tpot") || key == "fitted.tpot") continue;
    const std::string whole = key.substr(0, key.rfind('.'));
    const std::size_t dot = whole.find('.');
    if (dot == std::string::npos) continue;
    worth.numbers.push_back({whole.substr(0, dot), whole.substr(dot + 1), errors_of(whole)});
  }
  return worth;
}

}  // namespace ridge
