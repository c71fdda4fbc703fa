#pragma once
// One fleet at one rate: what its users see, by the closed form or in the simulator, and how likely the SLO holds.

#include "search/fleet/fleet.hpp"

namespace ridge {

/// Judges fleets, and counts what was simulated for it.
class FleetJudge {
 public:
  FleetJudge(const FleetQuestion& question, const PlanRequest& request, const Library& library,
             const FleetProgress& go_on)
      : question_(question), request_(request), library_(library), go_on_(go_on) {}

  /// A deployment in a number, under requests at this rate.
  PlannedFleet judged(const PlanPoint& point, double rate);

  /// The same where it holds, and else nothing: what breaks with long steps is not asked about with usual ones.
  std::optional<PlannedFleet> kept(const PlanPoint& point, double rate);

  /// From here on so many steps may be simulated, about; then what was found has to do.
  void allow(std::int64_t steps) { steps_to_ = steps_ + steps; }
  bool goes_on() const { return !stopped_ && steps_ < steps_to_; }
  std::int64_t steps() const { return steps_; }

  std::uint64_t simulations() const { return simulations_; }
  bool stopped() const { return stopped_; }
  const FleetQuestion& question() const { return question_; }

 private:
  PlannedFleet screened(const PlanPoint& point, double rate);
  bool simulates(const PlannedFleet& fleet) const;
  void by_closed_form(PlannedFleet& fleet);
  void with_usual_steps(PlannedFleet& fleet);
  bool keeps_with_long_steps(PlannedFleet& fleet);
  SimulatedFleet run(const PlannedFleet& fleet, double slower);

  const FleetQuestion& question_;
  const PlanRequest& request_;
  const Library& library_;
  const FleetProgress& go_on_;
  std::uint64_t simulations_ = 0;
  std::int64_t requests_ = 0;  // of all simulations before
  std::int64_t steps_ = 0, steps_to_ = 0;
  bool stopped_ = false;
};

}  // namespace ridge
