// Do Young's and Daly's intervals agree with runs that fail, and is no time lost between the lines?

#include <cmath>

#include <doctest/doctest.h>

#include "base/number/dual.hpp"
#include "base/number/interval.hpp"
#include "train/failure/goodput_answer.hpp"

namespace ridge::train::goodput_test {

using doctest::Approx;

Seconds<double> s(double seconds) { return Seconds<double>(seconds); }

/// 10,000 chips of 10,000 h: a failure an hour; 1 TB at 100 GB/s: 10 s; a chip's 100 MB at 1 GB/s: 0.1 s.
FailureCase<double> round_case() {
  FailureCase<double> c;
  c.chips = 10000.0;
  c.chip_mtbf = s(10000 * 3600.0);
  c.checkpoint = Bytes<double>(1e12);
  c.storage = BytesPerSecond<double>(1e11);
  c.snapshot = BytesPerSecond<double>(1e9);
  c.restart = s(300);
  c.survives = 0.9;
  c.work = s(30 * 86400.0);
  return c;
}

TEST_CASE("checkpoints stall, are written and are read as their kind says") {
  const auto plain = checkpoint_times(round_case(), CheckpointKind::synchronous);
  CHECK(machine_mtbf(round_case()).value() == Approx(3600));
  CHECK(plain.stall.value() == Approx(10));
  CHECK(plain.write.value() == 0);
  CHECK(plain.restore.value() == Approx(310));
  const auto behind = checkpoint_times(round_case(), CheckpointKind::asynchronous);
  CHECK(behind.stall.value() == Approx(0.1));
  CHECK(behind.write.value() == Approx(10));
  const auto memory = checkpoint_times(round_case(), CheckpointKind::in_memory);
  CHECK(memory.memory_restore.value() == Approx(300.1));
  CHECK(memory.from_memory.value() == Approx(0.9));
}

TEST_CASE("Young's and Daly's intervals, by hand") {
  // sqrt(2 x 10 x 3600) = 268.3 s; Daly: 268.3 (1 + sqrt(10/7200)/3 + (10/7200)/9) - 10 = 268.3 x 1.012577 - 10 = 261.70 s
  CHECK(young_interval(s(10), s(3600)).value() == Approx(268.328).epsilon(1e-5));
  CHECK(daly_interval(s(10), s(3600)).value() == Approx(261.703).epsilon(1e-5));
  CHECK(exact_interval(s(10), s(3600)).value() == Approx(261.70).epsilon(1e-4));
  CHECK(daly_holds(s(10), s(3600)));
  CHECK(!daly_holds(s(7200), s(3600)));
}

TEST_CASE(
    "Daly's interval is the exact optimum's within 1 % for stalls up to a fifth of the MTBF, Young's only for short "
    "ones") {
  for (const double share : {1e-5, 1e-4, 1e-3, 1e-2, 0.05, 0.1, 0.2}) {
    CAPTURE(share);
    const double exact = exact_interval(s(share), s(1)).value();
    CHECK(daly_interval(s(share), s(1)).value() == Approx(exact).epsilon(0.01));
    CHECK(young_interval(s(share), s(1)).value() > exact);
  }
  // Young's, at a stall of a fifth of the MTBF: sqrt(0.4) = 0.632 of the MTBF where 0.50 is best
  CHECK(young_interval(s(0.2), s(1)).value() > 1.2 * exact_interval(s(0.2), s(1)).value());
}

TEST_CASE("no interval is better by the formula than the exact optimum") {
  const auto times = checkpoint_times(round_case(), CheckpointKind::synchronous);
  const double best = goodput(times, s(3600), exact_interval(s(10), s(3600))).useful.value();
  for (const double factor : {0.5, 0.8, 0.95, 1.05, 1.3, 2.0}) {
    CHECK(goodput(times, s(3600), factor * exact_interval(s(10), s(3600))).useful.value() < best);
  }
}

TEST_CASE("a run without a failure takes its work and its checkpoints") {
  // 1,000 s of work every 100 s, 5 s each, none after the last: 1,000 + 9 x 5
  const FailureRun run = run_with_failures({{s(5), s(0), s(60), s(60), 0.0}, s(1e12), s(100), s(1000), 1});
  CHECK(run.failures == 0);
  CHECK(run.elapsed.value() == Approx(1045));
  CHECK(run.shares.useful.value() == Approx(1000 / 1045.0));
  CHECK(run.shares.checkpoints.value() == Approx(45 / 1045.0));
}

TEST_CASE("every second of a run is work, a checkpoint, work done again or a restart") {
  for (const CheckpointKind kind : kCheckpointKinds) {
    const auto times = checkpoint_times(round_case(), kind);
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      const FailureRun run = run_with_failures({times, s(3600), s(200), s(5e5), seed});
      CAPTURE(name_of(kind));
      CHECK(run.failures > 50);
      CHECK((run.shares.useful + run.shares.checkpoints + run.shares.rework + run.shares.restarts).value() ==
            Approx(1));
      CHECK(run.elapsed == run_with_failures({times, s(3600), s(200), s(5e5), seed}).elapsed);
    }
  }
}

