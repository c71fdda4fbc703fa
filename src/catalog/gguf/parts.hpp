#pragma once
// The names of a GGUF file's tensors.

#include <limits>
#include <optional>
#include <string_view>

#include "model/weight.hpp"

namespace ridge::catalog {

/// "blk.12.attn_q.weight" as 12 and "attn_q.weight"; nothing for a tensor outside the blocks.
struct BlockTensor {
  double block;
  std::string_view rest;
};
std::optional<BlockTensor> block_tensor(std::string_view name);

/// What a tensor is for, by its name. `layers` is the number of layers without multi-token prediction: in GGUF the
/// modules of the latter are the blocks from there on.
Part part_of_gguf_tensor(std::string_view name, double layers = std::numeric_limits<double>::infinity());

}  // namespace ridge::catalog
