#pragma once
// One fleet at one rate: what its users see, by the closed form or in the simulator, and how likely the SLO holds.

#include "search/fleet/fleet.hpp"

namespace ridge {

/// What is asked of a fleet that was found: with long steps it nearly always breaks first, and then they are asked alone.
enum class Checks { long_steps, both };

/// A pool of a disaggregated fleet.
enum class FleetPool { decode, prefill };

/// Judges fleets, and counts what was simulated for it.
class FleetJudge {
 public:
  FleetJudge(const FleetQuestion& question, const PlanRequest& request, const Library& library,
             const FleetProgress& go_on)
      : question_(question), request_(request), library_(library), go_on_(go_on) {}

  /// A deployment in a number, under requests at this rate: whether it holds, and what is too slow where it does not.
  /// What is seen of it beside its promises is that of a part of the run (whole()).
  PlannedFleet judged(const PlanPoint& point, double rate);

  /// The same where it holds, and else nothing. A fleet that is no larger than one that was found too small is not
  /// simulated, nor one again that is no smaller than one that keeps the SLO with long steps.
  std::optional<PlannedFleet> kept(const PlanPoint& point, double rate, Checks checks);

  /// With all that there is to see of it, where it is simulated: it holds where it does with usual steps as well.
  PlannedFleet whole(PlannedFleet fleet);

  /// One that does not hold, with what the closed form says of it alone, but for its odds: nobody asks how late it is.
  PlannedFleet unseen(PlannedFleet fleet);

  /// Of another deployment: so much may be simulated, in nanoseconds of one core, about; then what was found has to do.
  void begin(std::int64_t work) {
    work_to_ = work_ + work;
    missed_.clear();
    kept_long_.clear();
  }
  bool goes_on() const { return !stopped_ && work_ < work_to_; }
  std::int64_t work() const { return work_; }

  std::uint64_t simulations() const { return simulations_; }
  std::int64_t requests() const { return requests_; }  // of them all
  bool stopped() const { return stopped_; }
  const FleetQuestion& question() const { return question_; }

 private:
  PlannedFleet screened(const PlanPoint& point, double rate);
  bool simulates(const PlannedFleet& fleet) const;
  void by_closed_form(PlannedFleet& fleet);
  void with_usual_steps(PlannedFleet& fleet, bool whole = false);
  bool keeps_with_long_steps(PlannedFleet& fleet);
  struct Size {  // of a fleet, and what it was to serve
    double replicas, prefill_replicas, rate;

    /// No larger, and no less to do.
    bool is_below(const Size& other) const {
      return replicas <= other.replicas && prefill_replicas <= other.prefill_replicas && rate >= other.rate;
    }
  };
  static Size size_of(const PlannedFleet& fleet) { return {fleet.at_work, fleet.prefill_at_work, fleet.rate}; }
  bool misses_surely(const PlannedFleet& fleet) const;
  void remember_miss(const PlannedFleet& fleet) { missed_.push_back(size_of(fleet)); }
  std::vector<simulate::SpanLimit> limits_of(const PlannedFleet& fleet, bool with_margins) const;
  SimulatedFleet run(const PlannedFleet& fleet, double slower,
                     const std::optional<std::vector<simulate::SpanLimit>>& verdict);
  struct FleetRun {
    FleetSlice slice;
    double slower = 1;
    std::optional<std::vector<simulate::SpanLimit>> verdict;
    std::optional<FleetPool> alone;  // the other takes no time
    bool to_the_end = false;         // where the verdict is that it keeps its limits
  };
  SimulatedFleet run_until_full(const PlannedFleet& fleet, FleetRun one);
  SimulatedFleet run_part(const PlannedFleet& fleet, const FleetRun& one_run);
  bool a_pool_misses(PlannedFleet& fleet, double slower, const std::vector<simulate::SpanLimit>& limits);

  const FleetQuestion& question_;
  const PlanRequest& request_;
  const Library& library_;
  const FleetProgress& go_on_;
  std::uint64_t simulations_ = 0;
  std::int64_t requests_ = 0;  // of all simulations before
  std::int64_t work_ = 0, work_to_ = 0;
  bool stopped_ = false;
  std::vector<Size> missed_, kept_long_;  // of this deployment: too small; enough with long steps
};

}  // namespace ridge
