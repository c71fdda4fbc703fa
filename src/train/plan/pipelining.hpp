#pragma once
// The lecture's argument on pipelines: what stages change in serving, and when training wants them at all, by the size of
// the scale-up domain, by micro-batches, and by the generation of the machine.

#include <optional>
#include <string>
#include <vector>

#include "train/plan/training_search.hpp"

namespace ridge {

/// A decode step of so many sequences a stage, with the layers over stages of one group of chips each.
struct ServedStages {
  double stages = 1;
  Bytes<double> weights{};  // on a group
  double in_flight = 0;     // sequences that keep every stage busy
  Bytes<double> kv{};       // on a group, of all of them
  double hops = 0;          // between stages, each a message of the batch's hidden vectors, on a token's way
};

/// The best layout without a pipeline against the best with one.
struct PipelineVerdict {
  std::string machine;
  double domain = 0, batch = 0;  // chips of a scale-up domain; sequences of a step
  std::optional<TrainingEstimate> flat, staged;
  /// Time without a pipeline over the time with one; above one the pipeline wins. 0: one of them does not fit.
  double gain() const;
};

struct PipeliningArgument {
  double sequences = 0, context = 0;  // of each stage; tokens of each
  std::vector<ServedStages> served;
  std::vector<PipelineVerdict> domains;      // this chip, other domains and batches
  std::vector<PipelineVerdict> generations;  // the batch asked for, other machines
};

/// `others` are the same question on other machines. Degrees that are asked for stay, but for the pipeline's.
PipeliningArgument argue_pipelining(const TrainingGround& ground, const std::vector<TrainingGround>& others,
                                    const AskedLayout& asked);

}  // namespace ridge
