#pragma once
// The words of serving engines' command lines and what each means here: one table for reading and for writing, so that
// what is written is read back.
//
// Sources: docs.vllm.ai (engine arguments, data and expert parallel deployment, context parallel), docs.sglang.io (server
// arguments, decode context parallelism) and its server_args.py, nvidia.github.io/TensorRT-LLM (trtllm-serve, parallel
// strategy); seen in November 2026.

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace ridge {

enum class Engine { vllm, sglang, trtllm };
inline constexpr std::array kEngines = {Engine::vllm, Engine::sglang, Engine::trtllm};

/// What a flag is about. Where engines count differently, the reader and the writer know how.
enum class Meaning {
  model,
  tensor,             // vLLM: of an attention group; SGLang, TensorRT-LLM: all chips of a stage
  pipeline,           //
  data,               // groups, or copies of a model without experts
  attention_data,     // a switch: the groups share the experts
  expert,             // a number of chips
  expert_everywhere,  // a switch: all chips of a stage
  dispatch,           // a backend: those that send tokens imply expert parallelism everywhere
  context_inside,     // chips of the tensor group that share the cache of a sequence
  context_beside,     // the same with chips of their own
  redundant_experts,  // experts held twice
  slots,              // all experts, those held twice included
  sequences,          // at most so many run at once
  token_budget,
  length,  // of a prompt with its answer, at most
  memory,
  kv,
  weights,
  dtype,
  speculative_tokens,
  speculation,  // the algorithm's name
  overlap,
  disaggregation,
  settings,   // an object or a file of further ones; what is unknown inside does not matter here
  quiet,      // known, and no matter here
  unmodeled,  // known, matters, and is left out
};

struct FlagRow {
  std::string_view name;  // without dashes in front, '-' for '_'
  Meaning meaning;
  bool takes_value = true;
};

/// How an engine is called in the catalog, and for people.
std::string_view name_of(Engine engine);
std::string_view title_of(Engine engine);

/// The row of a word; parts of an object are called "speculative-config.method". Null: unknown.
const FlagRow* find_flag(Engine engine, std::string_view name);

/// The word an engine has for a meaning, with its dashes; empty where it has none.
std::string flag_for(Engine engine, Meaning meaning);

/// What engines do unless told otherwise.
struct EngineDefaults {
  double memory;            // by the engine's own rule
  std::string_view remark;  // on that
  double token_budget;      // of a data-center chip
};
EngineDefaults defaults_of(Engine engine);

/// Our name for a number format of a flag (--quantization, --kv-cache-dtype); nothing: as the checkpoint says.
std::optional<std::string> format_named(std::string_view word);

}  // namespace ridge
