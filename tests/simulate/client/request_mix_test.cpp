// Requests of several kinds.

#include "simulate/client/request_mix.hpp"

#include <doctest/doctest.h>

namespace request_mix_test {

using namespace ridge;
using namespace ridge::simulate;
using doctest::Approx;

TEST_CASE("a mix as people write it, and its means") {
  const RequestMix mix = parse_mix("chat: 70% 1k/200, 25% 30k/500, agents: 5% 8k/1k@90%").value();
  REQUIRE(mix.classes.size() == 3);
  CHECK(mix.classes[0].name == "chat");
  CHECK(mix.classes[1].name == "30000/500");
  CHECK(mix.classes[2].cached == Approx(0.9));
  // 0.7 x 1,000 + 0.25 x 30,000 + 0.05 x 8,000 = 700 + 7,500 + 400
  CHECK(mix.isl() == Approx(8600));
  // 0.7 x 200 + 0.25 x 500 + 0.05 x 1,000
  CHECK(mix.osl() == Approx(315));
  // 0.05 x 8,000 x 0.9 = 360 of 8,600
  CHECK(mix.cached() == Approx(360.0 / 8600));
}

TEST_CASE("what is no mix is refused with an example") {
  for (const char* bad : {"", "70%", "70% 1k", "70% 1k/200", "120% 1k/200", "100% 0/5", "100% 1k/", "100% 1k/5@100%",
                          "x 1k/200", "50% 1k/200, 60% 2k/100", "100% 1e9/5", "100% 1k/200@x"}) {
    CAPTURE(bad);
    const auto mix = parse_mix(bad);
    REQUIRE(!mix);
    CHECK(mix.error().front().where == "mix");
    CHECK(!mix.error().front().hint.empty());
  }
}

TEST_CASE("requests come at the rate, in the shares, and share what their class shares") {
  const RequestMix mix = parse_mix("60% 100/10, 40% 640/20@50%").value();
  constexpr std::int64_t kRequests = 20000;
  const MixedRequests made = mixed_requests(mix, 50, kRequests, 3);
  REQUIRE(made.trace.requests.size() == kRequests);
  // standard errors: a rate of 50 over 20,000 gaps is sure to 0.7 %, a share of 0.4 to 0.0035: three of them
  CHECK(kRequests / seconds(made.trace.requests.back().sent) == Approx(50).epsilon(0.021));
  double second = 0;
  for (std::size_t i = 0; i < made.trace.requests.size(); ++i) {
    const TraceRequest& one = made.trace.requests[i];
    if (i > 0) CHECK(one.sent >= made.trace.requests[i - 1].sent);
    second += made.class_of[i];
    CHECK(one.prompt == (made.class_of[i] == 1 ? 640 : 100));
    CHECK(one.prompt_chunks == (made.class_of[i] == 1 ? 5 : 0));  // half of 640 tokens, in chunks of 64
  }
  CHECK(second / kRequests == Approx(0.4).epsilon(0.027));
  CHECK(mixed_requests(mix, 50, 100, 3).trace.requests[99].sent ==
        mixed_requests(mix, 50, 100, 3).trace.requests[99].sent);
}

}  // namespace request_mix_test
