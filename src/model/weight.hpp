#pragma once
// The tensors a model is made of, with their shapes. Parameters, bytes, work per token and the matrix products of a step
// all come from this one list.

#include <array>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace ridge {

/// What a tensor is for: the rows of the parts table.
enum class Part {
  embedding,
  attention,  // whatever mixes tokens: attention, linear attention, state space
  dense_ffn,
  routed_experts,
  shared_experts,
  router,
  norms,
  other,  // residual mixing and the like
  head,
  mtp,  // multi-token-prediction modules
  vision,
  audio,
};

inline constexpr std::size_t kParts = 12;

constexpr std::string_view name_of(Part part) {
  constexpr std::array<std::string_view, kParts> kNames = {"embedding",      "attention", "dense_ffn", "routed_experts",
                                                           "shared_experts", "router",    "norms",     "other",
                                                           "head",           "mtp",       "vision",    "audio"};
  return kNames[static_cast<std::size_t>(part)];
}

constexpr std::array<Part, kParts> all_parts() {
  std::array<Part, kParts> parts{};
  for (std::size_t i = 0; i < kParts; ++i) parts[i] = static_cast<Part>(i);
  return parts;
}

/// How a token meets a tensor.
enum class Use {
  matrix,       // multiplied by every token that comes along
  vector,       // a norm, a bias, a scale: element by element
  convolution,  // a short filter over each channel
  table,        // one row is looked up
};

/// How tensor parallelism divides a matrix over chips.
enum class Split {
  whole,    // every chip has all of it
  columns,  // the outputs are divided: query heads, the width of a feed-forward network
  rows,     // the inputs are divided: every chip has a share of the sum, which an all-reduce adds up
  count,    // of equal ones every chip has some
};

/// One stored tensor, or `count` equal ones.
struct Weight {
  Part part = Part::other;
  std::string name;        // within its layer, as Hugging Face checkpoints name it: "self_attn.q_proj"
  double in = 1, out = 0;  // a matrix turns `in` numbers into `out`; a vector has in = 1
  double count = 1;        // equal tensors of this name: experts, groups
  double used = 1;         // of those, how many one token meets
  Use use = Use::matrix;
  Split split = Split::whole;
  double pieces = std::numeric_limits<double>::infinity();  // most pieces it divides into: heads

  double params() const { return in * out * count; }
  /// Parameters one token meets: a looked-up row counts as the whole table does in `params`.
  double active() const { return in * out * used; }

  bool operator==(const Weight&) const = default;
};

using Weights = std::vector<Weight>;

inline Weight matrix(Part part, std::string name, double in, double out, Split split = Split::whole,
                     double pieces = std::numeric_limits<double>::infinity()) {
  return {part, std::move(name), in, out, 1, 1, Use::matrix, split, pieces};
}
inline Weight vector(Part part, std::string name, double size) {
  return {part, std::move(name), 1, size, 1, 1, Use::vector};
}
inline Weight table(Part part, std::string name, double rows, double width) {
  return {part, std::move(name), width, rows, 1, 1, Use::table};
}

}  // namespace ridge
