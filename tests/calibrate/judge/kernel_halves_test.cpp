// Are kernels judged by the half of their rows that no fit has seen?

#include "calibrate/judge/kernel_halves.hpp"

#include <algorithm>

#include <doctest/doctest.h>

namespace kernel_halves_test {

using namespace ridge;

namespace {

/// A chip of 1 PFLOP/s and 1 TB/s, bf16, and priors without much belief.
Library small_library() {
  Library library;
  Chip chip;
  chip.name = "chip";
  chip.matmul = {{"bf16", {FlopsPerSecond<double>(1e15), {}}}};
  chip.bandwidth.value = BytesPerSecond<double>(1e12);
  library.chips = std::vector<Chip>{chip};
  Format format;
  format.name = format.computes_as = "bf16";
  format.bytes.value = BytesPerParam<double>(2.0);
  library.formats = std::vector<Format>{format};
  CalibrationEntry prior;
  prior.name = prior.of = "prior";
  const auto add = [&](const char* group, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      const bool time = name.ends_with("_time") || name.starts_with("depth_") || name == "reduce_per_chip";
      prior.numbers[std::string(group) + "." + name] = {time ? 1e-6 : name == "softmax_rate" ? 1e12 : 0.7, 0.5};
    }
  };
  add("chip", field_names<ChipCalibration<double>>());
  add("kernel", field_names<KernelCalibration<double>>());
  for (const char* name : {"harness.extra", "harness.launch", "harness.slope", "harness.walk"})
    prior.numbers[name] = {1e-8, 1};
  for (const char* name : {"start", "floor", "program", "rate", "depth", "quantize", "weights", "inputs", "outputs"})
    prior.numbers[std::string("library.") + name] = {1, 1};
  prior.numbers["library.power"] = {2, 0.3};
  for (const char* name : {"root_time", "row_time"}) prior.numbers[std::string("library.") + name] = {1e-7, 1};
  library.calibrations = std::vector<CalibrationEntry>{prior};
  return library;
}

/// Products of many sizes by two libraries, the second of which takes `factor` times as long.
Evidence two_libraries(double factor) {
  Evidence evidence;
  for (const char* name : {"plain", "other"}) {
    for (const double rows : {1.0, 16.0, 256.0, 4096.0}) {
      for (const double inner : {1024.0, 2048.0, 4096.0, 8192.0}) {
        for (const double outer : {2048.0, 8192.0}) {
          KernelRow row;
          row.set = "set";
          row.chip = "chip";
          row.kernel = name;
          row.format = "bf16";
          row.m = rows;
          row.n = outer;
          row.k = inner;
          const double working = 2 * rows * inner * outer / 0.7e15;
          const double moving = 2 * (inner * outer + rows * (inner + outer)) / 0.8e12;
          row.seconds = (2e-6 + std::max(working, moving)) * (row.kernel == "other" ? factor : 1);
          evidence.kernels.push_back(row);
        }
      }
    }
  }
  return evidence;
}

double mean_error(const std::vector<ValidationLine>& lines, std::string_view group) {
  for (const ValidationLine& line : lines) {
    if (line.group == group) return line.errors.mean;
  }
  return -1;
}

}  // namespace

TEST_CASE("every row is judged once, by the half that it is not of") {
  const auto lines = judge_kernels_by_halves(two_libraries(1), small_library());
  REQUIRE(lines);
  REQUIRE(lines->size() == 2);
  for (const ValidationLine& line : *lines) {
    CHECK(line.name == name_of(KernelClass::product));
    CHECK(line.errors.rows == 64);
    CHECK(line.errors.mean < 0.1);
  }
}

TEST_CASE("a library twice as slow as another is off by the shared numbers, and less than half of that by itself") {
  const auto lines = judge_kernels_by_halves(two_libraries(2), small_library());
  REQUIRE(lines);
  CHECK(mean_error(*lines, kHalvesGroup) > 0.25);  // at best two thirds of one and four thirds of the other
  CHECK(mean_error(*lines, kHalvesByLibrary) < mean_error(*lines, kHalvesGroup) / 2);
}

TEST_CASE("where a half has no row nothing is judged") {
  Evidence none, one = two_libraries(1);
  one.kernels.resize(1);
  for (const Evidence& few : {none, one}) {
    const auto lines = judge_kernels_by_halves(few, small_library());
    REQUIRE(lines);
    CHECK(lines->empty());
  }
}

TEST_CASE("on two threads the same is found") {
  const auto one = judge_kernels_by_halves(two_libraries(2), small_library());
  const auto two = judge_kernels_by_halves(two_libraries(2), small_library(), 2);
  REQUIRE(one);
  REQUIRE(two);
  for (std::size_t i = 0; i < one->size(); ++i) CHECK((*one)[i].errors.mean == (*two)[i].errors.mean);
}

}  // namespace kernel_halves_test
