#pragma once
// Speed against cost along the batch: the same requests on the same chips with fewer or more of them in flight, as the
// calibrated serving engine has them.

#include <optional>
#include <vector>

#include "serve/serving.hpp"

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

class LoadCurve {
 public:
  /// `usual` has to outlive the curve, and the library too.
  LoadCurve(const ServingAnswer& usual, const Library& library) : usual_(usual), library_(library) {}

  /// None where that many do not fit.
  std::optional<LoadPoint> at(double concurrency) const;
  /// The most requests in flight with which nobody would be served faster if there were fewer.
  std::optional<LoadPoint> fastest() const;
  /// The most requests in flight with which a user is so many times as fast as usual; none where nobody is.
  std::optional<LoadPoint> with_speed(double speed) const;
  /// Where a token is cheapest between the usual load and as many sequences as fit, and neither input nor output costs
  /// more than `most_of_usual` times the usual.
  LoadPoint cheapest(double most_of_usual) const;
  /// From one load to as many requests as fit, evenly on a logarithmic scale.
  std::vector<LoadPoint> points(double from, int count) const;

 private:
  double most() const;

  const ServingAnswer& usual_;
  const Library& library_;
};

}  // namespace ridge
