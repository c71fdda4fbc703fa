#pragma once
// What somebody asks of a training run, and what is known before a layout is chosen.

#include <optional>
#include <string>
#include <vector>

#include "library/chip_price.hpp"
#include "library/library.hpp"
#include "train/memory/training_memory.hpp"
#include "train/step/training_calibration.hpp"
#include "train/step/training_flops.hpp"
#include "train/step/training_step.hpp"

namespace ridge {

/// Degrees that are given; the others are searched for, or one.
struct AskedLayout {
  std::optional<double> tensor, pipeline, context, expert, expert_tensor, virtual_stages, micro_batch, zero;
  std::optional<double> shard_group;  // chips over which ZeRO divides, where not over all copies
  std::optional<RecomputePolicy> recompute;
  std::optional<OffloadPolicy> offload;
  std::optional<train::ScheduleKind> schedule;
  std::optional<bool> sequence_parallel;  // where tensor parallelism is; yes unless said
  bool any() const {
    return tensor || pipeline || context || expert || expert_tensor || virtual_stages || micro_batch || zero ||
           shard_group || recompute || offload || schedule;
  }
};

struct TrainingQuestion {
  std::string model, machine;
  double chips = 0;
  double tokens = 0;        // of the whole run; 0: one step is all that is asked
  double global_batch = 0;  // tokens of a step
  double sequence = 8192;
  std::string recipe = "bf16";
  std::string framework = std::string(kUsualFramework);
  AskedLayout layout;
  std::optional<PriceBasis> basis;
  std::optional<double> price;    // $ per chip and second, instead of the catalog's
  std::optional<bool> captured;   // whole steps in one graph; else as the framework does
  std::optional<double> kernels;  // time of all kernels over the calibrated: of the user's own run
};

/// The memory of the host beside a chip, the chip's share of it.
struct HostMemory {
  Bytes<double> capacity{};                 // 0: not known
  BytesPerSecond<double> link{}, memory{};  // from the chip to it; of its own channels
};

/// Everything but the layout.
struct TrainingGround {
  const Model* model = nullptr;
  const Machine* machine = nullptr;
  const Chip* chip = nullptr;
  TrainingRecipe recipe;
  std::string framework;
  TrainingNumbers numbers;
  TrainingShape shape;
  Fabric fabric;
  ChipRates<double> rates;  // of kernels inside a step; training's own numbers come on top
  TrainingLoad load;        // batch in sequences
  MemoryHabits habits;
  double chips = 0, tokens = 0;
  Bytes<double> capacity{}, reserve{};
  HostMemory host;
  std::optional<ChipPrice> price;
  Watts<double> power{};  // of a chip with its share of the rack; 0: not known
  std::string chip_from;
  bool captured = false;  // a whole step is one graph: the host launches nothing
  bool borrowed = false;  // numbers of the chip or framework that nobody measured
  std::vector<std::string> notes;
};

Result<TrainingGround> training_ground(const TrainingQuestion& question, const Library& library,
                                       const std::vector<NumbersEntry>& recipes);
/// The same for a model that is in no catalog.
Result<TrainingGround> training_ground(const TrainingQuestion& question, const Model& model, const Library& library,
                                       const std::vector<NumbersEntry>& recipes);

/// Kernels of the chip with training's own numbers.
TrainingRates<double> training_rates(const TrainingGround& ground);

/// What frameworks keep, from the catalog.
MemoryHabits memory_habits(const Library& library, const TrainingNumbers& numbers, const Chip& chip);

/// What no layout can have of the degrees that are given, each with the nearest that are possible: before a search.
Errors wrong_degrees(const AskedLayout& asked, const TrainingGround& ground);

/// The layout that the question gives, everything else one; data parallelism takes the chips that are left.
Result<TrainingLayout> given_layout(const TrainingQuestion& question, const TrainingGround& ground);

}  // namespace ridge
