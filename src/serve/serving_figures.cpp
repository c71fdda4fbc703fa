#include "serve/serving_figures.hpp"

#include <algorithm>

namespace ridge {

ServingFigures serving_figures(const StepPlan& plan, const ChipRates<double>& rates, const ServingTimes<double>& times,
                               const ServingTerms& terms) {
  ServingFigures out;
  const double requests = times.requests.value() * terms.replicas, bill = terms.chips * terms.price;
  const double prompts = times.prompt_share.value();
  out.user_rate = 1 / times.tpot.value();
  out.output_rate = requests * terms.osl;
  out.total_rate = requests * (terms.osl + terms.isl);
  out.output_cost = bill * (1 - prompts) / out.output_rate;
  out.input_cost = bill * prompts / (requests * terms.isl);
  out.chips = terms.chips;
  out.ttft = times.ttft;
  if (terms.prompts_apart) {  // on replicas of their own
    const double at_once = plan.attention_data * plan.pipeline;
    out.prefill_replicas = times.requests.value() * times.prompt_alone.value() / at_once / kPromptChipsBusy;
    out.input_cost = bill * out.prefill_replicas / (requests * terms.isl);
    out.chips = terms.chips * (1 + out.prefill_replicas);
    const double speed = rates.peak.scale_out.value() * rates.chip.link.value();
    if (speed > 0) out.transfer_time = Seconds<double>(context_held(plan, terms.isl) / speed);
    const double queue = kPromptChipsBusy / (2 * (1 - kPromptChipsBusy));
    out.ttft = times.ttft + out.transfer_time + times.prompt_alone * queue;
  }
  out.bill_per_output = out.chips * terms.price / out.output_rate;
  return out;
}

ServingLoad<double> load_of(const ServingQuestion& question, const Model& model, double concurrency, double capacity) {
  ServingLoad<double> load;
  load.concurrency = concurrency;
  load.prompt = Tokens<double>(question.isl);
  load.answer = Tokens<double>(question.osl);
  load.cached = question.cached;
  load.capacity = capacity;
  load.guesses = question.guesses;
  load.accepted = question.accepted;
  load.guess_layers = model.mtp_order.empty() ? 1 : static_cast<double>(model.mtp_order.size());
  load.prompts_apart = question.disaggregated;
  load.overlap = question.overlap;
  load.chunk = question.chunk;
  return load;
}

double sequences_that_fit(const StepPlan& plan, double usable, double chunk, double length) {
  const double left = usable - weights_held(plan) - activations_held(plan, chunk);
  return std::max(0.0, left) / context_held(plan, length) * plan.attention_data;
}

}  // namespace ridge
