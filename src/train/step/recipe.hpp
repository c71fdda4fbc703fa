#pragma once
// In which numbers a model is trained: products, weights, gradients and optimizer states. Facts of catalog/recipe.

#include <string>
#include <string_view>
#include <vector>

#include "base/numbers_entry.hpp"
#include "base/result.hpp"
#include "cost/calibration.hpp"

namespace ridge {

struct TrainingRecipe {
  std::string name, title, note;
  Precision products = Precision::bits16;  // of the layers' matrices; head, router and attention stay in 16 bit
  bool block_scaled = false;               // with a scale for each block of numbers
  bool sizes_on_chip = false;              // grouped products take their sizes from the chip: a graph can hold them
  double weight_bytes = 2;                 // of a parameter in the model
  double gradient_bytes = 4;               // as accumulated over micro-batches
  double reduce_bytes = 4;                 // of a gradient on the wire
  double gather_bytes = 2;                 // of a parameter on the wire
  double master_bytes = 4;                 // of the optimizer's own copy; 0: none
  double state_bytes = 8;                  // of its moments
  double kept_input_bytes = 2;             // of a product's input as the backward pass finds it
  double dispatch_bytes = 2;               // of a number sent to its expert
  double optimizer_flops = 0;              // of a parameter and step, beside reading and writing: Muon's products

  double optimizer_bytes() const { return master_bytes + state_bytes; }
};

/// The recipe of that name among the catalog's.
Result<TrainingRecipe> find_recipe(const std::vector<NumbersEntry>& recipes, std::string_view name,
                                   std::string_view where);

}  // namespace ridge
