#pragma once
// What is known of a serving engine: how it is started, its flags and what they mean, what it does unless told otherwise,
// which layouts it can run, how it counts memory. Values alone: catalog/engine/*.toml holds them, with their sources.
// One table serves reading and writing of commands, so that what is written is read back.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/number/units.hpp"
#include "base/provenance.hpp"
#include "engine/chip_memory.hpp"
#include "engine/flag_meaning.hpp"
#include "engine/scheduling.hpp"
#include "machine/chip.hpp"

namespace ridge {

/// One word of a command line.
struct EngineFlag {
  std::string name;  // as the engine writes it, without dashes in front
  Meaning meaning = Meaning::quiet;
  bool takes_value = true;
  std::string versions = {};  // that have it, where known: "from 0.11", "to 0.4"
};

/// A default that may depend on the size of a chip's memory.
struct DefaultByMemory {
  Sourced<double> value;                                    // of a chip smaller than all below
  std::vector<std::pair<Bytes<double>, double>> from = {};  // from this much memory on; rising

  double at(Bytes<double> memory) const;
};

/// How an engine keeps the KV cache unless told otherwise.
struct KvCacheRule {
  Sourced<std::string> otherwise;
  // Of quantized weights: the chip multiplies this format -> the cache's format.
  std::vector<std::pair<std::string, std::string>> where = {};
};

/// Whose chips the size of tensor parallelism counts.
enum class TensorCount {
  group,  // of one attention group
  stage,  // of all attention groups of a pipeline stage
};

/// How an engine is told that attention runs in groups that share the experts (attention DP).
enum class AttentionGroups {
  none,             // it has none
  size,             // a number of groups; of a model without experts these are copies
  switch_and_size,  // a switch beside a number of groups; without the switch these are copies
  all_or_none,      // a switch: every chip of a stage is a group, or all of them are one
};

/// Whose kernels an engine runs.
enum class KernelFamily {
  usual,  // those of data centers: fused, by matrix units at any batch
  ggml,   // llama.cpp's
};

enum class ExpertDegrees { none, all_or_none, any };

/// Where the chips are that share the cache of a sequence (context parallelism).
enum class ContextChips { none, inside_tensor, beside_tensor };

/// Over what an engine counts its limits on sequences and tokens.
enum class LimitCount { group, replica };

struct EngineLayouts {
  TensorCount tensor = TensorCount::group;
  AttentionGroups attention_data = AttentionGroups::none;
  ExpertDegrees expert = ExpertDegrees::none;
  ContextChips context = ContextChips::none;
  LimitCount limits = LimitCount::group;
};

/// How requests are put into steps.
struct EngineScheduler {
  Batching batching = Batching::mixed;
  Admission admission = Admission::prompt;
  OutputEstimate output_estimate;              // where admission counts on it
  bool composed_early = false;                 // a step is put together when the one before it starts
  std::optional<bool> prefill_composed_early;  // of chips that compute prompts alone; none: as elsewhere
  bool prefix_cache = false;                   // on unless told otherwise
  double block_tokens = 16;                    // of the KV cache
  double captured_tokens = 0;                  // of the largest step with prompts that is replayed as decode steps are
  std::optional<double> prefill_budget;        // tokens of prompts in a step, beside the chunk size
  std::optional<bool> chunked_prefill;         // on unless told otherwise
  DefaultByMemory token_budget;                // tokens of prompts computed at once
  std::optional<DefaultByMemory> max_sequences;
  std::optional<Sourced<double>> ubatch;  // tokens of a batch that run at once, where it is cut further
  std::optional<double> startup;          // s to compile and to capture graphs, once weights are there
};

/// Words for a shell or lines of an options file, with {model}, {n}, {n+1}, {slots}, {format}, {role} to be filled in.
/// A line each in a command; names are those of docs/engines.md.
using EngineTexts = std::vector<std::pair<std::string, std::string>>;

struct EngineWriting {
  EngineTexts command, file, notes;
  EngineTexts kv, weights;  // our format -> its word, of those that a flag can ask for
};

/// Kernels that an engine looks up anew at every call, among those that it once timed: formats of products and of experts
/// for which it does, and how many launches that takes the host.
struct EngineLookUps {
  std::string products, experts;
  double launches = 0;

  double of(const std::string& format, bool routed) const {
    return format == (routed ? experts : products) ? launches : 0;
  }
};

struct Engine {
  std::string name, title, note;
  double order = 0;                                          // among engines, where several are shown
  std::vector<std::string> programs;                         // that start it: "vllm serve", "sglang.launch_server"
  std::vector<std::string> images;                           // whose entry point is the engine: "vllm/vllm-openai"
  bool model_first = false;                                  // a model without a flag stands first or nowhere
  std::vector<EngineFlag> flags;                             // of several with one meaning the first is written
  std::vector<std::string> as_modeled;                       // "ngl 99": flags that only say what is taken for granted
  std::vector<std::pair<std::string, std::string>> formats;  // its word -> our number format
  Sourced<MemoryRule> memory_rule;
  DefaultByMemory memory_utilization;                // of the newest version
  std::optional<Sourced<double>> older_utilization;  // of versions before: taken for a command of unknown version
  KvCacheRule kv_cache;
  // of a checkpoint whose weights alone are in this format -> what they are multiplied with on chips that have a unit for it
  std::vector<std::pair<std::string, std::string>> activations;
  EngineLookUps look_ups;
  EngineScheduler scheduler;
  EngineLayouts layouts;
  KernelFamily kernels = KernelFamily::usual;
  EngineWriting writing;

  /// Its commands can be written.
  bool is_written() const;
};

/// "everything" in the words of catalog files, and back.
std::string_view name_of(MemoryRule rule);
std::string_view name_of(TensorCount count);
std::string_view name_of(AttentionGroups groups);
std::string_view name_of(ExpertDegrees degrees);
std::string_view name_of(ContextChips chips);
std::string_view name_of(LimitCount count);
std::string_view name_of(KernelFamily family);
std::string_view name_of(Batching batching);
std::string_view name_of(Admission admission);

/// What its memory utilization is a share of, for people.
std::string_view meaning_of(MemoryRule rule);

/// The flag of a word ('-' and '_' are one); parts of an object are called "speculative-config.method". Null: unknown.
const EngineFlag* find_flag(const Engine& engine, std::string_view name);

/// The word an engine has for a meaning, with its dashes; empty where it has none.
std::string flag_for(const Engine& engine, Meaning meaning);

/// Our name for a number format of a flag (--quantization, --kv-cache-dtype); nothing: as the checkpoint says.
std::optional<std::string> format_named(const Engine& engine, std::string_view word);

/// The format an engine keeps the cache in on a chip where neither a flag nor the checkpoint tells it. `quantized`: some
/// weights have fewer than 16 bits; a cache beside weights of 16 bits is as wide as they are.
std::string kv_format(const Engine& engine, const Chip& chip, bool quantized);

/// The text of a name; null where there is none.
const std::string* find_text(const EngineTexts& texts, std::string_view name);

}  // namespace ridge
