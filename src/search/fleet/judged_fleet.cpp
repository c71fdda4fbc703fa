#include "search/fleet/judged_fleet.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "serve/slo/slo_margins.hpp"
#include "simulate/answer/class_samples.hpp"
#include "simulate/client/benchmark_client.hpp"
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

void note_late(PlannedFleet& fleet, SloMetric metric, double seen) {
  if (metric != SloMetric::ttft) {
    fleet.rest_late = true;
    return;
  }
  fleet.first_late = true;
  fleet.first_seen = seen;
}

void set_odds(PlannedFleet& fleet, double confidence) {
  fleet.odds = 1;
  for (PromisedFigure& one : fleet.promised) {
    one.odds = odds_within(one.value, one.target.limit.value(), fleet.closed.errors, figure_of(one.target.metric));
    fleet.odds *= one.odds;
  }
  constexpr double kRounding = 1e-12;
  fleet.holds = fleet.odds >= confidence - kRounding;
  fleet.first_late = fleet.rest_late = fleet.by_long_steps = false;
  for (const PromisedFigure& one : fleet.promised) {
    if (one.odds < confidence) note_late(fleet, one.target.metric, one.value);
  }
}

/// Whether replicas that prefill are fewer than the closed form takes for the rate.
bool lacks_prefill(const PlannedFleet& fleet) {
  if (!fleet.point.disaggregated) return false;
  constexpr double kRounding = 1e-9;
  const ServingEstimate& estimate = fleet.closed.estimate;
  const double of_a_request = estimate.prefill_replicas.value() * fleet.at_work / estimate.requests.value();
  return of_a_request * fleet.rate > fleet.prefill_at_work * (1 + kRounding);
}

/// Who sends, with what has to be kept while he does.
struct FleetClient {
  simulate::ClientRules rules;
  std::shared_ptr<const simulate::MixedRequests> mixed;  // of a mix
};

/// Requests as the question has them, at random times.
FleetClient client_of(const FleetQuestion& question, const RequestLoad& load, const FleetSlice& slice) {
  FleetClient out;
  simulate::ClientRules& client = out.rules;
  client.requests = slice.requests;
  if (question.trace) {
    client.arrivals = simulate::Replay{question.trace.get(), slice.rate / simulate::own_rate(*question.trace)};
    return out;
  }
  if (question.mix) {
    out.mixed = std::make_shared<const simulate::MixedRequests>(
        simulate::mixed_requests(*question.mix, slice.rate, client.requests, question.seed));
    client.arrivals = simulate::Replay{&out.mixed->trace, 1};
    return out;
  }
  client.arrivals = simulate::OpenLoop{.rate = slice.rate};
  const auto whole = [](double tokens) { return static_cast<std::int32_t>(std::max(1.0, std::round(tokens))); };
  client.prompt = {whole(load.isl), whole(load.isl)};
  client.output = {whole(load.osl), whole(load.osl)};
  if (load.cached > 0) {
    client.system_prompts = 1;
    client.system_tokens = static_cast<std::int32_t>(std::round(load.cached * load.isl));
  }
  return out;
}

/// What a simulation costs, in about nanoseconds of one core: the same on every machine.
std::int64_t work_of(const simulate::SimulationResult& result) {
  constexpr std::int64_t kStep = 170, kRankStep = 45, kRequest = 1200;
  return kStep * result.steps + kRankStep * result.rank_steps + kRequest * result.finished;
}

/// Whether a run ended before the fleet was in its steady state: hardly anybody was sent into it, or not even two requests
/// could follow each other.
bool is_over_early(const simulate::SimulationResult& result, const FleetSlice& slice) {
  constexpr double kFewestLives = 2;
  if (result.saturated || result.exceeded || result.stopped || result.refused > 0) return false;
  const simulate::Samples& all = result.all.e2e;
  if (all.count() == 0 || result.steady.e2e.count() < simulate::kEnoughSteady) return true;
  return kFewestLives * all.percentile(0.5) > static_cast<double>(slice.requests) / slice.rate;
}

/// What a slice of a fleet is cut from.
SlicedFleet sliced(const FleetQuestion& question, const PlannedFleet& fleet) {
  const ServingAnswer& closed = fleet.closed;
  double longest = closed.load.osl;
  if (question.mix) {
    for (const simulate::RequestClass& one : question.mix->classes) longest = std::max(longest, one.osl);
  }
  RequestLoad load = closed.load;
  load.osl = longest;
  const auto servers = [](const Layout& layout) { return layout.attention_data * layout.pipeline; };
  const bool split = fleet.point.disaggregated;
  return {fleet.at_work,
          split ? fleet.prefill_at_work : 0,
          fleet.rate,
          closed_value(closed.estimate, load, SloMetric::e2e),
          longest,
          servers(fleet.point.layout),
          split ? servers(fleet.point.prefill_layout) : 1};
}

