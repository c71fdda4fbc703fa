#include "search/fleet/fleet.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <tuple>

#include "base/number/normal.hpp"
#include "engine/engine_layout.hpp"
#include "library/engines.hpp"
#include "search/fleet/sized_fleet.hpp"
#include "serve/slo/fleet_size.hpp"

namespace ridge {

namespace {

/// Of all fleets together, in nanoseconds of one core, about. What the SLO needs at least is looked for whatever it takes.
constexpr std::int64_t kSimulatedWork = 2'000'000'000;
constexpr std::int64_t kMoreForRates = 800'000'000;       // chips are dealt out anew
constexpr std::int64_t kMoreForMachines = 3'000'000'000;  // each is ranked
constexpr std::int64_t kWorkToTrim = 200'000'000;         // of what holds, at least
constexpr std::int64_t kWorkForRange = 300'000'000;
constexpr std::int64_t kWorkWithoutStages = 300'000'000;  // where the best has them

/// What each hour of a day takes of the first fleet's deployment, at the load that it is found to keep the SLO at.
FleetDay day_of(const FleetAnswer& answer) {
  const PlannedFleet& fleet = answer.fleets.front();
  const FleetAim& aim = *answer.plan.request.fleet;
  Sizing sizing = sizing_of(answer.plan, fleet.point);
  sizing.replica.rate = fleet.rate / fleet.at_work;
  sizing.replica.prefill_replicas = fleet.prefill_at_work / fleet.at_work;
  FleetDay day;
  for (const double rate : answer.question.by_hour) {
    FleetAim hour = aim;
    hour.rate = rate;
    const FleetSize size = fleet_of(hour, sizing.sold, sizing.replica);
    const auto hours = static_cast<double>(answer.question.by_hour.size());
    day.mean_rate += rate / hours;
    day.nodes.push_back(size.all_nodes());
    day.elastic_bill += size.bill / hours;
  }
  return day;
}

/// Deployments that differ in copies of experts or in overlap alone.
bool are_twins(const PlanPoint& a, const PlanPoint& b) {
  const auto key = [](PlanPoint point) {
    point.layout.redundant_experts = point.prefill_layout.redundant_experts = 0;
    point.layout.balanced = point.prefill_layout.balanced = false;
    point.overlap = 0;
    return point;
  };
  const PlanPoint one = key(a), other = key(b);
  return static_cast<const PlanVariant&>(one) == static_cast<const PlanVariant&>(other) && one.layout == other.layout &&
         one.disaggregated == other.disaggregated && (!one.disaggregated || one.prefill_layout == other.prefill_layout);
}

constexpr double kAnyBill = std::numeric_limits<double>::infinity();

/// So many times the bill of the best, or less than this part of its rate, is of no use to anybody.
constexpr double kFarBehind = 2;

bool is_among(const std::vector<PlanPoint>& all, const PlanPoint& point) {
  return std::any_of(all.begin(), all.end(), [&](const PlanPoint& one) { return are_twins(one, point); });
}

/// The best, those of other kinds (each has errors of its own) unless they are far behind, and each machine's own where
/// several are compared.
std::vector<PlanPoint> candidates(const FleetQuestion& question, const PlanAnswer& plan) {
  std::vector<PlanPoint> out;
  const auto add = [&](const PlanPoint& point) {
    if (!is_among(out, point)) out.push_back(point);
  };
  for (const PlanPoint& point : plan.search.few) {
    if (out.size() < question.deployments) add(point);
  }
  if (out.empty()) return out;
  const PlanPoint first = out.front();
  const auto is_far = [&](const PlanPoint& point) {
    return plan.request.fleet->rate ? point.fleet.bill > kFarBehind * first.fleet.bill
                                    : kFarBehind * point.fleet.rate < first.fleet.rate;
  };
  const bool several = plan.machines.size() > 1;
  for (const auto& [kind, point] : plan.search.best_of_kind) {
    const bool of_machine = several && kind_of(plan.search.best_of_machine.at(kind.machine)) == kind;
    if (of_machine || !is_far(point)) add(point);
  }
  return out;
}

/// Cheaper ones that the closed form keeps out for their first token alone. It has one prefill replica 80 % utilized make
/// a request wait for two others; a pool of them shares its queue and hardly does, as the simulator sees.
Result<std::vector<PlanPoint>> with_pooled_prefill(const FleetQuestion& question, std::vector<PlanPoint> out,
                                                   const Library& library) {
  constexpr double kServices = 3;  // of a prompt: its own, and those it waits for
  constexpr std::size_t kMore = 2;
  PlanRequest eased = fleet_request(question);
  if (!question.simulates || !eased.ttft || !eased.disaggregated) return out;
  eased.ttft = *eased.ttft * Ratio<double>(kServices);
  const auto plan = make_plan(eased, library);
  if (!plan) return fail(plan.error());
  const auto is_better = [&](const PlanPoint& point) {
    if (out.empty()) return true;
    const FleetSize& first = out.front().fleet;
    return eased.fleet->rate ? point.fleet.bill < first.bill : point.fleet.rate > first.rate;
  };
  std::vector<PlanPoint> more;
  for (const PlanPoint& point : plan->search.few) {
    if (point.disaggregated && more.size() < kMore && is_better(point) && !is_among(out, point) &&
        !is_among(more, point))
      more.push_back(point);
  }
  out.insert(out.begin(), more.begin(), more.end());
  return out;
}

bool is_of_a_machine_in(const std::vector<PlannedFleet>& fleets, const PlanPoint& point) {
  return std::any_of(fleets.begin(), fleets.end(),
                     [&](const PlannedFleet& one) { return one.holds && one.point.machine == point.machine; });
}

/// Of what may still be simulated, the share of this candidate: the best few decide, and get twice as much as others.
double share_of_rest(std::size_t at, std::size_t all, std::size_t few) {
  const auto weight = [&](std::size_t i) { return i < few ? 2.0 : 1.0; };
  double rest = 0;
  for (std::size_t i = at; i < all; ++i) rest += weight(i);
  return weight(at) / rest;
}

/// The fewest nodes of each deployment at the rate that is asked for. The next larger size is judged of whichever is cheapest
/// then, so that what is never the best takes no more than it must; once one holds the others grow on while they cost less
/// than twice as much.
void find_least(FleetJudge& judge, const std::vector<PlanPoint>& points, std::int64_t work, FleetAnswer& answer) {
  std::vector<FleetGrowth> all;
  for (const PlanPoint& point : points) {
    judge.begin(work - judge.work(), all.size());
    all.push_back(growth_of(answer.plan, with_pools_sized(judge, answer.plan, point)));
  }
  double least_bill = kAnyBill;
  const auto goes_on = [&](const FleetGrowth& one) {
    if (one.is_over) return false;
    const bool is_ranked = is_of_a_machine_in(answer.fleets, one.next);
    if (!is_ranked && one.tries == 0) return true;
    // what costs as much is left out once the work is spent
    const double most = judge.work() >= work && is_ranked ? 1 : kFarBehind;
    return one.next.fleet.bill <= most * least_bill;
  };
  const auto is_before = [&](const FleetGrowth& a, const FleetGrowth& b) {
    return std::tuple(!goes_on(a), a.next.fleet.bill) < std::tuple(!goes_on(b), b.next.fleet.bill);
  };
  while (!judge.stopped()) {
    const auto one = std::min_element(all.begin(), all.end(), is_before);
    if (one == all.end() || !goes_on(*one)) break;
    const auto place = static_cast<std::size_t>(one - all.begin());
    judge.begin(work - judge.work(), place);
    judge_next(judge, *one);
    if (!one->found->holds) continue;
    judge.begin(std::max(kWorkToTrim, (work - judge.work()) / 2), place);
    answer.fleets.push_back(least_nodes(judge, *one));
    if (const PlannedFleet& found = answer.fleets.back(); found.holds) least_bill = std::min(least_bill, found.bill());
    one->is_over = one->held = true;
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    FleetGrowth& one = all[i];
    if (one.held) continue;
    if (!one.found && judge.stopped()) break;
    judge.begin(work - judge.work(), i);
    const bool others_hold = std::isfinite(least_bill);
    PlannedFleet missed = one.found && !others_hold ? judge.whole(*one.found)
                          : one.found               ? judge.unseen(*one.found)
                                                    : judge.unseen(one.next, one.start.rate);
    if (!one.is_over && one.next.fleet.bill > least_bill) missed.next_bill = one.next.fleet.bill;
    answer.fleets.push_back(std::move(missed));
  }
}

/// Those that keep the SLO first, the best first.
void put_in_order(FleetAnswer& answer) {
  const bool by_bill = answer.plan.request.fleet->rate.has_value();
  std::stable_sort(answer.fleets.begin(), answer.fleets.end(), [&](const PlannedFleet& a, const PlannedFleet& b) {
    const auto key = [&](const PlannedFleet& fleet) {
      const double aimed = by_bill ? fleet.bill() : -fleet.point.fleet.rate;
      const std::size_t unmeasured = unmeasured_in(fleet.closed.errors.situation).size();
      constexpr double kLast = 2;  // behind all odds
      const double missed = fleet.odds_unknown ? kLast : 1 - fleet.odds;
      return std::tuple(!fleet.holds, fleet.holds ? aimed : missed, unmeasured, -fleet.odds);
    };
    return key(a) < key(b);
  });
}

/// Others that the closed form has near the best: it errs by a few percent, and a try tells whether they are better.
void try_close_ones(FleetJudge& judge, const std::vector<PlanPoint>& seen, std::int64_t work, FleetAnswer& answer) {
  if (answer.fleets.empty() || !answer.fleets.front().holds) return;
  const bool by_bill = answer.plan.request.fleet->rate.has_value();
  std::size_t deployment = seen.size();
  for (const PlanPoint& point : answer.plan.search.few) {
    if (judge.stopped() || judge.work() >= work) break;
    if (is_among(seen, point) || (!by_bill && point.fleet.replicas < 1)) continue;
    judge.begin(work - judge.work(), deployment++);
    const PlannedFleet& best = answer.fleets.front();
    auto better = by_bill ? least_nodes_below(judge, answer.plan, point, best)
                          : highest_rate_above(judge, answer.plan, point, best);
    if (!better) continue;
    answer.fleets.push_back(std::move(*better));
    put_in_order(answer);
  }
}

/// Whether the engine runs both layouts of a point.
bool is_run(const PlanPoint& point, const FleetAnswer& answer, const Library& library) {
  const Engine* engine = find_engine(library, answer.plan.request.question.engine).facts;
  if (engine == nullptr) return true;
  const bool has_experts = answer.fleets.front().closed.ground().model->experts() != nullptr;
  return runs(*engine, point.layout, has_experts) &&
         (!point.disaggregated || runs(*engine, point.prefill_layout, has_experts));
}

/// Where the best fleet has pipeline stages, the same screening without them: of prefill layouts the closed form takes the
/// cheapest alone, and those with stages are often cheapest by less than it errs. On a prefill machine of its own degrees
/// are free, and stages there stay.
void try_without_stages(FleetJudge& judge, const Library& library, const std::vector<PlanPoint>& seen,
                        FleetAnswer& answer) {
  constexpr std::size_t kMost = 3, kFirstWithoutStages = 1000;  // behind all others
  if (answer.fleets.empty() || !answer.fleets.front().holds || !answer.plan.request.fleet->rate) return;
  const PlanPoint& first = answer.fleets.front().point;
  const bool prefills_here = first.disaggregated && prefill_machine_of(answer.plan, first) == nullptr;
  const bool staged = first.layout.pipeline > 1 || (prefills_here && first.prefill_layout.pipeline > 1);
  PlanRequest held = answer.plan.request;
  if (!staged || held.question.pipeline || held.question.prefill_layout) return;
  held.question.pipeline = 1;
  const auto plan = make_plan(held, library);
  if (!plan) return;
  [[maybe_unused]] const auto same = [](const PlanMachine& a, const PlanMachine& b) { return a.name == b.name; };
  assert(std::equal(plan->machines.begin(), plan->machines.end(), answer.plan.machines.begin(),
                    answer.plan.machines.end(), same) &&
         "a point's machine is a place in either plan");
  const std::int64_t work = judge.work() + kWorkWithoutStages;
  std::size_t tried = 0;
  for (const PlanPoint& point : plan->search.few) {
    if (tried == kMost || judge.stopped() || judge.work() >= work) break;
    if (is_among(seen, point) || !is_run(point, answer, library)) continue;
    ++tried;
    judge.begin(work - judge.work(), kFirstWithoutStages + tried);
    auto better = least_nodes_below(judge, answer.plan, point, answer.fleets.front());
    if (!better) continue;
    answer.fleets.push_back(std::move(*better));
    put_in_order(answer);
  }
}

/// Of the first fleet: ln(rate) is taken as linear in the normal quantile of the confidence, through the confidence that was
/// asked for and another. What it simulates is counted in the answer, and so is that it was stopped.
std::optional<RateRange> range_of(FleetAnswer& answer, const Library& library, const FleetJudge& before,
                                  const FleetProgress& go_on) {
  constexpr double kMiddle = 0.5, kSure = 0.9, kNearMiddle = 0.75;
  if (answer.stopped || answer.fleets.empty() || !answer.fleets.front().holds) return {};
  const PlannedFleet& best = answer.fleets.front();
  if (!best.closed.errors.known) return {};
  PlanRequest other = answer.plan.request;
  other.confidence = other.confidence < kNearMiddle ? kSure : kMiddle;
  FleetProgress goes_on;  // with what was simulated before
  if (go_on)
    goes_on = [&](std::uint64_t simulations, std::int64_t requests) {
      return go_on(before.simulations() + simulations, before.requests() + requests);
    };
  FleetJudge judge(answer.question, other, library, goes_on);
  judge.begin(kWorkForRange, 0);
  const double there = rate_kept(judge, best);
  answer.simulations += judge.simulations();
  answer.stopped = judge.stopped();
  if (judge.stopped() || !(there > 0)) return {};
  const double asked = normal_quantile(answer.plan.request.confidence);
  const double fall = std::max(0.0, std::log(there / best.rate) / (asked - normal_quantile(other.confidence)));
  const double expected = best.rate * std::exp(fall * asked) / (1 + answer.plan.request.fleet->headroom);
  const double half = std::exp(fall * normal_quantile((1 + kLevels[kShownLevel]) / 2));
  return RateRange{expected, {expected / half, expected * half}};
}

}  // namespace

SpreadFigure figure_of(SloMetric metric) { return metric == SloMetric::ttft ? SpreadFigure::ttft : SpreadFigure::tpot; }

double cost_of(const FleetAnswer& answer, const PlannedFleet& fleet) {
  const double rate = answer.day ? answer.day->mean_rate : fleet.rate / (1 + answer.plan.request.fleet->headroom);
  return fleet.bill() / (rate * answer.plan.request.question.osl);
}

std::optional<FleetLead> lead_of(const FleetAnswer& answer) {
  if (answer.fleets.size() < 2 || !answer.fleets[1].holds || !answer.fleets[0].closed.errors.known) return {};
  const PlannedFleet &best = answer.fleets[0], &second = answer.fleets[1];
  const double apart =
      answer.plan.request.fleet->rate ? second.bill() / best.bill() : best.point.fleet.rate / second.point.fleet.rate;
  constexpr auto kThroughput = static_cast<std::size_t>(SpreadFigure::throughput);
  return FleetLead{apart - 1, best.closed.errors.factor[kThroughput][kShownLevel] - 1};
}

PlanRequest fleet_request(const FleetQuestion& question) {
  PlanRequest request = question.plan;
  request.ttft = shortest_limit(question.slo, SloMetric::ttft);
  request.tpot = shortest_limit(question.slo, SloMetric::tpot);
  request.e2e = shortest_limit(question.slo, SloMetric::e2e);
  request.objective = request.fleet->rate ? Objective::bill : Objective::rate;
  return request;
}

Result<FleetAnswer> plan_fleet(const FleetQuestion& question, const Library& library, const FleetProgress& go_on) {
  auto plan = make_plan(fleet_request(question), library);
  if (!plan) return fail(plan.error());
  FleetAnswer answer{question, std::move(*plan), {}, {}, {}, 0, false};
  const PlanRequest& request = answer.plan.request;
  const FleetAim& aim = *request.fleet;
  FleetJudge judge(answer.question, request, library, go_on);
  const auto all = with_pooled_prefill(question, candidates(question, answer.plan), library);
  if (!all) return fail(all.error());
  const std::vector<PlanPoint>& closer = *all;
  const std::int64_t work =
      kSimulatedWork + (aim.rate ? 0 : kMoreForRates) + (answer.plan.machines.size() > 1 ? kMoreForMachines : 0);
  double best_rate = 0;
  if (aim.rate) find_least(judge, closer, work, answer);
  for (std::size_t i = 0; i < closer.size() && !aim.rate && !judge.stopped(); ++i) {
    if (closer[i].fleet.replicas < 1) continue;  // not one fits
    judge.begin(static_cast<std::int64_t>(static_cast<double>(work - judge.work()) *
                                          share_of_rest(i, closer.size(), question.deployments)),
                i);
    answer.fleets.push_back(rough_rate(judge, answer.plan, closer[i], best_rate));
    if (const PlannedFleet& found = answer.fleets.back(); found.holds) best_rate = std::max(best_rate, found.rate);
  }
  put_in_order(answer);
  if (!aim.rate && !judge.stopped() && !answer.fleets.empty() && answer.fleets.front().holds) {
    constexpr std::size_t kOfTheBest = 2000;  // behind all others
    judge.begin(std::max(kWorkToTrim, work - judge.work()), kOfTheBest);
    answer.fleets.front() = closer_rate(judge, answer.plan, answer.fleets.front());
  }
  try_close_ones(judge, closer, work, answer);
  try_without_stages(judge, library, closer, answer);
  answer.simulations = judge.simulations();
  answer.stopped = judge.stopped();
  if (!aim.rate) answer.range = range_of(answer, library, judge, go_on);
  if (!question.by_hour.empty() && !answer.fleets.empty()) answer.day = day_of(answer);
  return answer;
}

}  // namespace ridge
