#pragma once
// What running requests may still generate, as an engine counts it that admits by an estimate (SGLang): each one's rest,
// clipped when it is let in and falling evenly from there, times a share that falls with every step of decodes; whole of
// those whose prompts are in the same step. A sum that a step changes by one number, however many run. (SGLang clips the
// rest anew in every step: of outputs longer than the clip it counts more in their first half.)

#include <algorithm>
#include <cstdint>

#include "engine/scheduling.hpp"
#include "simulate/engine/live_request.hpp"

namespace ridge::simulate {

class ExpectedOutputs {
 public:
  explicit ExpectedOutputs(const OutputEstimate& rules) : rules_(rules), share_(rules.first) {}

  /// A step is put together.
  void begin_step() { in_step_ = 0; }
  /// It runs.
  void admit(LiveRequest& one) {
    one.outputs_left = clipped(one.request.output - one.generated) * kPace;
    left_ += one.outputs_left;
  }
  /// The last of its prompt is in the step.
  void prefilled(const LiveRequest& one) { in_step_ += one.outputs_left; }
  /// It decodes, in so many steps.
  void join(LiveRequest& one, std::int32_t steps) {
    one.output_pace = one.outputs_left / steps;
    pace_ += one.output_pace;
  }
  void decoded() { left_ -= pace_; }
  /// It decodes no more from this step on.
  void leave(LiveRequest& one, std::int64_t step) {
    pace_ -= one.output_pace;
    one.outputs_left -= one.output_pace * (step - one.joined);
  }
  /// It runs no more.
  void release(LiveRequest& one) {
    left_ -= one.outputs_left;
    one.outputs_left = 0;
  }

  void shrink() { share_ = std::max(rules_.last, share_ - (rules_.first - rules_.last) / rules_.steps); }
  void start_again() { share_ = rules_.first; }
  /// It was too small: of those that stay, so many, what they have generated and what they may in all.
  void correct(std::int64_t requests, std::int64_t generated, std::int64_t outputs) {
    const double expected = static_cast<double>(generated) + rules_.ahead * static_cast<double>(requests);
    share_ = std::min(1.0, expected / (static_cast<double>(outputs) + 1));
  }
  double share() const { return share_; }

  /// Tokens kept free for those that run, beside one more.
  double with(const LiveRequest& one) const {
    const double promised = (share_ * static_cast<double>(left_ - in_step_) + static_cast<double>(in_step_)) / kPace;
    return promised + clipped(one.request.output - one.generated);
  }

 private:
  std::int32_t clipped(std::int32_t tokens) const { return std::min(tokens, static_cast<std::int32_t>(rules_.clip)); }

  OutputEstimate rules_;
  double share_;
  std::int64_t left_ = 0, pace_ = 0;  // 1/1024 tokens; and what a step of decodes takes off it
  std::int64_t in_step_ = 0;          // of left_, of those prefilled in this step
};

}  // namespace ridge::simulate
