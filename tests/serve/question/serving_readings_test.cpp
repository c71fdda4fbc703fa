// A calibrated answer read otherwise: slopes against differences and Euler's theorem, ranges against their corners.

#include "serve/question/serving_readings.hpp"

#include <cmath>

#include <doctest/doctest.h>

#include "base/number/dual.hpp"
#include "base/number/lanes.hpp"
#include "base/number/traced.hpp"
#include "catalog_library.hpp"
#include "serve/estimate.ipp"
#include "serve/question/serving_inputs.hpp"

namespace serving_readings_test {

using namespace ridge;

namespace {

constexpr RequestLoad kLoad{.isl = 900, .osl = 700, .cached = 0.1, .concurrency = 40};

Deployment deployed(const char* model, const char* machine, double tensor, double data) {
  ServingQuestion question;
  question.scenario.model = model;
  question.scenario.machine = machine;
  question.scenario.kv = "fp8";
  question.tensor = tensor;
  question.attention_data = data;
  return resolve(question, testing::library()).value();
}

double slope(const std::vector<ServingElasticity>& all, std::string_view input, double ServingElasticity::*of) {
  for (const ServingElasticity& one : all) {
    if (one.input == input) return one.*of;
  }
  FAIL("no such input");
  return 0;
}

/// d ln figure / d ln input by central differences.
double difference(const Deployment& deployment, std::string_view input, std::string_view figure) {
  constexpr double kStep = 1e-5;
  const std::size_t index = serving_input_index(input);
  const std::size_t of = find_serving_figure(figure, "").value();
  const auto at = [&](double factor) {
    const auto moved = read_as<double>(
        under(deployment.ground, kLoad),
        [&](std::size_t i, const InputInfo&, Dimension, double value) { return i == index ? value * factor : value; });
    return std::log(output_values(evaluate(deployment, moved))[of]);
  };
  return (at(1 + kStep) - at(1 - kStep)) / (2 * kStep);
}

}  // namespace

TEST_CASE("slopes of a calibrated answer are what differences say") {
  for (const Deployment& d : {deployed("llama-3.1-70b", "hgx-h100", 4, 1), deployed("deepseek-v3", "hgx-b200", 1, 8)}) {
    const auto all = serving_sensitivity(d, kLoad);
    for (const char* input : {"hbm.bandwidth", "scale_up", "isl", "osl", "concurrency", "engine.step_time",
                              "kernel.expert_skew", "price", "utilization"}) {
      CAPTURE(input);
      const auto near = [](double value) { return doctest::Approx(value).epsilon(1e-5).scale(1); };
      CHECK(slope(all, input, &ServingElasticity::tpot) == near(difference(d, input, "tpot")));
      CHECK(slope(all, input, &ServingElasticity::ttft) == near(difference(d, input, "ttft")));
      CHECK(slope(all, input, &ServingElasticity::cost) == near(difference(d, input, "cost")));
    }
  }
}

TEST_CASE("a world with all times doubled and all rates halved is twice as slow") {
  // Euler: the slopes of all times less those of all rates add up to one
  for (const Deployment& d : {deployed("llama-3.1-70b", "hgx-h100", 4, 1), deployed("gpt-oss-120b", "hgx-b200", 2, 1),
                              deployed("deepseek-v3", "hgx-b200", 1, 8)}) {
    double sum = 0;
    for (const ServingElasticity& one : serving_sensitivity(d, kLoad)) {
      const std::string_view name = one.input;
      const bool rate = name.starts_with("matmul") || name == "hbm.bandwidth" || name.starts_with("scale_") ||
                        name == "chip.softmax_rate";
      const bool time =
          name.ends_with("_time") || name.find("depth_") != std::string_view::npos || name == "kernel.reduce_per_chip";
      sum += time ? one.tpot : rate ? -one.tpot : 0;
    }
    CHECK(sum == doctest::Approx(1).epsilon(1e-9));
  }
}

TEST_CASE("over ranges every figure contains what points of the box give, and little more") {
  const Deployment d = deployed("llama-3.1-70b", "hgx-h100", 4, 1);
  const std::size_t bandwidth = serving_input_index("hbm.bandwidth"), price = serving_input_index("price");
  const std::vector<RangedInput> box = {{bandwidth, {3.0e12, 3.6e12}}, {price, {2.0 / 3600, 4.0 / 3600}}};
  const auto bounds = bound_serving(d, kLoad, box);
  const auto at = [&](double speed, double dollars) {
    return output_values(evaluate(
        d, read_as<double>(under(d.ground, kLoad), [&](std::size_t i, const InputInfo&, Dimension, double value) {
          return i == bandwidth ? speed : i == price ? dollars : value;
        })));
  };
  for (const char* figure : {"tpot", "ttft", "output_cost", "cost", "output_tok_s"}) {
    CAPTURE(figure);
    const std::size_t of = find_serving_figure(figure, "").value();
    double low = 1e300, high = -1e300;
    for (const double speed : {3.0e12, 3.2e12, 3.6e12}) {
      for (const double dollars : {2.0 / 3600, 4.0 / 3600}) {
        low = std::min(low, at(speed, dollars)[of]);
        high = std::max(high, at(speed, dollars)[of]);
      }
    }
    CHECK(bounds[of].low <= low);
    CHECK(bounds[of].high >= high);
    CHECK(bounds[of].high - bounds[of].low <= (high - low) * 1.01 + 1e-12 * high);
  }
}

TEST_CASE("five readings of a calibrated answer agree, on every figure") {
  for (const Deployment& d : {deployed("llama-3.1-70b", "hgx-h100", 4, 1), deployed("deepseek-v3", "hgx-b200", 1, 8),
                              deployed("gpt-oss-120b", "hgx-b200", 2, 1)}) {
    const ServingCase<double> numbers = under(d.ground, kLoad);
    const auto plain = output_values(evaluate(d, numbers));
    const auto dual = output_values(evaluate(
        d, read_as<Dual>(numbers, [](std::size_t, const InputInfo&, Dimension, double value) { return Dual(value); })));
    const auto bounds = output_values(evaluate(
        d, read_as<Interval>(numbers, [](std::size_t, const InputInfo&, Dimension, double v) { return Interval(v); })));
    const auto lanes = output_values(evaluate(
        d, read_as<Lanes>(numbers, [](std::size_t, const InputInfo&, Dimension, double v) { return Lanes(v); })));
    const auto traced = output_values(
        evaluate(d, read_as<Traced>(numbers, [](std::size_t, const InputInfo& info, Dimension dimension, double value) {
                   return Traced::input(info.symbol, dimension, value);
                 })));
    for (std::size_t i = 0; i < kServingOutputs; ++i) {
      CAPTURE(serving_figure_info(i).key);
      CHECK(dual[i].value == plain[i]);
      CHECK(traced[i].value() == plain[i]);
      std::array<double, static_cast<std::size_t>(Lanes::size())> all{};
      lanes[i].store(all.data());
      for (const double one : all) CHECK(one == plain[i]);
      CHECK(bounds[i].low <= plain[i]);
      CHECK(bounds[i].high >= plain[i]);
      CHECK(bounds[i].width() <= 1e-6 * std::abs(plain[i]));
    }
  }
}

TEST_CASE("half of the paid time in use doubles the cost and changes no speed") {
  const Deployment d = deployed("llama-3.1-70b", "hgx-h100", 4, 1);
  Deployment half = d;
  half.ground.numbers.utilization = 0.5;
  const ServingEstimate all = evaluate(d, kLoad), some = evaluate(half, kLoad);
  CHECK(some.output_cost.value() == doctest::Approx(2 * all.output_cost.value()).epsilon(1e-15));
  CHECK(some.times.tpot == all.times.tpot);
}

TEST_CASE("a number that was given stands where the catalog's stood, and the load's own cannot be given so") {
  ServingQuestion question;
  question.scenario.model = "llama-3.1-70b";
  question.scenario.machine = "hgx-h100";
  question.tensor = 4;
  const Provenance user{"--set", Kind::user};
  question.given = {{"hbm.bandwidth", 5e12, user}};
  const Deployment faster = resolve(question, testing::library()).value();
  CHECK(faster.ground.numbers.peak.memory.value() == 5e12);
  question.given = {{"hbm", 5e12, user}};
  CHECK(resolve(question, testing::library()).value().ground.numbers.peak.memory.value() == 5e12);
  question.given = {{"isl", 5, user}};
  CHECK(!resolve(question, testing::library()));
  question.given = {{"hbm.bandwith", 5e12, user}};
  const auto wrong = resolve(question, testing::library());
  REQUIRE(!wrong);
  CHECK(wrong.error().front().hint.find("hbm.bandwidth") != std::string::npos);
}

}  // namespace serving_readings_test
