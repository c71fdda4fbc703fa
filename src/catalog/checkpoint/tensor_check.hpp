#pragma once
// A model read from a config, checked against the tensors of its checkpoint and corrected where they differ.

#include "catalog/checkpoint/tensor_table.hpp"
#include "model/model.hpp"

namespace ridge::catalog {

/// Afterwards the model's parameters and bytes are those of the tensors; its remarks say what agreed and what did not.
void believe_tensors(Model& model, const TensorTable& table);

}  // namespace ridge::catalog
