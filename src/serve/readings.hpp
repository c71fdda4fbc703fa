#pragma once
// Moving a case between readings: the same inputs as double, Dual, Interval or Traced, and its outputs as a plain list.

#include <array>

#include "serve/decode.hpp"

namespace ridge {

inline std::array<double, kDecodeInputs> input_values(const DecodeCase<double>& c) {
  std::array<double, kDecodeInputs> values{};
  std::size_t index = 0;
  visit_inputs(c, [&](const InputInfo&, const auto& field) { values[index++] = field.value(); });
  return values;
}

/// The case in another reading: make(index, info, dimension, value) supplies each scalar.
template <class S, class Make>
DecodeCase<S> read_as(const DecodeCase<double>& from, Make&& make) {
  const auto values = input_values(from);
  DecodeCase<S> to;
  to.has = from.has;
  std::size_t index = 0;
  visit_inputs(to, [&]<Dimension D>(const InputInfo& info, Quantity<D, S>& field) {
    field = Quantity<D, S>(make(index, info, D, values[index]));
    ++index;
  });
  return to;
}

template <class S>
std::array<S, kDecodeOutputs> output_values(const DecodeEstimate<S>& estimate) {
  std::array<S, kDecodeOutputs> values;
  std::size_t index = 0;
  visit_outputs(estimate, [&](const OutputInfo&, const auto& field) { values[index++] = field.value(); });
  return values;
}

/// A copy with one input replaced.
inline DecodeCase<double> with_input(const DecodeCase<double>& c, std::size_t which, double value) {
  DecodeCase<double> changed = read_as<double>(
      c, [&](std::size_t index, const InputInfo&, Dimension, double old) { return index == which ? value : old; });
  changed.has = parts_of(input_values(changed));
  return changed;
}

}  // namespace ridge
