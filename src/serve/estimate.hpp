#pragma once
// What a deployment does under a load: one function from a deployment and a load to every figure, over any scalar.

#include "serve/deployment.hpp"
#include "serve/serving_figures.hpp"

namespace ridge {

/// Where the time of one prompt's prefill goes, on the chips that do it. Where prefill shares steps with decode, all of it
/// is what those steps take longer: weights that are read anyway cost nothing more.
template <class S>
struct PrefillPartsOf {
  Seconds<S> compute, weights, kv;  // each alone, at datasheet peaks
  Seconds<S> kernels;               // calibrated, without the network
  Seconds<S> engine;                // around the kernels, and what the engine makes of their time
  Seconds<S> total;                 // times.prefill_time
  Seconds<S> idle;                  // chips that wait for the next prompt, where they do nothing else
};
using PrefillParts = PrefillPartsOf<double>;

template <class S>
struct ServingEstimateOf {
  ChipMemoryOf<S> memory, prefill_memory;  // of a chip that decodes, and of one that prefills
  Ratio<S> prefill_sequences;              // prompts that those hold
  ServingTimes<S> times;
  StepTimes<S> step;  // a decode step with this load; one of prefill where nothing is decoded
  PrefillPartsOf<S> prefill;
  TokensPerSecond<S> user_rate, output_rate, total_rate;  // one user (0: no TPOT); all replicas: out, in and out
  DollarsPerToken<S> input_cost, output_cost;             // of paid time
  DollarsPerToken<S> cost;                                // the whole bill over the output tokens
  DollarsPerToken<S> cost_of_all;                         // the whole bill over all tokens
  Ratio<S> chips;                                         // those for prefill included
  Ratio<S> prefill_replicas;                              // for each that decodes, where disaggregated
  Seconds<S> transfer_time;                               // of a prompt's KV cache from one pool to the other
  Ratio<S> mfu, mbu;
  Quantity<kJoule / kToken, S> energy;  // of an output token; 0 where the power is not known

  /// Requests finished a second, by all replicas.
  PerSecond<S> requests;
};
using ServingEstimate = ServingEstimateOf<double>;

/// Calls visit(OutputInfo, field) for every figure, always in the same order.
template <class Estimate, class Visit>
constexpr void visit_serving_outputs(Estimate& e, Visit&& visit) {
  visit(OutputInfo{"tpot", "time per output token"}, e.times.tpot);
  visit(OutputInfo{"ttft", "time to first token"}, e.times.ttft);
  visit(OutputInfo{"ttft_queue", "of it, waiting behind others' prefill"}, e.times.queue);
  visit(OutputInfo{"decode_step", "a step that only decodes"}, e.times.decode_step);
  visit(OutputInfo{"engine_time", "engine overhead of a step"}, e.times.around);
  visit(OutputInfo{"prefill_alone", "one prompt's prefill by itself"}, e.times.prefill_alone);
  visit(OutputInfo{"prefill_time", "what one prompt adds to the steps it is in"}, e.times.prefill_time);
  visit(OutputInfo{"prefill_share", "share of the time that goes into prefill"}, e.times.prefill_share);
  visit(OutputInfo{"batch", "sequences decoding at once"}, e.times.batch);
  visit(OutputInfo{"bound_compute", "roofline bound of the step: compute"}, e.step.compute);
  visit(OutputInfo{"bound_memory", "roofline bound of the step: memory"}, e.step.memory);
  visit(OutputInfo{"bound_network", "roofline bound of the step: network"}, e.step.network);
  visit(OutputInfo{"sequences", "sequences that fit"}, e.memory.sequences);
  visit(OutputInfo{"requests_per_s", "requests finished a second"}, e.requests);
  visit(OutputInfo{"tok_s_per_user", "output tokens a second for each user"}, e.user_rate);
  visit(OutputInfo{"output_tok_s", "output tokens a second in all"}, e.output_rate);
  visit(OutputInfo{"total_tok_s", "input and output tokens a second in all"}, e.total_rate);
  visit(OutputInfo{"output_cost", "cost of an output token"}, e.output_cost);
  visit(OutputInfo{"input_cost", "cost of an input token"}, e.input_cost);
  visit(OutputInfo{"cost", "the whole bill over the output tokens"}, e.cost);
  visit(OutputInfo{"chips", "chips, those for prefill included"}, e.chips);
  visit(OutputInfo{"transfer_time", "a prompt's KV cache between the pools"}, e.transfer_time);
  visit(OutputInfo{"mfu", "share of peak compute in use"}, e.mfu);
  visit(OutputInfo{"mbu", "share of peak bandwidth in use"}, e.mbu);
  visit(OutputInfo{"energy_per_output_token", "energy of an output token"}, e.energy);
}

inline constexpr std::size_t kServingOutputs = 25;

/// Figures that there are only where something is decoded.
constexpr bool of_decode(std::string_view key) {
  return key == "tpot" || key == "decode_step" || key == "tok_s_per_user";
}

template <>
struct FieldList<ServingEstimateOf> {
  using Info = OutputInfo;
  static constexpr std::size_t kCount = kServingOutputs;
  static constexpr void visit(auto& estimate, auto&& f) { visit_serving_outputs(estimate, f); }
};

/// Total: memory that holds no sequence gives figures that mean nothing (fits() says so), never an error.
template <class S>
ServingEstimateOf<S> evaluate(const Deployment& deployment, const ServingCase<S>& c);

/// What of the terms another machine's chips for prefill set.
template <class S>
void fill_prefill_terms(ServingTermsOf<S>& terms, const ServingGround& elsewhere) {
  const ChipPaces<double> paces = elsewhere.numbers.rates();
  terms.prefill_elsewhere = true;
  terms.prefill_price = elsewhere.numbers.price.value();
  terms.prefill_link = paces.scale_out.value();
}

/// A ground's numbers under a load.
ServingCase<double> under(const ServingGround& ground, const RequestLoad& load);

/// What one replica with room for so many sequences is asked to do.
ServingLoad<double> serving_load(const ServingGround& ground, const RequestLoad& load, double capacity);

inline ServingEstimate evaluate(const Deployment& deployment, const RequestLoad& load) {
  return evaluate(deployment, under(deployment.ground, load));
}

/// Whether a request has room at its longest, on both pools.
bool fits(const Deployment& deployment, const ServingEstimate& estimate);

/// Requests in flight on a replica that finish `rate` requests a second, over all replicas; at most as many as fit.
struct RateLoad {
  double concurrency = 1;
  double share = 0;  // of the requests a second that the deployment could finish; above 1: it cannot
};
RateLoad concurrency_for(const Deployment& deployment, const RequestLoad& load, double rate);

}  // namespace ridge
