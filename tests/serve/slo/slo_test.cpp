// What is promised, as people write it.

#include "serve/slo/slo.hpp"

#include <doctest/doctest.h>

namespace slo_test {

using namespace ridge;

TEST_CASE("a metric alone is its 99th percentile; others by name, in either order") {
  const auto slo = parse_slo("ttft=2s, tpot.mean=30ms,p90.e2e=20s,TTFT_p50=500ms").value();
  REQUIRE(slo.size() == 4);
  CHECK(slo[0] == SloTarget{SloMetric::ttft, {99}, Seconds<double>(2.0)});
  CHECK(slo[1] == SloTarget{SloMetric::tpot, {0}, Seconds<double>(0.03)});
  CHECK(slo[2] == SloTarget{SloMetric::e2e, {90}, Seconds<double>(20.0)});
  CHECK(slo[3] == SloTarget{SloMetric::ttft, {50}, Seconds<double>(0.5)});
  CHECK(show(slo[2]) == "E2E p90 <= 20 s");
  CHECK(parse_slo("p99.9.ttft=1s")->front().statistic == SloStatistic{99.9});
  CHECK(parse_slo("ttft.median=1s")->front().statistic == SloStatistic{50});
  CHECK(shortest_limit(slo, SloMetric::ttft)->value() == 0.5);
  CHECK(!shortest_limit({}, SloMetric::tpot));
}

TEST_CASE("what is no promise is refused with an example") {
  for (const char* bad : {"", "tptt=2s", "ttft", "ttft=", "ttft=0s", "ttft=-1s", "ttft=2 kg", "ttft.p0=1s",
                          "ttft.p100=1s", "ttft.p=1s", "ttft=1s,ttft=2s", "ttft=1e99s", "p90=1s", "ttft.p90.p95=1s"}) {
    CAPTURE(bad);
    const auto slo = parse_slo(bad);
    REQUIRE(!slo);
    CHECK(slo.error().front().where.starts_with("slo"));
    CHECK(!slo.error().front().hint.empty());
  }
}

}  // namespace slo_test
