#pragma once
// The derivation of a figure, line by line, from the graph that Traced recorded.

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/number/traced.hpp"
#include "report/base/style.hpp"
#include "roofline/readings.hpp"
#include "roofline/scenario.hpp"

namespace ridge::report {

/// One line: t_weights = weights_read / (n·W) = 670.1 GB / (72·8 TB/s) = 1.163 ms.
struct DerivationLine {
  std::string symbol;
  std::string formula;  // in symbols
  std::string numbers;  // the same with the numbers in it; evaluating it gives `shown` to its digits
  std::string shown;
  double value = 0.0;
  Dimension dimension;
  std::vector<std::pair<std::string, double>> operands;  // symbols of the formula, base units
  int depth = 0;
};

/// The lines below a figure, each symbol once, at most `depth` levels (0: all).
std::vector<DerivationLine> derive(const Traced& figure, int depth);
/// Those below all figures, each symbol once: what two figures share is written once.
std::vector<DerivationLine> derive_all(std::span<const Traced> figures);

/// A case as inputs that carry their symbols.
template <template <class> class Case>
Case<Traced> traced_case(const Case<double>& numbers) {
  return read_as<Traced>(numbers, [](std::size_t, const InputInfo& info, Dimension dimension, double value) {
    return Traced::input(info.symbol, dimension, value);
  });
}
/// The same, with an owner's price opened into what it is made of.
DecodeCase<Traced> traced_case(const ResolvedCase& resolved);

/// An input of the equations, for the list below a derivation.
struct DerivationInput {
  std::string_view symbol, meaning;
  double value = 0.0;
  Dimension dimension;
  Provenance from;
};
/// Those of a case, each with its source.
template <template <class> class Case>
std::vector<DerivationInput> derivation_inputs(const Case<double>& numbers,
                                               const std::array<Provenance, FieldList<Case>::kCount>& from) {
  constexpr auto kRows = field_rows<Case>();
  const auto values = input_values(numbers);
  std::vector<DerivationInput> inputs;
  for (std::size_t i = 0; i < kRows.size(); ++i)
    inputs.push_back({kRows[i].info.symbol, kRows[i].info.meaning, values[i], kRows[i].dimension, from[i]});
  return inputs;
}
/// The same, with what an owner's price is made of.
std::vector<DerivationInput> derivation_inputs(const ResolvedCase& resolved);

/// The lines as text, then what the inputs are and where each comes from.
std::string derivation_text(const std::vector<DerivationLine>& lines, const std::vector<DerivationInput>& inputs,
                            const Library& library, const Style& style);

}  // namespace ridge::report
