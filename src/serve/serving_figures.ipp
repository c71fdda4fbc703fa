#pragma once
// The equations of serving_figures.hpp; include only from files that instantiate them.

#include "serve/serving_figures.hpp"

#include "serve/step/step_operations.ipp"

namespace ridge {

template <class S, class N, class P, class T>
ServingFiguresOf<S> serving_figures(const StepOperationsOf<N>& plan, const Paces<S>& rates,
                                    const ServingTimes<S>& times, const ServingTermsOf<N, T>& terms,
                                    const PrefillPoolOf<P>& pool) {
  ServingFiguresOf<S> out;
  const S one(1.0), isl(terms.isl), osl(terms.osl), chips(terms.chips);
  const S requests = times.requests.value() * S(terms.replicas), bill = chips * S(terms.price);
  const S prompts = times.prefill_share.value();
  out.user_rate = one / times.tpot.value();
  out.output_rate = requests * osl;
  out.total_rate = requests * (osl + isl);
  out.output_cost = bill * (one - prompts) / out.output_rate;
  out.input_cost = bill * prompts / (requests * isl);
  out.chips = chips;
  out.ttft = times.ttft;
  out.transfer_time = literal<Seconds<S>>(0.0);
  if (terms.disaggregated) {  // on replicas of their own
    const S of_prompts = (times.requests * chip_time(pool, times.prefill_alone)).value() * S(terms.replicas);
    out.prefill_replicas = of_prompts / (S(pool.chips) * S(terms.replicas));
    out.input_cost = of_prompts * S(terms.price) / (requests * isl);
    out.chips = chips + of_prompts;
    const Bytes<S> taken = kv_cache_held<S>(plan, Tokens<S>(isl));
    if (terms.networked) out.transfer_time = moving_time(pool, taken, rates);
    out.ttft = times.ttft + out.transfer_time + queue_time(times.prefill_alone);
  }
  out.bill_per_output = out.chips * S(terms.price) / out.output_rate;
  return out;
}

}  // namespace ridge
