#pragma once
// Serving in its steady state: so many requests in flight, each with a prompt and an answer, prompts computed between
// the decode steps of the others. docs/theory/serving.md derives it.

#include "serve/step/step.hpp"

namespace ridge {

/// What one engine (all chips of one replica) is asked to do.
template <class S>
struct ServingLoad {
  Ratio<S> concurrency;      // requests in flight
  Tokens<S> prompt, answer;  // mean lengths
  Ratio<S> cached;           // share of each prompt that is in the prefix cache
  Ratio<S> capacity;         // sequences that fit into memory; more have to wait
  // Guessing ahead: a small model, or the model's own module, proposes so many tokens, and each is right with this
  // probability once those before it were.
  double speculative_tokens = 0;
  Ratio<S> acceptance_rate;    // of a draft token
  double draft_layers = 0;     // what one draft token costs, in layers of the model
  double token_budget = 8192;  // tokens of prompts computed at once
  Overlap overlap = Overlap::none;
  bool composed_early = false;  // a step is put together when the one before it starts
  double captured_tokens = 0;   // of the largest step with prompts that is replayed as decode steps are
  bool disaggregated = false;   // other chips compute the prompts
  bool decodes = true;          // whether any output has more than its first token, which prefill gives
};

template <class S>
struct ServingTimes {
  Ratio<S> batch;               // sequences decoding at once
  Ratio<S> emitted;             // tokens of a sequence in a step: 1, or more where draft tokens were accepted
  Seconds<S> decode_step;       // a step with decodes alone; 0 where nothing is decoded
  Seconds<S> around, drafting;  // of it, the engine's own, and drafting
  Seconds<S> prefill_time;      // what one prompt adds to the steps it is computed in
  Ratio<S> prefills_per_step;   // on average, in one attention group
  Seconds<S> prefill_alone;     // one prompt by itself, with nothing decoding beside it
  Seconds<S> tpot;              // 0 where nothing is decoded: one token has no interval to the next
  Ratio<S> prefill_share;       // of the time that goes into prompts
  Seconds<S> queue;             // of the next, waiting behind the prompts of others
  Seconds<S> ttft;              // of a request that finds a free place
  PerSecond<S> requests;        // finished, by the whole engine
};

/// A step with this load: of decodes, or of prefill where nothing is decoded.
template <class S>
Seconds<S> step_time(const ServingTimes<S>& times, bool decodes) {
  return decodes ? times.decode_step : times.prefill_time * times.prefills_per_step;
}

/// Above this share of the time in prompts, or of the requests an engine could finish, waiting is left to chance.
inline constexpr double kBusy = 0.9;

/// What an engine does around a step with so many sequences in a group.
template <class S>
Seconds<S> engine_time(const EngineCalibration<S>& engine, const StepOperations& plan, const Ratio<S>& sequences) {
  const Seconds<S> time = engine.step_time + engine.sequence_time * sequences;
  return plan.ggml ? time + ggml_sampling_time<S>(*plan.ggml, plan.vocabulary, sequences) : time;
}

/// Tokens up to which a step with prompts is replayed from a captured graph: any number where no step can have more.
inline double replayed_tokens(double captured_tokens, double token_budget) {
  constexpr double kAny = 1e15;
  return captured_tokens > 0 && token_budget <= captured_tokens ? kAny : captured_tokens;
}

/// Of a step with prompts, 1 where it has more tokens than any captured graph, else 0; between two whole numbers, a part.
template <class S>
Ratio<S> uncaptured(const StepLoad<S>& load, double captured_tokens) {
  const auto one = literal<Ratio<S>>(1.0);
  if (captured_tokens == 0) return one;
  Ratio<S> tokens = load.prompts * load.prompt_tokens;
  if (load.decodes) tokens = tokens + load.sequences * load.new_tokens;
  return min(one, max(literal<Ratio<S>>(0.0), tokens - literal<Ratio<S>>(captured_tokens)));
}

/// What an engine does around a step with prompts, so many sequences and so many of those prompts in it: what no graph
/// holds is prepared anew.
template <class S>
Seconds<S> prefill_engine_time(const EngineCalibration<S>& engine, const StepOperations& plan,
                               const Ratio<S>& sequences, const Ratio<S>& prompts, const Ratio<S>& uncaptured) {
  return engine_time(engine, plan, sequences) + engine.prompt_time * prompts + engine.prefill_step_time * uncaptured;
}

/// Kernels of a step with prompts, which take `on_chips`. Where no captured graph holds so many tokens the host launches
/// one after the other, ahead of the chips or behind them.
template <class S>
Seconds<S> launched(const StepOperations& plan, const EngineCalibration<S>& engine, const Seconds<S>& on_chips,
                    const StepLoad<S>& load, double captured_tokens) {
  const Seconds<S> by_host =
      overlapped(on_chips, named("t_host", engine.launch_time * literal<Ratio<S>>(plan.launches)));
  if (captured_tokens == 0) return by_host;
  const Ratio<S> by_hand = uncaptured(load, captured_tokens);  // each end exactly
  return on_chips * (literal<Ratio<S>>(1.0) - by_hand) + by_host * by_hand;
}

/// A step with prompts, as the kernels for experts pad it that a captured graph holds.
template <class S>
StepLoad<S> padded(StepLoad<S> step, const EngineCalibration<S>& engine, double captured_tokens) {
  if (captured_tokens == 0) return step;
  step.has_padding = true;
  step.expert_padding = engine.expert_padding * (literal<Ratio<S>>(1.0) - uncaptured(step, captured_tokens));
  return step;
}

template <class S>
Seconds<S> prompts_kernels(const StepOperations& plan, const Paces<S>& paces, const EngineCalibration<S>& engine,
                           const StepLoad<S>& step, const ServingLoad<S>& load) {
  return launched(plan, engine,
                  named(step.decodes ? "t_mixed" : "t_alone",
                        overlapped_step(plan, paces, padded(step, engine, load.captured_tokens), load.overlap)),
                  step, load.captured_tokens);
}

/// A request's way to its first step and back.
template <class S>
Seconds<S> front_time(const EngineCalibration<S>& engine, const Tokens<S>& prompt) {
  return engine.first_time + engine.first_token_time * (prompt / literal<Tokens<S>>(1.0));
}

/// One prompt by itself, with nothing decoding beside it: whatever else is in flight.
template <class S>
Seconds<S> prefill_alone_time(const StepOperations& plan, const Paces<S>& rates, const EngineCalibration<S>& engine,
                              const ServingLoad<S>& load);

template <class S>
ServingTimes<S> serving_times(const StepOperations& plan, const Paces<S>& rates, const EngineCalibration<S>& engine,
                              const ServingLoad<S>& load);

/// The same where that time is known already.
template <class S>
ServingTimes<S> serving_times(const StepOperations& plan, const Paces<S>& rates, const EngineCalibration<S>& engine,
                              const ServingLoad<S>& load, const Seconds<S>& prefill_alone);

}  // namespace ridge
