#pragma once
// What a training step takes: the same kernels as prefill's (cost/operation.hpp), the backward pass twice its products, its
// own attention; collectives by the links they cross; what hides behind what. docs/theory/training.md derives it.

#include <array>
#include <string_view>
#include <vector>

#include "train/step/training_calibration.hpp"
#include "train/step/training_operations.hpp"

namespace ridge {

/// Where the time of a step goes; their sum is the step.
enum class TrainingPart {
  projections,
  attention,
  dense_ffn,
  experts,
  head,
  small,
  recompute,
  host,
  tensor,
  context,
  exchange,
  hops,
  bubble,
  offload,
  data,
  optimizer,
  other,
};
inline constexpr std::size_t kTrainingParts = 17;
constexpr std::string_view name_of(TrainingPart part) {
  constexpr std::array<std::string_view, kTrainingParts> kNames = {
      "qkv_and_output", "attention", "dense_ffn",          "routed_experts", "lm_head",    "small_kernels",
      "recomputation",  "host",      "tensor_collectives", "context_ring",   "all_to_all", "pipeline_hops",
      "bubble",         "offload",   "data_parallel",      "optimizer",      "other"};
  return kNames[static_cast<std::size_t>(part)];
}

/// Of one layer and micro-batch on one chip.
template <class S>
struct TrainingLayerTimes {
  // forward; the backward pass follows from them
  Seconds<S> projections, attention, dense_ffn, experts, small;
  Seconds<S> mla_up;                     // of the projections
  Seconds<S> dense_last;                 // of the dense network, its down projection
  Seconds<S> tensor, context, exchange;  // exposed, forward
  Seconds<S> attention_backward, context_backward;
  Seconds<S> sent;  // of the exchange, all that is on its way, shown or not
};

/// What one pass has of dispatch and combine: what of them shows in it alone, and how long they are on their way.
template <class S>
struct PassExchange {
  Seconds<S> shown, sent;
};

/// Of one stage and micro-batch.
template <class S>
struct StagePass {
  std::array<Seconds<S>, kTrainingParts> part;          // forward and backward together
  Seconds<S> forward, backward;                         // with everything that is not hidden
  Seconds<S> weight_gradient;                           // of the backward pass, what a schedule may put off
  PassExchange<S> forward_exchange, backward_exchange;  // inside them
  Seconds<S> total() const { return forward + backward; }
};

template <class S>
struct TrainingTimes {
  std::array<Seconds<S>, kTrainingParts> part;  // of a step, on the slowest stage
  std::vector<StagePass<S>> stages;
  Seconds<S> step;  // their sum
  Ratio<S> bubble;  // share of the step
  Seconds<S> hop;   // of a micro-batch from a stage to the next
  /// What pairs hide of a step's messages between experts: of the exchange, and of what recomputation sends again. The
  /// parts are without it.
  Seconds<S> hidden, hidden_again;
  double micro_batches = 0;
};

/// Bytes that a chip holds of weights, for what travels between copies.
struct HeldParams {
  double dense = 0, expert = 0;  // parameters on a chip of the fullest stage
};

struct TrainingLoad {
  double sequence = 0, batch = 0;  // tokens of a sequence; sequences of a step
};

template <class S>
struct TrainingRates {
  ChipPaces<S> paces;
  TrainingCalibration<S> training;
  FrameworkCalibration<S> framework;  // on this chip
  Ratio<S> chip;                      // time of all kernels on it over the usual
};

template <class S>
TrainingLayerTimes<S> layer_times(const TrainingOperations& operations, std::size_t kind, const TrainingRates<S>& rates,
                                  const TrainingLoad& load);

/// One micro-batch through each stage.
template <class S>
std::vector<StagePass<S>> stage_passes(const TrainingOperations& operations, const std::vector<StageLayers>& stages,
                                       const TrainingRates<S>& rates, const TrainingLoad& load);

/// The step of these passes, in the order of 1F1B or of interleaved chunks.
template <class S>
TrainingTimes<S> step_of(std::vector<StagePass<S>> passes, const TrainingOperations& operations, const HeldParams& held,
                         const TrainingRecipe& recipe, const TrainingRates<S>& rates, const TrainingLoad& load);

/// Both.
template <class S>
TrainingTimes<S> training_times(const TrainingOperations& operations, const std::vector<StageLayers>& stages,
                                const HeldParams& held, const TrainingRecipe& recipe, const TrainingRates<S>& rates,
                                const TrainingLoad& load);

}  // namespace ridge
