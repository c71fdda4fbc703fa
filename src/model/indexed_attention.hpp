#pragma once
// DeepSeek sparse attention (V3.2, GLM-5): latent attention over the `top` tokens that a small indexer picks. The
// indexer keeps one key for each token and scores all of them at every step, so reads still grow with the context.

#include <array>
#include <string_view>

#include "model/latent_attention.hpp"

namespace ridge {

struct IndexedAttention {
  static constexpr std::string_view kType = "indexed";
  static constexpr auto kRequired = std::to_array<std::string_view>(
      {"query_heads", "kv_rank", "nope_dim", "rope_dim", "value_dim", "index_heads", "index_dim", "top"});

  LatentAttention latent;
  double index_heads = 0, index_dim = 0, top = 0;
  bool borrows_index = false;  // takes the choice of an earlier layer, and has no indexer

  template <class Self, class Visit>
  static void visit_fields(Self& self, Visit&& visit) {
    LatentAttention::visit_fields(self.latent, visit);
    visit("index_heads", self.index_heads);
    visit("index_dim", self.index_dim);
    visit("top", self.top);
    visit("borrows_index", self.borrows_index);
  }

  void weights(double hidden, Weights& out) const {
    latent.weights(hidden, out);
    if (borrows_index) return;
    const double query_in = latent.query_rank > 0 ? latent.query_rank : hidden;
    out.push_back(matrix(Part::attention, "self_attn.indexer.wq_b", query_in, index_heads * index_dim));
    out.push_back(matrix(Part::attention, "self_attn.indexer.wk", hidden, index_dim));
    out.push_back(vector(Part::attention, "self_attn.indexer.k_norm", 2 * index_dim));  // weight and bias
    out.push_back(matrix(Part::attention, "self_attn.indexer.weights_proj", hidden, index_heads));
  }

  ContextTerms context() const {
    const double entry = latent.latent_elements();
    ContextTerms terms = over_heads({{.held = Held::kv, .stored = entry},
                                     {.held = Held::kv, .limit = top, .read = entry, .flops = latent.absorbed_flops()}},
                                    latent.query_heads, 1);
    if (borrows_index) return terms;
    terms.push_back(
        {.held = Held::index, .stored = index_dim, .read = index_dim, .flops = 2 * index_heads * index_dim});
    return terms;
  }
};

}  // namespace ridge