/// A recorded load is replayed as a whole: its requests cannot be dealt out among parts of a fleet.
FleetSlice simulated_part(const FleetQuestion& question, const PlannedFleet& fleet) {
  if (!question.trace) return slice_of(sliced(question, fleet));
  return {fleet.at_work, fleet.point.disaggregated ? fleet.prefill_at_work : 0, fleet.rate,
          static_cast<std::int64_t>(question.trace->requests.size())};
}

/// A pool by itself, beside one replica of the other that takes no time. None where that is not much less than the slice
/// of both: one that many must decode for is, and whoever prefills is few.
std::optional<FleetSlice> part_of(FleetPool pool, const FleetQuestion& question, const PlannedFleet& fleet) {
  constexpr double kMuchLess = 3;
  if (!fleet.point.disaggregated || question.trace) return {};
  SlicedFleet decode = sliced(question, fleet);
  decode.prefill_replicas = 0;
  FleetSlice both = simulated_part(question, fleet), out = slice_of(decode);
  if (both.replicas < kMuchLess * out.replicas) return {};
  if (pool == FleetPool::decode) {
    out.prefill_replicas = 1;
    return out;
  }
  if (question.mix) return {};              // its outputs say how long it lasts
  constexpr std::int64_t kEnough = 10'000;  // prompts of equal requests: their queue is soon what it stays
  both.replicas = 1;
  both.requests = std::min(both.requests, kEnough);
  return both;
}

/// Of the other pool: prompts are computed and moved in no time, or what follows the first token takes none. The one replica
/// that prefills has the requests of many: its front end, which takes them in turn, takes no time either.
void leave_alone(FleetPool pool, simulate::SimulationSetup& setup) {
  simulate::ReplicaSetup& other = pool == FleetPool::decode ? setup.prefill->replica : setup.replica;
  other.time = [](std::span<const simulate::StepWork>) { return simulate::Nanoseconds{1}; };
  if (pool == FleetPool::decode) {
    setup.prefill->link_time = 0;
    setup.prefill->link_latency = 0;
    other.front.each = other.front.token_picoseconds = 0;
  } else {
    constexpr std::int32_t kDecoded = 2;  // tokens: with one the first pool would answer
    setup.client.output = {kDecoded, kDecoded};
  }
}

}  // namespace

PlannedFleet FleetJudge::judged(const PlanPoint& point, double rate) {
  PlannedFleet fleet = screened(point, rate);
  if (!simulates(fleet)) return fleet;
  fleet.holds = keeps_with_long_steps(fleet);
  if (fleet.holds && !stopped_) with_usual_steps(fleet);
  if (!fleet.holds) remember_miss(fleet);
  return fleet;
}

std::optional<PlannedFleet> FleetJudge::kept(const PlanPoint& point, double rate, Checks checks) {
  PlannedFleet fleet = screened(point, rate);
  if (simulates(fleet)) {
    if (misses_surely(fleet)) return {};
    fleet.holds = true;
    if (checks == Checks::both) with_usual_steps(fleet);  // they break it here, or nobody asked
    if (fleet.holds && !stopped_) fleet.holds = keeps_with_long_steps(fleet);
    if (stopped_) return {};
    if (!fleet.holds) remember_miss(fleet);
  }
  if (!fleet.holds) return {};
  return fleet;
}

bool FleetJudge::misses_surely(const PlannedFleet& fleet) const {
  return std::any_of(missed_.begin(), missed_.end(), [&](const Size& one) { return size_of(fleet).is_below(one); });
}

bool FleetJudge::simulates(const PlannedFleet& fleet) const {
  return question_.simulates && fleet.closed.deployment.ground.model != nullptr;
}

PlannedFleet FleetJudge::screened(const PlanPoint& point, double rate) {
  PlannedFleet fleet;
  fleet.point = point;
  fleet.rate = rate;
  fleet.at_work = point.fleet.replicas - request_.fleet->spare;
  if (point.disaggregated) fleet.prefill_at_work = point.fleet.prefill_replicas - request_.fleet->spare;
  for (const SloTarget& target : question_.slo) fleet.promised.push_back({target, 0, 0});
  by_closed_form(fleet);
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
  fleet.overloaded = overloaded || (asks_first && fleet.closed.waits) || lacks_prefill(fleet);
  fleet.holds = fleet.holds && !fleet.overloaded;
}

