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

constexpr std::int32_t kFirstDecoded = 2;  // tokens: with one a prefill pool alone would answer

/// Requests as the question has them, at random times. `first_alone`: with the fewest tokens that are still decoded.
FleetClient client_of(const FleetQuestion& question, const RequestLoad& load, const FleetSlice& slice,
                      bool first_alone) {
  FleetClient out;
  simulate::ClientRules& client = out.rules;
  client.requests = slice.requests;
  if (question.trace) {
    client.arrivals = simulate::Replay{question.trace.get(), slice.rate / simulate::own_rate(*question.trace)};
    return out;
  }
  if (question.mix) {
    simulate::RequestMix mix = *question.mix;
    for (simulate::RequestClass& one : mix.classes) one.osl = first_alone ? kFirstDecoded : one.osl;
    out.mixed = std::make_shared<const simulate::MixedRequests>(
        simulate::mixed_requests(mix, slice.rate, client.requests, question.seed));
    client.arrivals = simulate::Replay{&out.mixed->trace, 1};
    return out;
  }
  client.arrivals = simulate::OpenLoop{.rate = slice.rate};
  const auto whole = [](double tokens) { return static_cast<std::int32_t>(std::max(1.0, std::round(tokens))); };
  client.prompt = {whole(load.isl), whole(load.isl)};
  client.output = {whole(load.osl), whole(load.osl)};
  if (first_alone) client.output = {kFirstDecoded, kFirstDecoded};
  if (load.cached > 0) {
    client.system_prompts = 1;
    client.system_tokens = static_cast<std::int32_t>(std::round(load.cached * load.isl));
  }
  return out;
}

/// What a simulation costs, in about nanoseconds of one core: the same on every machine.
std::int64_t work_of(const simulate::SimulationResult& result) {
  constexpr std::int64_t kStep = 180, kRankStep = 21, kRequest = 520, kSharedTokens = 16, kShared = 6;
  return kStep * result.steps + kRankStep * result.rank_steps + kRequest * result.sent +
         kShared * (result.counts.cached_tokens / kSharedTokens);
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
SlicedFleet sliced(const FleetQuestion& question, const PlannedFleet& fleet, double lasts) {
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
          closed_value(closed.estimate, load, SloMetric::e2e) * lasts,
          longest,
          servers(fleet.point.layout),
          split ? servers(fleet.point.prefill_layout) : 1};
}

/// A recorded load is replayed as a whole: its requests cannot be dealt out among parts of a fleet.
FleetSlice simulated_part(const FleetQuestion& question, const PlannedFleet& fleet, double lasts) {
  if (!question.trace) return slice_of(sliced(question, fleet, lasts));
  return {fleet.at_work, fleet.point.disaggregated ? fleet.prefill_at_work : 0, fleet.rate,
          static_cast<std::int64_t>(question.trace->requests.size())};
}

/// A pool by itself, beside one replica of the other that takes no time. None where that is not much less than the slice
/// of both, as decode is where few replicas wait for one that prefills.
std::optional<FleetSlice> part_of(FleetPool pool, const FleetQuestion& question, const PlannedFleet& fleet,
                                  double lasts) {
  constexpr double kMuchLess = 3;
  if (!fleet.point.disaggregated || question.trace) return {};
  const FleetSlice both = simulated_part(question, fleet, lasts);
  if (pool == FleetPool::decode) {
    SlicedFleet decode = sliced(question, fleet, lasts);
    decode.prefill_replicas = 0;
    decode.servers = 1;  // fewer would make a queue that the fleet does not have
    FleetSlice out = slice_of(decode);
    if (both.replicas < kMuchLess * out.replicas) return {};
    out.prefill_replicas = 1;
    return out;
  }
  // of equal requests a queue is soon what it stays, and more replicas than these share theirs hardly otherwise
  constexpr std::int64_t kEnough = 10'000;
  constexpr double kMost = 12;
  const double replicas = std::min(fleet.prefill_at_work, std::max(kMost, both.prefill_replicas));
  return FleetSlice{1, replicas, fleet.rate * replicas / fleet.prefill_at_work, std::min(both.requests, kEnough)};
}

/// Of the other pool: prompts are computed and moved in no time, or a step of decodes takes as long as one of them does that
/// has nothing else to do. The one replica that prefills has the requests of many: its front end, which takes them in turn,
/// takes no time either.
void leave_alone(FleetPool pool, simulate::SimulationSetup& setup) {
  simulate::ReplicaSetup& other = pool == FleetPool::decode ? setup.prefill->replica : setup.replica;
  simulate::Nanoseconds step = 1;
  if (pool == FleetPool::prefill) {
    std::vector<simulate::StepWork> one(static_cast<std::size_t>(other.groups));
    one.front().decodes = 1;
    step = other.time(one);
  }
  other.time = [step](std::span<const simulate::StepWork>) { return step; };
  if (pool == FleetPool::decode) {
    setup.prefill->link_time = 0;
    setup.prefill->link_latency = 0;
    other.front.each = other.front.token_picoseconds = 0;
  }
}

}  // namespace

PlannedFleet FleetJudge::judged(const PlanPoint& point, double rate) {
  PlannedFleet fleet = screened(point, rate);
  if (!simulates(fleet)) return fleet;
  fleet.holds = !a_pool_misses(fleet) && !stopped_ && keeps_with_long_steps(fleet);
  if (stopped_) fleet.holds = false;  // a part of a run tells nothing
  if (fleet.holds) with_usual_steps(fleet);
  if (!fleet.holds && !stopped_) remember_miss(fleet);
  return fleet;
}

