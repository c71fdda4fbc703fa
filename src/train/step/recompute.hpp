#pragma once
// What a backward pass computes again instead of keeping it: by module, for some layers whole, or for all of them.

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace ridge {

/// Names are Megatron-LM's. Norms are recomputed with the product that reads them, an activation with the product after it.
struct RecomputePolicy {
  bool core_attention = false;  // scores: nothing is saved where a fused kernel never stores them
  bool mla_up = false;          // the up-projections of latent attention
  bool moe_activation = false;  // between the two products of an expert
  bool mlp = false;             // all of a dense feed-forward network
  bool moe = false;             // all of an expert layer, its dispatch included
  bool norms = false;
  bool mlp_norm = false;    // the one before the network alone, together with it
  bool reversible = false;  // layers computed back from their results (Gomez et al. 2017)
  double full_layers = 0;   // whole layers of each stage; unlimited: all

  bool all() const;
  bool none() const;
  bool operator==(const RecomputePolicy&) const = default;
};

/// "none", "selective" (core attention), "full", "full:4", "reversible", or modules: "mla_up_proj+mlp".
Result<RecomputePolicy> parse_recompute(std::string_view text, std::string_view where);
std::string name_of(const RecomputePolicy& policy);

}  // namespace ridge
