#pragma once
// The equations of steady serving; include only from files that instantiate them.

#include "serve/step/steady.hpp"

#include "serve/step/step.ipp"

namespace ridge {

/// What a prompt by itself asks of a step.
template <class S>
StepLoad<S> prefill_step(const StepOperations& plan, const ServingLoad<S>& load) {
  StepLoad<S> alone;
  alone.decodes = false;
  alone.prefills = true;
  alone.prompts = literal<Ratio<S>>(1.0);
  alone.prefills_in_group = literal<Ratio<S>>(plan.attention_data);
  alone.prompt_tokens = load.prompt / literal<Tokens<S>>(1.0) * (literal<Ratio<S>>(1.0) - load.cached);
  alone.prompt_context = load.prompt * load.cached;
  return alone;
}

/// What one group decodes in a step: every group has its share, and every stage a micro-batch of that.
template <class S>
StepLoad<S> decode_load(const StepOperations& plan, const ServingLoad<S>& load) {
  const auto one = literal<Ratio<S>>(1.0);
  const auto groups = literal<Ratio<S>>(plan.attention_data), stages = literal<Ratio<S>>(plan.pipeline);
  StepLoad<S> step;
  step.sequences = named("B", max(one, min(load.concurrency, load.capacity) / (groups * stages)));
  step.new_tokens = one;
  step.context = named("L", load.prompt + load.answer * 0.5);
  return step;
}

/// The same step with the prompts that come in meanwhile, so many in a step on average: it holds at least a whole one.
template <class S>
StepLoad<S> with_prefill(StepLoad<S> step, const StepOperations& plan, const ServingLoad<S>& load,
                         const Ratio<S>& prefills_per_step) {
  const StepLoad<S> alone = prefill_step(plan, load);
  step.prefills = true;
  step.prompts = max(literal<Ratio<S>>(1.0), prefills_per_step);
  step.prefills_in_group = step.prompts * literal<Ratio<S>>(plan.attention_data);
  step.prompt_tokens = alone.prompt_tokens;
  step.prompt_context = alone.prompt_context;
  return step;
}

/// A long prompt goes through in chunks, each a step of its own: those after the first.
template <class S>
Ratio<S> more_chunks(const ServingLoad<S>& load, const StepLoad<S>& alone) {
  const Ratio<S> token_budgets = alone.prompt_tokens / literal<Ratio<S>>(load.token_budget);
  return max(literal<Ratio<S>>(0.0), token_budgets - literal<Ratio<S>>(1.0));
}

/// What the prompts of this step cost the engine above a step without: in as many steps as the token budget makes of it, and
/// each prompt in as many as the budget makes of that.
template <class S>
Seconds<S> prefill_steps_time(const EngineCalibration<S>& engine, const ServingLoad<S>& load, const StepLoad<S>& step) {
  const Ratio<S> steps =
      max(literal<Ratio<S>>(1.0), step.prompts * step.prompt_tokens / literal<Ratio<S>>(load.token_budget));
  const Ratio<S> pieces =
      max(literal<Ratio<S>>(1.0), step.prompt_tokens / literal<Ratio<S>>(load.token_budget)) * step.prompts;
  return named("t_prefill_steps",
               engine.prefill_step_time * steps * uncaptured(step, load.captured_tokens) + engine.prompt_time * pieces);
}

template <class S>
Seconds<S> prefill_alone_time(const StepOperations& plan, const Paces<S>& paces, const EngineCalibration<S>& engine,
                              const ServingLoad<S>& load) {
  const StepLoad<S> alone = prefill_step(plan, load);
  const Seconds<S> own_steps =
      prefill_engine_time(engine, plan, alone.prompts, alone.prompts, uncaptured(alone, load.captured_tokens));
  const Seconds<S> kernels = prompts_kernels(plan, paces, engine, alone, load);
  return named("prefill_alone", (load.disaggregated ? kernels : engine.prefill_factor * kernels) + own_steps +
                                    own_steps * more_chunks(load, alone));
}

/// The step of an engine whose outputs end with their first token: nothing but as many prompts as the token budget takes,
/// of those in flight; one at least, in chunks.
template <class S>
StepLoad<S> prompts_step(const StepOperations& plan, const ServingLoad<S>& load) {
  const auto one = literal<Ratio<S>>(1.0);
  StepLoad<S> step = prefill_step(plan, load);
  const Ratio<S> share = decode_load(plan, load).sequences;
  const Ratio<S> budgets = max(one, share * step.prompt_tokens / literal<Ratio<S>>(load.token_budget));
  step.prompts = named("prefills_per_step", max(one, share / budgets));
  step.prefills_in_group = step.prompts * literal<Ratio<S>>(plan.attention_data);
  return step;
}

/// An engine that decodes nothing computes nothing but prefill: it finishes the prompts of a step in the time of that step,
/// but no more than are in flight.
template <class S>
ServingTimes<S> prompts_only_times(const StepOperations& plan, const Paces<S>& paces,
                                   const EngineCalibration<S>& engine, const ServingLoad<S>& load,
                                   const Seconds<S>& prefill_alone) {
  const auto one = literal<Ratio<S>>(1.0);
  const auto none = literal<Seconds<S>>(0.0);
  const StepLoad<S> step = prompts_step(plan, load);
  const Seconds<S> front = named("t_front", front_time(engine, load.prompt));
  ServingTimes<S> out;
  out.batch = min(load.concurrency, load.capacity);
  out.emitted = one;
  out.decode_step = out.drafting = out.tpot = none;
  out.prefill_alone = prefill_alone;
  out.prefills_per_step = step.prompts;
  if (load.disaggregated) {  // the pool for prefill answers; nothing is left for the other
    out.around = out.queue = none;
    out.prefill_time = prefill_alone;
    out.prefill_share = literal<Ratio<S>>(0.0);
    out.ttft = named("t_first", front + prefill_alone);
    out.requests = named("requests_of_replica", out.batch / out.ttft);
    return out;
  }
  const Seconds<S> own_steps =
      prefill_engine_time(engine, plan, step.prompts, step.prompts, uncaptured(step, load.captured_tokens));
  out.around = named("t_engine", own_steps + own_steps * more_chunks(load, step));
  const Seconds<S> kernels =
      named("t_kernels_prefill", prompts_kernels(plan, paces, engine, step, load) * literal<Ratio<S>>(plan.unevenness));
  const Seconds<S> whole = named("t_prefill", engine.prefill_factor * kernels + out.around);
  out.prefill_time = whole / step.prompts;
  out.prefill_share = one;
  const Ratio<S> share = decode_load(plan, load).sequences;
  out.queue = named("t_queue", whole * (max(share / step.prompts, one) - one));  // all others in flight are ahead
  out.ttft = named("TTFT", front + whole + out.queue);
  const auto at_once = literal<Ratio<S>>(plan.attention_data * plan.pipeline) * step.prompts;
  out.requests = named("requests_of_replica", min(at_once / whole, out.batch / (front + whole)));
  return out;
}

template <class S>
ServingTimes<S> serving_times(const StepOperations& plan, const Paces<S>& paces, const EngineCalibration<S>& engine,
                              const ServingLoad<S>& load) {
  return serving_times(plan, paces, engine, load, prefill_alone_time(plan, paces, engine, load));
}

template <class S>
ServingTimes<S> serving_times(const StepOperations& plan, const Paces<S>& paces, const EngineCalibration<S>& engine,
                              const ServingLoad<S>& load, const Seconds<S>& prefill_alone) {
  if (!load.decodes) return prompts_only_times(plan, paces, engine, load, prefill_alone);
  const auto one = literal<Ratio<S>>(1.0);
  const auto token = literal<Tokens<S>>(1.0);
  const Seconds<S> front = named("t_front", front_time(engine, load.prompt));
  ServingTimes<S> out;
  out.batch = min(load.concurrency, load.capacity);
  const bool composed_early = load.composed_early && plan.pipeline == 1;  // stages are handed steps as they come free
  StepLoad<S> step = decode_load(plan, load);
  const Ratio<S> share = step.sequences;
  out.around = named("t_engine", engine_time(engine, plan, share));
  // stages work in turn: the one with most layers sets the pace of all
  const auto in_turn = [&](const StepLoad<S>& one_step) {
    return overlapped_step(plan, paces, one_step, load.overlap) * literal<Ratio<S>>(plan.unevenness);
  };
  Seconds<S> decoding = named("t_kernels", in_turn(step));
  out.emitted = one;
  out.drafting = literal<Seconds<S>>(0.0);
  if (load.speculative_tokens > 0) {
    // one draft token after another by a few layers, then all checked in one step; the first wrong one ends the run
    out.drafting = decoding * (load.speculative_tokens * load.draft_layers / plan.layers);
    step.new_tokens = literal<Ratio<S>>(1.0 + load.speculative_tokens);
    decoding = named("t_verify", in_turn(step));
    out.emitted = (one - pow(load.acceptance_rate, step.new_tokens)) / (one - load.acceptance_rate);
  }
  out.decode_step = named("t_decode", decoding + out.drafting + out.around);

  const StepLoad<S> alone = prefill_step(plan, load);
  out.prefill_alone = prefill_alone;
  Seconds<S> behind = literal<Seconds<S>>(0.0);  // of TTFT, what passes while others' prompts are computed

  // Each step finishes share x emitted / answer requests in a group, and as many prompts come in. Groups that share
  // experts compute theirs in the same steps.
  out.prefills_per_step = named("prefills_per_step", share * out.emitted / (load.answer / token));
  if (load.disaggregated) {
    out.prefill_time = out.prefill_alone;
    out.tpot = named("TPOT", out.decode_step / out.emitted);
    out.prefill_share = literal<Ratio<S>>(0.0);
    out.queue = literal<Seconds<S>>(0.0);
    out.ttft = named("t_first", front + out.prefill_alone + out.decode_step);
  } else {
    step = with_prefill(step, plan, load, out.prefills_per_step);
    const Seconds<S> mixed =
        named("t_kernels_mixed", prompts_kernels(plan, paces, engine, step, load) * literal<Ratio<S>>(plan.unevenness));
    const Ratio<S> mixed_steps = named("mixed_steps", min(one, out.prefills_per_step));  // of all steps
    const Seconds<S> added =
        named("t_prefill_added", engine.prefill_factor * (mixed - decoding) + prefill_steps_time(engine, load, step));
    out.prefill_time = added / step.prompts;
    const Ratio<S> others = named("others", (share - one) / share);  // nobody waits for his own prompt
    out.tpot = named("TPOT", (out.decode_step + added * mixed_steps * others) / out.emitted);
    // A new request waits for the step under way and for the prompts before its own, then for the step that holds it.
    // Prompts that arrive at random and take alike wait share / (2 (1 - share)) of one (Pollaczek and Khinchine), but
    // there are never more ahead than requests in flight beside this one.
    out.prefill_share = named("prefill_share", added * mixed_steps / (out.decode_step + added * mixed_steps));
    const Ratio<S> at_random = out.prefill_share / (literal<Ratio<S>>(2.0) * (one - out.prefill_share));
    out.queue = named("t_queue", added * min(at_random, (share - one) / step.prompts * 0.5));
    // Half of the step under way, and all of the next where that was put together before; then its own, beside whoever
    // decodes: alone there it is a prefill by itself.
    const Seconds<S> under_way = named("t_step", out.decode_step + added * mixed_steps);
    const Seconds<S> joining = under_way * others * (composed_early ? 1.5 : 0.5);
    const Seconds<S> beside = out.decode_step + out.decode_step * more_chunks(load, alone) + added;
    out.ttft = named("TTFT", front + joining + out.prefill_alone / share + beside * others + out.queue);
    behind = out.queue;
    bool alone_in_step = false;
    if constexpr (remembers_names<S>) alone_in_step = step.prompts.value().value() == 1;  // not worth a line
    // of the step under way all prompts but one, and all of the next where that was put together before
    const Seconds<S> waited = added * mixed_steps * others;
    if (!alone_in_step) {
      const Seconds<S> but_one = out.prefill_time * (step.prompts - one) * mixed_steps * others * 0.5;
      behind = named("t_behind", composed_early ? out.queue + but_one + waited : out.queue + but_one);
    } else if (composed_early) {
      behind = named("t_behind", out.queue + waited);
    }
    out.queue = behind;
  }
  // Waiting behind others' prompts does not empty the engine: those are at work meanwhile.
  out.requests = named("requests_of_replica", out.batch / (out.ttft - behind + out.tpot * (load.answer / token - one)));
  return out;
}

}  // namespace ridge
