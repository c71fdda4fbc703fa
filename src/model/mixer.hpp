#pragma once
// The half of a layer in which tokens meet: one of the attention kinds, a state space, a convolution, or nothing. A new
// kind is one header, one line here, one test and one paragraph in docs/theory/models.md.

#include <array>
#include <string_view>
#include <utility>
#include <variant>

#include "model/compressed_attention.hpp"
#include "model/cross_attention.hpp"
#include "model/delta_attention.hpp"
#include "model/grouped_attention.hpp"
#include "model/indexed_attention.hpp"
#include "model/latent_attention.hpp"
#include "model/lightning_attention.hpp"
#include "model/mamba.hpp"
#include "model/native_sparse_attention.hpp"
#include "model/short_convolution.hpp"
#include "model/square_root_attention.hpp"

namespace ridge {

/// A layer, or block, that is a feed-forward network alone.
struct NoMixer {
  static constexpr std::string_view kType = "none";
  static constexpr std::array<std::string_view, 0> kRequired = {};

  template <class Self, class Visit>
  static void visit_fields(Self&, Visit&&) {}
  void weights(double, Weights&) const {}
  ContextTerms context() const { return {}; }
};

using Mixer = std::variant<NoMixer, GroupedAttention, LatentAttention, IndexedAttention, CompressedAttention,
                           NativeSparseAttention, DeltaAttention, LightningAttention, Mamba, ShortConvolution,
                           CrossAttention, SquareRootAttention>;

/// Calls visit(kind) with one empty alternative after another.
template <class Visit>
void visit_mixer_kinds(Visit&& visit) {
  [&]<std::size_t... I>(std::index_sequence<I...>) { (visit(std::variant_alternative_t<I, Mixer>{}), ...); }
  (std::make_index_sequence<std::variant_size_v<Mixer>>{});
}

inline std::string_view type_of(const Mixer& mixer) {
  return std::visit([](const auto& kind) { return kind.kType; }, mixer);
}

}  // namespace ridge