TEST_CASE("a simulated run of 20,000 failures has the formula's goodput, and each of its losses") {
  // The spread of a loss over n failures is about its size over sqrt(n): 0.7 % of it; three of those are allowed, of 15 %.
  for (const CheckpointKind kind : kCheckpointKinds) {
    const auto times = checkpoint_times(round_case(), kind);
    const auto interval = daly_interval(times.stall, s(3600));
    const auto closed = goodput(times, s(3600), interval);
    const FailureRun run = run_with_failures({times, s(3600), interval, s(3600 * 20000.0), 7});
    CAPTURE(name_of(kind));
    CHECK(std::abs((run.shares.useful - closed.useful).value()) < 0.003);
    CHECK(run.shares.restarts.value() == Approx(closed.restarts.value()).epsilon(0.03));
    CHECK(run.shares.checkpoints.value() == Approx(closed.checkpoints.value()).epsilon(0.01));
  }
}

TEST_CASE("the simulated optimum agrees with Daly's inside its domain") {
  // The optimum is flat: where an interval is 20 % off, the goodput is off by a fiftieth of the checkpoints' share.
  for (const double stall : {1.0, 10.0, 60.0, 300.0}) {
    const CheckpointTimes<double> times{s(stall), s(0), s(300), s(300), 0.0};
    const auto daly = daly_interval(s(stall), s(3600));
    const SimulatedBest best = simulated_best({times, s(3600), daly, s(1), 5}, 20000);
    CAPTURE(stall);
    CHECK(best.interval.value() == Approx(daly.value()).epsilon(0.25));
    CHECK(best.flat_from <= daly);
    CHECK(best.flat_to >= daly);
    const FailureRun there = run_with_failures({times, s(3600), daly, s(3600 * 20000 * best.goodput), 5});
    CHECK(there.shares.useful.value() > best.goodput - 0.001);
  }
}

TEST_CASE("checkpoints that are still being written do not count") {
  // A write of 1,000 s behind intervals of 1,100 s: each failure goes back 1,000 s further.
  const CheckpointTimes<double> slow{s(1), s(1000), s(60), s(60), 0.0}, quick{s(1), s(0), s(60), s(60), 0.0};
  const FailureRun lagging = run_with_failures({slow, s(20000), s(1100), s(2e8), 3});
  const FailureRun prompt = run_with_failures({quick, s(20000), s(1100), s(2e8), 3});
  const double more = lagging.elapsed.value() - prompt.elapsed.value();
  CHECK(more / prompt.failures == Approx(1000).epsilon(0.1));
  // and one that takes longer than the interval holds the next one up: 1,000 s of stall and work in every 1,000 s
  const FailureRun stalled = run_with_failures({slow, s(1e12), s(400), s(4000), 1});
  CHECK(stalled.elapsed.value() == Approx(9 * 1000 + 400));
}

TEST_CASE("spare nodes are the 99th percentile of those in repair") {
  // mean 1: P(0..3) = 0.981, P(0..4) = 0.9963: four. None fail: none.
  CHECK(spare_nodes(s(86400), s(86400)).needed == 4);
  CHECK(spare_nodes(s(1e15), s(86400)).needed == 0);
  CHECK(spare_nodes(s(1), s(10000)).needed == 10233);  // 10,000 + 2.326 x 100, rounded up
}

TEST_CASE("the equations are read by every scalar") {
  using D = Dual;
  const auto d = [](double value, double slope) {
    D x(value);
    x.slope = slope;
    return Seconds<D>(x);
  };
  // d/dM sqrt(2 delta M) = sqrt(delta / (2 M)) = sqrt(10 / 7200) = 0.03727
  CHECK(young_interval(d(10, 0), d(3600, 1)).value().slope == Approx(0.037268).epsilon(1e-4));
  const auto range = young_interval(Seconds<Interval>(Interval(9, 11)), Seconds<Interval>(Interval(3600, 3600)));
  CHECK(range.value().low <= 254.56);
  CHECK(range.value().high >= 281.42);
}

TEST_CASE("numbers that cannot be are refused by their field") {
  GoodputQuestion question{round_case(), 8.0, s(86400), {}, 1, ""};
  CHECK(answer_goodput(question).has_value());
  question.numbers.chips = 0.0;
  const auto answer = answer_goodput(question);
  REQUIRE(!answer.has_value());
  CHECK(answer.error().front().where == "chips");
}

TEST_CASE("a machine that never gets to its first checkpoint says so") {
  GoodputQuestion question{round_case(), 8.0, s(86400), {}, 1, ""};
  question.numbers.chip_mtbf = s(10000.0);  // one failure a second
  const auto answer = answer_goodput(question);
  REQUIRE(answer.has_value());
  CHECK(!answer->rows.front().simulated.has_value());
}

}  // namespace ridge::train::goodput_test