/// What a run must not exceed: as it is expected, the SLO with room for the errors.
std::vector<simulate::SpanLimit> FleetJudge::limits_of(const PlannedFleet& fleet, bool with_margins) const {
  using Of = simulate::SpanLimit::Of;
  constexpr double kRounding = 1e-9;  // what is as near to a limit is judged by its odds
  std::vector<simulate::SpanLimit> out;
  for (const SloTarget& target : question_.slo) {
    const Of of = target.metric == SloMetric::ttft ? Of::ttft : target.metric == SloMetric::tpot ? Of::tpot : Of::e2e;
    const double margin =
        with_margins ? margin_at(request_.confidence, fleet.closed.errors, figure_of(target.metric)) : 1;
    out.push_back({of, target.statistic.percentile / 100, target.limit.value() / margin * (1 + kRounding)});
  }
  return out;
}

/// Requests may take so much longer than the closed form says that a run is over before anybody saw the fleet full: then one
/// twice as long is asked. Where they take longer the longer it lasts, more comes than is finished.
SimulatedFleet FleetJudge::run(const PlannedFleet& fleet, double slower,
                               const std::optional<std::vector<simulate::SpanLimit>>& verdict) {
  return run_until_full(fleet, {simulated_part(question_, fleet), slower, verdict, {}, false});
}

SimulatedFleet FleetJudge::run_until_full(const PlannedFleet& fleet, FleetRun one) {
  constexpr int kTries = 4;
  SimulatedFleet out = run_part(fleet, one);
  for (int tries = 1; out.ended_early && !question_.trace && !stopped_; ++tries) {
    if (tries == kTries) {
      out.saturated = true;
      break;
    }
    one.slice.requests *= 2;
    out = run_part(fleet, one);
  }
  return out;
}

SimulatedFleet FleetJudge::run_part(const PlannedFleet& fleet, const FleetRun& one_run) {
  const auto& [slice, slower, verdict, alone, to_the_end] = one_run;
  const ServingAnswer& closed = fleet.closed;
  SimulatedFleet out;
  out.slice = slice;
  simulate::SimulationQuestion q;
  q.serving = closed.question;
  const FleetClient client = client_of(question_, closed.load, out.slice);
  q.client = client.rules;
  q.seed = question_.seed;
  if (fleet.point.disaggregated) q.prefill_replicas = out.slice.prefill_replicas;
  simulate::SimulatedDeployment made =
      simulate::simulated(std::make_shared<const Deployment>(closed.deployment), q, library_);
  made.setup.replicas = static_cast<std::int32_t>(out.slice.replicas);
  const auto slow_down = [by = slower](simulate::StepTime& time) {
    if (by != 1)
      time = [by, as_is = time](std::span<const simulate::StepWork> ranks) {
        return static_cast<simulate::Nanoseconds>(std::llround(static_cast<double>(as_is(ranks)) * by));
      };
  };
  slow_down(made.setup.replica.time);
  if (made.setup.prefill) slow_down(made.setup.prefill->replica.time);
  if (alone) leave_alone(*alone, made.setup);
  ++simulations_;
  simulate::Onlookers look;
  look.gaps = false;
  look.verdict = verdict;
  look.whole_where_kept = to_the_end;
  if (go_on_) look.go_on = [&](std::int64_t finished) { return go_on_(simulations_, requests_ + finished); };
  std::optional<simulate::ClassSamples> classes;
  if (client.mixed) {
    classes.emplace(*client.mixed, question_.mix->classes.size());
    look.finished = [&](const simulate::RequestOutcome& one) { classes->add(one); };
  }
  const simulate::SimulationResult result = simulate::simulate(made.setup, {}, look);
  requests_ += result.finished;
  work_ += work_of(result);
  stopped_ = stopped_ || result.stopped;
  const simulate::Latencies& seen = result.judged();
  out.ttft = seen.ttft.spread();
  out.tpot = seen.tpot.spread();
  out.e2e = seen.e2e.spread();
  out.busy = result.busy;
  out.prefill_busy = result.prefill_busy;
  out.cache_used = result.mean_cache;
  out.saturated = result.saturated;
  out.exceeded = result.exceeded;
  out.refused = result.refused;
  out.ended_early = is_over_early(result, slice);
  out.is_whole = !verdict || (to_the_end && !result.exceeded && !result.saturated);
  if (classes) out.classes = classes->spreads();
  for (const SloTarget& target : question_.slo) out.promised.push_back(simulated_value(seen, target));
  return out;
}

