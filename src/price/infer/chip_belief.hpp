#pragma once
// A machine of the catalog instead of what is believed of a chip's ridge, of its price and of the bytes of a weight.

#include <string>
#include <vector>

#include "price/infer/infer.hpp"

namespace ridge {

/// A chip in one format, as a provider sees it.
struct ChipInFormat {
  std::string format;
  BytesPerParam<double> width;
  Ratio<double> intensity;      // C b_w / (2 W)
  DollarsPerFlop<double> flop;  // rental over the peak
};

/// Formats that the chip has units for; none where nobody rents it out.
std::vector<ChipInFormat> chip_in_formats(const Machine& machine, const Library& library);

/// What is believed with one machine behind a sheet, in any of some formats.
Beliefs on_machine(Beliefs priors, const std::string& machine, const std::vector<ChipInFormat>& chips);

}  // namespace ridge
