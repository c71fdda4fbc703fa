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
  /// With prefill counted: a chip gives no more while it computes each prompt (prefill_chip_seconds), and decodes in steps
  /// of this batch.
  TokensPerSecond<double> output_rate_per_chip;
  DollarsPerToken<double> cost;  // the whole bill over the output tokens, at that rate
};
ServingBound bound_of(const ServingAnswer& answer);

/// Chip-seconds that a prompt of so many tokens takes at least: the FLOP of its weights at the datasheet peak of most of
/// them, for what is not `cached`. The LM head computes one token of a prompt alone, and is left out with attention.
double prefill_chip_seconds(const ServingGround& ground, double isl, double cached);

/// What would make another resource bind the decode step; see roofline/flips.hpp.
std::vector<Flip> serving_flips(const ServingAnswer& answer);

}  // namespace ridge
