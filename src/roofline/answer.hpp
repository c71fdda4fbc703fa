#pragma once
// The whole answer to "why": the case, its figures, what binds and when that changes, whether it fits, and the other
// modes on the same curve.

#include <string>
#include <vector>

#include "roofline/scenario.hpp"

namespace ridge {

enum class Resource { memory, compute };

/// Does it fit? "No" is an answer, with what is missing and ways out.
struct Fit {
  bool fits = true;
  Bytes<double> needed, there;
  Bytes<double> shortfall() const { return needed - there; }
  std::vector<std::string> ways_out;
};

/// One point of the batch curve.
struct Mode {
  std::string name, meaning;
  double batch = 0.0;  // infinite: the limit of waiting for ever
  Seconds<double> step;
  TokensPerSecond<double> user_rate;
  DollarsPerToken<double> cost;
  bool fits = true;
};

struct WhyAnswer {
  Scenario scenario;
  ResolvedCase resolved;
  DecodeEstimate<double> estimate;
  Resource binds = Resource::memory;
  double other_share = 0.0;  // the other resource's time over the step
  double flip_batch = 0.0;   // smallest batch at which compute binds, experts touched counted; infinite: none
  Fit fit;
  std::vector<Mode> modes;
};

Result<WhyAnswer> answer_why(const Scenario& scenario, const Library& library);

/// Smallest batch at which compute takes as long as memory; infinite where memory always wins.
double flip_batch(const DecodeCase<double>& c);

}  // namespace ridge
