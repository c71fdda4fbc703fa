#include "search/fleet/judged_fleet.hpp"

#include <algorithm>
#include <cmath>

#include "serve/slo_margins.hpp"
#include "simulate/benchmark_client.hpp"
#include "simulate/class_samples.hpp"
#include "simulate/setup.hpp"

namespace ridge {

namespace {

ServingQuestion question_at_rate(const PlanRequest& request, const PlannedFleet& fleet) {
  ServingQuestion q = question_at(request, fleet.point);
  q.concurrency.reset();
  q.rate = fleet.rate;
  q.replicas = fleet.at_work;
  return q;
}

double closed_value(const ServingEstimate& estimate, const RequestLoad& load, SloMetric metric) {
  const double ttft = estimate.times.ttft.value(), tpot = load.decodes() ? estimate.times.tpot.value() : 0;
  if (metric == SloMetric::ttft) return ttft;
  if (metric == SloMetric::tpot) return tpot;
  return ttft + (load.osl - 1) * tpot;
}

double simulated_value(const simulate::Latencies& seen, const SloTarget& target) {
  const simulate::Samples& samples = target.metric == SloMetric::ttft   ? seen.ttft
                                     : target.metric == SloMetric::tpot ? seen.tpot
                                                                        : seen.e2e;
  if (samples.count() == 0) return 0;
  return target.statistic.is_mean() ? samples.spread().mean : samples.percentile(target.statistic.percentile / 100);
}

/// Requests that meet no first wave and no end, where there are enough of them.
const simulate::Latencies& steady_of(const simulate::SimulationResult& result) {
  constexpr std::int64_t kEnough = 200;
  return result.steady.e2e.count() >= kEnough ? result.steady : result.all;
}

void set_odds(PlannedFleet& fleet, double confidence) {
  fleet.odds = 1;
  for (PromisedFigure& one : fleet.promised) {
    one.odds = odds_within(one.value, one.target.limit.value(), fleet.closed.errors, figure_of(one.target.metric));
    fleet.odds *= one.odds;
  }
  constexpr double kRounding = 1e-12;
  fleet.holds = fleet.odds >= confidence - kRounding;
}

/// Who sends, with what has to be kept while he does.
struct FleetClient {
  simulate::ClientRules rules;
  std::shared_ptr<const simulate::MixedRequests> mixed;  // of a mix
};

/// Requests as the question has them, at random times.
FleetClient client_of(const FleetQuestion& question, const RequestLoad& load, double rate, double request_time) {
  FleetClient out;
  simulate::ClientRules& client = out.rules;
  client.requests = simulate::requests_at(rate, request_time);
  if (question.trace) {
    client.requests = static_cast<std::int64_t>(question.trace->requests.size());
    client.arrivals = simulate::Replay{question.trace.get(), rate / simulate::own_rate(*question.trace)};
    return out;
  }
  if (question.mix) {
    out.mixed = std::make_shared<const simulate::MixedRequests>(
        simulate::mixed_requests(*question.mix, rate, client.requests, question.seed));
    client.arrivals = simulate::Replay{&out.mixed->trace, 1};
    return out;
  }
  client.arrivals = simulate::OpenLoop{.rate = rate};
  const auto whole = [](double tokens) { return static_cast<std::int32_t>(std::max(1.0, std::round(tokens))); };
  client.prompt = {whole(load.isl), whole(load.isl)};
  client.output = {whole(load.osl), whole(load.osl)};
  if (load.cached > 0) {
    client.system_prompts = 1;
    client.system_tokens = static_cast<std::int32_t>(std::round(load.cached * load.isl));
  }
  return out;
}

}  // namespace

PlannedFleet FleetJudge::judged(const PlanPoint& point, double rate) {
  PlannedFleet fleet;
  fleet.point = point;
  fleet.rate = rate;
  fleet.at_work = point.fleet.replicas - request_.fleet->spare;
  if (point.disaggregated) fleet.prefill_at_work = point.fleet.prefill_replicas - request_.fleet->spare;
  for (const SloTarget& target : question_.slo) fleet.promised.push_back({target, 0, 0});
  by_closed_form(fleet);
  if (question_.simulates && fleet.closed.deployment.ground.model != nullptr) by_simulation(fleet);
  return fleet;
}

void FleetJudge::by_closed_form(PlannedFleet& fleet) {
  const ServingQuestion q = question_at_rate(request_, fleet);
  const auto deployment = resolve(q, library_);
  if (!deployment) return;
  LoadChoice choice = chosen_load(q, *deployment);
  const bool overloaded = choice.rate_share > 1;
  choice.rate_share = std::min(1.0, choice.rate_share);
  const auto result = answer_at(q, *deployment, choice, library_);
  if (!result || !result->answer) return;
  fleet.closed = std::move(*result->answer);
  for (PromisedFigure& one : fleet.promised)
    one.value = closed_value(fleet.closed.estimate, fleet.closed.load, one.target.metric);
  set_odds(fleet, request_.confidence);
  const bool asks_first = std::any_of(question_.slo.begin(), question_.slo.end(),
                                      [](const SloTarget& target) { return target.metric != SloMetric::tpot; });
  fleet.overloaded = overloaded || (asks_first && fleet.closed.waits);
  fleet.holds = fleet.holds && !fleet.overloaded;
}

SimulatedFleet FleetJudge::run(const PlannedFleet& fleet, double slower) {
  const ServingAnswer& closed = fleet.closed;
  simulate::SimulationQuestion q;
  q.serving = closed.question;
  const double request_time = closed_value(closed.estimate, closed.load, SloMetric::e2e);
  const FleetClient client = client_of(question_, closed.load, fleet.rate, request_time);
  q.client = client.rules;
  q.seed = question_.seed;
  if (fleet.point.disaggregated) q.prefill_replicas = fleet.prefill_at_work;
  simulate::SimulatedDeployment made =
      simulate::simulated(std::make_shared<const Deployment>(closed.deployment), q, library_);
  const auto slow_down = [&](simulate::StepTime& time) {
    if (slower != 1)
      time = [slower, as_is = time](std::span<const simulate::StepWork> ranks) {
        return static_cast<simulate::Nanoseconds>(std::llround(static_cast<double>(as_is(ranks)) * slower));
      };
  };
  slow_down(made.setup.replica.time);
  if (made.setup.prefill) slow_down(made.setup.prefill->replica.time);
  ++simulations_;
  simulate::Onlookers look;
  if (go_on_) look.go_on = [&](std::int64_t finished) { return go_on_(simulations_, requests_ + finished); };
  std::optional<simulate::ClassSamples> classes;
  if (client.mixed) {
    classes.emplace(*client.mixed, question_.mix->classes.size());
    look.finished = [&](const simulate::RequestOutcome& one) { classes->add(one); };
  }
  const simulate::SimulationResult result = simulate::simulate(made.setup, {}, look);
  requests_ += result.finished;
  stopped_ = stopped_ || result.stopped;
  const simulate::Latencies& seen = steady_of(result);
  SimulatedFleet out{seen.ttft.spread(),
                     seen.tpot.spread(),
                     seen.e2e.spread(),
                     result.busy,
                     result.mean_cache,
                     result.saturated,
                     made.setup.client.requests,
                     {},
                     {}};
  if (classes) out.classes = classes->spreads();
  for (const SloTarget& target : question_.slo) out.promised.push_back(simulated_value(seen, target));
  return out;
}

/// As expected, and with steps as long as they may be at the confidence that is asked for: near saturation a few percent
/// make a queue.
void FleetJudge::by_simulation(PlannedFleet& fleet) {
  fleet.simulated = run(fleet, 1);
  for (std::size_t i = 0; i < fleet.promised.size(); ++i) fleet.promised[i].value = fleet.simulated->promised[i];
  set_odds(fleet, request_.confidence);
  fleet.overloaded = fleet.simulated->saturated;
  fleet.holds = fleet.holds && !fleet.overloaded;
  if (!fleet.holds || stopped_) return;
  const double slower = margin_at(request_.confidence, fleet.closed.errors, SpreadFigure::tpot);
  if (slower <= 1) return;
  const SimulatedFleet slow = run(fleet, slower);
  fleet.overloaded = slow.saturated;
  fleet.holds = !slow.saturated;
  for (std::size_t i = 0; i < fleet.promised.size(); ++i)
    fleet.holds = fleet.holds && slow.promised[i] <= fleet.promised[i].target.limit.value();
}

}  // namespace ridge
