#pragma once
// Gated delta rule (Gated DeltaNet of Qwen3-Next and Qwen3.5; Kimi Delta Attention): a fixed matrix of state for each
// value head instead of a cache. Source: Yang et al., arXiv:2412.06464.

#include <array>
#include <string_view>

#include "model/context.hpp"
#include "model/weight.hpp"

namespace ridge {

struct DeltaAttention {
  static constexpr std::string_view kType = "delta";
  static constexpr auto kRequired =
      std::to_array<std::string_view>({"key_heads", "value_heads", "key_dim", "value_dim", "kernel"});

  double key_heads = 0, value_heads = 0, key_dim = 0, value_dim = 0;
  double kernel = 0;      // taps of the short convolution over queries, keys and values
  double decay_rank = 0;  // 0: one decay a head; else a low-rank decay for each channel of the keys (Kimi)
  double gate_rank = 0;   // 0: a full output gate; else a low-rank one

  template <class Self, class Visit>
  static void visit_fields(Self& self, Visit&& visit) {
    visit("key_heads", self.key_heads);
    visit("value_heads", self.value_heads);
    visit("key_dim", self.key_dim);
    visit("value_dim", self.value_dim);
    visit("kernel", self.kernel);
    visit("decay_rank", self.decay_rank);
    visit("gate_rank", self.gate_rank);
  }

  double channels() const { return 2 * key_heads * key_dim + value_heads * value_dim; }

  void weights(double hidden, Weights& out) const {
    const double keys = key_heads * key_dim, values = value_heads * value_dim;
    out.push_back(matrix(Part::attention, "linear_attn.in_proj_qkv", hidden, channels(), Split::columns, key_heads));
    if (gate_rank > 0) {
      out.push_back(matrix(Part::attention, "linear_attn.g_a_proj", hidden, gate_rank));
      out.push_back(matrix(Part::attention, "linear_attn.g_b_proj", gate_rank, values, Split::columns, value_heads));
    } else {
      out.push_back(matrix(Part::attention, "linear_attn.in_proj_z", hidden, values, Split::columns, key_heads));
    }
    out.push_back(matrix(Part::attention, "linear_attn.in_proj_b", hidden, value_heads, Split::columns, key_heads));
    if (decay_rank > 0) {
      out.push_back(matrix(Part::attention, "linear_attn.f_a_proj", hidden, decay_rank));
      out.push_back(matrix(Part::attention, "linear_attn.f_b_proj", decay_rank, keys, Split::columns, key_heads));
      out.push_back(vector(Part::attention, "linear_attn.dt_bias", keys));
    } else {
      out.push_back(matrix(Part::attention, "linear_attn.in_proj_a", hidden, value_heads, Split::columns, key_heads));
      out.push_back(vector(Part::attention, "linear_attn.dt_bias", value_heads));
    }
    out.push_back(vector(Part::attention, "linear_attn.A_log", value_heads));
    out.push_back({Part::attention, "linear_attn.conv1d", kernel, channels(), 1, 1, Use::convolution});
    out.push_back(vector(Part::attention, "linear_attn.norm", value_dim));
    out.push_back(matrix(Part::attention, "linear_attn.out_proj", values, hidden, Split::rows, key_heads));
  }

  /// The state, and the last kernel - 1 inputs of the convolution. A step reads the state with the key, corrects it by
  /// an outer product and reads it with the query: three multiply-adds an element.
  ContextTerms context() const {
    const double state = value_heads * key_dim * value_dim;
    const double recent = kernel > 1 ? (kernel - 1) * channels() : 0;
    return over_heads(
        {state_term(state, 6 * state), {.held = Held::kv, .fixed_stored = recent, .fixed_read = recent + channels()}},
        key_heads, key_heads);
  }
};

}  // namespace ridge
