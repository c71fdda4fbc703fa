#pragma once
// What each chip of a training run holds, stage by stage, and when it holds most.

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/number/units.hpp"
#include "train/memory/kept_modules.hpp"
#include "train/step/training_operations.hpp"
#include "train/step/training_step.hpp"

namespace ridge {

enum class MemoryTerm { weights, gradients, optimizer, activations, working, logits, buffers };
inline constexpr std::size_t kMemoryTerms = 7;
constexpr std::string_view name_of(MemoryTerm term) {
  constexpr std::array<std::string_view, kMemoryTerms> kNames = {"weights", "gradients", "optimizer", "activations",
                                                                 "working", "logits",    "buffers"};
  return kNames[static_cast<std::size_t>(term)];
}

struct StageMemory {
  double stage = 0;
  double params = 0, expert_params = 0;  // on a chip; the experts' among them
  double live = 0;                       // micro-batches whose activations are kept at once, in whole stages
  std::array<Bytes<double>, kMemoryTerms> term{};
  std::array<Bytes<double>, kKeptModules> kept{};  // of one micro-batch, by module
  Bytes<double> layer_inputs{};                    // of one micro-batch: all that recomputed layers keep
  Bytes<double> kept_all{};                        // of one micro-batch: all modules and inputs
  Bytes<double> host{};                            // that this chip keeps in its host's memory
  Bytes<double> held_buffers{};                    // of buffers and activations, what stays between two steps
  bool frees_gradients = false;                    // they are not there while activations are at their most
  std::string_view moment;                         // when it holds most

  Bytes<double> operator[](MemoryTerm one) const { return term[static_cast<std::size_t>(one)]; }
  /// Weights, gradients and optimizer states: what is there between two steps.
  Bytes<double> state() const;
  Bytes<double> peak() const;
};

struct TrainingMemory {
  std::vector<StageMemory> stages;
  std::size_t fullest = 0;
  Bytes<double> capacity{}, reserve{}, margin{};  // of the chip; of its process; for fragmentation
  Bytes<double> host_capacity{};                  // of the host's memory, a chip's share
  const StageMemory& worst() const { return stages[fullest]; }
  Bytes<double> needed() const { return worst().peak() + reserve + margin; }
  /// On the host of the stage that has most there.
  Bytes<double> on_host() const;
  bool fits() const { return needed() <= capacity && on_host() <= host_capacity; }
};

/// What the memory depends on beside model and layout.
struct MemoryHabits {
  Ratio<double> kept{1.0};               // of the kept bytes, as counted, over what frameworks keep
  Ratio<double> logits{12.0};            // bytes for each logit while the loss is computed
  Ratio<double> logits_kept{4.0};        // of them, those that the forward pass leaves
  Ratio<double> activation_copies{1.0};  // see FrameworkCalibration
  Ratio<double> result_copies{0.0};
  bool frees_gradients = false;
  Bytes<double> workspace{0.0};      // that libraries hold, whatever the model
  Ratio<double> fragmentation{0.0};  // share of what is held by activations and buffers
  Ratio<double> unfused{0.0};        // 1 where attention keeps its scores
  bool score_buffer = false;         // and a buffer for them
  Bytes<double> grouped{0.0};        // workspaces of grouped products, where there are experts
  Ratio<double> held_inputs{0.0};    // of what each chunk got from the stage before, tensors that stay until the next
  bool gathers_tokens = false;       // experts choose among all tokens of their group, from a buffer that stays
};

/// Micro-batches kept at once on a rank of the layout's schedule, from the forward pass to the weight gradient, in whole
/// ranks of an even pipeline.
double live_micro_batches(const TrainingLayout& layout, double rank, double micro_batches);

/// Parameters on a chip of a stage.
HeldParams held_params(const Model& model, const StageLayers& stage, const TrainingLayout& layout);

TrainingMemory training_memory(const Model& model, const std::vector<StageLayers>& stages, const TrainingLayout& layout,
                               const TrainingRecipe& recipe, const TrainingLoad& load, const MemoryHabits& habits);

}  // namespace ridge
