// Is what a chip of a laid-out model holds and sends what one counts by hand?

#include "serve/rack_layout.hpp"

#include <doctest/doctest.h>

#include "catalog_library.hpp"
#include "serve/estimate.hpp"

namespace laid_out_test {

using namespace ridge;
using doctest::Approx;

namespace {

LayoutQuestion spread(double chips, double stages = 1, double racks = 0) {
  LayoutQuestion question;
  question.model = "deepseek-v3";
  question.machine = "gb200-nvl72";
  question.layout.attention_data = question.layout.expert = chips;
  question.layout.pipeline = stages;
  question.racks = racks;
  return question;
}

LayoutAnswer answer(const LayoutQuestion& question, const std::vector<RackFacts>& racks = {}) {
  auto result = lay_out(question, testing::library(), racks);
  REQUIRE(result);
  return *result;
}

Traffic traffic(const LayoutAnswer& a, const std::string& what) {
  for (const Traffic& one : a.traffic) {
    if (one.what == what) return one;
  }
  return {};
}

}  // namespace

TEST_CASE("a chip of DeepSeek-V3 over 64 chips holds 4 of 256 experts a layer and a whole cache of its sequences") {
  const LayoutAnswer a = answer(spread(64));
  // 58 layers x 4 x 3 x 7,168 x 2,048 at 1 B and a scale of 4 B for 128 x 128: 10.22 GB; router 58 x 7,168 x 256 x 2 B
  CHECK(a.stages.front().experts ==
        Approx(58 * (4 * 3 * 7168.0 * 2048 * (1 + 4.0 / 16384) + 7168 * 256 * 2)).epsilon(2e-3));
  CHECK(a.stages.front().sequence == Approx(70272.0 * 8192));  // FORMULAS: 61 x 576 x 2 B a token
  CHECK(a.sequences == 32);
  CHECK(a.fits());
  // 64 (1 - (63/64)^8) = 7.575 chips, 63/64 of them others; 1 B out and 2 B back of 7,168 numbers
  CHECK(traffic(a, "to experts").inside == Approx(7.5751 * 63 / 64 * 7168).epsilon(1e-3));
  CHECK(traffic(a, "from experts").inside == Approx(2 * traffic(a, "to experts").inside));
  CHECK(traffic(a, "to experts").times == 58);
  CHECK(traffic(a, "to experts").outside == 0);
}

TEST_CASE("over two racks a token crosses once where it needs the other rack") {
  const LayoutAnswer a = answer(spread(128));
  CHECK(a.placement.racks() == 2);
  CHECK(traffic(a, "to experts").outside == Approx(255.0 / 256 * 7168).epsilon(1e-9));  // 2 (1 - 2^-8)/2
  const LayoutAnswer narrow = answer(spread(64)), torn = answer(spread(64, 1, 2));
  CHECK(torn.network > narrow.network);
  // the table says so before it is done: 18 x 0.9961/7.457 = 2.404
  CHECK(narrow.spans.at(1).merged == Approx((torn.network / narrow.network).value()).epsilon(0.02));
  CHECK(narrow.spans.at(1).plain == Approx(9));
}

TEST_CASE("on a torus a token's copies cross several links, in a layout as in a served step") {
  LayoutQuestion question = spread(256);
  question.machine = "tpu-v7-pod";
  question.batch = 2048;
  // 8 tokens a group: 78.4 MB over 600 GB/s are 130.7 us, and each byte crosses 0.75 x 256^(1/3) = 4.762 links
  const LayoutAnswer a = answer(question);
  CHECK(a.network.value() == Approx(130.7e-6 * 4.762).epsilon(1e-3));
}

TEST_CASE("the network of a layout is the network bound of the same step under load") {
  struct Asked {
    const char* model;
    const char* machine;
    Layout layout;
    double batch;
  };
  for (const Asked& one : {Asked{"deepseek-v3", "tpu-v7-pod", {.attention_data = 256, .expert = 256}, 2048},
                           {"deepseek-v3", "gb200-nvl72", {.attention_data = 64, .expert = 64}, 2048},
                           {"deepseek-v3", "hgx-h200", {.attention_data = 16, .expert = 16}, 512},
                           {"llama-3.1-70b", "hgx-h100", {.tensor = 8}, 64},
                           {"llama-3.1-70b", "hgx-h100", {.tensor = 4, .pipeline = 2}, 64},
                           {"llama-3.1-70b", "hgx-h100", {.tensor = 8, .pipeline = 4}, 64},
                           {"llama-3.1-70b", "tpu-v5e-pod", {.tensor = 8}, 64}}) {
    CAPTURE(one.model);
    CAPTURE(one.machine);
    LayoutQuestion question;
    question.model = one.model;
    question.machine = one.machine;
    question.layout = one.layout;
    question.batch = one.batch;
    ServingQuestion served;
    served.scenario.model = one.model;
    served.scenario.machine = one.machine;
    const Deployment deployment = laid_out(serving_ground(served, testing::library()).value(), one.layout, {}).value();
    const RequestLoad load{.isl = 4096, .osl = 8192, .cached = 0, .concurrency = one.batch};
    StepLoad<double> step;
    step.sequences = one.batch / (one.layout.attention_data * one.layout.pipeline);
    step.new_tokens = 1.0;
    step.context = Tokens<double>(8192);
    const auto times = step_times(deployment.decode.operations, under(deployment.ground, load).rates(), step);
    CHECK(answer(question).network.value() == Approx(times.network.value()).epsilon(1e-9));
  }
}

TEST_CASE("a hop between racks is one fact: a layout's latency is that of a served step") {
  LayoutQuestion question;
  question.model = "llama-3.1-70b";
  question.machine = "hgx-h100";
  question.layout = {.tensor = 8, .pipeline = 2};
  ServingQuestion served;
  served.scenario.model = question.model;
  served.scenario.machine = question.machine;
  const ServingGround ground = serving_ground(served, testing::library()).value();
  const ChipPaces<double> paces = ground.numbers.rates();
  CHECK(answer(question).hop.value() == Approx(10e-6));  // catalog/machine: 10 us
  CHECK(hop_time<double>(paces, Bytes<double>(0), false) == answer(question).hop);
  CHECK(hop_time<double>(paces, Bytes<double>(0), true) == paces.chip.reduce_time);  // inside: two chips agree
}

TEST_CASE("stages together hold what one stage holds") {
  const LayoutAnswer one = answer(spread(64)), four = answer(spread(64, 4));
  double weights = 0, context = 0;
  for (const Holding& stage : four.stages) {
    weights += stage.weights();
    context += stage.sequence;
  }
  CHECK(weights == Approx(one.stages.front().weights()).epsilon(1e-12));
  CHECK(context == Approx(one.stages.front().sequence).epsilon(1e-12));
  CHECK(four.stages.at(1).embedding == 0);
  CHECK(traffic(four, "next stage").outside == 7168 * 2);
  CHECK(traffic(four, "next stage").times == 3);
}

TEST_CASE("more stages divide the weights of a chip, not its context") {
  const LayoutAnswer a = answer(spread(64));
  const StageRow &one = a.pipeline.at(0), &four = a.pipeline.at(2);
  CHECK(four.weights.value() < 0.29 * one.weights.value());  // 16 of 61 layers, the dense ones among them
  CHECK(four.context.value() == Approx(one.context.value() * 64 / 61).epsilon(1e-9));  // 4 x 16 layers' worth for 61
  CHECK(four.hidden.value() > 1);
  LayoutQuestion asked = spread(64);
  asked.hop = Seconds<double>(2.5e-3);
  CHECK(answer(asked).pipeline.at(2).hops.value() == Approx(10e-3).epsilon(0.01));  // 4 x 2.5 ms, and the transfer
}

TEST_CASE("the limits of a rack are the user's before the catalog's") {
  RackFacts facts;
  facts.name = "gb200-nvl72";
  facts.power = Sourced<Watts<double>>{Watts<double>(120e3), {}};
  facts.power_limit = Sourced<Watts<double>>{Watts<double>(132e3), {}};
  facts.links = Sourced<double>{1, {}};
  facts.planes = Sourced<double>{18, {}};
  facts.wires = Sourced<double>{4, {}};
  facts.cable_limit = Sourced<double>{5184, {}};
  const RackBudget catalog = answer(spread(64), {facts}).budget;
  CHECK(catalog.cables.value() == 5184);
  CHECK(catalog.chips_by_cables.value().value() == 72);
  CHECK(catalog.chips_by_power.value().value() == Approx(132.0 / 120 * 72));
  LayoutQuestion asked = spread(64);
  asked.power_limit = Watts<double>(60e3);
  CHECK(answer(asked, {facts}).budget.chips_by_power.value().value() == Approx(36));
  CHECK_FALSE(answer(spread(64)).budget.cables.has_value());
}

TEST_CASE("time to read a model follows the bandwidth of the domain, not its capacity") {
  const auto columns =
      compare_racks("deepseek-v3", {"hgx-h100", "gb200-nvl72", "tpu-v5e-pod"}, testing::library()).value();
  // 673 GB over 8 x 3.35 TB/s = 25.1 ms; over 72 x 8 TB/s = 1.17 ms. A v5e pod has 6 times H100's memory, 8 its bandwidth
  CHECK(columns.at(0).read.value() == Approx(25.1e-3).epsilon(0.01));
  CHECK(columns.at(1).read.value() == Approx(1.17e-3).epsilon(0.01));
  for (const RackColumn& one : columns) {
    CHECK((one.read * (one.rack.chips * one.rack.memory)).value() == Approx(one.weights.value()));
    CHECK(one.used <= one.rack.chips.value());
  }
  CHECK_FALSE(compare_racks("deepseek-v3", {"nowhere"}, testing::library()));
  CHECK_FALSE(compare_racks("nothing", {"hgx-h100"}, testing::library()));
}

TEST_CASE("every model of the catalog lies on a rack of each kind") {
  for (const Model& model : testing::library().models) {
    for (const char* machine : {"hgx-h100", "gb200-nvl72", "tpu-v5e-pod"}) {
      LayoutQuestion question;
      question.model = model.name;
      question.machine = machine;
      question.layout = suggested_layout({}, model, find_named(testing::library().machines, machine)->chips.value);
      const auto result = lay_out(question, testing::library(), {});
      CAPTURE(model.name);
      CAPTURE(machine);
      REQUIRE(result);
      CHECK(result->needed > 0);
    }
  }
}

}  // namespace laid_out_test
