#pragma once
// How many requests somebody would keep in flight who has targets for latency and nothing else.

#include <cmath>
#include <optional>

#include "serve/serving.hpp"
#include "serve/slo/slo_odds.hpp"

namespace ridge {

/// A target for TPOT, with the one that is taken where nobody gives any.
struct TpotSlo {
  Seconds<double> tpot{0.05};
  bool given = false;
  double confidence = kPlanConfidence;  // that it holds
};

/// A target of nothing, or one beside a load that was given.
Errors slo_errors(const TpotSlo& slo, const ServingQuestion& question);

/// The cheapest of all loads: whole requests for each of `groups`, up to `room`. `cost_at` says what a load costs, or
/// nothing where it breaks a target. The more in flight, the slower for each, so that the last load within the targets
/// is found by halving; between it and one request for each group, some on the way are tried as well.
template <class CostAt>
std::optional<double> cheapest_concurrency(double groups, double room, CostAt cost_at) {
  constexpr int kTried = 48;
  std::optional<double> best;
  double least = 0;
  const auto within = [&](double each) {
    const std::optional<double> cost = cost_at(each * groups);
    if (cost && (!best || *cost < least)) {
      best = each * groups;
      least = *cost;
    }
    return cost.has_value();
  };
  double low = 1, high = std::fmax(1.0, std::floor(room / groups));
  if (!within(high) && within(low)) {
    while (high - low > 1) {
      const double middle = std::floor((low + high) / 2);
      (within(middle) ? low : high) = middle;
    }
    high = low;
  }
  for (int i = 1; i < kTried && high > 1; ++i) within(std::floor(std::pow(high, static_cast<double>(i) / kTried)));
  return best;
}

/// The load that makes a token cheapest among those that meet the SLO on this deployment; none where none does.
std::optional<RequestLoad> cheapest_load(const Deployment& deployment, const RequestLoad& lengths, const TpotSlo& slo,
                                         const Library& library);

/// The load that a question gives, or else the cheapest within the SLO; what was taken is noted.
LoadChoice load_within(const TpotSlo& slo, const ServingQuestion& question, const Deployment& deployment,
                       const Library& library);

/// A deployment at the load that it is asked about.
struct Deployed {
  ServingQuestion question;
  Deployment deployment;
  LoadChoice load;
};

/// The same with chips that are always at work: whoever sells tokens counts idle time apart.
Deployment fully_utilized(Deployment deployment);

/// A question's own layout, or the fewest chips that hold it, at its own load or the cheapest within the SLO.
Result<Deployed> deployed(const ServingQuestion& question, const TpotSlo& slo, const Library& library);

}  // namespace ridge
