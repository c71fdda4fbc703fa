#pragma once
// A model in a line of words, for measured runs of models that are in no catalog:
// "layers=24 hidden=1024 heads=16 ffn=4096 vocab=51200 tied".

#include <string_view>

#include "base/result.hpp"
#include "model/model.hpp"

namespace ridge {

/// Words: layers, hidden, heads, kv (as heads), head_dim (hidden / heads), ffn, gated, vocab, tied, positions; for experts
/// experts, top, expert_ffn, shared_ffn, dense_layers (the first so many have none); for latent attention q_rank, kv_rank,
/// nope, rope, value; mtp (modules).
Result<Model> model_of_shape(std::string_view text, std::string_view where);

/// Whether a model's name is such a line.
bool is_shape(std::string_view text);

}  // namespace ridge
