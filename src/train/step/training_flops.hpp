#pragma once
// FLOP of a training token, by the conventions that published MFU figures follow. Each says what it counts.

#include <array>
#include <string_view>

#include "base/number/units.hpp"
#include "model/model.hpp"
#include "train/step/recompute.hpp"

namespace ridge {

enum class FlopConvention {
  causal,      // Megatron-Bridge, NeMo Automodel: LM head in, embedding out, half of the attention square
  full,        // NeMo 2024-25, llm-foundry: the same with the whole square, as if attention were not causal
  parameters,  // MLPerf, scaling laws: 6 for each active parameter, embedding included, no attention
  hardware,    // SC21, BLOOM, OPT: what runs, recomputation included (HFU)
};
inline constexpr std::array kFlopConventions = {FlopConvention::causal, FlopConvention::full,
                                                FlopConvention::parameters, FlopConvention::hardware};
constexpr std::string_view name_of(FlopConvention convention) {
  constexpr std::array<std::string_view, 4> kNames = {"causal", "full square", "6N", "hardware"};
  return kNames[static_cast<std::size_t>(convention)];
}
constexpr std::string_view used_by(FlopConvention convention) {
  constexpr std::array<std::string_view, 4> kUsers = {"Megatron-Bridge, Automodel", "NeMo 2024-25, llm-foundry",
                                                      "MLPerf, scaling laws", "SC21, BLOOM, OPT: HFU"};
  return kUsers[static_cast<std::size_t>(convention)];
}

/// Of one token, forward and backward (three times the forward pass), by each convention.
struct TrainingFlops {
  std::array<double, 4> per_token{};  // by FlopConvention
  double operator[](FlopConvention convention) const { return per_token[static_cast<std::size_t>(convention)]; }
};

/// MTP modules count where the model is trained with them. `unfused`: attention computes the whole square. A policy's whole
/// layers are those of each of `stages`.
TrainingFlops training_flops(const Model& model, double sequence, const RecomputePolicy& recompute, bool unfused,
                             double stages = 1);

/// Of latent attention: what its latents are multiplied out by.
bool is_up_projection(const Weight& weight);

/// Copies of embedding and head that a released checkpoint has for its prediction modules: in training these use the
/// model's own (DeepSeek-V3's report, section 2.2; Megatron-Core's multi_token_prediction.py).
bool is_shared_in_training(const Weight& weight, const Model& model);

/// FLOP of one token's forward pass: its products, and its attention over a causal context of this length.
struct ForwardFlops {
  double products = 0, attention = 0, mtp = 0;
};
ForwardFlops forward_flops(const Model& model, double sequence);

}  // namespace ridge
