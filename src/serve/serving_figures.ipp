#pragma once
// The equations of serving_figures.hpp; include only from files that instantiate them.

#include "serve/serving_figures.hpp"

namespace ridge {

template <class S>
ServingFiguresOf<S> serving_figures(const StepOperations& plan, const Paces<S>& rates, const ServingTimes<S>& times,
                                    const ServingTermsOf<S>& terms, const PrefillPoolOf<S>& pool) {
  ServingFiguresOf<S> out;
  const S one(1.0), chips(terms.chips);
  const S requests = times.requests.value() * S(terms.replicas), bill = chips * terms.price;
  const S prompts = times.prefill_share.value();
  if (terms.decodes) out.user_rate = one / times.tpot.value();
  out.output_rate = requests * terms.osl;
  out.total_rate = requests * (terms.osl + terms.isl);
  out.output_cost = bill * (one - prompts) / out.output_rate;
  out.input_cost = bill * prompts / (requests * terms.isl);
  out.chips = chips;
  out.ttft = times.ttft;
  out.transfer_time = literal<Seconds<S>>(0.0);
  if (terms.disaggregated) {  // on replicas of their own
    const S of_prompts = (times.requests * chip_time(pool, times.prefill_alone)).value() * S(terms.replicas);
    out.prefill_replicas = of_prompts / (pool.chips * S(terms.replicas));
    const S prefill_price = terms.prefill_elsewhere ? S(terms.prefill_price) : terms.price;
    out.input_cost = of_prompts * prefill_price / (requests * terms.isl);
    out.chips = chips + of_prompts;
    const Bytes<S> taken = kv_cache_held<S>(plan, Tokens<S>(terms.isl));
    if (terms.networked && terms.decodes) out.transfer_time = moving_time(pool, taken, rates, terms);
    out.ttft = times.ttft + out.transfer_time + queue_time(times.prefill_alone);
    if (terms.prefill_elsewhere) {
      out.bill = bill + of_prompts * prefill_price;
      out.bill_per_output = out.bill / out.output_rate;
      return out;
    }
  }
  out.bill = out.chips * terms.price;
  out.bill_per_output = out.bill / out.output_rate;
  return out;
}

}  // namespace ridge