std::optional<PlannedFleet> FleetJudge::kept(const PlanPoint& point, double rate, Checks checks) {
  PlannedFleet fleet = screened(point, rate);
  if (simulates(fleet)) {
    if (misses_surely(fleet) || a_pool_misses(fleet)) return {};
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
  return std::any_of(seen_->missed.begin(), seen_->missed.end(),
                     [&](const Size& one) { return size_of(fleet).is_below(one); });
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
  return run_until_full(fleet,
                        {simulated_part(question_, fleet, seen_->lasts_with(slower)), slower, verdict, {}, false});
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
  if (one.alone != FleetPool::prefill && !out.saturated && !out.exceeded && !out.ended_early && out.e2e.count > 0) {
    double& known = one.slower > 1 ? seen_->long_lasts : seen_->lasts;
    known = std::max(known, out.e2e.p50 / closed_value(fleet.closed.estimate, fleet.closed.load, SloMetric::e2e));
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
  const FleetClient client = client_of(question_, closed.load, out.slice, alone == FleetPool::prefill);
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

/// Beside a pool that takes no time a figure is hardly ever more than the fleet's. What was seen of as many replicas or more
/// that miss, or of as many or fewer that keep, is not simulated again.
std::optional<FleetJudge::AloneRun> FleetJudge::alone(const PlannedFleet& fleet, FleetPool pool, bool long_steps) {
  // the fewer replicas share a router, the longer the slowest take, by 1 or 2 %; and what a busy prefill pool hands on comes
  // more evenly than requests do
  constexpr double kSurely = 1.03;
  const double replicas = pool == FleetPool::decode ? fleet.at_work : fleet.prefill_at_work;
  for (const AloneRun& one : seen_->alone) {
    if (one.pool != pool || one.long_steps != long_steps) continue;
    const bool tells = one.keeps ? replicas >= one.replicas && fleet.rate <= one.rate
                                 : replicas <= one.replicas && fleet.rate >= one.rate;
    if (tells) return one;
  }
  const double slower = long_steps ? long_steps_of(fleet) : 1;
  const auto part = part_of(pool, question_, fleet, seen_->lasts_with(slower));
  if (!part) return {};
  auto limits = limits_of(fleet, !long_steps);
  for (simulate::SpanLimit& limit : limits) limit.longest *= kSurely;
  const SimulatedFleet seen = run_until_full(fleet, {*part, slower, limits, pool, false});
  const AloneRun out{pool, long_steps, replicas, fleet.rate, !seen.saturated && !seen.exceeded, seen.saturated};
  if (!stopped_) seen_->alone.push_back(out);
  return out;
}

std::optional<bool> FleetJudge::keeps_alone(const PlanPoint& point, double rate, FleetPool pool) {
  const PlannedFleet fleet = screened(point, rate);
  if (!simulates(fleet)) return {};
  const bool has_long = long_steps_of(fleet) > 1;
  for (const bool long_steps : {false, true}) {
    if (long_steps && !has_long) continue;
    if (!long_steps && has_long && pool == FleetPool::decode) continue;  // long ones break it first
    const auto seen = alone(fleet, pool, long_steps);
    if (!seen || stopped_) return {};
    if (!seen->keeps) return false;
  }
  return true;
}

/// Where a pool by itself clearly exceeds a limit nothing else need be simulated.
bool FleetJudge::a_pool_misses(PlannedFleet& fleet) {
  for (const FleetPool pool : {FleetPool::prefill, FleetPool::decode}) {
    for (const bool long_steps : {true, false}) {
      if (long_steps && long_steps_of(fleet) <= 1) continue;
      const auto seen = alone(fleet, pool, long_steps);
      if (!seen || seen->keeps) continue;
      fleet.overloaded = seen->saturated;
      fleet.first_late = pool == FleetPool::prefill;
      fleet.rest_late = pool == FleetPool::decode;
      fleet.first_seen = std::numeric_limits<double>::infinity();  // how late is not asked: more of it helps
      fleet.by_long_steps = long_steps;
      fleet.holds = false;
      return true;
    }
  }
  return false;
}

/// Times usual ones.
double FleetJudge::long_steps_of(const PlannedFleet& fleet) const {
  return margin_at(request_.confidence, fleet.closed.errors, SpreadFigure::tpot);
}

/// As expected.
void FleetJudge::with_usual_steps(PlannedFleet& fleet, bool whole) {
  const std::optional verdict = whole ? std::nullopt : std::optional(limits_of(fleet, true));
  fleet.simulated = run_until_full(fleet, {simulated_part(question_, fleet, seen_->lasts), 1, verdict, {}, true});
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
  const double slower = long_steps_of(fleet);
  const auto is_above = [&](const Size& one) { return one.is_below(size_of(fleet)); };
  if (slower <= 1 || std::any_of(seen_->kept_long.begin(), seen_->kept_long.end(), is_above)) return true;
  const auto limits = limits_of(fleet, false);
  fleet.by_long_steps = true;
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
  if (kept) seen_->kept_long.push_back(size_of(fleet));
  return kept;
}

}  // namespace ridge
