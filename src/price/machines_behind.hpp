#pragma once
// Which machines of the catalog could stand behind a sheet: each replaces what is believed of a chip's ridge, its price
// and the bytes of a weight, in every format it computes in.

#include <string>
#include <vector>

#include "price/infer.hpp"

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

/// The question with one machine behind it.
InferQuestion on_machine(InferQuestion question, const std::string& machine, const ChipInFormat& chip);

struct MachineBehind {
  std::string machine, title;
  ChipInFormat chip;
  bool explains = false;   // the sheet contradicts it no more than it does without a machine
  Interval active, total;  // parameters that would go with it
};

std::vector<MachineBehind> machines_behind(const InferQuestion& question, const Library& library);

}  // namespace ridge
