#pragma once
// Lightning attention (MiniMax-Text-01, Ring-linear): linear attention with a fixed decay a head; one matrix of state
// for each head. Source: MiniMax-01, arXiv:2501.08313.

#include <array>
#include <string_view>

#include "model/context.hpp"
#include "model/weight.hpp"

namespace ridge {

struct LightningAttention {
  static constexpr std::string_view kType = "lightning";
  static constexpr auto kRequired = std::to_array<std::string_view>({"query_heads", "kv_heads", "head_dim"});

  double query_heads = 0, kv_heads = 0, head_dim = 0;
  double query_norm = 0, key_norm = 0, output_norm = 0;  // widths of the norms' weights; 0: none
  bool gate = true;                                      // an output gate of full width

  template <class Self, class Visit>
  static void visit_fields(Self& self, Visit&& visit) {
    visit("query_heads", self.query_heads);
    visit("kv_heads", self.kv_heads);
    visit("head_dim", self.head_dim);
    visit("query_norm", self.query_norm);
    visit("key_norm", self.key_norm);
    visit("output_norm", self.output_norm);
    visit("gate", self.gate);
  }

  void weights(double hidden, Weights& out) const {
    const double width = query_heads * head_dim;
    out.push_back(matrix(Part::attention, "self_attn.qkv_proj", hidden, width + 2 * kv_heads * head_dim, Split::columns,
                         kv_heads));
    if (gate)
      out.push_back(matrix(Part::attention, "self_attn.output_gate", hidden, width, Split::columns, query_heads));
    out.push_back(matrix(Part::attention, "self_attn.out_proj", width, hidden, Split::rows, query_heads));
    if (query_norm > 0) out.push_back(vector(Part::attention, "self_attn.q_norm", query_norm));
    if (key_norm > 0) out.push_back(vector(Part::attention, "self_attn.k_norm", key_norm));
    if (output_norm > 0) out.push_back(vector(Part::attention, "self_attn.norm", output_norm));
  }

  /// An outer product into the state, and the state read with the query: two multiply-adds an element.
  ContextTerms context() const {
    const double state = query_heads * head_dim * head_dim;
    return over_heads({state_term(state, 4 * state)}, query_heads, query_heads);
  }
};

}  // namespace ridge
