#include "search/plan/layout_search.hpp"

#include <algorithm>
#include <cmath>

#include "serve/cheapest_load.hpp"
#include "serve/slo/fleet_size.hpp"

namespace ridge {

namespace {

/// A laid-out ground with the loads that fit, in one mode.
struct LoadedLayout {
  const PlanRequest& request;
  const PlanGround& ground;
  const StepOperations& operations;
  Layout layout;
  double capacity = 0;
  const std::vector<double>& loads;
  const std::vector<PrefillChoice>& prefill;  // to choose from, where disaggregated
  bool disaggregated = false;
  std::uint64_t first_case = 0;
};

/// Figures of some of the loads, each as a point; they stand until the next call.
const std::vector<PlanPoint>& points_of(const LoadedLayout& at, const std::vector<TriedLoad>& tried,
                                        SearchScratch& scratch, PlanSearch& out) {
  scratch.loads.clear();
  for (const TriedLoad& one : tried) scratch.loads.add(one.requests, one.prefill->service);
  figures_of_loads(at.ground, at.operations, at.layout.chips(), at.capacity, at.disaggregated, scratch.loads,
                   scratch.set, scratch.figures);
  out.evaluated += tried.size();
  const DeploymentFigures& f = scratch.figures;
  const bool layout_seen = at.ground.margins.seen(at.layout);
  scratch.points.resize(tried.size());
  for (std::size_t i = 0; i < tried.size(); ++i) {
    PlanPoint& point = scratch.points[i];
    static_cast<PlanVariant&>(point) = at.ground.which;
    point.layout = at.layout;
    point.disaggregated = at.disaggregated;
    point.prefill_layout = tried[i].prefill->layout;
    point.concurrency = tried[i].requests;
    point.index = at.first_case + tried[i].load;
    point.tpot = f.tpot[i];
    point.ttft = f.ttft[i];
    point.ttft_known = !at.ground.load.decodes || f.prefill_share[i] <= kBusy;
    point.user_rate = f.user_rate[i];
    point.chip_rate = f.output_rate[i] / f.chips[i];
    point.cost = f.bill_per_output[i];
    point.chips = f.chips[i];
    point.energy = at.ground.power * f.chips[i] / f.output_rate[i];
    if (at.disaggregated && at.ground.prefill_node) {
      const double decode = at.layout.chips();
      point.energy = (at.ground.power * decode + at.ground.prefill_power * (f.chips[i] - decode)) / f.output_rate[i];
    }
    point.extrapolated = !at.ground.extrapolation.empty() || (at.disaggregated && at.ground.prefill_extrapolated);
    point.layout_seen = layout_seen;
    const SloMargin margin = at.ground.margins.of(at.layout, at.disaggregated, tried[i].requests);
    point.tpot_margin = margin.tpot;
    point.ttft_margin = margin.ttft;
    if (at.request.fleet) {
      const double replica_rate = f.output_rate[i] / at.request.question.osl;
      point.fleet = fleet_of(*at.request.fleet, {{at.ground.node, at.ground.price}, at.ground.prefill_node},
                             {at.layout.chips(), replica_rate, point.prefill_layout.chips(),
                              (f.chips[i] - at.layout.chips()) / point.prefill_layout.chips()});
    }
  }
  return scratch.points;
}

/// Figures as long as they may be, at the plan's confidence.
double longest_tpot(const PlanPoint& point) { return point.tpot * point.tpot_margin; }
double longest_ttft(const PlanPoint& point) { return point.ttft * point.ttft_margin; }
double longest_e2e(const PlanRequest& request, const PlanPoint& point) {
  return longest_ttft(point) + (request.question.osl - 1) * longest_tpot(point);
}

bool meets_slo(const PlanRequest& request, const PlanPoint& point) {
  if (request.tpot && longest_tpot(point) > request.tpot->value()) return false;
  if ((request.ttft || request.e2e) && !point.ttft_known) return false;
  if (request.e2e && longest_e2e(request, point) > request.e2e->value()) return false;
  return !request.ttft || longest_ttft(point) <= request.ttft->value();
}

/// How many times longer than the target; 1 where it is met, or there is none.
double over(double value, const std::optional<Seconds<double>>& slo) {
  return slo ? std::max(1.0, value / slo->value()) : 1.0;
}

void note_how_near(const PlanRequest& request, const PlanPoint& point, PlanSearch& out) {
  if ((request.ttft || request.e2e) && !point.ttft_known) return;
  if (over(longest_e2e(request, point), request.e2e) > 1) return;
  const double slow = over(longest_tpot(point), request.tpot), late = over(longest_ttft(point), request.ttft);
  if (late <= 1) out.come_near(Relaxed::token, slow, point);
  if (slow <= 1) out.come_near(Relaxed::first, late, point);
  out.come_near(Relaxed::both, std::max(slow, late), point);
}

/// The best point of one deployment over its loads.
void consider(const PlanRequest& request, const PlanPoint& point, std::optional<PlanPoint>& best) {
  if (!best || better(request.objective, point, *best)) best = point;
}

/// Draws the point; considers it if it meets the SLO. Whether it does.
bool judge(const PlanRequest& request, const PlanPoint& point, std::optional<PlanPoint>& best, PlanSearch& out) {
  out.draw(point);
  if (meets_slo(request, point)) {
    consider(request, point, best);
    return true;
  }
  note_how_near(request, point, out);
  return false;
}

/// The last load that meets the SLO, where the next one does not: on the edge between them a token is cheapest.
void note_edge(const std::vector<PlanPoint>& points, const std::vector<bool>& met, PlanSearch& out,
               Objective objective) {
  for (std::size_t i = met.size(); i-- > 1;) {
    if (met[i] || !met[i - 1]) continue;
    out.come_to_edge(objective, points[i - 1], points[i]);
    return;
  }
}

/// The chips that decode compute the prompts too.
PrefillChoice prefill_of_its_own(const PlanGround& ground, const StepOperations& operations, const Layout& layout) {
  ServingLoad<double> load = ground.load;
  load.disaggregated = false;
  return {layout, {.pool = {}, .alone = prefill_alone_time(operations, ground.rates, ground.engine, load)}, {}};
}

std::optional<PlanPoint> search_aggregated(const LoadedLayout& at, SearchScratch& scratch, PlanSearch& out) {
  const PrefillChoice own = prefill_of_its_own(at.ground, at.operations, at.layout);
  scratch.tried.clear();
  for (std::size_t load = 0; load < at.loads.size(); ++load) scratch.tried.push_back({at.loads[load], load, &own});
  std::optional<PlanPoint> best;
  scratch.met.clear();
  const std::vector<PlanPoint>& points = points_of(at, scratch.tried, scratch, out);
  for (const PlanPoint& point : points) scratch.met.push_back(judge(at.request, point, best, out));
  note_edge(points, scratch.met, out, at.request.objective);
  return best;
}

/// Of the chips for prefill that `may` be, those that make a load cheapest. Its requests finish at batch / (prefill +
/// rest) a second, so that one of them takes
///   chips x (prefill + rest) / batch + chip time of its prefill
/// chip-seconds: which choice is cheapest follows without an evaluation.
template <class May>
const PrefillChoice* cheapest_prefill(const LoadedLayout& at, double requests, May may) {
  const Ratio<double> each(at.layout.chips() / requests);
  const PrefillChoice* best = nullptr;
  Seconds<double> least{};
  for (std::size_t k = 0; k < at.prefill.size(); ++k) {
    const PrefillChoice& choice = at.prefill[k];
    const Seconds<double> taken = each * choice.service.alone + choice.chip_time;
    if (best != nullptr && !(taken < least)) continue;
    if (!may(k)) continue;
    best = &choice;
    least = taken;
  }
  return best;
}

/// Of TTFT, what hangs on the choice of chips for prefill.
void fill_waits(const LoadedLayout& at, std::vector<double>& waits) {
  const ChipPaces<double> paces = at.ground.rates;
  const Bytes<double> taken(context_held(at.operations, at.ground.terms.isl));
  waits.clear();
  for (const PrefillChoice& choice : at.prefill) {
    const Seconds<double> there = choice.service.alone + queue_time(choice.service.alone);
    const bool moved = at.ground.terms.networked;
    waits.push_back((moved ? there + moving_time(choice.service.pool, taken, paces, at.ground.terms) : there).value());
  }
}

/// Loads whose cheapest chips for prefill are late: the cheapest that are not.
void search_sooner(const LoadedLayout& at, std::optional<PlanPoint>& best, SearchScratch& scratch, PlanSearch& out) {
  fill_waits(at, scratch.waits);
  const std::vector<double>& waits = scratch.waits;
  const auto fastest = static_cast<std::size_t>(std::min_element(waits.begin(), waits.end()) - waits.begin());
  std::vector<TriedLoad>&tried = scratch.tried, &sooner = scratch.sooner;
  tried.clear();
  sooner.clear();
  for (const std::size_t load : scratch.late) tried.push_back({at.loads[load], load, &at.prefill[fastest]});
  constexpr double kNearly = 1 + 1e-12;  // what rounding may hide is evaluated
  const std::vector<PlanPoint>& points = points_of(at, tried, scratch, out);
  for (std::size_t i = 0; i < tried.size(); ++i) {
    const PlanPoint& point = points[i];
    if (!meets_slo(at.request, point)) {
      note_how_near(at.request, point, out);
      continue;
    }
    consider(at.request, point, best);
    const double left = at.request.ttft->value() / point.ttft_margin * kNearly - (point.ttft - waits[fastest]);
    sooner.push_back({tried[i].requests, tried[i].load,
                      cheapest_prefill(at, tried[i].requests, [&](std::size_t k) { return waits[k] <= left; })});
  }
  if (sooner.empty()) return;
  for (const PlanPoint& point : points_of(at, sooner, scratch, out)) {
    if (meets_slo(at.request, point)) consider(at.request, point, best);
  }
}

/// For each load the chips for prefill that make it cheapest; where TTFT is late, the cheapest where it is not.
std::optional<PlanPoint> search_disaggregated(const LoadedLayout& at, SearchScratch& scratch, PlanSearch& out) {
  std::optional<PlanPoint> best;
  if (at.prefill.empty()) return best;
  scratch.tried.clear();
  const auto cheapest = [&](double requests) {
    return cheapest_prefill(at, requests, [](std::size_t) { return true; });
  };
  for (std::size_t load = 0; load < at.loads.size(); ++load)
    scratch.tried.push_back({at.loads[load], load, cheapest(at.loads[load])});
  const std::vector<PlanPoint>& points = points_of(at, scratch.tried, scratch, out);
  scratch.late.clear();
  scratch.met.clear();
  for (std::size_t i = 0; i < points.size(); ++i) {
    scratch.met.push_back(judge(at.request, points[i], best, out));
    if (!scratch.met.back()) scratch.late.push_back(i);
  }
  note_edge(points, scratch.met, out, at.request.objective);
  if (at.request.ttft && !scratch.late.empty()) search_sooner(at, best, scratch, out);
  return best;
}

}  // namespace

void search_layout(const PlanRequest& request, const PlanGround& ground, const LayoutPlace& place,
                   SearchScratch& scratch, PlanSearch& out) {
  const Layout& layout = ground.layouts[place.in_ground];
  lay_out_step(ground.shape, layout, ground.fabric, ground.busiest.at(layout.expert), scratch.operations);
  ++out.layouts;
  if (lacks_link(scratch.operations, ground.rates.peak)) return;
  const ChipMemory memory = memory_of(ground, scratch.operations);
  if (memory.longest_held.value() < 1) return;
  const double capacity = memory.sequences.value();
  ++out.fitting;
  if (request.concurrency) {
    if (*request.concurrency > capacity) return;
    scratch.requests = {*request.concurrency};
  } else {
    fill_loads(scratch.operations.attention_data, capacity, scratch.requests);
  }
  LoadedLayout at{request,
                  ground,
                  scratch.operations,
                  layout,
                  capacity,
                  scratch.requests,
                  ground.prefill_beside(layout),
                  false,
                  place.among_all * kCasesOfALayout};
  if (request.aggregated) {
    if (const auto best = search_aggregated(at, scratch, out)) out.offer(request.objective, *best);
  }
  at.disaggregated = true;
  at.first_case += kCasesOfALayout / 2;
  if (request.disaggregated) {
    if (const auto best = search_disaggregated(at, scratch, out)) out.offer(request.objective, *best);
  }
}

namespace {

/// One deployment of a plan, asked about loads.
class PlannedDeployment {
 public:
  PlannedDeployment(const PlanRequest& request, const PlanGround& ground, const PlanPoint& point)
      : request_(request), ground_(ground), point_(point) {
    lay_out_step(ground.shape, point.layout, ground.fabric, ground.busiest.at(point.layout.expert),
                 scratch_.operations);
    capacity_ = memory_of(ground, scratch_.operations).sequences.value();
    prefill_ = prefill_of_its_own(ground, scratch_.operations, point.layout);
    for (const PrefillChoice& one : ground.prefill_beside(point.layout)) {
      if (point.disaggregated && one.layout == point.prefill_layout) prefill_ = one;
    }
  }

