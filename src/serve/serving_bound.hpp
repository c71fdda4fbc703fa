#pragma once
// The roofline bound beside a calibrated answer: the same layout and load at datasheet peaks, with nothing around it.

#include <string_view>

#include "roofline/flips.hpp"
#include "serve/serving.hpp"

namespace ridge {

enum class StepResource { compute, memory, network };
std::string_view name_of(StepResource resource);

/// What takes longest of a step at datasheet peaks.
StepResource binding_resource(const StepTimes<double>& step);

struct ServingBound {
  StepResource binds = StepResource::memory;
  Seconds<double> tpot;  // of a step with the answer's batch; 0 where nothing is decoded
  TokensPerSecond<double> user_rate;
  /// With prefill counted: a chip gives no more while it computes the weights' FLOP of each prompt at its peak, and decodes
  /// in steps of this batch. Attention over the prompts is left out, so it stays a bound.
  TokensPerSecond<double> output_rate_per_chip;
  DollarsPerToken<double> cost;  // the whole bill over the output tokens, at that rate
};
ServingBound bound_of(const ServingAnswer& answer);

/// What would make another resource bind the decode step; see roofline/flips.hpp.
std::vector<Flip> serving_flips(const ServingAnswer& answer);

}  // namespace ridge
