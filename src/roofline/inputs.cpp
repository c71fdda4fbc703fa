#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "roofline/readings.hpp"
#include "roofline/scenario.hpp"

namespace ridge {

namespace {

constexpr auto kInputs = field_rows<DecodeCase>();
constexpr auto kOutputs = field_rows<DecodeEstimate>();

constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kAliases = {{{"hbm", "hbm.bandwidth"},
                                                                                    {"bandwidth", "hbm.bandwidth"},
                                                                                    {"capacity", "hbm.capacity"},
                                                                                    {"memory", "hbm.capacity"},
                                                                                    {"utilization", "utilization"}}};

}  // namespace

int find_input(std::string_view word) {
  for (const auto& [alias, key] : kAliases) {
    if (alias == word) word = key;
  }
  const std::size_t index = find_field(kInputs, word);
  return index < kDecodeInputs ? static_cast<int>(index) : -1;
}

std::size_t input_index(std::string_view key) {
  const int index = find_input(key);
  assert(index >= 0 && "the key is one of visit_inputs");
  return static_cast<std::size_t>(index);
}

Result<std::vector<std::size_t>> input_indices(std::string_view word, const ResolvedCase& resolved,
                                               std::string_view where) {
  if (const int index = find_input(word); index >= 0) return std::vector{static_cast<std::size_t>(index)};
  std::vector<std::size_t> indices;
  const auto first_peak = input_index("matmul.weights");
  for (std::size_t role = 0; role < resolved.matmul_format.size(); ++role) {
    if (word == "matmul" || word == "matmul." + resolved.matmul_format[role]) indices.push_back(first_peak + role);
  }
  if (!indices.empty()) return indices;
  std::vector<std::string> known = input_keys();
  for (const std::string& format : resolved.matmul_format) {
    const std::string name = "matmul." + format;
    if (!format.empty() && std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
  }
  return fail({std::string(where), fmt::format("unknown input \"{}\"", shortened(word)),
               suggestion(word, known) + " (ridge list inputs shows all)"});
}

std::vector<std::string> input_keys() { return keys_of(kInputs); }
std::vector<std::string> output_keys() { return keys_of(kOutputs); }

InputInfo input_info(std::size_t index) { return kInputs[index].info; }
Dimension input_dimension(std::size_t index) { return kInputs[index].dimension; }
OutputInfo output_info(std::size_t index) { return kOutputs[index].info; }
Dimension output_dimension(std::size_t index) { return kOutputs[index].dimension; }

Result<double> checked_value(const InputInfo& info, Dimension dimension, double value, std::string_view where) {
  const auto refuse = [&](std::string_view rule) {
    const bool is_share = info.domain == Domain::share || info.domain == Domain::part || info.domain == Domain::power;
    const double least = info.domain == Domain::at_least_one ? 1.0 : info.domain == Domain::power ? 0.01 : 0.0;
    const double nearest_value = is_share && value > 1.0 ? 1.0 : least;
    const bool has_nearest = std::fabs(value) <= 1e30 && (nearest_value > 0.0 || info.domain == Domain::part ||
                                                          info.domain == Domain::not_negative);
    return fail({std::string(where), fmt::format("{} = {} must be {}", info.key, show(value, dimension), rule),
                 fmt::format("{} is \"{}\"; {}write for example {}", info.key, info.meaning,
                             has_nearest ? fmt::format("the nearest is {:g}; ", nearest_value) : "",
                             is_share ? "0.5" : unit_example(dimension))});
  };
  // 10^30 is far beyond anything built; larger numbers would overflow in products and come out as infinity
  if (!std::isfinite(value) || std::fabs(value) > 1e30) return refuse("at most 1e30");
  switch (info.domain) {
    case Domain::positive:
      if (value < 1e-30) return refuse("above zero");
      break;
    case Domain::not_negative:
      if (value < 0.0) return refuse("zero or more");
      break;
    case Domain::at_least_one:
      if (value < 1.0) return refuse("at least 1");
      break;
    case Domain::share:
      if (value < 1e-30 || value > 1.0) return refuse("above 0 and at most 1");
      break;
    case Domain::part:
      if (value < 0.0 || value > 1.0) return refuse("from 0 to 1");
      break;
    case Domain::power:
      if (value < 0.01 || value > 1.0) return refuse("from 0.01 to 1");
      break;
  }
  return value;
}

Result<double> checked_input(std::size_t index, double value, std::string_view where) {
  return checked_value(kInputs[index].info, kInputs[index].dimension, value, where);
}

}  // namespace ridge
