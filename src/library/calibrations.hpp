#pragma once
// Calibrations for a question: those of the chip and engine it names, or borrowed from their relatives, with a word on
// which.

#include "cost/calibration.hpp"
#include "cost/ggml.hpp"
#include "library/library.hpp"

namespace ridge {

/// Reads the fields of a calibration from numbers by name; those that are missing are named in `missing`.
template <class C>
C calibration_from(const std::map<std::string, FittedNumber>& numbers, std::vector<std::string>* missing = nullptr) {
  C out;
  C::visit_fields(out, [&](std::string_view name, auto& field) {
    const auto found = numbers.find(std::string(name));
    if (found != numbers.end()) field = std::remove_reference_t<decltype(field)>(found->second.value);
    if (found == numbers.end() && missing != nullptr) missing->emplace_back(name);
  });
  return out;
}

const CalibrationEntry* find_calibration(const Library& library, std::string_view of, std::string_view name);

template <class C>
struct Calibrated {
  C value;
  std::string from;  // "fitted to 812 kernels", "borrowed from b200 and h100-sxm"
  bool borrowed = false;
};

/// Numbers of ggml's kernels on a chip: its own, else those of a GPU or of a CPU.
Calibrated<GgmlCalibration> ggml_calibration(const Library& library, const Chip& chip);

/// What somebody's search for the best large 16-bit product reached of the peak; 0 where nobody searched.
double searched_share(const Chip& chip);

/// Kernels of a chip timed alone. A chip without a calibration of its own borrows the mean of its
/// maker's chips with about its matrix peak, or of all of them, or of all there are.
Calibrated<ChipCalibration<double>> chip_alone(const Library& library, const Chip& chip);
/// The same inside a captured step.
Calibrated<ChipCalibration<double>> chip_in_step(const Library& library, const Chip& chip);
KernelCalibration<double> kernels_alone(const Library& library);
KernelCalibration<double> kernels_in_step(const Library& library);

/// Memory of a chip that an engine's process holds beside its tensors.
Bytes<double> process_reserve(const Library& library);

/// What an engine's first step with a prompt takes longer on a server that was just started, with kernels of this name; where
/// nobody measured those the mean of the engine's, nothing where none of them.
Seconds<double> fresh_time(const Library& library, std::string_view engine, std::string_view kernels);
/// What a larger step than any before takes longer there, for each token of prompts that it has more.
Seconds<double> fresh_token_time(const Library& library, std::string_view engine, std::string_view kernels);
/// What a calibration calls the one or the other.
std::string fresh_number_name(std::string_view kernels, bool of_token);
/// The kernels of which an engine's calibration says these two.
std::vector<std::string> fresh_kernels_of(const Library& library, std::string_view engine);

/// "vllm", "sglang", "trtllm", ...; an unknown one borrows the mean of all.
Calibrated<EngineCalibration<double>> engine_calibration(const Library& library, std::string_view engine);
std::vector<std::string> engine_names(const Library& library);

/// The mean of several calibrations, field by field in the logarithm.
std::map<std::string, FittedNumber> mean_numbers(const std::vector<const CalibrationEntry*>& entries);

}  // namespace ridge
