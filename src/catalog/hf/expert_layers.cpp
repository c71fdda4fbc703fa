#include "catalog/hf/expert_layers.hpp"

#include <cmath>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "catalog/hf/layer_lists.hpp"

namespace ridge::catalog {

namespace {

/// A file that says how many experts there are, none or one, needs no other key about them.
void settle_experts(const ConfigNode& text) {
  if (!text.has_any({"num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts", "enable_moe_block"}))
    return;
  text.settle({"num_experts_per_tok", "num_experts_per_token", "top_k_experts", "moe_topk", "moe_intermediate_size",
               "expert_intermediate_size", "moe_layer_freq", "decoder_sparse_step", "interleave_moe_layer_step",
               "n_shared_experts", "num_shared_experts", "shared_expert_intermediate_size", "n_group", "topk_group",
               "first_k_dense_replace", "topk_method", "moe_layers", "mlp_only_layers"});
}

}  // namespace

double routed_experts(const ConfigNode& text) {
  if (!text.flag_or({"enable_moe_block"}, true)) return 0;
  const double count =
      uniform_count(text, {"num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts"}).value_or(0);
  return count > 1 ? count : 0;  // one expert is a plain network
}

void mark_experts(const ConfigNode& text, const Wording& wording, std::vector<LayerForm>& layers) {
  const LayerLists lists(text, layers.size());
  if (routed_experts(text) <= 0) {
    settle_experts(text);
    return;
  }
  text.settle({"moe_layer_freq", "decoder_sparse_step", "interleave_moe_layer_step", "moe_layer_interval", "moe_layers",
               "mlp_only_layers"});
  const auto dense = [&layers](std::size_t i) { layers[i].experts = false; };
  for (LayerForm& layer : layers) layer.experts = layer.feed_forward;
  if (const auto first = text.optional_count({"first_k_dense_replace", "num_dense_layers", "moe_layer_start_index"})) {
    lists.at_most_all(text.spelled({"first_k_dense_replace", "num_dense_layers", "moe_layer_start_index"}), *first);
    for (std::size_t i = 0; i < layers.size() && static_cast<double>(i) < *first; ++i) dense(i);
  }
  if (const auto last = text.optional_number({"moe_layer_end_index"}); last && *last >= 0) {
    for (std::size_t i = 0; i < layers.size(); ++i) {
      if (static_cast<double>(i) > *last) dense(i);
    }
  }
  if (const auto only = text.optional_counts({"mlp_only_layers"})) {
    lists.right_numbers("mlp_only_layers", *only);
    for (std::size_t i = 0; i < layers.size(); ++i) {
      if (LayerLists::contains(*only, i)) dense(i);
    }
  }
  if (const auto words = text.optional_texts({"mlp_layer_types"})) {
    if (!lists.right_length("mlp_layer_types", *words)) return;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const std::string meant = wording.words.meaning("mlp_type", (*words)[i]);
      layers[i].experts = meant == "moe";
      if (meant == "moe" || meant == "mlp") continue;
      return text.complain("mlp_layer_types", fmt::format("layer type \"{}\" is not supported", shortened((*words)[i])),
                           "dense or sparse is expected");
    }
    return;
  }
  if (const JsonValue* listed = text.value({"moe_layer_freq"}); listed != nullptr && listed->array() != nullptr) {
    const auto flags = text.optional_counts({"moe_layer_freq"});
    if (!flags || !lists.right_length("moe_layer_freq", *flags)) return;
    lists.only_marks("moe_layer_freq", *flags);
    for (std::size_t i = 0; i < layers.size(); ++i) layers[i].experts = (*flags)[i] != 0;
  } else if (const auto step = text.optional_count({"moe_layer_freq"}); step && *step > 1) {
    for (std::size_t i = 0; i < layers.size(); ++i) {
      if (std::fmod(static_cast<double>(i), *step) != 0) dense(i);
    }
  }
  if (const auto chosen = text.optional_counts({"moe_layers"}); chosen && !chosen->empty()) {
    lists.right_numbers("moe_layers", *chosen);
    for (std::size_t i = 0; i < layers.size(); ++i) layers[i].experts = LayerLists::contains(*chosen, i);
    return;
  }
  if (const auto step = text.optional_count({"decoder_sparse_step", "interleave_moe_layer_step", "moe_layer_interval"});
      step && *step > 1) {
    for (std::size_t i = 0; i < layers.size(); ++i) {
      if (std::fmod(static_cast<double>(i) + 1, *step) != 0) dense(i);
    }
  }
}

}  // namespace ridge::catalog
