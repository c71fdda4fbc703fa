#pragma once
// What sparse attention reads of a long context, for one layer and one new token: the idealized two-level scheme behind
// the "square root of the context", and the two schemes DeepSeek published, for contrast.

#include <array>
#include <string_view>

#include "base/number/units.hpp"
#include "model/grouped_attention.hpp"

namespace ridge {

/// Two levels: a summary of every block, each as large as one token, and `chosen` blocks in full: S/s + k s.
template <class S>
Tokens<S> two_level_read(const Tokens<S>& context, const Tokens<S>& block, const Ratio<S>& chosen) {
  const auto summary = literal<Tokens<S>>(1.0);
  return named("read_two_level", context / block * summary + chosen * block);
}

/// The block size that makes two_level_read smallest: sqrt(S/k), where both levels read as much and the sum is
/// 2 sqrt(k S). Idealized: the block must grow with the context, which no published scheme does.
template <class S>
Tokens<S> best_block(const Tokens<S>& context, const Ratio<S>& chosen) {
  const auto token = literal<Tokens<S>>(1.0);
  return named("best_block", token * sqrt(context / (chosen * token)));
}

/// Native sparse attention: one compressed entry every `stride` tokens, the selected tokens and a sliding window.
/// Linear in a long context, with slope 1/stride. Source: Yuan et al., arXiv:2502.11089.
template <class S>
Tokens<S> compressed_read(const Tokens<S>& context, const Ratio<S>& stride, const Tokens<S>& selected,
                          const Tokens<S>& window) {
  return named("read_compressed", context / stride + selected + window);
}

/// DeepSeek sparse attention (V3.2): a small index key of every token, and the full entry of the best `top` of them.
/// Linear in a long context, with the index key as slope.
template <class S>
Bytes<S> indexed_read(const Tokens<S>& context, const BytesPerToken<S>& index_key, const Tokens<S>& top,
                      const BytesPerToken<S>& entry) {
  return named("read_indexed", context * index_key + min(context, top) * entry);
}

/// The architect's what-if: attention whose reads grow with the square root of the context, as two_level_read does at its
/// best block. Nobody serves it; everything is still stored.
struct SquareRootAttention {
  static constexpr std::string_view kType = "square-root";
  static constexpr auto kRequired = std::to_array<std::string_view>({"query_heads", "kv_heads", "head_dim"});

  GroupedAttention dense;
  double chosen = 1;  // blocks read in full

  template <class Self, class Visit>
  static void visit_fields(Self& self, Visit&& visit) {
    GroupedAttention::visit_fields(self.dense, visit);
    visit("chosen", self.chosen);
  }

  void weights(double hidden, Weights& out) const { dense.weights(hidden, out); }

  ContextTerms context() const {
    ContextTerm term = dense.context().front();
    const double tokens = 2 * std::sqrt(chosen);  // read for each square root of the context: 2 sqrt(k S)
    return over_heads(
        {{.held = Held::kv, .stored = term.stored, .root_read = term.read * tokens, .root_flops = term.flops * tokens}},
        term.query_pieces, term.kv_pieces);
  }
};

}  // namespace ridge
