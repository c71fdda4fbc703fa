#include "train/failure/failure_run.hpp"

#include <algorithm>
#include <cmath>

#include "simulate/client/random.hpp"

namespace ridge::train {

namespace {

/// One stretch without failures, from the work it starts with.
struct Stretch {
  double from = 0;      // work that was done when it began
  double interval = 0;  // of work
  double cycle = 0;     // an interval and its stall
  double write = 0;

  double copies(double after) const { return std::floor(after / cycle); }
  /// Checkpoints that are written whole so long after the beginning.
  double written(double after) const { return std::max(0.0, std::floor((after - write) / cycle)); }
  double done(double after) const {
    const double whole = copies(after);
    return whole * interval + std::min(after - whole * cycle, interval);
  }
  /// Until so much work is done: the last of it needs no checkpoint.
  double until(double work) const {
    const double whole = std::max(0.0, std::ceil(work / interval) - 1);
    return whole * cycle + (work - whole * interval);
  }
};

/// Times add up here, in seconds.
struct Clock {
  double elapsed = 0, checkpoints = 0, rework = 0, restarts = 0, failures = 0;
};

/// Restarts until one of them is not interrupted; the time until the next failure after it. `in_memory` is whether a copy
/// survived all of them.
double restart(const CheckpointTimes<double>& times, double mtbf, bool& in_memory, simulate::Random& random,
               Clock& clock) {
  for (;;) {
    in_memory = random.share() <= times.from_memory.value() && in_memory;
    const double needed = (in_memory ? times.memory_restore : times.restore).value();
    const double next = mtbf * random.exponential();
    clock.restarts += std::min(needed, next);
    clock.elapsed += std::min(needed, next);
    if (next >= needed) return next - needed;
    ++clock.failures;
  }
}

/// The top of a noisy curve over equal steps: of the parabola through the values around the highest. Among many noisy
/// values the highest is lucky; the parabola is not.
struct Peak {
  double place = 0, height = 0;
  double flat = 0;  // steps to either side that lose no more than a thousandth
};
Peak smooth_peak(const std::vector<double>& values) {
  constexpr int kAround = 12;
  constexpr double kFlat = 1e-3;
  const auto count = static_cast<int>(values.size());
  const auto highest = static_cast<int>(std::max_element(values.begin(), values.end()) - values.begin());
  const int center = std::clamp(highest, kAround, count - 1 - kAround);
  double mean = 0, square = 0;  // of the values, and of the places' squares
  for (int x = -kAround; x <= kAround; ++x) {
    mean += values[static_cast<std::size_t>(center + x)] / (2 * kAround + 1);
    square += static_cast<double>(x * x) / (2 * kAround + 1);
  }
  double slope = 0, slope_norm = 0, bend = 0, bend_norm = 0;
  for (int x = -kAround; x <= kAround; ++x) {
    const double value = values[static_cast<std::size_t>(center + x)], curve = x * x - square;
    slope += x * value;
    slope_norm += x * x;
    bend += curve * value;
    bend_norm += curve * curve;
  }
  slope /= slope_norm;
  bend /= bend_norm;
  if (bend >= 0) return {static_cast<double>(highest), values[static_cast<std::size_t>(highest)], 0};
  const double top = std::clamp(-slope / (2 * bend), -1.0 * kAround, 1.0 * kAround);
  return {center + top, mean + slope * top + bend * (top * top - square), std::sqrt(kFlat / -bend)};
}

}  // namespace

FailureRun run_with_failures(const FailureRunSetup& setup) {
  simulate::Random random(setup.seed);
  const double mtbf = setup.mtbf.value(), work = setup.work.value(), interval = setup.interval.value();
  const double stall = std::max(setup.times.stall.value(), setup.times.write.value() - interval);
  Stretch stretch{0, interval, interval + stall, setup.times.write.value()};
  Clock clock;
  double stored = 0, next = mtbf * random.exponential();
  for (;;) {
    const double finish = stretch.until(work - stretch.from);
    if (next >= finish) {
      clock.elapsed += finish;
      clock.checkpoints += finish - (work - stretch.from);
      break;
    }
    const double copied = stretch.copies(next), done = stretch.done(next);
    clock.elapsed += next;
    clock.checkpoints += next - done;
    ++clock.failures;
    stored = std::max(stored, stretch.from + stretch.written(next) * interval);
    bool in_memory = true;
    const double reached = stretch.from + done, kept = stretch.from + copied * interval;
    next = restart(setup.times, mtbf, in_memory, random, clock);
    stretch.from = in_memory ? kept : stored;
    clock.rework += reached - stretch.from;
  }
  FailureRun run;
  run.elapsed = Seconds<double>(clock.elapsed);
  run.failures = clock.failures;
  run.shares = {work / clock.elapsed, clock.checkpoints / clock.elapsed, clock.rework / clock.elapsed,
                clock.restarts / clock.elapsed};
  return run;
}

SimulatedBest simulated_best(FailureRunSetup setup, double failures) {
  constexpr int kSteps = 96;
  constexpr double kWidest = 8;
  const Seconds<double> middle = setup.interval;
  // below the time that a write takes, intervals only wait for it
  const Seconds<double> least = min(middle, max(middle / kWidest, setup.times.write - setup.times.stall));
  const double step = elementary::log((middle * kWidest / least).value()) / kSteps;  // of ln interval
  setup.work = setup.mtbf * (failures * goodput(setup.times, setup.mtbf, middle).useful.value());
  std::vector<double> tried;
  for (int i = 0; i <= kSteps; ++i) {
    setup.interval = least * elementary::exp(step * i);
    tried.push_back(run_with_failures(setup).shares.useful.value());
  }
  const Peak peak = smooth_peak(tried);
  const auto at = [&](double place) { return least * elementary::exp(step * place); };
  return {at(peak.place), at(std::max(0.0, peak.place - peak.flat)),
          at(std::min<double>(kSteps, peak.place + peak.flat)), peak.height};
}

}  // namespace ridge::train
