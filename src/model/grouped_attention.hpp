#pragma once
// Attention over keys and values of every token: multi-head (kv_heads == query_heads), grouped, multi-query
// (kv_heads == 1); over the whole context, a sliding window or a chunk; with its own keys and values or with those of an
// earlier layer.

#include <array>
#include <string_view>

#include "model/context.hpp"
#include "model/weight.hpp"

namespace ridge {

struct GroupedAttention {
  static constexpr std::string_view kType = "grouped";
  static constexpr auto kRequired = std::to_array<std::string_view>({"query_heads", "kv_heads", "head_dim"});

  double query_heads = 0, kv_heads = 0;
  double head_dim = 0;                  // of queries and keys
  double value_dim = 0;                 // of values
  double window = kUnlimited;           // tokens a query looks back; a chunk at its end
  bool chunked = false;                 // the window does not slide: it is the chunk the token stands in
  bool borrows_kv = false;              // reads the keys and values of another layer, and has none
  bool key_is_value = false;            // one projection makes both, though both are kept
  double query_norm = 0, key_norm = 0;  // widths of the norms' weights; 0: none
  bool qkv_bias = false, output_bias = false;
  double gate = 0;     // outputs of a gate on the heads' results; 0: none
  bool sinks = false;  // a learned logit for each head

  template <class Self, class Visit>
  static void visit_fields(Self& self, Visit&& visit) {
    visit("query_heads", self.query_heads);
    visit("kv_heads", self.kv_heads);
    visit("head_dim", self.head_dim);
    visit("value_dim", self.value_dim);
    visit("window", self.window);
    visit("chunked", self.chunked);
    visit("borrows_kv", self.borrows_kv);
    visit("key_is_value", self.key_is_value);
    visit("query_norm", self.query_norm);
    visit("key_norm", self.key_norm);
    visit("qkv_bias", self.qkv_bias);
    visit("output_bias", self.output_bias);
    visit("gate", self.gate);
    visit("sinks", self.sinks);
  }

  void weights(double hidden, Weights& out) const {
    const double queries = query_heads * head_dim, keys = kv_heads * head_dim, values = kv_heads * value_dim;
    const double results = query_heads * value_dim;
    const auto projection = [&](const char* name, double width, double heads) {
      out.push_back(matrix(Part::attention, std::string("self_attn.") + name, hidden, width, Split::columns, heads));
      if (qkv_bias) out.push_back(vector(Part::attention, std::string("self_attn.") + name + ".bias", width));
    };
    projection("q_proj", queries, query_heads);
    if (gate > 0) out.push_back(matrix(Part::attention, "self_attn.q_proj", hidden, gate, Split::columns, query_heads));
    if (!borrows_kv) {
      projection("k_proj", keys, kv_heads);
      if (!key_is_value) projection("v_proj", values, kv_heads);
    }
    out.push_back(matrix(Part::attention, "self_attn.o_proj", results, hidden, Split::rows, query_heads));
    if (output_bias) out.push_back(vector(Part::attention, "self_attn.o_proj.bias", hidden));
    if (query_norm > 0) out.push_back(vector(Part::attention, "self_attn.q_norm", query_norm));
    if (key_norm > 0 && !borrows_kv) out.push_back(vector(Part::attention, "self_attn.k_norm", key_norm));
    if (sinks) out.push_back(vector(Part::attention, "self_attn.sinks", query_heads));
  }

  /// Scores and values, a multiply-add each, for every query head. A chunk must have room for all of it, and is half full
  /// on average over the positions in it.
  ContextTerms context() const {
    const double elements = kv_heads * (head_dim + value_dim);
    const double stored = borrows_kv ? 0 : elements, work = 2 * query_heads * (head_dim + value_dim);
    if (!chunked) {
      return over_heads({{.held = Held::kv, .limit = window, .stored = stored, .read = elements, .flops = work}},
                        query_heads, kv_heads);
    }
    return over_heads({{.held = Held::kv, .limit = window, .stored = stored},
                       {.held = Held::kv, .limit = window / 2, .read = elements, .flops = work}},
                      query_heads, kv_heads);
  }
};

}  // namespace ridge
