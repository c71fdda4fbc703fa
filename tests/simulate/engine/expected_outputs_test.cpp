// What an engine that admits by an estimate keeps free for those that run.

#include "simulate/engine/expected_outputs.hpp"

#include <doctest/doctest.h>

namespace ridge::simulate::expected_outputs_test {

LiveRequest request(std::int32_t output) {
  LiveRequest one;
  one.request.output = output;
  return one;
}

constexpr OutputEstimate kHalf{.first = 0.5, .last = 0.1, .steps = 4, .clip = 100, .ahead = 20};

TEST_CASE("of running requests a share of their rest is kept free, of those prefilled in the same step all of it") {
  ExpectedOutputs outputs(kHalf);
  LiveRequest runs = request(40);
  const LiveRequest next = request(300);
  LiveRequest again = request(60);
  again.generated = 45;  // before it gave up its blocks
  outputs.admit(runs);
  CHECK(outputs.with(next) == 0.5 * 40 + 100);  // its own is clipped
  CHECK(outputs.with(again) == 0.5 * 40 + 15);
  outputs.prefilled(runs);
  CHECK(outputs.with(next) == 40 + 100);
  outputs.begin_step();
  outputs.join(runs, 39);
  outputs.decoded();
  // 40 / 39 of a token in every step, rounded down to 1,050 / 1,024
  CHECK(outputs.with(next) == doctest::Approx(0.5 * (40 - 1050.0 / 1024) + 100));
}

TEST_CASE("the share falls with steps of decodes, is corrected when it was too small, and starts again") {
  ExpectedOutputs outputs(kHalf);
  outputs.shrink();
  CHECK(outputs.share() == doctest::Approx(0.4));
  for (int i = 0; i < 10; ++i) outputs.shrink();
  CHECK(outputs.share() == doctest::Approx(0.1));
  // two stay, with 30 tokens so far and 20 more each expected, of 139 they may generate
  outputs.correct(2, 30, 139);
  CHECK(outputs.share() == doctest::Approx(70.0 / 140));
  outputs.correct(2, 130, 139);
  CHECK(outputs.share() == 1);
  outputs.start_again();
  CHECK(outputs.share() == 0.5);
}

}  // namespace ridge::simulate::expected_outputs_test
