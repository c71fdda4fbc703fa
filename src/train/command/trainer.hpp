#pragma once
// What is known of a framework that trains models: how it is started and how its flags or options say a layout. Values
// alone: catalog/trainer/*.toml holds them. One table writes and reads commands, so that what is written is read back.

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ridge {

/// Counts that a command may give. Where a framework has no flag for one, it follows from others.
enum class TrainerNumber {
  nodes,
  node_chips,
  tensor,
  pipeline,
  context,
  expert,
  expert_tensor,
  virtual_stages,
  chunk_layers,  // layers of a chunk of a stage: says the chunks where virtual_stages does not
  micro_batch,
  rank_batch,    // sequences that a copy takes at once: a micro-batch, or all of a pipeline's
  accumulation,  // micro-batches of a copy in a step
  batch,         // sequences of a step
  sequence,
  samples,  // sequences of the whole run
  steps,
  tokens,
  data,      // copies that divide their weights
  replicas,  // copies of those
  // what of the model a command says: compared, never written
  layers,
  hidden,
  heads,
  experts,
};
inline constexpr std::size_t kTrainerNumbers = 23;
constexpr std::string_view name_of(TrainerNumber number) {
  constexpr std::array<std::string_view, kTrainerNumbers> kNames = {
      "nodes",         "node_chips",     "tensor",       "pipeline",    "context",    "expert",
      "expert_tensor", "virtual_stages", "chunk_layers", "micro_batch", "rank_batch", "accumulation",
      "batch",         "sequence",       "samples",      "steps",       "tokens",     "data",
      "replicas",      "layers",         "hidden",       "heads",       "experts"};
  return kNames[static_cast<std::size_t>(number)];
}

/// One setting of a command: "--fp8-format hybrid", "model.fp8=e4m3" or, in a JSON file, "/bf16/enabled true".
struct TrainerSetting {
  std::string flag;   // as it is written, with its dashes, '=' or '/'
  std::string value;  // empty: a switch; {n}, {every}, {modules} stand for what the layout has
};

/// A word of ours and what says it; nothing to say where it is the default.
struct TrainerOption {
  std::string word;
  std::vector<TrainerSetting> settings;
  bool written = true;  // false: understood, and never written
};

struct Trainer {
  std::string name, title, note;
  double order = 0;
  std::vector<std::string> programs;  // words of a command that belong to it alone
  std::string start;                  // with {nodes} and {node_chips}
  std::string document;               // name of the file in which settings with '/' stand
  std::string framework;              // the generation its commands are taken for (catalog/calibration)
  std::vector<std::pair<TrainerNumber, std::vector<std::string>>> numbers;  // in the order written; the first flag is
  std::vector<TrainerOption> recipe, zero, recompute, sequence_parallel;
  std::string usual_recipe;                      // where a command says nothing
  double usual_zero = 0, usual_zero_staged = 0;  // likewise; with a pipeline
  std::vector<std::string> model;                // flags that name the model
  /// What a command says of a shape beside its numbers: words of train/step/model_shape.hpp, each with its flags; `untied`
  /// is one more, for the words that a shape has none for.
  std::vector<std::pair<std::string, std::vector<std::string>>> shape;
  double usual_gated_ffn = 0;          // width of a gated network that is not said, in hidden vectors'; 0: as others
  double usual_vocabulary = 0;         // where it is not said
  std::vector<std::string> unmodeled;  // known, matter, and are left out
  std::vector<std::string> quiet;      // known, and no matter here
};

/// The name under which a flag is looked up: no dashes in front, '-' and '_' alike, parts joined by dots.
std::string trainer_key(std::string_view flag);

/// "--fp8-format hybrid --fp8-recipe delayed" in parts.
std::vector<TrainerSetting> trainer_settings(std::string_view text);

/// The first flag that says a number; null where there is none.
const std::string* flag_of(const Trainer& trainer, TrainerNumber number);

}  // namespace ridge
