#include "roofline/sensitivity.hpp"

#include <algorithm>
#include <cmath>

#include "base/number/dual.hpp"
#include "library/owned.hpp"
#include "roofline/expert_followers.hpp"
#include "roofline/readings.hpp"

namespace ridge {

namespace {

/// The three matrix peaks under the name of their format, those of one format together.
std::vector<Sensitivity> groups(const ResolvedCase& resolved) {
  std::vector<Sensitivity> all;
  const auto first_peak = input_index("matmul.weights");
  for (std::size_t i = 0; i < kDecodeInputs; ++i) {
    if (!is_present(resolved.numbers.has, i)) continue;
    // more experts of what size? Without the model's shape nobody knows
    if (i == input_index("experts.count") && !resolved.numbers.follows.known()) continue;
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

void read_slopes(Sensitivity& one, const DecodeEstimate<Dual>& estimate) {
  const auto outputs = output_values(estimate);
  for (std::size_t output = 0; output < kDecodeOutputs; ++output) {
    const Dual& dual = outputs[output];
    one.defined[output] = std::isfinite(dual.value) && dual.value != 0.0;
    one.elasticity[output] = one.defined[output] ? dual.slope / dual.value : 0.0;
    one.kink[output] = dual.kink;
  }
}

/// Where the price is an owner's, what it is made of.
std::vector<Sensitivity> of_ownership(const ResolvedCase& resolved) {
  std::vector<Sensitivity> all;
  if (!resolved.owned) return all;
  for (std::size_t moving = 0; moving < kOwnedInputs; ++moving) {
    Sensitivity one{.input = std::string(owned_inputs(*resolved.owned)[moving].key), .indices = {}};
    const auto owned = owned_as<Dual>(*resolved.owned, [&](std::size_t index, const OwnedInput& input) {
      return Dual(input.value, index == moving ? input.value : 0.0);
    });
    auto c = read_as<Dual>(resolved.numbers,
                           [](std::size_t, const InputInfo&, Dimension, double value) { return Dual(value); });
    c.price = owned_price(owned).total();
    read_slopes(one, estimate_decode(c));
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace

std::vector<Sensitivity> sensitivities(const ResolvedCase& resolved) {
  std::vector<Sensitivity> all = groups(resolved);
  const std::size_t decode_inputs = all.size();
  for (const Sensitivity& one : of_ownership(resolved)) all.push_back(one);
  for (std::size_t row = 0; row < decode_inputs; ++row) {
    Sensitivity& one = all[row];
    // a slope equal to the value makes this the derivative along ln(input)
    const auto seeded =
        read_as<Dual>(resolved.numbers, [&](std::size_t index, const InputInfo&, Dimension, double value) {
          const bool moves = std::find(one.indices.begin(), one.indices.end(), index) != one.indices.end();
          return Dual(value, moves ? value : 0.0);
        });
    const bool experts = one.indices.front() == input_index("experts.count");
    read_slopes(one, estimate_decode(experts ? with_expert_followers(seeded, resolved.numbers) : seeded));
  }
  return all;
}

}  // namespace ridge
