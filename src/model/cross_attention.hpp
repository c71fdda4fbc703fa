#pragma once
// Attention over the tokens of an encoder instead of the text (Llama 3.2 Vision): its keys and values do not grow with
// the context; their number is that of the image, `source_tokens`.

#include <array>
#include <string_view>

#include "model/context.hpp"
#include "model/weight.hpp"

namespace ridge {

struct CrossAttention {
  static constexpr std::string_view kType = "cross";
  static constexpr auto kRequired = std::to_array<std::string_view>({"query_heads", "kv_heads", "head_dim"});

  double query_heads = 0, kv_heads = 0, head_dim = 0;
  double query_norm = 0, key_norm = 0;
  double gates = 0;          // learned scalars on the residual
  double source_tokens = 0;  // 0: text alone

  template <class Self, class Visit>
  static void visit_fields(Self& self, Visit&& visit) {
    visit("query_heads", self.query_heads);
    visit("kv_heads", self.kv_heads);
    visit("head_dim", self.head_dim);
    visit("query_norm", self.query_norm);
    visit("key_norm", self.key_norm);
    visit("gates", self.gates);
    visit("source_tokens", self.source_tokens);
  }

  void weights(double hidden, Weights& out) const {
    out.push_back(
        matrix(Part::attention, "cross_attn.q_proj", hidden, query_heads * head_dim, Split::columns, query_heads));
    // these meet the tokens of the image, once, and none that is decoded
    out.push_back({Part::attention, "cross_attn.k_proj", hidden, kv_heads * head_dim, 1, 0, Use::matrix, Split::columns,
                   kv_heads});
    out.push_back({Part::attention, "cross_attn.v_proj", hidden, kv_heads * head_dim, 1, 0, Use::matrix, Split::columns,
                   kv_heads});
    out.push_back(
        matrix(Part::attention, "cross_attn.o_proj", query_heads * head_dim, hidden, Split::rows, query_heads));
    if (query_norm > 0) out.push_back(vector(Part::attention, "cross_attn.q_norm", query_norm));
    if (key_norm > 0) out.push_back(vector(Part::attention, "cross_attn.k_norm", key_norm));
    if (gates > 0) out.push_back(vector(Part::attention, "cross_attn_gates", gates));
  }

  ContextTerms context() const {
    const double held = 2 * kv_heads * head_dim * source_tokens;
    return over_heads({{.held = Held::kv,
                        .fixed_stored = held,
                        .fixed_read = held,
                        .fixed_flops = 4 * query_heads * head_dim * source_tokens}},
                      query_heads, kv_heads);
  }
};

}  // namespace ridge
