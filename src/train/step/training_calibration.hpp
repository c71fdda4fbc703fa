#pragma once
// The few physical numbers of training beside those of the kernels: how the backward pass differs from the forward one,
// what of the network hides behind compute, and what a framework's host program costs. Data of catalog/calibration.

#include <string>
#include <string_view>
#include <vector>

#include "base/number/units.hpp"
#include "library/calibrations.hpp"

namespace ridge {

/// The same on all chips and under all frameworks.
template <class S>
struct TrainingCalibration {
  Ratio<S> matrix_16bit, matrix_8bit, matrix_4bit;  // large products in a long run over the same ones timed alone
  Ratio<S> backward_products;                       // a product of the backward pass over one of the forward pass
  Ratio<S> attention_backward;                      // the backward pass of attention over its forward pass
  Ratio<S> attention_rate;                          // attention in training over prefill's
  Ratio<S> softmax_rate;                            // its exponentials in training over prefill's, beside that
  Ratio<S> score_passes;                            // unfused attention: times the scores cross the memory, forward
  Ratio<S> expert_rate;                             // grouped products in training over serving's
  Ratio<S> imbalance;                               // rows of the busiest chip of an expert group over the mean
  Ratio<S> small_passes;      // norms, rotations, activations: bytes moved over those of serving's fused kernels
  Ratio<S> permute_passes;    // times a dispatched token crosses the memory on its way
  Ratio<S> head_passes;       // times the fp32 logits cross the memory
  Ratio<S> optimizer_passes;  // of the optimizer's bytes
  Ratio<S> tensor_exposed;    // share of the tensor group's collectives that nothing hides
  Ratio<S> expert_exposed;    // the same of dispatch and combine
  Ratio<S> data_hidden;       // share of a micro-batch's pass behind which gradients and weights can travel
  Ratio<S> shard_exposed;     // share of gathered weights (ZeRO-3) that nothing hides
  Ratio<S> across;            // share of the scale-out bandwidth that collectives reach
  Seconds<S> ring_chip_time;  // of a ring that gathers or reduces a layer, for each chip in it: nothing hides that
  Seconds<S> step_time;       // of a step, whatever is in it

  template <class Self, class Visit>
  static void visit_fields(Self& self, Visit&& visit) {
    visit("matrix_16bit", self.matrix_16bit);
    visit("matrix_8bit", self.matrix_8bit);
    visit("matrix_4bit", self.matrix_4bit);
    visit("backward_products", self.backward_products);
    visit("attention_backward", self.attention_backward);
    visit("attention_rate", self.attention_rate);
    visit("softmax_rate", self.softmax_rate);
    visit("score_passes", self.score_passes);
    visit("expert_rate", self.expert_rate);
    visit("imbalance", self.imbalance);
    visit("small_passes", self.small_passes);
    visit("permute_passes", self.permute_passes);
    visit("head_passes", self.head_passes);
    visit("optimizer_passes", self.optimizer_passes);
    visit("tensor_exposed", self.tensor_exposed);
    visit("expert_exposed", self.expert_exposed);
    visit("data_hidden", self.data_hidden);
    visit("shard_exposed", self.shard_exposed);
    visit("across", self.across);
    visit("ring_chip_time", self.ring_chip_time);
    visit("step_time", self.step_time);
  }
};

/// Of a generation of a framework.
template <class S>
struct FrameworkCalibration {
  Ratio<S> kernels;              // time of all kernels over the usual
  Ratio<S> small;                // of the small ones beside that: what is fused
  Ratio<S> attention;            // of attention beside that, on chips newer than its kernel
  Ratio<S> attention_year;       // of the newest chips that its attention was written for; 0: all
  Ratio<S> attention_products;   // of its products alone, on all chips; 0: the usual
  Ratio<S> experts;              // of the experts' kernels beside that: what is fused around their products
  Ratio<S> exchange;             // of dispatch and combine, what shows over the usual share
  Seconds<S> layer_time;         // the host's for a layer and micro-batch, forward and backward: a floor
  Seconds<S> expert_layer_time;  // beside that, for a layer with experts
  Seconds<S> hop_time;           // the host's to hand a micro-batch to the next stage
  /// At each exchange with a neighbor: 1 where a rank sends and gets at once, 2 in turn; 0: waits for none.
  Ratio<S> hops_block;
  Ratio<S> chunk_hops_block;  // 1 where it waits for those of interleaved chunks, too
  Ratio<S> captures;          // 1 where whole steps with experts are captured in a graph, under mxfp8
  Ratio<S> captured_experts;  // time of experts in such a step over the usual: nothing waits for their sizes
  Ratio<S> unfused;           // 1 where attention stores its scores
  Ratio<S> score_buffer;      // 1 where a buffer for them stays between steps
  Ratio<S> context_gathered;  // 1 where context parallelism gathers keys and values instead of passing them on
  Ratio<S> gathers_late;  // 1 where the backward pass asks for a layer's weights only behind the layer before (ZeRO-3)
  Ratio<S> adds_gradients;  // 1 where kernels of their own add a micro-batch's gradients to those before
  Ratio<S> stops_early;     // 1 where a layer is computed again only up to the last tensor that is needed
  Ratio<S> stages_by_work;  // 1 where stages have equal parameters to multiply with, the head's among them
  // of memory
  Ratio<S> kept;               // activations kept over those counted; 0: as all
  Ratio<S> logit_bytes;        // for each logit while the loss is computed; 0: as all
  Ratio<S> activation_copies;  // what a gated network keeps between its products, in its widths; beside gate and up
  Ratio<S> result_copies;      // times that experts' results are kept
  Ratio<S> frees_gradients;    // 1 where gradients are there only from the backward pass to the optimizer
  Ratio<S> held_inputs;        // of what a chunk got from the stage before, tensors that stay until the next come
  Ratio<S> grouped_streams;    // that grouped products run in, each with a workspace

