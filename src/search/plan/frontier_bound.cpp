#include "search/plan/frontier_bound.hpp"

#include <algorithm>
#include <cmath>

#include "roofline/scenario.hpp"
#include "serve/deployment.hpp"
#include "serve/serving_bound.hpp"

namespace ridge {

namespace {

constexpr double kPointsInADoubling = 4;

/// One batch: a step takes what `estimate_decode` says of it, and as many more FLOP as more tokens come out.
BoundPoint point_of(const BoundGround& ground, double batch) {
  DecodeCase<double> numbers = ground.numbers;
  numbers.batch = Ratio<double>(batch);
  const DecodeEstimate<double> e = estimate_decode(numbers);
  const double compute = e.compute_time.value() * ground.emitted, memory = e.memory_time.value();
  // chip-seconds of a token, each resource for itself
  const double each = numbers.chips.value() / (batch * ground.emitted) * ground.decoded;
  const double taken = ground.together ? std::max(ground.prefill + each * compute, each * memory)
                                       : ground.prefill + each * std::max(compute, memory);
  return {ground.emitted / std::max(compute, memory), ground.osl / taken};
}

/// The largest batch whose steps are so fast; 0 where none is.
double batch_at(const BoundGround& ground, double user_rate) {
  const auto fast = [&](double batch) { return point_of(ground, batch).user_rate >= user_rate; };
  if (!fast(1)) return 0;
  if (fast(ground.most)) return ground.most;
  double low = 1, high = ground.most;
  for (int i = 0; i < 100 && high - low > 1e-12 * high; ++i) {
    const double middle = std::sqrt(low * high);
    (fast(middle) ? low : high) = middle;
  }
  return low;
}

/// Chips of a replica at most: a larger one reads each weight for more requests.
double most_chips_of(const PlanRequest& request, const ServingGround& ground) {
  return request.most_chips > 0 ? request.most_chips : std::min(kMostChips, ground.machine->chips.value);
}

Result<BoundGround> bound_ground(const PlanRequest& request, const PlanVariant& which, const Library& library) {
  const ServingQuestion q = question_of(request, which);
  const auto serving = serving_ground(q, library);
  if (!serving) return fail(serving.error());
  Scenario scenario = q.scenario;
  if (!scenario.kv && !serving->kv.empty()) scenario.kv = serving->kv;
  const Provenance asked{};
  scenario.given.push_back({"chips", most_chips_of(request, *serving), asked});
  scenario.given.push_back({"context", q.isl + q.osl / 2, asked});  // of a request half way
  scenario.given.push_back({"batch", 1, asked});
  const auto resolved = resolve(scenario, library);
  if (!resolved) return fail(resolved.error());
  BoundGround out;
  out.numbers = resolved->numbers;
  out.prefill = prefill_chip_seconds(*serving, q.isl, q.cached);
  if (q.prefill_machine) {
    ServingQuestion there = q;
    there.scenario.machine = *q.prefill_machine;
    there.prefill_machine.reset();
    const auto elsewhere = serving_ground(there, library);
    if (!elsewhere) return fail(elsewhere.error());
    out.prefill = prefill_chip_seconds(*elsewhere, q.isl, q.cached);
  }
  out.osl = q.osl;
  out.decoded = q.osl - 1;
  const double acceptance = q.acceptance_rate, drafts = q.speculative_tokens;
  out.emitted = acceptance < 1 ? (1 - std::pow(acceptance, drafts + 1)) / (1 - acceptance) : drafts + 1;
  out.most = std::min(estimate_decode(out.numbers).batch_limit.value(), 1e9);
  out.together = request.aggregated && !q.prefill_machine;
  return out;
}

/// The choices that the bound differs by.
std::vector<PlanVariant> formats_and_drafts(const PlanRequest& request, std::size_t machine) {
  const std::size_t drafts = std::max<std::size_t>(1, request.speculative_tokens.size());
  const std::size_t prefill = std::max<std::size_t>(1, request.prefill_machines.size());
  std::vector<PlanVariant> all;
  for (std::size_t p = 0; p < prefill; ++p) {
    for (std::size_t w = 0; w < request.weights.size(); ++w) {
      for (std::size_t k = 0; k < request.kv.size(); ++k) {
        for (std::size_t d = 0; d < drafts; ++d) {
          all.push_back({.machine = machine, .weights = w, .kv = k, .speculative_tokens = d, .prefill_machine = p});
        }
      }
    }
  }
  return all;
}

}  // namespace

std::vector<FrontierBound> frontier_bounds(const PlanRequest& request, const Library& library) {
  std::vector<FrontierBound> out;
  if (request.question.osl <= 1) return out;  // no speed to be drawn against
  for (std::size_t machine = 0; machine < request.machines.size(); ++machine) {
    std::vector<BoundGround> grounds;
    for (const PlanVariant& which : formats_and_drafts(request, machine)) {
      const auto ground = bound_ground(request, which, library);
      if (ground && ground->most >= 1 && ground->prefill > 0) grounds.push_back(*ground);
    }
    if (grounds.empty()) continue;
    std::vector<double> speeds;
    for (const BoundGround& ground : grounds) {
      const double steps = std::ceil(kPointsInADoubling * std::log2(ground.most));
      for (double i = 0; i <= steps; ++i)
        speeds.push_back(point_of(ground, i < steps ? std::pow(2, i / kPointsInADoubling) : ground.most).user_rate);
    }
    std::sort(speeds.begin(), speeds.end());
    speeds.erase(std::unique(speeds.begin(), speeds.end()), speeds.end());
    FrontierBound bound{machine, std::move(grounds), {}};
    for (const double speed : speeds) bound.points.push_back({speed, chip_rate_at(bound, speed)});
    out.push_back(std::move(bound));
  }
  return out;
}

double chip_rate_at(const FrontierBound& bound, double user_rate) {
  double most = 0;
  for (const BoundGround& ground : bound.grounds) {
    const double batch = batch_at(ground, user_rate);
    if (batch > 0) most = std::max(most, point_of(ground, batch).chip_rate);
  }
  return most;
}

}  // namespace ridge
