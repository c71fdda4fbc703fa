#pragma once
// Speed against cost along the batch: the same requests on the same chips with fewer or more of them in flight.

#include <optional>
#include <vector>

#include "serve/estimate.hpp"

namespace ridge {

/// One load, against the usual one.
struct LoadPoint {
  double concurrency = 1;        // requests in flight on a replica
  double batch = 1;              // sequences that decode at once
  double user_rate = 0;          // tokens a second for each user
  double speed = 1;              // that over the usual
  double input = 1, output = 1;  // cost of a token over the usual
  double mixed = 1;              // that of a token of either kind, as they come
};

/// The load that others are compared with.
struct UsualLoad {
  const Deployment& deployment;  // outlives it
  RequestLoad load;
  ServingEstimate estimate;
};

LoadPoint load_point(const UsualLoad& usual, double concurrency);
/// The most requests in flight with which nobody would be served faster if there were fewer.
LoadPoint fastest_load(const UsualLoad& usual);
/// The most requests in flight with which a user is so many times as fast as usual; none where nobody is.
std::optional<LoadPoint> load_with_speed(const UsualLoad& usual, double speed);
/// Where a token is cheapest between the usual load and as many sequences as fit.
LoadPoint cheapest_point(const UsualLoad& usual);
/// From one load to as many requests as fit, evenly on a logarithmic scale.
std::vector<LoadPoint> load_points(const UsualLoad& usual, double from, int count);

}  // namespace ridge
