#include "roofline/flips.hpp"

#include <algorithm>
#include <cmath>

#include "base/number/nearest_factor.hpp"
#include "roofline/readings.hpp"
#include "roofline/sensitivity.hpp"

namespace ridge {

namespace {

bool compute_binds(const DecodeCase<double>& c) {
  const auto e = estimate_decode(c);
  return e.compute_time >= e.memory_time;
}

/// Every input of a group by the same factor; nothing where one of them may not be that.
std::optional<DecodeCase<double>> scaled(const DecodeCase<double>& c, const std::vector<std::size_t>& moved,
                                         double factor) {
  DecodeCase<double> out = c;
  const auto values = input_values(c);
  for (const std::size_t index : moved) {
    const double value = values[index] * factor;
    if (!checked_value(input_info(index), input_dimension(index), value, "")) return {};
    out = with_input(out, index, value);
  }
  return out;
}

}  // namespace

void sort_flips(std::vector<Flip>& all) {
  std::stable_sort(all.begin(), all.end(), [](const Flip& a, const Flip& b) {
    return std::abs(std::log(a.factor())) < std::abs(std::log(b.factor()));
  });
}

std::vector<Flip> flips(const ResolvedCase& resolved) {
  const DecodeCase<double>& c = resolved.numbers;
  const bool now = compute_binds(c);
  const auto values = input_values(c);
  std::vector<Flip> all;
  for (const Sensitivity& group : sensitivities(resolved)) {
    // what an owner's price is made of binds nothing; with more experts other inputs follow, by the model's shape
    if (group.indices.empty() || group.input == "experts.count") continue;
    const std::size_t first = group.indices.front();
    if (values[first] == 0) continue;
    const auto factor = nearest_factor([&](double by) {
      const auto changed = scaled(c, group.indices, by);
      return changed && compute_binds(*changed) != now;
    });
    if (!factor) continue;
    all.push_back(
        {group.input, values[first], values[first] * *factor, input_dimension(first), now ? "memory" : "compute"});
  }
  sort_flips(all);
  return all;
}

}  // namespace ridge
