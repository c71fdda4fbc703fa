#include "simulate/run/tally.hpp"

namespace ridge::simulate {

namespace {

bool within(const RequestOutcome& outcome, const LatencyTargets& targets) {
  return (targets.ttft == 0 || seconds(outcome.ttft()) <= targets.ttft) &&
         (targets.tpot == 0 || seconds(outcome.tpot()) <= targets.tpot) &&
         (targets.e2e == 0 || seconds(outcome.e2e()) <= targets.e2e);
}

void count(Latencies& latencies, const RequestOutcome& outcome, const LatencyTargets& targets) {
  latencies.ttft.add(outcome.ttft());
  latencies.queue.add(outcome.queued());
  latencies.e2e.add(outcome.e2e());
  if (outcome.output > 1) latencies.tpot.add(static_cast<Nanoseconds>(outcome.tpot() + 0.5));
  if (within(outcome, targets)) ++latencies.within_targets;
}

}  // namespace

Tally::Tally(const SimulationSetup& setup, const LatencyTargets& targets, const Onlookers& look, std::int64_t total,
             SimulationResult& result)
    : targets_(targets),
      look_(look),
      result_(result),
      total_(total),
      first_wave_(setup.client.first_wave()),
      is_open_(setup.client.is_open()) {
  if (look.verdict) limits_.emplace(*look.verdict);
  if (look.verdict) all_limits_.emplace(*look.verdict);
}

void Tally::sent(Nanoseconds now, std::int64_t behind) {
  if (is_open_) growth_.sent(result_.sent, total_, now, behind);
  if (limits_ && result_.sent == total_) all_sent();
}

/// Of a verdict: whoever is answered from here on is not steady, and the queue is known.
void Tally::all_sent() {
  growth_.tell(result_);
  const bool is_enough = result_.steady.e2e.count() >= kEnoughSteady;
  is_decided_ = result_.saturated || (is_enough && !look_.whole_where_kept);
  judges_all_ = !is_enough;
}

void Tally::gaps(const StepNews& news, bool all_sent) {
  if (!look_.gaps) return;
  const bool steady = is_steady(all_sent);
  for (const StepNews::Gap& gap : news.gaps) {
    result_.all.itl.add(gap.span, gap.count);
    if (steady) result_.steady.itl.add(gap.span, gap.count);
  }
}

void Tally::finished(const RequestOutcome& outcome, Nanoseconds now, bool all_sent) {
  ++result_.finished;
  result_.prompt_tokens += outcome.prompt;
  result_.output_tokens += outcome.output;
  count(result_.all, outcome, targets_);
  if (all_limits_ && all_limits_->exceeded_with(outcome, total_) && judges_all_) exceed();
  if (is_steady(all_sent)) {
    ++result_.steady_finished;
    result_.steady_output_tokens += outcome.output;
    result_.steady_prompt_tokens += outcome.prompt;
    steady_to_ = now;
    if (outcome.sent >= steady_from_) count_steady(outcome);
  }
  if (result_.finished == first_wave_) steady_from_ = now;
  if (result_.finished == total_ / 4) quarter_ = now;
  if (result_.finished == total_ * 3 / 4) three_quarters_ = now;
}

void Tally::count_steady(const RequestOutcome& outcome) {
  count(result_.steady, outcome, targets_);
  if (limits_ && limits_->exceeded_with(outcome, total_ - first_wave_)) exceed();
}

void Tally::tell(Nanoseconds now) {
  if (is_open_) growth_.tell(result_);
  result_.duration = seconds(now);
  if (result_.saturated) result_.finish_rate = finish_rate();
  if (steady_from_ >= 0 && steady_to_ > steady_from_) result_.steady_duration = seconds(steady_to_ - steady_from_);
}

/// Over the middle half of the answers, unless that is as short as a request or two: a wave would be taken for a rate.
double Tally::finish_rate() const {
  if (result_.finished == 0) return 0;
  const double span = seconds(three_quarters_ - quarter_);
  if (three_quarters_ == 0 || span < kSteadyLives * result_.service_time()) return result_.request_rate();
  return static_cast<double>(total_ * 3 / 4 - total_ / 4) / span;
}

}  // namespace ridge::simulate
