#pragma once
// Native sparse attention: one compressed entry every `stride` tokens, `selected` tokens in full and a sliding window,
// joined by gates. Linear in a long context, with slope 1/stride. Source: Yuan et al., arXiv:2502.11089.

#include <array>
#include <string_view>

#include "model/context.hpp"
#include "model/weight.hpp"

namespace ridge {

struct NativeSparseAttention {
  static constexpr std::string_view kType = "native-sparse";
  static constexpr auto kRequired = std::to_array<std::string_view>({"query_heads", "kv_heads", "head_dim"});

  double query_heads = 0, kv_heads = 0, head_dim = 0, value_dim = 0;
  double block = 32, stride = 16;  // tokens under one compressed entry, and between two
  double selected = 1024, window = 512;

  template <class Self, class Visit>
  static void visit_fields(Self& self, Visit&& visit) {
    visit("query_heads", self.query_heads);
    visit("kv_heads", self.kv_heads);
    visit("head_dim", self.head_dim);
    visit("value_dim", self.value_dim);
    visit("block", self.block);
    visit("stride", self.stride);
    visit("selected", self.selected);
    visit("window", self.window);
  }

  /// Keys and values for each of the three branches, the compressors over a block, and three gates a head.
  void weights(double hidden, Weights& out) const {
    const double keys = kv_heads * head_dim, values = kv_heads * value_dim;
    out.push_back(
        matrix(Part::attention, "self_attn.q_proj", hidden, query_heads * head_dim, Split::columns, query_heads));
    out.push_back({Part::attention, "self_attn.k_proj", hidden, keys, 3, 3, Use::matrix, Split::columns, kv_heads});
    out.push_back({Part::attention, "self_attn.v_proj", hidden, values, 3, 3, Use::matrix, Split::columns, kv_heads});
    out.push_back(matrix(Part::attention, "self_attn.compress_k", block * head_dim, head_dim));
    out.push_back(matrix(Part::attention, "self_attn.compress_v", block * value_dim, value_dim));
    out.push_back(matrix(Part::attention, "self_attn.gate", hidden, 3 * query_heads, Split::columns, query_heads));
    out.push_back(
        matrix(Part::attention, "self_attn.o_proj", query_heads * value_dim, hidden, Split::rows, query_heads));
  }

  ContextTerms context() const {
    const double entry = kv_heads * (head_dim + value_dim);
    const double work = 2 * query_heads * (head_dim + value_dim);
    return over_heads({{.held = Held::kv, .stored = entry / stride, .read = entry / stride, .flops = work / stride},
                       {.held = Held::kv, .stored = entry},  // any token may be selected
                       {.held = Held::kv, .limit = selected, .read = entry, .flops = work},
                       {.held = Held::kv, .limit = window, .stored = entry, .read = entry, .flops = work}},
                      query_heads, kv_heads);
  }
};

}  // namespace ridge
