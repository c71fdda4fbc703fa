#pragma once
// Multi-head latent attention (DeepSeek-V2): the cache holds one compressed latent and one rotary key for each token,
// shared by all heads. Source: DeepSeek-V2, arXiv:2405.04434.

#include <array>
#include <string_view>

#include "model/context.hpp"
#include "model/weight.hpp"

namespace ridge {

struct LatentAttention {
  static constexpr std::string_view kType = "latent";
  static constexpr auto kRequired =
      std::to_array<std::string_view>({"query_heads", "kv_rank", "nope_dim", "rope_dim", "value_dim"});

  double query_heads = 0;
  double query_rank = 0;  // 0: queries are not compressed
  double kv_rank = 0, nope_dim = 0, rope_dim = 0, value_dim = 0;
  bool bias = false;  // on the way into the ranks and out of the heads

  template <class Self, class Visit>
  static void visit_fields(Self& self, Visit&& visit) {
    visit("query_heads", self.query_heads);
    visit("query_rank", self.query_rank);
    visit("kv_rank", self.kv_rank);
    visit("nope_dim", self.nope_dim);
    visit("rope_dim", self.rope_dim);
    visit("value_dim", self.value_dim);
    visit("bias", self.bias);
  }

  void weights(double hidden, Weights& out) const {
    const double query_width = query_heads * (nope_dim + rope_dim);
    if (query_rank > 0) {
      out.push_back(matrix(Part::attention, "self_attn.q_a_proj", hidden, query_rank));
      out.push_back(vector(Part::attention, "self_attn.q_a_layernorm", query_rank));
      out.push_back(
          matrix(Part::attention, "self_attn.q_b_proj", query_rank, query_width, Split::columns, query_heads));
    } else {
      out.push_back(matrix(Part::attention, "self_attn.q_proj", hidden, query_width, Split::columns, query_heads));
    }
    out.push_back(matrix(Part::attention, "self_attn.kv_a_proj_with_mqa", hidden, kv_rank + rope_dim));
    out.push_back(vector(Part::attention, "self_attn.kv_a_layernorm", kv_rank));
    out.push_back(matrix(Part::attention, "self_attn.kv_b_proj", kv_rank, query_heads * (nope_dim + value_dim),
                         Split::columns, query_heads));
    out.push_back(
        matrix(Part::attention, "self_attn.o_proj", query_heads * value_dim, hidden, Split::rows, query_heads));
    if (!bias) return;
    if (query_rank > 0) out.push_back(vector(Part::attention, "self_attn.q_a_proj.bias", query_rank));
    out.push_back(vector(Part::attention, "self_attn.kv_a_proj_with_mqa.bias", kv_rank + rope_dim));
    out.push_back(vector(Part::attention, "self_attn.o_proj.bias", hidden));
  }

  double latent_elements() const { return kv_rank + rope_dim; }
  /// Absorbed, as in decoding: queries meet the latent itself. Scores over kv_rank + rope_dim, values over kv_rank.
  double absorbed_flops() const { return 2 * query_heads * (2 * kv_rank + rope_dim); }
  /// Expanded, as in prefill: every head gets its own keys and values first.
  double expanded_flops() const { return 2 * query_heads * (nope_dim + rope_dim + value_dim); }

  ContextTerms context() const {
    return over_heads({{.held = Held::kv,
                        .stored = latent_elements(),
                        .read = latent_elements(),
                        .flops = absorbed_flops(),
                        .prefill_flops = expanded_flops()}},
                      query_heads, 1);
  }
};

}  // namespace ridge
