#pragma once
// One fleet at one rate: what its users see, by the closed form or in the simulator, and how likely the SLO holds.

#include <algorithm>
#include <map>

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

  /// Whether a pool of a disaggregated fleet keeps the SLO by itself, beside one replica of the other that takes no time:
  /// where it clearly does not, no fleet does that has no more of it. Nothing where that is not much quicker to see.
  std::optional<bool> keeps_alone(const PlanPoint& point, double rate, FleetPool pool);

  /// With all that there is to see of it, where it is simulated: it holds where it does with usual steps as well.
  PlannedFleet whole(PlannedFleet fleet);

  /// One that does not hold, with what the closed form says of it alone, but for its odds: nobody asks how late it is.
  PlannedFleet unseen(PlannedFleet fleet);
  PlannedFleet unseen(const PlanPoint& point, double rate) { return unseen(screened(point, rate)); }

  /// Of another deployment, or of one that was begun before, by its number: so much may be simulated, in nanoseconds of one
  /// core, about; then what was found has to do.
  void begin(std::int64_t work, std::size_t deployment) {
    work_to_ = work_ + work;
    seen_ = &of_deployments_[deployment];
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
  void remember_miss(const PlannedFleet& fleet) { seen_->missed.push_back(size_of(fleet)); }
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
  /// A pool by itself, with long steps or with usual ones.
  struct AloneRun {
    FleetPool pool;
    bool long_steps;
    double replicas, rate;
    bool keeps, saturated;
  };
  std::optional<AloneRun> alone(const PlannedFleet& fleet, FleetPool pool, bool long_steps);
  bool a_pool_misses(PlannedFleet& fleet);
  double long_steps_of(const PlannedFleet& fleet) const;

  const FleetQuestion& question_;
  const PlanRequest& request_;
  const Library& library_;
  const FleetProgress& go_on_;
  std::uint64_t simulations_ = 0;
  std::int64_t requests_ = 0;  // of all simulations before
  std::int64_t work_ = 0, work_to_ = 0;
  bool stopped_ = false;
  struct Seen {                           // of a deployment
    std::vector<Size> missed, kept_long;  // too small; enough with long steps
    std::vector<AloneRun> alone;
    // a request, over what the closed form says, as runs told that were not over too early; and one with long steps
    double lasts = 1, long_lasts = 1;

    double lasts_with(double slower) const { return slower > 1 ? std::max(lasts, long_lasts) : lasts; }
  };
  std::map<std::size_t, Seen> of_deployments_;
  Seen* seen_ = &of_deployments_[0];
};

}  // namespace ridge
