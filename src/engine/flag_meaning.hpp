#pragma once
// What the flags of serving engines are about, whatever each engine calls them.

#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace ridge {

/// What a flag is about. Where engines count differently, their facts say how.
enum class Meaning {
  model,
  tensor,             // chips of an attention group, or all chips of a stage
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
  ubatch,        // tokens of a batch that run at once
  total_length,  // of all sequences together
  length,        // of a prompt with its answer, at most
  memory,
  kv,
  weights,
  dtype,
  speculative_tokens,
  speculation,  // the algorithm's name
  overlap,
  disaggregation,
  prefix_cache,     // switches of the scheduler, on
  no_prefix_cache,  // and off
  chunked_prefill,
  early,       // a step is composed when the one before it starts
  no_early,    //
  poll_steps,  // decode steps between two looks at new requests
  settings,    // an object or a file of further ones; what is unknown inside does not matter here
  quiet,       // known, and no matter here
  unmodeled,   // known, matters, and is left out
};

/// Those that a catalog file lists under [flag], by their names there. Quiet and unmodeled ones have tables of their own.
inline constexpr std::array kFlagMeanings = {
    std::pair<std::string_view, Meaning>{"model", Meaning::model},
    std::pair<std::string_view, Meaning>{"tensor", Meaning::tensor},
    std::pair<std::string_view, Meaning>{"pipeline", Meaning::pipeline},
    std::pair<std::string_view, Meaning>{"data", Meaning::data},
    std::pair<std::string_view, Meaning>{"attention_data", Meaning::attention_data},
    std::pair<std::string_view, Meaning>{"expert", Meaning::expert},
    std::pair<std::string_view, Meaning>{"expert_everywhere", Meaning::expert_everywhere},
    std::pair<std::string_view, Meaning>{"dispatch", Meaning::dispatch},
    std::pair<std::string_view, Meaning>{"context_inside", Meaning::context_inside},
    std::pair<std::string_view, Meaning>{"context_beside", Meaning::context_beside},
    std::pair<std::string_view, Meaning>{"redundant_experts", Meaning::redundant_experts},
    std::pair<std::string_view, Meaning>{"slots", Meaning::slots},
    std::pair<std::string_view, Meaning>{"sequences", Meaning::sequences},
    std::pair<std::string_view, Meaning>{"token_budget", Meaning::token_budget},
    std::pair<std::string_view, Meaning>{"ubatch", Meaning::ubatch},
    std::pair<std::string_view, Meaning>{"total_length", Meaning::total_length},
    std::pair<std::string_view, Meaning>{"length", Meaning::length},
    std::pair<std::string_view, Meaning>{"memory", Meaning::memory},
    std::pair<std::string_view, Meaning>{"kv", Meaning::kv},
    std::pair<std::string_view, Meaning>{"weights", Meaning::weights},
    std::pair<std::string_view, Meaning>{"dtype", Meaning::dtype},
    std::pair<std::string_view, Meaning>{"speculative_tokens", Meaning::speculative_tokens},
    std::pair<std::string_view, Meaning>{"speculation", Meaning::speculation},
    std::pair<std::string_view, Meaning>{"overlap", Meaning::overlap},
    std::pair<std::string_view, Meaning>{"disaggregation", Meaning::disaggregation},
    std::pair<std::string_view, Meaning>{"prefix_cache", Meaning::prefix_cache},
    std::pair<std::string_view, Meaning>{"no_prefix_cache", Meaning::no_prefix_cache},
    std::pair<std::string_view, Meaning>{"chunked_prefill", Meaning::chunked_prefill},
    std::pair<std::string_view, Meaning>{"early", Meaning::early},
    std::pair<std::string_view, Meaning>{"no_early", Meaning::no_early},
    std::pair<std::string_view, Meaning>{"poll_steps", Meaning::poll_steps},
    std::pair<std::string_view, Meaning>{"settings", Meaning::settings},
};

/// Flags of these meanings stand alone; all others are followed by a value.
constexpr bool is_switch(Meaning meaning) {
  return meaning == Meaning::attention_data || meaning == Meaning::expert_everywhere || meaning == Meaning::overlap ||
         meaning == Meaning::prefix_cache || meaning == Meaning::no_prefix_cache ||
         meaning == Meaning::chunked_prefill || meaning == Meaning::early || meaning == Meaning::no_early;
}

}  // namespace ridge
