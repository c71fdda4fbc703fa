#pragma once
// DeepSeek-V4's attention: one shared key that is also the value, a short sliding window, and beside it one compressed
// entry for every `ratio` tokens. At a small ratio an indexer picks the `top` entries to read; at a large one all are
// read. Shapes: DeepSeek's inference code and the released tensors.

#include <array>
#include <string_view>

#include "model/context.hpp"
#include "model/weight.hpp"

namespace ridge {

struct CompressedAttention {
  static constexpr std::string_view kType = "compressed";
  static constexpr auto kRequired = std::to_array<std::string_view>(
      {"query_heads", "head_dim", "query_rank", "output_groups", "output_rank", "window"});

  double query_heads = 0, head_dim = 0, query_rank = 0;
  double output_groups = 0, output_rank = 0;  // the output projection works in groups, through this rank
  double window = 0;
  double ratio = 0;                                // tokens under one compressed entry; 0: the window alone
  bool overlap = false;                            // neighboring entries share tokens: twice the width before pooling
  double index_heads = 0, index_dim = 0, top = 0;  // 0: no indexer

  template <class Self, class Visit>
  static void visit_fields(Self& self, Visit&& visit) {
    visit("query_heads", self.query_heads);
    visit("head_dim", self.head_dim);
    visit("query_rank", self.query_rank);
    visit("output_groups", self.output_groups);
    visit("output_rank", self.output_rank);
    visit("window", self.window);
    visit("ratio", self.ratio);
    visit("overlap", self.overlap);
    visit("index_heads", self.index_heads);
    visit("index_dim", self.index_dim);
    visit("top", self.top);
  }

  double widening() const { return overlap ? 2 : 1; }

  void weights(double hidden, Weights& out) const {
    const double queries = query_heads * head_dim;
    out.push_back(vector(Part::attention, "attn.attn_sink", query_heads));
    out.push_back(matrix(Part::attention, "attn.wq_a", hidden, query_rank));
    out.push_back(vector(Part::attention, "attn.q_norm", query_rank));
    out.push_back(matrix(Part::attention, "attn.wq_b", query_rank, queries, Split::columns, query_heads));
    out.push_back(matrix(Part::attention, "attn.wkv", hidden, head_dim));
    out.push_back(vector(Part::attention, "attn.kv_norm", head_dim));
    out.push_back({Part::attention, "attn.wo_a", queries / output_groups, output_rank, output_groups, output_groups,
                   Use::matrix, Split::count, output_groups});
    out.push_back(
        matrix(Part::attention, "attn.wo_b", output_groups * output_rank, hidden, Split::rows, output_groups));
    if (ratio > 0) push_compressor(out, "attn.compressor.", hidden, head_dim);
    if (top > 0) {
      out.push_back(matrix(Part::attention, "attn.indexer.wq_b", query_rank, index_heads * index_dim));
      out.push_back(matrix(Part::attention, "attn.indexer.weights_proj", hidden, index_heads));
      push_compressor(out, "attn.indexer.compressor.", hidden, index_dim);
    }
  }

  ContextTerms context() const {
    const double work = 4 * query_heads * head_dim;  // scores and values over the same vector
    ContextTerms terms{{.held = Held::kv, .limit = window, .stored = head_dim, .read = head_dim, .flops = work}};
    if (ratio <= 0) return over_heads(std::move(terms), query_heads, 1);
    const double entry = head_dim / ratio;
    terms.push_back(compressor_state(head_dim));
    if (top <= 0) {
      terms.push_back({.held = Held::kv, .stored = entry, .read = entry, .flops = work / ratio});
      return over_heads(std::move(terms), query_heads, 1);
    }
    const double key = index_dim / ratio;
    terms.push_back({.held = Held::kv, .stored = entry});
    terms.push_back({.held = Held::kv, .limit = top * ratio, .read = entry, .flops = work / ratio});
    terms.push_back({.held = Held::index, .stored = key, .read = key, .flops = 2 * index_heads * key});
    terms.push_back(compressor_state(index_dim));
    return over_heads(std::move(terms), query_heads, 1);
  }

 private:
  void push_compressor(Weights& out, const std::string& prefix, double hidden, double width) const {
    const double wide = widening() * width;
    out.push_back(vector(Part::attention, prefix + "ape", ratio * wide));
    out.push_back(matrix(Part::attention, prefix + "wkv", hidden, wide));
    out.push_back(matrix(Part::attention, prefix + "wgate", hidden, wide));
    out.push_back(vector(Part::attention, prefix + "norm", width));
  }
  /// Values and scores of the tokens not yet pooled: a row is written each step, all are read when an entry is made.
  ContextTerm compressor_state(double width) const {
    const double row = 2 * widening() * width, rows = widening() * ratio;
    return {.held = Held::state, .fixed_stored = rows * row, .fixed_read = row + rows * row / ratio};
  }
};

}  // namespace ridge
