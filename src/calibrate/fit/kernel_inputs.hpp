#pragma once
// What a measured kernel had to do, in the words of the equations of cost/operation.hpp. A field that is set to nothing
// is a thing less to do: so the time of each can be told from the others.

#include "calibrate/fit/kernels.hpp"

namespace ridge {

/// rows x inner times inner x outer.
struct ProductInputs {
  Precision precision = Precision::bits16;
  double work = 0;                              // FLOP
  double weights = 0, inputs = 0, outputs = 0;  // bytes
  double made_narrow = 0;                       // bytes read and written to quantize the input
  double depth = 0;                             // thousands of its inner dimension
};

struct PrefillInputs {
  double scores = 0, rows = 0;  // query rows times keys, and query rows, over all heads
  double width = 0;             // FLOP of one score
  double moved = 0;             // bytes
  double blocks = 0;            // sequences times heads
};

struct ExpertInputs {
  GroupedKernel kernel;
  double tokens = 0, rows = 0, touched = 0;
  double row_flops = 0;                 // of one token in one expert
  double weights = 0, activations = 0;  // bytes
};

ProductInputs product_inputs(const KernelCase& kernel);
DecodeAttention<double> decode_inputs(const KernelCase& kernel);  // of a latent as well
PrefillInputs prefill_inputs(const KernelCase& kernel);           // of a latent as well
ExpertInputs expert_inputs(const KernelCase& kernel);

/// Seconds by the equations.
double time_of(const ChipPaces<double>& rates, const ProductInputs& inputs);
double time_of(const ChipPaces<double>& rates, const DecodeAttention<double>& inputs);
double time_of(const ChipPaces<double>& rates, const PrefillInputs& inputs);
double time_of(const ChipPaces<double>& rates, const ExpertInputs& inputs);

/// What a program's own loop adds, of a size that it counts: see Harness.
double program_time(const KernelCase& kernel, const Harness& harness);

}  // namespace ridge