  /// Whether ranks of 1F1B, or those of interleaved chunks, wait for their messages.
  bool waits_for_hops(bool chunks) const {
    const auto none = literal<Ratio<S>>(0.0);
    return hops_block > none && (!chunks || chunk_hops_block > none);
  }

  template <class Self, class Visit>
  static void visit_fields(Self& self, Visit&& visit) {
    visit("kernels", self.kernels);
    visit("small", self.small);
    visit("attention", self.attention);
    visit("attention_year", self.attention_year);
    visit("attention_products", self.attention_products);
    visit("experts", self.experts);
    visit("exchange", self.exchange);
    visit("layer_time", self.layer_time);
    visit("expert_layer_time", self.expert_layer_time);
    visit("hop_time", self.hop_time);
    visit("hops_block", self.hops_block);
    visit("chunk_hops_block", self.chunk_hops_block);
    visit("captures", self.captures);
    visit("captured_experts", self.captured_experts);
    visit("unfused", self.unfused);
    visit("score_buffer", self.score_buffer);
    visit("context_gathered", self.context_gathered);
    visit("gathers_late", self.gathers_late);
    visit("adds_gradients", self.adds_gradients);
    visit("stops_early", self.stops_early);
    visit("stages_by_work", self.stages_by_work);
    visit("kept", self.kept);
    visit("logit_bytes", self.logit_bytes);
    visit("activation_copies", self.activation_copies);
    visit("result_copies", self.result_copies);
    visit("frees_gradients", self.frees_gradients);
    visit("held_inputs", self.held_inputs);
    visit("grouped_streams", self.grouped_streams);
  }
};

/// The same in a run: a kernel written for its chip, or for one before, is slower than the usual one in its products
/// alone; a step that is one captured graph waits for no host, and for no sizes of experts.
template <class S>
FrameworkCalibration<S> in_run(FrameworkCalibration<S> framework, const Chip& chip, bool captured) {
  const auto none = literal<Ratio<S>>(0.0);
  const bool newer =
      framework.attention_year > none && literal<Ratio<S>>(static_cast<double>(chip.year)) > framework.attention_year;
  if (!newer) framework.attention = literal<Ratio<S>>(1.0);
  if (!(framework.attention_products > none)) framework.attention_products = literal<Ratio<S>>(1.0);
  if (captured) {
    framework.layer_time = framework.expert_layer_time = framework.hop_time = literal<Seconds<S>>(0.0);
    if (framework.captured_experts > none) {
      framework.experts = framework.experts * framework.captured_experts;
      framework.exchange = framework.exchange * framework.captured_experts;
    }
  }
  return framework;
}

struct TrainingNumbers {
  TrainingCalibration<double> training;
  FrameworkCalibration<double> framework;
  Ratio<double> chip{1.0};  // time of all kernels in a long run on this chip over the usual: what power allows
  std::string from;         // "192 measured steps"
  bool borrowed = false;    // nobody fitted this framework
};

/// What a chip takes for all kernels of a long run, over the usual; 1 where nobody measured one.
Ratio<double> chip_in_training(const Library& library, const std::string& chip);

/// The catalog's numbers for a framework's generation; an error names those there are.
Result<TrainingNumbers> training_numbers(const Library& library, std::string_view framework, std::string_view where);
std::vector<std::string> framework_names(const Library& library);
/// Where nobody chose: the newest of Megatron's.
inline constexpr std::string_view kUsualFramework = "bridge-26.06";

}  // namespace ridge
