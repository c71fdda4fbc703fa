#pragma once
// How a training run lies over chips. Chips = tensor x pipeline x context x data; experts divide tensor x context x data of
// a stage once more, into expert x expert_tensor x copies.

#include <algorithm>
#include <string>

#include "base/result.hpp"
#include "model/model.hpp"
#include "train/schedule/kind.hpp"
#include "train/step/offload.hpp"
#include "train/step/recompute.hpp"

namespace ridge {

/// What is divided over the chips that have the same weights (ZeRO, Rajbhandari et al. 2020).
enum class Sharding { none, optimizer, gradients, weights };

struct TrainingLayout {
  double tensor = 1, pipeline = 1, context = 1, data = 1;
  double expert = 1, expert_tensor = 1;
  double virtual_stages = 1;  // chunks of layers of a stage (interleaved schedule)
  double micro_batch = 1;     // sequences
  double shard_group = 0;     // chips over which weights are divided, where not over all (hybrid); 0: all
  Sharding sharding = Sharding::optimizer;
  bool sequence_parallel = true;  // norms and dropout divided over the tensor group
  RecomputePolicy recompute;
  OffloadPolicy offload;
  /// The schedule of the stages. 1F1B is interleaved where a stage has chunks; the others have chunks of their own.
  train::ScheduleKind schedule = train::ScheduleKind::one_f_one_b;

  double chips() const { return tensor * pipeline * context * data; }
  /// Chips of a stage.
  double stage_chips() const { return tensor * context * data; }
  /// Chips that hold the same dense weights, and those that hold the same experts.
  double dense_copies() const { return context * data; }
  double expert_copies() const { return stage_chips() / (expert * expert_tensor); }
  /// Of these, those over which ZeRO divides: all, or a group of them (hybrid sharding). There are as many groups of the
  /// experts' copies as of the others (Megatron-Core's parallel_state.py, torchtitan's parallel_dims.py).
  double dense_shards() const { return shard_group > 0 ? std::min(shard_group, dense_copies()) : dense_copies(); }
  double expert_shards() const { return expert_copies() / shard_groups(); }
  double shard_groups() const { return dense_copies() / dense_shards(); }

  bool operator==(const TrainingLayout&) const = default;
};

/// The schedule as it runs: interleaved where 1F1B has chunks.
train::ScheduleKind schedule_of(const TrainingLayout& layout);
/// Ranks, micro-batches and chunks as the schedule counts them.
train::PipelineShape pipeline_shape(const TrainingLayout& layout, double micro_batches);

/// "TP8·PP16·DP64", with CP, EP, ETP, VP and the ZeRO stage where they are not one.
std::string short_name(const TrainingLayout& layout);

/// What a model alone does not allow: its heads and its layers.
Errors wrong_for_model(const TrainingLayout& layout, const Model& model);

/// What a model allows of expert parallelism, on so many chips of a stage.
Errors wrong_experts(const TrainingLayout& layout, const Model& model, double stage_chips);

/// Up to three divisors of `of` nearest to `asked`, none above `most`: "2, 4, 8".
std::string nearest_divisors(double of, double asked, double most);

/// What a batch and a model allow; every error names the nearest values that are possible. `batch` in sequences.
Result<TrainingLayout> checked(const TrainingLayout& layout, const Model& model, double sequence, double batch);

/// Micro-batches that each pipeline works through in a step.
inline double micro_batches(const TrainingLayout& layout, double batch) {
  return batch / (layout.data * layout.micro_batch);
}

/// Layers of the stages, fullest first: as even as they divide.
double most_layers(const Model& model, double stages);

}  // namespace ridge
