#pragma once
// Failures and checkpoints of a training run: how often to write one, and what share of the time is useful work.
// docs/theory/goodput.md derives the lines. Failures come as a Poisson process: chips fail alike and independently.

#include <array>
#include <string_view>

#include "base/number/units.hpp"

namespace ridge::train {

/// Every number that the equations read.
template <class S>
struct FailureCase {
  Ratio<S> chips;              // that must all run
  Seconds<S> chip_mtbf;        // mean time between failures of one chip
  Bytes<S> checkpoint;         // of all chips together
  BytesPerSecond<S> storage;   // of all chips together, writing and reading
  BytesPerSecond<S> snapshot;  // of one chip, into its host's memory
  Seconds<S> restart;          // from a failure to reading the checkpoint
  Ratio<S> survives;           // share of failures that leave a copy of the state in some memory
  Seconds<S> work;             // what the run would take without failures and checkpoints
};

/// Written while training waits; copied to the host and written while it goes on; or copied to other hosts' memory as
/// well, from where most failures are answered.
enum class CheckpointKind { synchronous, asynchronous, in_memory };
inline constexpr std::array kCheckpointKinds = {CheckpointKind::synchronous, CheckpointKind::asynchronous,
                                                CheckpointKind::in_memory};
constexpr std::string_view name_of(CheckpointKind kind) {
  constexpr std::array<std::string_view, 3> kNames = {"synchronous", "asynchronous", "in-memory"};
  return kNames[static_cast<std::size_t>(kind)];
}

/// What a checkpoint and a failure take under a kind of checkpoints.
template <class S>
struct CheckpointTimes {
  Seconds<S> stall;           // of training, for each checkpoint
  Seconds<S> write;           // behind it, until the checkpoint counts
  Seconds<S> restore;         // after a failure, from storage: restart and reading
  Seconds<S> memory_restore;  // the same from memory
  Ratio<S> from_memory;       // share of failures that are answered from memory
};

template <class S>
CheckpointTimes<S> checkpoint_times(const FailureCase<S>& c, CheckpointKind kind) {
  const Seconds<S> written = c.checkpoint / c.storage, copied = c.checkpoint / c.chips / c.snapshot;
  const Seconds<S> restore = c.restart + written;
  switch (kind) {
    case CheckpointKind::synchronous:
      return {written, Seconds<S>(S(0.0)), restore, restore, Ratio<S>(S(0.0))};
    case CheckpointKind::asynchronous:
      return {copied, written, restore, restore, Ratio<S>(S(0.0))};
    case CheckpointKind::in_memory:
      break;
  }
  return {copied, written, restore, c.restart + copied, c.survives};
}

/// Mean time between failures of the whole machine.
template <class S>
Seconds<S> machine_mtbf(const FailureCase<S>& c) {
  return c.chip_mtbf / c.chips;
}

/// The best interval between checkpoints to first order, sqrt(2 stall MTBF). Young 1974; for stalls far below the MTBF.
template <class S>
Seconds<S> young_interval(const Seconds<S>& stall, const Seconds<S>& mtbf) {
  return mtbf * sqrt(2.0 * (stall / mtbf));
}

/// The same to a higher order, without the stall itself; for stalls below twice the MTBF. Daly 2006, equation 37.
template <class S>
Seconds<S> daly_interval(const Seconds<S>& stall, const Seconds<S>& mtbf) {
  const Ratio<S> d = stall / mtbf;
  const Ratio<S> one(S(1.0));
  return mtbf * (sqrt(2.0 * d) * (one + sqrt(d / 2.0) / 3.0 + d / 18.0) - d);
}
inline bool daly_holds(Seconds<double> stall, Seconds<double> mtbf) { return stall < 2.0 * mtbf; }

/// Useful work over elapsed time, and where the rest goes.
template <class S>
struct Goodput {
  Ratio<S> useful, checkpoints, rework, restarts;
};

/// Failures also come while a checkpoint is written or a restart is under way: an interval of work takes
/// M e^(R/M) (e^((tau + stall)/M) - 1) (Daly 2006, equation 20); a checkpoint that only counts after it is written loses that
/// time more at each failure. A checkpoint waits for the one before it.
template <class S>
Goodput<S> goodput(const CheckpointTimes<S>& t, const Seconds<S>& mtbf, const Seconds<S>& interval) {
  const auto exp_of = [](const Ratio<S>& x) { return pow(Ratio<S>(S(2.718281828459045)), x); };
  const Ratio<S> one(S(1.0)), from_storage = one - t.from_memory;
  const Seconds<S> stall = max(t.stall, t.write - interval);
  const Seconds<S> restore = t.from_memory * t.memory_restore + from_storage * t.restore;
  const Seconds<S> lag = from_storage * t.write;
  const Ratio<S> elapsed = exp_of((restore + lag) / mtbf) * (exp_of((interval + stall) / mtbf) - one) /
                           (interval / mtbf);  // of a unit of work
  Goodput<S> result;
  result.useful = one / elapsed;
  result.checkpoints = result.useful * (stall / interval);
  result.restarts = one - one / exp_of(restore / mtbf);  // failures come during them, too
  result.rework = one - result.useful - result.checkpoints - result.restarts;
  return result;
}

/// The interval of the least elapsed time under that equation, without the wait for a write: the root of
/// (1 - u) e^(u + d) = 1 with u = interval / M and d = stall / M. What Young and Daly approximate.
Seconds<double> exact_interval(Seconds<double> stall, Seconds<double> mtbf);

}  // namespace ridge::train
