#pragma once
// Measured training runs, as rows. Facts only; what is predicted for them lives in training_cases.hpp.

#include <string>
#include <vector>

namespace ridge {

/// One measured training step, or what its chips held. What was not measured is 0.
struct TrainingRow {
  std::string set, id;
  std::string model;      // a catalog name, or a shape in words (train/step/model_shape.hpp)
  std::string machine;    // catalog name
  std::string kind;       // dense, moe or hybrid
  std::string recipe;     // catalog name
  std::string framework;  // a generation of one: catalog/calibration, of = "framework"
  std::string recompute;  // a policy in words
  std::string half;       // fit, or judge
  double chips = 1, global_batch = 1, micro_batch = 1, sequence = 1;  // batches in sequences
  double tensor = 1, pipeline = 1, context = 1, expert = 1, expert_tensor = 1, virtual_stages = 1;
  double zero = 1;         // stage of ZeRO, 0 to 3
  double shard_group = 0;  // chips over which it divides, where not over all copies
  double workspace = 0;    // bytes that the run gave its libraries; 0: their usual ones
  double scale_out = 0;    // bytes/s of network a chip; 0: the machine's
  double memory_rate = 0;  // bytes/s of the chips' memory; 0: the machine's
  bool sequence_parallel = false;
  bool captured = false;                            // whole steps were one graph
  bool gathers_tokens = false;                      // experts were given all tokens of their group, not only their own
  bool last_stage = false;                          // memory is that of the last stage's chips, not of the fullest
  bool first_stage = false;                         // the same of the first stage's
  bool reserved = false;                            // the peak is what the allocator took from the chip
  double step = 0;                                  // s
  double forward = 0, backward = 0, optimizer = 0;  // s
  double kept = 0, state = 0, peak = 0;             // bytes on the fullest chip: kept by the forward pass, ...
  bool failed = false;                              // ran out of memory
};

}  // namespace ridge
