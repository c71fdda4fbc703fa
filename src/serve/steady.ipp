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
  StepLoad<S> step;
  step.sequences = share;
  step.new_tokens = one;
  step.context = load.prompt + load.answer * 0.5;
  const Seconds<S> decoding = step_times(plan, rates, step).calibrated();
  out.decode_step = decoding + engine.step_time + engine.layer_time * plan.layers + engine.sequence_time * share;

  // Each step finishes share / answer requests in a group, and as many prompts come in. Groups that share experts compute
  // theirs in the same steps.
  out.prompts_per_step = share / (load.answer / token);
  step.prefills = true;
  step.prompts = max(one, out.prompts_per_step);
  step.prompts_in_group = step.prompts * plan.attention_data;
  step.prompt_tokens = load.prompt / token * (one - load.cached);
  step.prompt_context = load.prompt * load.cached;
  const Seconds<S> mixed = step_times(plan, rates, step).calibrated();
  const Ratio<S> mixed_steps = min(one, out.prompts_per_step);  // of all steps
  const Seconds<S> added = engine.prefill_factor * (mixed - decoding);
  out.prompt_time = added / step.prompts;
  const Ratio<S> others = (share - one) / share;  // nobody waits for his own prompt
  out.tpot = out.decode_step + added * mixed_steps * others;
  // A new request waits for the step under way and for the prompts before its own, then for the step that holds it.
  // Prompts that arrive at random and take alike wait share / (2 (1 - share)) of one (Pollaczek and Khinchine).
  out.prompt_share = added * mixed_steps / (out.decode_step + added * mixed_steps);
  const Ratio<S> queue = out.prompt_share / (literal<Ratio<S>>(2.0) * (one - out.prompt_share));
  out.ttft = engine.first_time + out.tpot * 0.5 + out.decode_step + added + queue * added;
  out.requests = out.batch / (out.ttft + out.tpot * (load.answer / token - one));
  return out;
}

}  // namespace ridge
