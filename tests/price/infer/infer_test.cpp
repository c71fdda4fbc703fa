// What is read off public sheets, and off impossible ones.

#include "price/infer/infer.hpp"

#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include "catalog_library.hpp"
#include "repeats.hpp"
#include "search/posterior/machines_behind.hpp"

namespace infer_test {

using namespace ridge;
using doctest::Approx;

namespace {

DollarsPerToken<double> a_million(double dollars) { return DollarsPerToken<double>(dollars / 1e6); }

Beliefs priors(const char* name, const std::vector<GivenRange>& given = {}) {
  return priors_named(catalog::priors(catalog::embedded_facts()).value(), name, given).value();
}

PriceSheet gemini() {
  PriceSheet sheet;
  sheet.provider = "google";
  sheet.model = "gemini";
  sheet.input = a_million(2);
  sheet.output = a_million(12);
  PriceBreak tier;
  tier.above = Tokens<double>(200e3);
  tier.input = a_million(4);
  tier.output = a_million(18);
  sheet.tiers.push_back(tier);
  return sheet;
}

PriceSheet claude() {
  PriceSheet sheet;
  sheet.model = "claude";
  sheet.input = a_million(5);
  sheet.output = a_million(25);
  sheet.cached = a_million(0.5);
  sheet.writes = {{Seconds<double>(300.0), a_million(6.25)}, {Seconds<double>(3600.0), a_million(10)}};
  sheet.modes.push_back({"fast", a_million(30), a_million(150), 2.5});
  return sheet;
}

const SheetReading* reading(const Inference& inference, std::string_view key) {
  for (const SheetReading& one : inference.readings) {
    if (one.key == key) return &one;
  }
  return nullptr;
}

bool says(const std::vector<std::string>& lines, std::string_view words) {
  for (const std::string& line : lines) {
    if (line.find(words) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("a step at 200,000 tokens with the lecture's numbers says 1,667 bytes") {
  const Inference one = infer({.sheet = gemini(), .priors = priors("lecture"), .fast_speed = {}});
  // 100e9 x 1 / (300 x 200e3)
  CHECK(one.inferred[kKv].interval.contains(100e9 / (300 * 200e3)));
  CHECK(one.inferred[kKv].interval.high == Approx(1666.67).epsilon(1e-4));
  CHECK(one.inferred[kKv].interval.low == Approx(1666.67).epsilon(1e-4));
  CHECK(says(one.contradictions, "input costs 2x and output 1.5x"));
  REQUIRE(reading(one, "longest") != nullptr);
  CHECK(reading(one, "longest")->value == Approx(400e3));
}

TEST_CASE("a fast mode and two times to live are read as worked out by hand") {
  const Inference one = infer({.sheet = claude(), .priors = priors("provider"), .fast_speed = {}});
  CHECK(reading(one, "batch_ratio")->value == Approx(15.0));
  CHECK(reading(one, "weight_share_read")->value == Approx(5.0 / 14));
  CHECK(reading(one, "fast_ceiling")->value == Approx(2.8));
  // (10 - 6.25) / (55 min) = $4.0909 an hour; 6.25 - 5 - 4.0909/12 = $0.9091
  CHECK(reading(one, "hold")->value * 3600e6 == Approx(4.0909).epsilon(1e-4));
  CHECK(reading(one, "write_premium")->value * 1e6 == Approx(0.9091).epsilon(1e-4));
  CHECK(says(one.contradictions, "6x for input too"));
  CHECK(one.fast);
}

TEST_CASE("every impossible sheet is answered and says what is wrong with it") {
  const auto wrong = [](auto&& change) {
    PriceSheet sheet = claude();
    change(sheet);
    const Inference one = infer({.sheet = sheet, .priors = priors("provider"), .fast_speed = {}});
    CHECK_FALSE(one.not_identifiable.empty());
    for (const Inferred& each : one.inferred) CHECK(each.interval.high >= each.interval.low);
    sample_posterior(one, {.samples = 4096, .seed = 1, .threads = 1, .set = InstructionSet::baseline});
    return one.contradictions;
  };
  CHECK(says(wrong([](PriceSheet& s) { s.modes[0].speed = 0.1; }), "p s = 6 x 0.1"));
  CHECK(says(wrong([](PriceSheet& s) { s.modes[0].output = a_million(20); }), "never cheaper"));
  CHECK(says(wrong([](PriceSheet& s) { s.writes[1].price = a_million(6); }), "negative"));
  CHECK(says(wrong([](PriceSheet& s) { s.output = a_million(1); }), "output is"));
  CHECK(says(wrong([](PriceSheet& s) { s.cached = a_million(6); }), "more expensive than fresh"));
  CHECK(says(wrong([](PriceSheet& s) { s.input = s.output = a_million(0); }), "nothing is charged"));
  CHECK(says(wrong([](PriceSheet& s) { s.output = a_million(1e8); }), "left out"));
  CHECK(says(wrong([](PriceSheet& s) { s.input = s.output = a_million(1e9); }), "left out"));
}

TEST_CASE("samples do not depend on threads or lanes, and lie within the intervals") {
  const Inference one = infer({.sheet = claude(), .priors = priors("provider"), .fast_speed = {}});
  const SampleRequest plain{.samples = repeats(200'000), .seed = 3, .threads = 1, .set = InstructionSet::baseline};
  const Posterior first = sample_posterior(one, plain);
  SampleRequest other = plain;
  other.threads = 3;
  other.set = best_instruction_set();
  const Posterior second = sample_posterior(one, other);
  CHECK(first.accepted == second.accepted);
  CHECK(first.effective == second.effective);
  REQUIRE(first.accepted > 100);
  for (std::size_t q = 0; q < kInferred; ++q) {
    CAPTURE(one.inferred[q].key);
    CHECK(first.marginals[q].bins == second.marginals[q].bins);
    CHECK(first.marginals[q].low >= one.inferred[q].interval.low);
    CHECK(first.marginals[q].high <= one.inferred[q].interval.high);
  }
}

TEST_CASE("with everything believed to a point but the size, the price of input gives it") {
  // input = markup phi / u x 2 Na / e_p: 2e-6 = 2 x 1e-18 / 0.5 x 2 Na / 0.4, so Na = 1e11, but for the context's
  // write
  PriceSheet sheet;
  sheet.input = a_million(2);
  const Beliefs known = priors("provider", {{"markup", Interval(2.0), ""},
                                            {"flop_price", Interval(1e-18), ""},
                                            {"utilization", Interval(0.5), ""},
                                            {"mfu.prefill", Interval(0.4), ""}});
  const Inference one = infer({.sheet = sheet, .priors = known, .fast_speed = {}});
  CHECK(one.inferred[kActive].interval.contains(0.9999e11));
  CHECK(one.inferred[kActive].interval.high <= 1.0001e11);
  CHECK(one.inferred[kActive].interval.low >= 0.9e11);
}

TEST_CASE("machines behind a sheet are as likely as the room they leave for the rest") {
  // input 2e-6 = k phi / u x 2 Na / e_p with u = 0.5, e_p = 0.4, k from 1 to 10 and Na from 1e10 to 1e11 (the context is
  // read and written for nothing: 500 B). phi = 1e-18: Na = 2e11 / k is inside for k from 2 to 10, log 5. phi = 0.5e-18:
  // Na = 4e11 / k, for k from 4 to 10, log 2.5.
  PriceSheet sheet;
  sheet.input = a_million(2);
  const Beliefs known = priors("provider", {{"active", Interval(1e10, 1e11), ""},
                                            {"markup", Interval(1.0, 10.0), ""},
                                            {"utilization", Interval(0.5), ""},
                                            {"mfu.prefill", Interval(0.4), ""},
                                            {"kv", Interval(500, 510), ""},
                                            {"width", Interval(1.0), ""},
                                            {"intensity", Interval(300.0), ""}});
  const auto evidence = [&](double flop) {
    Beliefs here = known;
    here.box[kFlopPrice] = Interval(flop);
    const Inference one = infer({.sheet = sheet, .priors = here, .fast_speed = {}});
    return sample_posterior(one, {.samples = 1 << 18, .seed = 5, .threads = 1, .set = best_instruction_set()}).evidence;
  };
  CHECK(evidence(1e-18) / evidence(0.5e-18) == Approx(std::log(5.0) / std::log(2.5)).epsilon(0.02));
}

TEST_CASE("a machine narrows what a sheet leaves, and all machines together are certain") {
  const InferQuestion question{.sheet = gemini(), .priors = priors("provider"), .fast_speed = {}};
  const Inference any = infer(question);
  const auto machines = machines_behind(question, testing::library(),
                                        {.samples = 1 << 14, .seed = 1, .threads = 1, .set = best_instruction_set()});
  CHECK(machines.size() > 50);
  double sum = 0;
  for (const MachineBehind& one : machines) {
    sum += one.share;
    CHECK(one.active.low >= any.inferred[kActive].interval.low * (1 - 1e-9));
    CHECK(one.active.high <= any.inferred[kActive].interval.high * (1 + 1e-9));
  }
  CHECK(sum == Approx(1.0));
  // an H100 in fp8: 1,979 TFLOP/s, 3.35 TB/s: 1979e12 x 1 / (2 x 3.35e12) = 295
  const auto h100 = chip_in_formats(*find_named(testing::library().machines, "hgx-h100"), testing::library());
  const auto fp8 = std::find_if(h100.begin(), h100.end(), [](const ChipInFormat& one) { return one.format == "fp8"; });
  REQUIRE(fp8 != h100.end());
  CHECK(fp8->intensity.value() == Approx(295).epsilon(0.01));
}

TEST_CASE("what is given as one number is met nearly, where nothing is left to solve for") {
  // bytes of context and of a weight both given: the samples hold the bytes to 5 %
  const Beliefs known = priors(
      "provider", {{"kv", Interval(100e3), ""}, {"width", Interval(1.0), ""}, {"intensity", Interval(300.0), ""}});
  const Inference one = infer({.sheet = gemini(), .priors = known, .fast_speed = {}});
  const Posterior posterior =
      sample_posterior(one, {.samples = 1 << 18, .seed = 2, .threads = 1, .set = best_instruction_set()});
  REQUIRE(posterior.accepted > 100);
  CHECK(posterior.marginals[kWidth].low == 1.0);
  CHECK(posterior.marginals[kKv].median == Approx(100e3).epsilon(0.051));
}

}  // namespace infer_test
