#pragma once
// What one attention group computes in a step, as far as its time hangs on it.

#include <cstdint>

namespace ridge::simulate {

struct StepWork {
  std::int64_t decodes = 0;         // requests that get a token, or several with speculative tokens
  std::int64_t decode_context = 0;  // tokens before those, summed over requests
  std::int64_t decode_batches =
      1;                           // that they run in, one after the other (llama.cpp: seats side by side run together)
  std::int64_t prompts = 0;        // pieces of prompts
  std::int64_t prompt_tokens = 0;  // in them
  // Twice the pairs of tokens that attention looks at in those: n (2 c + n) of n tokens after c.
  std::int64_t prompt_pairs = 0;

  bool empty() const { return decodes == 0 && prompts == 0; }
  void add_prompt(std::int64_t tokens, std::int64_t context) {
    ++prompts;
    prompt_tokens += tokens;
    prompt_pairs += tokens * (2 * context + tokens);
  }
};

}  // namespace ridge::simulate
