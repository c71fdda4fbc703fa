#pragma once
// Plain C entry points of search/lanes/decode_lanes.cpp, one per instruction set.
// inputs: kDecodeInputs numbers. axes: kDecodeInputs pointers, null where the input is the same for all cases, else
// `count` numbers. columns: kDecodeOutputs pointers, null where the output is not wanted.

#include <cstddef>

extern "C" {
void ridge_decode_lanes_baseline(const double* inputs, const double* const* axes, std::size_t count,
                                 double* const* columns);
void ridge_decode_lanes_avx2(const double* inputs, const double* const* axes, std::size_t count,
                             double* const* columns);
void ridge_decode_lanes_avx512(const double* inputs, const double* const* axes, std::size_t count,
                               double* const* columns);
}
