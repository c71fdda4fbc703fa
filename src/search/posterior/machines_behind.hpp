#pragma once
// Which machines of the catalog could stand behind a price sheet, how likely each makes it, and what size of model goes
// with each.

#include <string>
#include <vector>

#include "price/infer/chip_belief.hpp"
#include "search/posterior/posterior.hpp"

namespace ridge {

struct MachineBehind {
  std::string machine;
  ChipInFormat chip;
  bool explains = false;  // it meets the equations that the sheet meets without a machine
  double share = 0;       // probability, if every machine was as likely before, in each of its formats alike
  Interval active;        // parameters a token uses that would go with it
  Marginal sampled;       // of the same
};

/// Most likely first.
std::vector<MachineBehind> machines_behind(const InferQuestion& question, const Library& library,
                                           const SampleRequest& request);

}  // namespace ridge
