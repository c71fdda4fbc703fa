#pragma once
// The equations of estimate.hpp; include only from files that instantiate them.

#include "serve/estimate.hpp"

#include "serve/serving_figures.ipp"
#include "serve/step/steady.ipp"

namespace ridge {

/// Mean tokens of a sequence in flight.
template <class S>
Tokens<S> mean_length(const ServingCase<S>& c) {
  return request_lengths(c.isl, c.osl).mean;
}

/// The load of one replica whose memory has room for so many sequences.
template <class S>
ServingLoad<S> load_of(const EngineSettings& engine, const ServingCase<S>& c, const Ratio<S>& capacity) {
  ServingLoad<S> load;
  load.concurrency = c.concurrency;
  load.prompt = c.isl;
  load.answer = c.osl;
  load.cached = c.cached;
  load.capacity = engine.most_running ? min(capacity, literal<Ratio<S>>(*engine.most_running)) : capacity;
  load.speculative_tokens = engine.speculative_tokens;
  load.acceptance_rate = c.acceptance_rate;
  load.draft_layers = engine.draft_layers;
  load.token_budget = engine.token_budget;
  load.overlap = engine.overlap;
  load.composed_early = engine.composed_early;
  load.captured_tokens = replayed_tokens(engine.captured_tokens, engine.token_budget);
  load.disaggregated = engine.disaggregated;
  load.decodes = c.decodes;
  return load;
}

namespace estimate {

/// The numbers of the chips that prefill: of another machine they are its own, under the same requests and engine.
template <class S>
ServingCase<S> of_other_machine(const ServingGround& ground, const ServingCase<S>& c) {
  auto out = read_as<S>(ground.numbers, [](std::size_t, const InputInfo&, Dimension dimension, double value) {
    return literal_scalar(static_cast<const S*>(nullptr), value, dimension);
  });
  out.engine = c.engine;
  out.utilization = c.utilization;
  out.isl = c.isl;
  out.osl = c.osl;
  out.cached = c.cached;
  out.concurrency = c.concurrency;
  out.acceptance_rate = c.acceptance_rate;
  out.decodes = c.decodes;
  return out;
}

/// A step's times for one load of a pool, as its stages take them: all that adds up. `once`: in one stage.
template <class S>
struct PacedTimes {
  Seconds<S> compute, weights, kv, kernels, all, once;
};

template <class S>
PacedTimes<S> paced_times(const StepOperations& operations, const ChipPaces<S>& paces, const StepLoad<S>& load,
                          Overlap overlap) {
  const StepTimes<S> step = step_times(operations, paces, load);
  const double paced = load.decodes ? operations.unevenness : 1.0;  // stages in turn: the fullest sets the pace
  const Seconds<S> once = overlapped_step(operations, paces, load, overlap);
  return {step.compute * paced, step.weights_read * paced,
          step.kv_read * paced, (step.calibrated() - step.wire()) * paced,
          once * paced,         once};
}

/// In the steps of others: the step with prefill, less the one without.
template <class S>
PrefillPartsOf<S> prefill_in_steps(const StepOperations& operations, const ChipPaces<S>& paces,
                                   const EngineCalibration<S>& engine, const ServingLoad<S>& load,
                                   const Ratio<S>& prefills_per_step) {
  StepLoad<S> step = decode_load(operations, load);
  if (load.speculative_tokens > 0) step.new_tokens = literal<Ratio<S>>(1 + load.speculative_tokens);
  const StepLoad<S> mixed =
      padded(with_prefill(step, operations, load, prefills_per_step), engine, load.captured_tokens);
  const PacedTimes<S> with = paced_times(operations, paces, mixed, load.overlap),
                      without = paced_times(operations, paces, step, load.overlap);
  const Ratio<S> each = literal<Ratio<S>>(1.0) / mixed.prompts;
  const Seconds<S> kernels =
      launched(operations, engine, named("t_mixed", with.once), mixed, load.captured_tokens) * operations.unevenness;
  const Seconds<S> all = with.all - without.all;
  const Seconds<S> steps = prefill_steps_time(engine, load, mixed);
  const Seconds<S> total = (engine.prefill_factor * (kernels - without.all) + steps) * each;
  return {.compute = (with.compute - without.compute) * each,
          .weights = (with.weights - without.weights) * each,
          .kv = (with.kv - without.kv) * each,
          .kernels = (with.kernels - without.kernels) * each,
          .engine = total - all * each,
          .total = total,
          .idle = literal<Seconds<S>>(0.0)};
}

/// In steps of nothing else, on chips that decode nothing.
template <class S>
PrefillPartsOf<S> prefill_by_itself(const StepOperations& operations, const ChipPaces<S>& paces,
                                    const EngineCalibration<S>& engine, const ServingLoad<S>& load,
                                    const ServingTimes<S>& times) {
  const StepLoad<S> step = padded(prompts_step(operations, load), engine, load.captured_tokens);
  const PacedTimes<S> all = paced_times(operations, paces, step, load.overlap);
  const Ratio<S> each = literal<Ratio<S>>(operations.unevenness) / step.prompts;
  return {.compute = all.compute * each,
          .weights = all.weights * each,
          .kv = all.kv * each,
          .kernels = all.kernels * each,
          .engine = times.around / step.prompts,
          .total = times.prefill_time,
          .idle = literal<Seconds<S>>(0.0)};
}

/// On chips of its own.
template <class S>
PrefillPartsOf<S> prefill_apart(const StepOperations& operations, const ChipPaces<S>& paces,
                                const EngineCalibration<S>& engine, const ServingLoad<S>& load,
                                const Seconds<S>& prefill_alone) {
  const StepLoad<S> alone = padded(prefill_step(operations, load), engine, load.captured_tokens);
  const PacedTimes<S> times = paced_times(operations, paces, alone, load.overlap);
  const Seconds<S> own_steps =
      prefill_engine_time<S>(engine, operations, alone.prompts, alone.prompts, uncaptured(alone, load.captured_tokens));
  return {.compute = times.compute,
          .weights = times.weights,
          .kv = times.kv,
          .kernels = times.kernels,
          .engine = own_steps + own_steps * more_chunks(load, alone),
          .total = prefill_alone,
          .idle = prefill_alone * (1 / kPrefillBusy - 1)};
}

}  // namespace estimate

template <class S>
ServingEstimateOf<S> evaluate(const Deployment& deployment, const ServingCase<S>& c) {
  const ServingGround& ground = deployment.ground;
  const Layout& layout = deployment.layout();
  const StepOperations& decode = deployment.decode.operations;
  const StepOperations& prefill = deployment.prefill.operations;
  const bool disaggregated = ground.engine.disaggregated;
  const auto one = literal<Ratio<S>>(1.0);
  const ChipPaces<S> paces = c.rates();
  ServingEstimateOf<S> out;
  std::optional<ServingCase<S>> apart;  // of the chips that prefill, where they are another machine's
  if (deployment.prefill_elsewhere) apart = estimate::of_other_machine(*deployment.prefill_elsewhere, c);
  const ServingCase<S>& there = apart ? *apart : c;
  const ChipPaces<S> prefill_paces = apart ? ChipPaces<S>(apart->rates()) : paces;

  const MemoryTermsOf<S> memory = memory_terms(ground.engine, c);
  const MemoryTermsOf<S> prefill_terms = memory_terms(deployment.prefill_ground().engine, there);
  out.memory = chip_memory<S>(decode, memory, request_lengths(c.isl, c.osl));
  out.prefill_memory = chip_memory<S>(prefill, prefill_terms, {mean_length(c), c.isl});
  out.prefill_sequences = chip_memory<S>(prefill, prefill_terms, {c.isl, c.isl}).sequences;

  const ServingLoad<S> load = load_of(ground.engine, c, out.memory.sequences);
  const Seconds<S> alone = prefill_alone_time(prefill, prefill_paces, c.engine, load);
  out.times = serving_times(decode, paces, c.engine, load, alone);
  StepLoad<S> step;
  const double micro_batches = decode.attention_data * decode.pipeline;
  step.sequences = max(one, out.times.batch / literal<Ratio<S>>(micro_batches));
  step.new_tokens = literal<Ratio<S>>(1 + load.speculative_tokens);
  step.context = mean_length(c);
  out.step =
      step_times(decode, paces, c.decodes ? step : padded(prompts_step(decode, load), c.engine, load.captured_tokens));
  out.prefill = disaggregated ? estimate::prefill_apart(prefill, prefill_paces, c.engine, load, alone)
                : c.decodes   ? estimate::prefill_in_steps(decode, paces, c.engine, load, out.times.prefills_per_step)
                              : estimate::prefill_by_itself(decode, paces, c.engine, load, out.times);

  ServingTermsOf<S> terms{c.isl.value(),   c.osl.value(), c.price.value(),        layout.chips(),
                          layout.replicas, disaggregated, deployment.networked(), c.decodes};
  if (deployment.prefill_elsewhere) fill_prefill_terms(terms, *deployment.prefill_elsewhere);
  const PrefillPoolOf<S> pool =
      prefill_pool<S>(prefill, S(deployment.prefill.layout.chips()), out.prefill_sequences.value(), c.isl.value());
  const ServingFiguresOf<S> figures = serving_figures(decode, paces, out.times, terms, pool);
  out.user_rate = named("tok_s_per_user", TokensPerSecond<S>(figures.user_rate));
  out.output_rate = named("output_tok_s", TokensPerSecond<S>(figures.output_rate));
  out.total_rate = named("total_tok_s", TokensPerSecond<S>(figures.total_rate));
  out.output_cost = named("output_cost", DollarsPerToken<S>(figures.output_cost) / c.utilization);
  out.input_cost = named("input_cost", DollarsPerToken<S>(figures.input_cost) / c.utilization);
  out.cost = named("cost", DollarsPerToken<S>(figures.bill_per_output) / c.utilization);
  out.cost_of_all = DollarsPerToken<S>(figures.bill / figures.total_rate) / c.utilization;
  out.chips = named("chips", Ratio<S>(figures.chips));
  out.prefill_replicas = Ratio<S>(figures.prefill_replicas);
  out.transfer_time = named("t_transfer", figures.transfer_time);
  out.times.ttft = disaggregated ? named("TTFT", figures.ttft) : figures.ttft;
  out.requests = named("requests_per_s", out.times.requests * layout.replicas);

  // work of a second with the weights against what the chips could do: two FLOP a weight and token
  const auto token = literal<Tokens<S>>(1.0);
  const auto tokens = out.output_rate + out.requests * c.isl * (one - c.cached);
  const auto precision = static_cast<std::size_t>(ground.weights_precision);
  const Ratio<S> of_decode = literal<Ratio<S>>(layout.chips());
  const auto over_pools = [&](const auto& here, const auto& elsewhere) {
    return apart ? of_decode * here + (out.chips - of_decode) * elsewhere : out.chips * here;
  };
  const FlopsPerSecond<S> peak = over_pools(c.peak.matrix[precision], there.peak.matrix[precision]);
  out.mfu = named("mfu", tokens * literal<Flops<S>>(ground.weight_flops * ground.weights_pace) / token / peak);
  const Ratio<S> filled = min(one, c.concurrency / literal<Ratio<S>>(layout.attention_data * layout.pipeline));
  const Ratio<S> of_step = c.decodes ? one - out.times.prefill_share : out.times.prefill_share;
  out.mbu = named("mbu", out.step.memory_read / step_time(out.times, c.decodes) * of_step * filled);
  out.energy = named("energy", over_pools(c.power, there.power) / out.output_rate);
  return out;
}

}  // namespace ridge
