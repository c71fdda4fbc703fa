#pragma once
// The equations of steady serving; include only from files that instantiate them.

#include "serve/steady.hpp"

#include "serve/step.ipp"

namespace ridge {

template <class S>
ServingTimes<S> serving_times(const StepPlan& plan, const ChipRates<S>& rates, const EngineCalibration<S>& engine,
                              const ServingLoad<S>& load) {
  const auto one = literal<Ratio<S>>(1.0);
  const auto token = literal<Tokens<S>>(1.0);
  ServingTimes<S> out;
  out.batch = min(load.concurrency, load.capacity);
  // every attention group has its share, and every stage a micro-batch of that
  const Ratio<S> share = max(one, out.batch / (plan.attention_data * plan.pipeline));
  const Seconds<S> around = engine.step_time + engine.layer_time * plan.layers + engine.sequence_time * share;
  StepLoad<S> step;
  step.sequences = share;
  step.new_tokens = one;
  step.context = load.prompt + load.answer * 0.5;
  Seconds<S> decoding = overlapped_step(plan, rates, step, load.overlap);
  out.emitted = one;
  Seconds<S> guessing = literal<Seconds<S>>(0.0);
  if (load.guesses > 0) {
    // one guess after another by a few layers, then all checked in one step; the first wrong one ends the run
    guessing = decoding * (load.guesses * load.guess_layers / plan.layers);
    step.new_tokens = literal<Ratio<S>>(1.0 + load.guesses);
    decoding = overlapped_step(plan, rates, step, load.overlap);
    out.emitted = (one - pow(load.accepted, step.new_tokens)) / (one - load.accepted);
  }
  out.decode_step = decoding + guessing + around;

  StepLoad<S> alone;
  alone.decodes = false;
  alone.prefills = true;
  alone.prompts = one;
  alone.prompts_in_group = literal<Ratio<S>>(plan.attention_data);
  alone.prompt_tokens = load.prompt / token * (one - load.cached);
  alone.prompt_context = load.prompt * load.cached;
  out.prompt_alone =
      overlapped_step(plan, rates, alone, load.overlap) + engine.step_time + engine.layer_time * plan.layers;

  // Each step finishes share x emitted / answer requests in a group, and as many prompts come in. Groups that share
  // experts compute theirs in the same steps.
  out.prompts_per_step = share * out.emitted / (load.answer / token);
  if (load.prompts_apart) {
    out.prompt_time = out.prompt_alone;
    out.tpot = out.decode_step / out.emitted;
    out.prompt_share = literal<Ratio<S>>(0.0);
    out.ttft = engine.first_time + out.prompt_alone + out.decode_step;
  } else {
    step.prefills = true;
    step.prompts = max(one, out.prompts_per_step);
    step.prompts_in_group = step.prompts * plan.attention_data;
    step.prompt_tokens = alone.prompt_tokens;
    step.prompt_context = alone.prompt_context;
    const Seconds<S> mixed = overlapped_step(plan, rates, step, load.overlap);
    const Ratio<S> mixed_steps = min(one, out.prompts_per_step);  // of all steps
    const Seconds<S> added = engine.prefill_factor * (mixed - decoding);
    out.prompt_time = added / step.prompts;
    const Ratio<S> others = (share - one) / share;  // nobody waits for his own prompt
    out.tpot = (out.decode_step + added * mixed_steps * others) / out.emitted;
    // A new request waits for the step under way and for the prompts before its own, then for the step that holds it.
    // Prompts that arrive at random and take alike wait share / (2 (1 - share)) of one (Pollaczek and Khinchine).
    out.prompt_share = added * mixed_steps / (out.decode_step + added * mixed_steps);
    const Ratio<S> queue = out.prompt_share / (literal<Ratio<S>>(2.0) * (one - out.prompt_share));
    out.ttft = engine.first_time + out.decode_step * 1.5 + added + queue * added;
  }
  out.requests = out.batch / (out.ttft + out.tpot * (load.answer / token - one));
  return out;
}

}  // namespace ridge
