#include "serve/error/ttft_range.hpp"

namespace ridge {

std::optional<TtftAtCapacities> ttft_at_capacities(const ServingAnswer& answer) {
  if (!answer.question.rate || answer.load.concurrency > answer.estimate.memory.sequences.value()) return {};
  TtftAtCapacities out;
  const auto at = [&](double speed, Seconds<double>& ttft) {
    ServingQuestion question = answer.question;
    question.rate = *answer.question.rate / speed;
    const LoadChoice choice = chosen_load(question, answer.deployment);
    if (choice.rate_share >= 1) return false;
    ttft = evaluate(answer.deployment, choice.load).times.ttft * (1 / speed);
    return true;
  };
  if (!at(1 + TtftAtCapacities::kError, out.more)) return {};
  out.saturated = !at(1 - TtftAtCapacities::kError, out.less);
  return out;
}

}  // namespace ridge
