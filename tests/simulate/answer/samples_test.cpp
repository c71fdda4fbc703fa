#include "simulate/answer/samples.hpp"

#include <doctest/doctest.h>

#include "simulate/client/random.hpp"

namespace ridge::simulate::samples_test {

TEST_CASE("percentiles lie between neighbors, as NumPy's do") {
  Samples samples;
  for (const Nanoseconds span : {40, 10, 30, 20}) samples.add(span * kSecond);
  // by hand: 4 values, place 0.9 x 3 = 2.7, so 30 + 0.7 x 10
  CHECK(samples.percentile(0.9) == doctest::Approx(37));
  CHECK(samples.percentile(0.5) == doctest::Approx(25));
  CHECK(samples.percentile(0) == 10);
  CHECK(samples.percentile(1) == 40);
  CHECK(samples.spread().mean == doctest::Approx(25));
  CHECK(samples.spread().deviation == doctest::Approx(11.18034));  // sqrt((225 + 25 + 25 + 225) / 4)
  CHECK(samples.share_within(30) == 0.75);
}

TEST_CASE("equal spans count as often as they are") {
  Samples samples;
  samples.add(1 * kSecond, 99);
  samples.add(2 * kSecond, 1);
  CHECK(samples.count() == 100);
  CHECK(samples.percentile(0.5) == 1);
  // place 0.99 x 99 = 98.01: between the 99th and the 100th
  CHECK(samples.percentile(0.99) == doctest::Approx(1.01));
}

TEST_CASE("a million spans keep their percentiles within 0.05 %") {
  Samples samples;
  Random random(7);
  for (int i = 0; i < 1'000'000; ++i) samples.add(random.whole(1, 1'000'000'000));
  CHECK(samples.percentile(0.5) == doctest::Approx(0.5).epsilon(0.003));  // of chance itself: 0.5 / sqrt(n) twice over
  Samples even;
  for (Nanoseconds i = 1; i <= 200'000; ++i) even.add(i * 1000);
  CHECK(even.percentile(0.5) == doctest::Approx(0.1).epsilon(0.0005));
  CHECK(even.percentile(0.99) == doctest::Approx(0.198).epsilon(0.0005));
  CHECK(even.spread().most == doctest::Approx(0.2));
}

TEST_CASE("no spans have no percentiles, and say so by their count") {
  CHECK(Samples().spread().count == 0);
  CHECK(Samples().share_within(1) == 0);
  CHECK(Samples().curve(5).empty());
}

}  // namespace ridge::simulate::samples_test
