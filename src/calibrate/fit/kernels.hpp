#pragma once
// Measured kernels against the equations of cost/operation.hpp: the same functions that predict a step predict a row.

#include <map>
#include <string>

#include "calibrate/evidence/evidence.hpp"
#include "cost/operation.hpp"
#include "machine/format.hpp"

namespace ridge {

/// How the program that timed a kernel starts it: facts about the clock, not about the chip. Never part of a step.
struct Harness {
  double extra = 0;   // s, beside the kernel itself: quantizing apart, eager launches
  double launch = 0;  // s, below which no row of this program comes
  double slope = 0;   // s for each thousand inner dimensions, decode blocks, query rows or tokens: see slope_measure
  double walk = 0;  // s for each thousand inner dimensions of a narrow product, whose input it makes narrow on the way
};

/// "matrix_products.torch_flow-fp8": rows of one program, class and format share a harness.
std::string harness_name(const KernelRow& row);

/// What a row needs beside its own numbers: resolved once, evaluated often.
struct KernelCase {
  KernelRow row;
  Precision precision = Precision::bits16;
  bool block_scaled = false;                        // fp8 with a scale for each block
  double width = 2, input_width = 2, kv_width = 2;  // bytes
  double touched = 0, rows = 0;                     // expert layers: on the chip that was timed
};

/// Where the tokens of an expert row went, as its program sent them: evenly, or by loads drawn from a power law with the
/// busiest chip timed. Fills `touched` and `rows`.
void route_tokens(KernelCase& kernel);

/// Whether a program may make the row's input narrow before the kernel.
bool may_quantize(const KernelCase& kernel);

/// The equations' answer in seconds.
double predict_kernel(const KernelCase& kernel, const ChipRates<double>& rates, const Harness& harness);

}  // namespace ridge
