#pragma once
// The rules by which a simulated engine puts requests into steps: facts of the engine, and what its flags change.

#include <cstdint>

#include "engine/scheduling.hpp"
#include "simulate/clock.hpp"

namespace ridge::simulate {

/// Who is next.
enum class QueueOrder { first_come, priority, longest_prefix };

struct SchedulerRules {
  Batching batching = Batching::mixed;
  Admission admission = Admission::prompt;
  QueueOrder order = QueueOrder::first_come;
  std::int64_t token_budget = 8192;
  std::int64_t max_sequences = 256;
  bool chunked_prefill = true;  // else a prompt goes through whole, once the budget has room for it
  bool composed_early = true;   // a step is put together when the one before it starts (asynchronous, overlapped)
  bool prefix_cache = true;
  std::int32_t block_tokens = 16;
  std::int32_t poll_steps = 1;  // decode steps between two looks at what came in
  std::int64_t prefill_budget =
      16384;                       // prefill_first: tokens of prompts in a step, beside the chunk size (token_budget)
  OutputEstimate output_estimate;  // of Admission::estimated_output
  // Attention DP with balance (TensorRT-LLM): prompts are held back until every rank has one, and then for so many steps
  // more; never longer than the other in all. 0: prompts are not held back.
  std::int32_t balance_wait = 0, balance_timeout = 0;

  /// Tokens of a step are sampled and sent one after the other.
  bool sends_in_turn() const { return batching == Batching::slots; }
};

/// What happens to a request before the scheduler sees it: one front end, a request at a time, and a way that takes time
/// but holds up nobody.
struct FrontEnd {
  Nanoseconds latency = 0;                      // there and back, before it is seen
  Nanoseconds back = 0;                         // or after, of an engine whose answers are read while its step goes on
  Nanoseconds each = 0, token_picoseconds = 0;  // of the one front end: a request, and each token of its prompt
};

}  // namespace ridge::simulate
