#pragma once
// What a simulation's question has beside a serving question: fields by name, for command lines and files.

#include <string_view>
#include <vector>

#include "base/number/dimension.hpp"

namespace ridge::simulate {

struct SimulationField {
  std::string_view key;
  bool is_word = false;   // also a switch: true or false
  bool is_whole = false;  // counts and tokens
  Dimension dimension{};
  bool is_rate = false;  // requests a second: also "3k/h"
};

const std::vector<SimulationField>& simulation_fields();
/// Null where there is none of that name. A name may be spelled as a flag: max-seqs is max_seqs.
const SimulationField* find_simulation_field(std::string_view key);

}  // namespace ridge::simulate