PlannedFleet FleetJudge::whole(PlannedFleet fleet) {
  if (!simulates(fleet) || stopped_) return fleet;
  if (fleet.holds && fleet.simulated && fleet.simulated->is_whole) return fleet;
  const bool holds = fleet.holds;  // with long steps as well
  with_usual_steps(fleet, true);
  fleet.holds = fleet.holds && holds;
  return fleet;
}

PlannedFleet FleetJudge::unseen(PlannedFleet fleet) {
  if (!simulates(fleet)) return fleet;
  fleet.simulated.reset();
  by_closed_form(fleet);
  fleet.holds = false;
  fleet.odds_unknown = true;
  return fleet;
}

/// Beside a pool that takes no time a figure is hardly ever more than the fleet's: where it clearly exceeds a limit, nothing
/// else need be simulated. False where such a run is not much quicker.
bool FleetJudge::a_pool_misses(PlannedFleet& fleet, double slower, const std::vector<simulate::SpanLimit>& limits) {
  // the fewer replicas share a router, the longer the slowest take, by 1 or 2 %; and what a busy prefill pool hands on comes
  // more evenly than requests do
  constexpr double kSurely = 1.03;
  auto clear = limits;
  for (simulate::SpanLimit& limit : clear) limit.longest *= kSurely;
  for (const FleetPool pool : {FleetPool::decode, FleetPool::prefill}) {
    const auto part = part_of(pool, question_, fleet);
    if (!part) continue;
    const SimulatedFleet seen = run_until_full(fleet, {*part, slower, clear, pool, false});
    if (!seen.saturated && !seen.exceeded) continue;
    fleet.overloaded = seen.saturated;
    fleet.first_late = pool == FleetPool::prefill;
    fleet.rest_late = pool == FleetPool::decode;
    fleet.first_seen = std::numeric_limits<double>::infinity();  // how late is not asked: more of it helps
    fleet.holds = false;
    return true;
  }
  return false;
}

/// As expected.
void FleetJudge::with_usual_steps(PlannedFleet& fleet, bool whole) {
  const auto limits = limits_of(fleet, true);
  if (!whole && a_pool_misses(fleet, 1, limits)) {
    fleet.simulated.reset();
    fleet.by_long_steps = false;
    return;
  }
  const std::optional verdict = whole ? std::nullopt : std::optional(limits);
  fleet.simulated = run_until_full(fleet, {simulated_part(question_, fleet), 1, verdict, {}, true});
  for (std::size_t i = 0; i < fleet.promised.size(); ++i) fleet.promised[i].value = fleet.simulated->promised[i];
  set_odds(fleet, request_.confidence);
  fleet.overloaded = fleet.simulated->saturated;
  fleet.holds = fleet.holds && !fleet.overloaded && !fleet.simulated->exceeded;
  if (!fleet.refuses()) return;
  fleet.odds = 0;
  fleet.holds = false;
}

/// With steps as long as they may be at the confidence that is asked for: near saturation a few percent make a queue.
bool FleetJudge::keeps_with_long_steps(PlannedFleet& fleet) {
  const double slower = margin_at(request_.confidence, fleet.closed.errors, SpreadFigure::tpot);
  const auto is_above = [&](const Size& one) { return one.is_below(size_of(fleet)); };
  if (slower <= 1 || std::any_of(kept_long_.begin(), kept_long_.end(), is_above)) return true;
  const auto limits = limits_of(fleet, false);
  fleet.by_long_steps = true;
  if (a_pool_misses(fleet, slower, limits)) return false;
  const SimulatedFleet slow = run(fleet, slower, limits);
  fleet.overloaded = slow.saturated;
  bool kept = !slow.saturated && !slow.exceeded;
  fleet.first_late = fleet.rest_late = false;
  for (std::size_t i = 0; i < fleet.promised.size(); ++i) {
    const SloTarget& target = fleet.promised[i].target;
    if (slow.promised[i] <= target.limit.value()) continue;
    kept = false;
    note_late(fleet, target.metric, slow.promised[i]);
  }
  fleet.by_long_steps = !kept;
  if (slow.saturated) fleet.first_late = fleet.rest_late = false;
  if (kept) kept_long_.push_back(size_of(fleet));
  return kept;
}

}  // namespace ridge
