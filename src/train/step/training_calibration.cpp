#include "train/step/training_calibration.hpp"

#include <fmt/format.h>

#include "base/text/text.hpp"

namespace ridge {

std::vector<std::string> framework_names(const Library& library) {
  std::vector<std::string> names;
  for (const CalibrationEntry& entry : library.calibrations) {
    if (entry.of == "framework") names.push_back(entry.name);
  }
  return names;
}

Ratio<double> chip_in_training(const Library& library, const std::string& chip) {
  const CalibrationEntry* entry = find_calibration(library, "training chip", "training-" + chip);
  if (entry == nullptr || !entry->numbers.contains("kernels")) return Ratio<double>(1.0);
  return Ratio<double>(entry->numbers.at("kernels").value);
}

Result<TrainingNumbers> training_numbers(const Library& library, std::string_view framework, std::string_view where) {
  const CalibrationEntry* training = find_calibration(library, "training", "training");
  const CalibrationEntry* own = find_calibration(library, "framework", framework);
  if (own == nullptr) {
    return fail({std::string(where), fmt::format("unknown framework generation \"{}\"", shortened(framework)),
                 suggestion(framework, framework_names(library))});
  }
  if (training == nullptr)
    return fail(
        {std::string(where), "the catalog has no calibration of training", "catalog/calibration/training.toml"});
  TrainingNumbers out{
      .training = calibration_from<TrainingCalibration<double>>(training->numbers),
      .framework = calibration_from<FrameworkCalibration<double>>(own->numbers),
      .from = fmt::format("{:g} measured steps, {:g} of them under {}", training->rows, own->rows, own->title),
      .borrowed = own->rows == 0};
  return out;
}

}  // namespace ridge
