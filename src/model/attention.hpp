#pragma once
// Attention kinds: what they hold, what a token of context costs to keep, to read and to compute.
// Shapes are plain numbers; a scalar S begins where they meet a machine or a load. All figures are for one layer.

#include <variant>

namespace ridge {

/// Grouped-query attention; multi-head when kv_heads == query_heads, multi-query when kv_heads == 1.
struct GroupedQuery {
  double query_heads = 0, kv_heads = 0, head_dim = 0;
  bool qk_norm = false;  // an RMS norm over each query and key head
  bool qkv_bias = false;

  double params(double hidden) const {
    const double projections = hidden * head_dim * (2 * query_heads + 2 * kv_heads);  // q, k, v, o
    const double norms = qk_norm ? 2 * head_dim : 0;
    const double biases = qkv_bias ? head_dim * (query_heads + 2 * kv_heads) : 0;
    return projections + norms + biases;
  }
  double kv_elements_per_token() const { return 2 * kv_heads * head_dim; }
  /// FLOP to attend one query token to one token of context: scores and values, a multiply-add each.
  double flops_per_context_token() const { return 4 * query_heads * head_dim; }
};

/// Multi-head latent attention (DeepSeek-V2), decoded in absorbed form: queries meet the compressed latent itself.
struct LatentAttention {
  double query_heads = 0;
  double query_rank = 0;  // 0: queries are not compressed
  double kv_rank = 0, nope_dim = 0, rope_dim = 0, value_dim = 0;

  double params(double hidden) const {
    const double query_width = query_heads * (nope_dim + rope_dim);
    const double query =
        query_rank > 0 ? hidden * query_rank + query_rank + query_rank * query_width : hidden * query_width;
    const double latent = hidden * (kv_rank + rope_dim) + kv_rank;  // with the latent's norm
    const double expand = kv_rank * query_heads * (nope_dim + value_dim);
    return query + latent + expand + query_heads * value_dim * hidden;
  }
  double kv_elements_per_token() const { return kv_rank + rope_dim; }
  /// Scores over kv_rank + rope_dim, values over kv_rank, for every head.
  double flops_per_context_token() const { return 2 * query_heads * (2 * kv_rank + rope_dim); }
};

using Attention = std::variant<GroupedQuery, LatentAttention>;

inline double attention_params(const Attention& attention, double hidden) {
  return std::visit([hidden](const auto& kind) { return kind.params(hidden); }, attention);
}
inline double kv_elements_per_token(const Attention& attention) {
  return std::visit([](const auto& kind) { return kind.kv_elements_per_token(); }, attention);
}
inline double flops_per_context_token(const Attention& attention) {
  return std::visit([](const auto& kind) { return kind.flops_per_context_token(); }, attention);
}

}  // namespace ridge
