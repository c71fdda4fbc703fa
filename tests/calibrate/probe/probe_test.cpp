// Do passes become the rates and peaks that they show?

#include "calibrate/probe/probe.hpp"

#include <limits>

#include <doctest/doctest.h>

namespace probe_test {

using namespace ridge;
using doctest::Approx;

TEST_CASE("a series is its best pass, its median, and the middle half over the median") {
  // sorted 10 20 30 40 50: median 30, quartiles 20 and 40, (40 - 20) / 30
  const auto rate = probed_rate({4, {30, 10, 50, 20, 40}});
  REQUIRE(rate);
  CHECK(rate->threads == 4);
  CHECK(rate->best == 50);
  CHECK(rate->median == 30);
  CHECK(rate->spread == Approx(20.0 / 30.0));
  CHECK(rate->passes == 5);
  CHECK(rate->disturbed());  // 30 is below 0.8 x 50
  // two passes: the median of 9 and 10 is 9.5, the quartiles 9.25 and 9.75
  const auto two = probed_rate({1, {10, 9}});
  CHECK(two->median == Approx(9.5));
  CHECK(two->spread == Approx(0.5 / 9.5));
  CHECK_FALSE(two->disturbed());
}

TEST_CASE("what cannot be a rate is dropped and counted") {
  const double infinite = std::numeric_limits<double>::infinity(), none = std::numeric_limits<double>::quiet_NaN();
  // of 10 11 12 1000 the median is 11.5, eight times it 92: the last was a clock's
  const auto rate = probed_rate({2, {10, 0, infinite, 11, none, 12, -3, 1000}});
  REQUIRE(rate);
  CHECK(rate->best == 12);
  CHECK(rate->median == 11);
  CHECK(rate->passes == 3);
  CHECK(rate->dropped == 5);
  CHECK_FALSE(probed_rate({2, {0, infinite}}));
  CHECK_FALSE(probed_rate({2, {}}));
  CHECK(probed_rates({{1, {}}, {2, {5}}}).size() == 1);
}

TEST_CASE("threads are doubled up to all of them") {
  CHECK(thread_counts(1) == std::vector<int>{1});
  CHECK(thread_counts(2) == std::vector<int>{1, 2});
  CHECK(thread_counts(6) == std::vector<int>{1, 2, 4, 6});
  CHECK(thread_counts(16) == std::vector<int>{1, 2, 4, 8, 16});
}

TEST_CASE("the fastest number of threads counts, whichever it is") {
  const auto rates = probed_rates({{1, {10, 10}}, {2, {18, 19}}, {4, {17, 19}}});
  CHECK(fastest(rates)->threads == 2);  // of equals, fewer
  CHECK(fastest({}) == nullptr);
}

TEST_CASE("a CPU's peaks are what its units did, and never below what a product reached") {
  ProbedCpu cpu;
  cpu.instructions = "AVX2";
  cpu.read = probed_rates({{1, {8e9}}, {2, {12e9}}});
  cpu.fp32 = probed_rates({{2, {200e9}}});
  cpu.int8 = probed_rates({{2, {500e9}}});
  cpu.blocks = probed_rates({{2, {60e9}}});
  ProbedPeaks peaks = peaks_of(cpu);
  CHECK(peaks.bandwidth->value == 12e9);
  CHECK(peaks.vector->value == 200e9);
  CHECK(peaks.bf16->value == 200e9);  // 16-bit numbers are widened
  CHECK(peaks.int8->value == 500e9);
  CHECK(peaks.measured_int8->value == 60e9);
  CHECK_FALSE(peaks.measured_bf16);  // no OpenBLAS: no product was timed
  cpu.sgemm = probed_rates({{2, {180e9}}});
  CHECK(peaks_of(cpu).measured_bf16->value == 180e9);
  CHECK(peaks_of(cpu).bf16->value == 200e9);
  cpu.sbgemm = probed_rates({{2, {900e9}}});  // matrix units
  peaks = peaks_of(cpu);
  CHECK(peaks.bf16->value == 900e9);
  CHECK(peaks.vector->value == 200e9);
  CHECK_FALSE(peaks.int8);  // 500e9 is slower than widening: it falls back to bf16
  cpu.sgemm = probed_rates({{2, {210e9}}});
  CHECK(peaks_of(cpu).vector->value == 210e9);
}

TEST_CASE("what was not measured has no peak") {
  const ProbedPeaks peaks = peaks_of(ProbedCpu{});
  CHECK_FALSE(peaks.bandwidth);
  CHECK_FALSE(peaks.bf16);
  CHECK_FALSE(peaks.int8);
  CHECK_FALSE(peaks.vector);
}

}  // namespace probe_test