  double capacity() const { return capacity_; }

  /// Its figures at a load; none where that breaks a target.
  std::optional<PlanPoint> at(double requests) {
    const LoadedLayout loaded{request_,
                              ground_,
                              scratch_.operations,
                              point_.layout,
                              capacity_,
                              scratch_.requests,
                              ground_.prefill_beside(point_.layout),
                              point_.disaggregated,
                              point_.index};
    scratch_.tried = {{requests, 0, &prefill_}};
    const PlanPoint& there = points_of(loaded, scratch_.tried, scratch_, nowhere_).front();
    if (!meets_slo(request_, there)) return {};
    return there;
  }

 private:
  const PlanRequest& request_;
  const PlanGround& ground_;
  const PlanPoint& point_;
  PrefillChoice prefill_;
  SearchScratch scratch_;
  PlanSearch nowhere_;
  double capacity_ = 0;
};

}  // namespace

PlanPoint at_edge(const PlanRequest& request, const PlanGround& ground, const PlanEdge& edge) {
  PlannedDeployment deployment(request, ground, edge.within);
  const double groups = edge.within.layout.attention_data;
  PlanPoint best = edge.within;
  double low = edge.within.concurrency / groups, high = edge.beyond.concurrency / groups;
  while (high - low > 1) {
    const double middle = std::floor((low + high) / 2);
    const auto there = deployment.at(middle * groups);
    (there ? low : high) = middle;
    if (there && better(request.objective, *there, best)) best = *there;
  }
  return best;
}

PlanPoint at_cheapest_load(const PlanRequest& request, const PlanGround& ground, const PlanPoint& point) {
  PlannedDeployment deployment(request, ground, point);
  PlanPoint best = point;
  cheapest_concurrency(point.layout.attention_data, deployment.capacity(),
                       [&](double requests) -> std::optional<double> {
                         const auto tried = deployment.at(requests);
                         if (!tried) return {};
                         if (better(request.objective, *tried, best)) best = *tried;
                         return tried->cost;
                       });
  return best;
}

}  // namespace ridge
