#pragma once
// Moving a case between readings: the same inputs as double, Dual, Interval or Traced, and its outputs as a plain list.

#include "base/field_list.hpp"
#include "roofline/decode.hpp"

namespace ridge {

template <>
struct FieldList<DecodeCase> {
  using Info = InputInfo;
  static constexpr std::size_t kCount = kDecodeInputs;
  static constexpr void visit(auto& c, auto&& f) { visit_inputs(c, f); }
  static constexpr void keep_terms(const auto& from, auto& to) {
    to.has = from.has;
    to.follows = from.follows;
  }
};

template <>
struct FieldList<DecodeEstimate> {
  using Info = OutputInfo;
  static constexpr std::size_t kCount = kDecodeOutputs;
  static constexpr void visit(auto& estimate, auto&& f) { visit_outputs(estimate, f); }
};

/// A copy with one input replaced.
inline DecodeCase<double> with_input(const DecodeCase<double>& c, std::size_t which, double value) {
  DecodeCase<double> changed = read_as<double>(
      c, [&](std::size_t index, const InputInfo&, Dimension, double old) { return index == which ? value : old; });
  changed.has = parts_of(input_values(changed));
  return changed;
}

}  // namespace ridge
