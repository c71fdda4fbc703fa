// Do borrowed numbers speak for those that have them?

#include "library/calibrations.hpp"

#include <cmath>

#include <doctest/doctest.h>

namespace calibrations_test {

using namespace ridge;

TEST_CASE("a number that some engines lack is the mean of those that have it") {
  CalibrationEntry both, one;
  both.numbers["step_time"] = {2e-3, 0.1};
  both.numbers["expert_padding"] = {1.8, 0.05};
  one.numbers["step_time"] = {8e-3, 0.3};
  const auto mean = mean_numbers({&both, &one});
  // by hand: the root of 2 x 8 is 4 ms; how far each is from it, ln 2, is more than either is known by
  CHECK(mean.at("step_time").value == doctest::Approx(4e-3).scale(0));
  CHECK(mean.at("step_time").spread == doctest::Approx(std::hypot(0.2, std::log(2.0))));
  CHECK(mean.at("expert_padding").value == doctest::Approx(1.8));
  CHECK(mean.at("expert_padding").spread == doctest::Approx(0.05));
}

TEST_CASE("a fresh server's number without kernels in its name speaks of none") {
  CalibrationEntry engine;
  engine.name = "some";
  engine.of = "engine";
  engine.numbers["fresh_time"] = {1, 0.1};
  engine.numbers["fresh_b200_4bit_time"] = {0.5, 0.1};
  Library library;
  library.calibrations = std::vector<CalibrationEntry>{engine};
  CHECK(fresh_kernels_of(library, "some") == std::vector<std::string>{"b200_4bit"});
  CHECK(fresh_time(library, "some", "b200_4bit").value() == 0.5);
  CHECK(fresh_time(library, "some", "h100-sxm_8bit").value() == 0.5);  // the mean of those that are known
}

}  // namespace calibrations_test
