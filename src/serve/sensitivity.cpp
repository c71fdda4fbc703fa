#include "serve/sensitivity.hpp"

#include <algorithm>
#include <cmath>

#include "base/dual.hpp"
#include "serve/readings.hpp"

namespace ridge {

namespace {

/// The three matrix peaks under the name of their format, those of one format together.
std::vector<Sensitivity> groups(const ResolvedCase& resolved) {
  std::vector<Sensitivity> all;
  const auto first_peak = static_cast<std::size_t>(find_input("matmul.weights"));
  for (std::size_t i = 0; i < kDecodeInputs; ++i) {
    std::string name(input_info(i).key);
    if (i >= first_peak && i < first_peak + 3 && !resolved.matmul_format[i - first_peak].empty()) {
      name = "matmul." + resolved.matmul_format[i - first_peak];
    }
    const auto same = std::find_if(all.begin(), all.end(), [&](const Sensitivity& s) { return s.input == name; });
    if (same == all.end()) {
      all.push_back({.input = name, .indices = {i}});
    } else {
      same->indices.push_back(i);
    }
  }
  return all;
}

}  // namespace

std::vector<Sensitivity> sensitivities(const ResolvedCase& resolved) {
  std::vector<Sensitivity> all = groups(resolved);
  for (Sensitivity& one : all) {
    // a slope equal to the value makes this the derivative along ln(input)
    const auto seeded =
        read_as<Dual>(resolved.numbers, [&](std::size_t index, const InputInfo&, Dimension, double value) {
          const bool moves = std::find(one.indices.begin(), one.indices.end(), index) != one.indices.end();
          return Dual(value, moves ? value : 0.0);
        });
    const auto outputs = output_values(estimate_decode(seeded));
    for (std::size_t output = 0; output < kDecodeOutputs; ++output) {
      const Dual& dual = outputs[output];
      one.defined[output] = std::isfinite(dual.value) && dual.value != 0.0;
      one.elasticity[output] = one.defined[output] ? dual.slope / dual.value : 0.0;
      one.kink[output] = dual.kink;
    }
  }
  return all;
}

}  // namespace ridge
