#include "search/fleet/fleet_slice.hpp"

#include <algorithm>
#include <cmath>

namespace ridge {

namespace {

constexpr double kLives = 4;              // of a request: one fills the fleet, the others see it full
constexpr double kSteps = 100'000;        // of all replicas, about
constexpr double kInFlight = 2000;        // requests, about
constexpr double kLeastReplicas = 6;      // of each pool, or all: fewer share a queue unlike many
constexpr double kManyRequests = 40'000;  // then of replicas with ranks or stages
constexpr double kLeastOfMany = 3;        // each of which takes requests of its own, fewer
// Of all replicas: then of fewer, for a shorter time. Where dozens decode for one that prefills, a few more of those cost next
// to nothing.
constexpr double kManySteps = 1'000'000, kMostSteps = 1'300'000;
constexpr double kLeastOfSteps = 4, kLivesOfSteps = 3, kMuchOfMany = 1.25;
constexpr double kLeastRequests = 200, kMostRequests = 5000;  // where the lives do not ask for more
constexpr double kSteady = 250;                               // a little more than a simulation is judged by

/// Requests of which enough are steady: sent after a tenth was answered, answered before the last is sent. So many are in
/// flight at once.
double with_enough_steady(double in_flight) { return (kSteady + 2.5 * in_flight) / 0.9; }

/// The fewest of `whole` replicas beside which the prefill replicas are nearly a whole number, rounded down.
double even_share(double least, double whole, double prefill) {
  constexpr double kLittle = 0.01;  // of prefill, lost by rounding
  double best = least, best_lost = 1;
  for (double replicas = least; replicas <= std::min(whole, 2 * least) && best_lost > kLittle; ++replicas) {
    const double share = prefill * replicas / whole;
    const double lost = (share - std::floor(share + 1e-9)) / share;
    if (lost < best_lost) {
      best = replicas;
      best_lost = lost;
    }
  }
  return best;
}

}  // namespace

FleetSlice slice_of(const SlicedFleet& fleet) {
  FleetSlice out{fleet.replicas, fleet.prefill_replicas, fleet.rate, 0};
  const double share = std::min(kSteps / (kLives * fleet.osl * fleet.replicas),
                                kInFlight / std::max(1.0, fleet.rate * fleet.request_time));
  const auto with_least = [&](double decode, double prefill) {
    return fleet.prefill_replicas > 0 ? std::max(decode, std::ceil(prefill * fleet.replicas / fleet.prefill_replicas))
                                      : decode;
  };
  const auto fewest = [](double servers) { return std::max(kLeastOfMany, std::ceil(kLeastReplicas / servers)); };
  double least = with_least(kLeastReplicas, kLeastReplicas);
  const bool is_many = kLives * fleet.rate * fleet.request_time * least / fleet.replicas > kManyRequests;
  if (is_many) least = with_least(fewest(fleet.servers), fewest(fleet.prefill_servers));
  const bool is_long = kLives * fleet.osl * least > kManySteps;
  const double lives = is_long ? kLivesOfSteps : kLives;
  if (is_long) {
    const double all = kMostSteps / (lives * fleet.osl);  // replicas
    const double prefill = std::floor(all * fleet.prefill_replicas / fleet.replicas);
    least = std::min(least, with_least(kLeastOfSteps, std::clamp(prefill, 1.0, kLeastOfSteps)));
  }
  const double wanted = std::max(least, std::ceil(share * fleet.replicas));
  if ((is_many || is_long ? kMuchOfMany : 2) * wanted < fleet.replicas) {
    out.replicas = fleet.prefill_replicas > 0 ? even_share(wanted, fleet.replicas, fleet.prefill_replicas) : wanted;
    out.prefill_replicas = std::floor(fleet.prefill_replicas * out.replicas / fleet.replicas + 1e-9);
    out.rate = fleet.rate * out.replicas / fleet.replicas;
  }
  // at low loads a step serves few requests
  const double running = std::max(1.0, out.rate * fleet.request_time / out.replicas);
  const double usual = std::clamp(kSteps * running / fleet.osl, kLeastRequests, kMostRequests);
  const double in_flight = out.rate * fleet.request_time;
  out.requests =
      static_cast<std::int64_t>(std::ceil(std::max({usual, lives * in_flight, with_enough_steady(in_flight)})));
  return out;
}

}  // namespace ridge
