#pragma once
// A model read from a config, checked against the tensors of its checkpoint and corrected where they differ.

#include <string_view>

#include "base/result.hpp"
#include "catalog/checkpoint/tensor_table.hpp"
#include "model/model.hpp"

namespace ridge::catalog {

/// Afterwards the model's parameters and bytes are those of the tensors; its remarks say what agreed and what did not.
/// Tensors that cannot be this config's are an error, with `place` as the folder or file of both.
Errors believe_tensors(Model& model, const TensorTable& table, std::string_view place);

}  // namespace ridge::catalog
