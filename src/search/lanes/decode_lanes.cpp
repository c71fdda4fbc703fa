// The decode equations over SIMD lanes. CMake compiles this file once per instruction set, each time with its flags and
// with the project's namespace renamed (-Dridge=ridge_avx2), so that an inline function compiled for AVX-512 can never
// be the copy that the linker keeps for a machine without it. Entry points are plain C functions over arrays of doubles.

#include "search/lanes/decode_lanes.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "roofline/decode.ipp"
#include "search/lanes/lanes_arrays.hpp"

namespace ridge {
namespace {

template <Dimension D>
void assign(Quantity<D, Lanes>& field, const Lanes& lanes) {
  field = Quantity<D, Lanes>(lanes);
}

RIDGE_FLATTEN void run(const double* inputs, const double* const* axes, std::size_t count, double* const* columns) {
  DecodeCase<Lanes> c;
  std::size_t input = 0;
  visit_inputs(c, [&](const InputInfo&, auto& field) { assign(field, Lanes(inputs[input++])); });
  c.has = parts_of(inputs);
  for (std::size_t i = 0; i < kDecodeInputs; ++i) {
    const double* axis = axes[i];
    if (axis != nullptr && std::any_of(axis, axis + count, [](double value) { return value != 0.0; }))
      mark_part(c.has, i);
  }
  for (std::size_t first = 0; first < count; first += static_cast<std::size_t>(Lanes::size())) {
    const std::size_t left = count - first;
    input = 0;
    visit_inputs(c, [&](const InputInfo&, auto& field) {
      if (const double* axis = axes[input++]) assign(field, load_some(axis + first, left));
    });
    const DecodeEstimate<Lanes> estimate = estimate_decode(c);
    std::size_t output = 0;
    visit_outputs(estimate, [&](const OutputInfo&, const auto& field) {
      if (double* column = columns[output++]) store_some(field.value(), column + first, left);
    });
  }
}

}  // namespace
}  // namespace ridge

extern "C" void RIDGE_LANES_ENTRY(const double* inputs, const double* const* axes, std::size_t count,
                                  double* const* columns) {
  ridge::run(inputs, axes, count, columns);
}
