#pragma once
// How engines put requests into steps, in words that their facts use (catalog/engine/*.toml, [scheduler]).
// docs/theory/simulation.md tells the rules with their sources.

namespace ridge {

/// What a step may hold.
enum class Batching {
  mixed,          // a token of every running request, then prompts in what the budget leaves (vLLM, TensorRT-LLM)
  prefill_first,  // prompts alone where any can begin, and all running requests wait; else a token of each (SGLang)
  slots,          // a token of every slot, then prompts in the order of slots, in pieces that run in turn (llama.cpp)
};

/// What of the KV cache has to be free for a request to be admitted.
enum class Admission {
  prompt,            // its prompt; when blocks run out, the newest request gives up its own and starts again (vLLM)
  whole,             // prompt and longest output, which are kept for it: nobody ever gives up (TensorRT-LLM)
  estimated_output,  // the prompt, and a share of what all may still generate (SGLang)
};

/// That share: it falls from the first to the last over so many decode steps, and starts again when nothing runs. When it
/// was too small it is what those that stay have generated, and will in so many steps more, of all they may.
struct OutputEstimate {
  double first = 0.7, last = 0.098, steps = 600;
  double clip = 4096;  // tokens of a request that are counted at most
  double ahead = 20;   // steps
};

}  // namespace ridge
