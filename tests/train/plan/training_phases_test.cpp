// Do phases and a ramp cover the run, does an anchor meet its run, and who waits in reinforcement learning?

#include "train/plan/training_phases.hpp"

#include "catalog/entries/recipes.hpp"
#include "catalog/trainer/training_log.hpp"
#include "catalog_library.hpp"
#include "train/plan/rl_cluster.hpp"
#include "train/plan/training_anchor.hpp"

namespace training_phases_test {

using namespace ridge;
using doctest::Approx;

const std::vector<NumbersEntry>& phase_recipes() {
  static const std::vector<NumbersEntry> all = catalog::recipes(catalog::embedded_facts()).value();
  return all;
}

TrainingQuestion asked() {
  TrainingQuestion question;
  question.model = "llama-3.1-8b";
  question.machine = "hgx-h100";
  question.chips = 64;
  question.tokens = 15e12;
  question.global_batch = 4194304;
  question.sequence = 8192;
  question.layout.tensor = 2;
  question.layout.pipeline = 1;
  question.layout.zero = 1;
  return question;
}

TEST_CASE("phases and a ramp lie over each other, and their tokens are the run's") {
  // 14T of 8Ki then 1T of 128Ki; batches of 2Mi for 1T, then what is asked for: three parts
  const auto phases =
      training_phases(asked(), *parse_stretches("8Ki:14T,128Ki:1T", "phases"), *parse_stretches("2Mi:1T,4Mi", "ramp"));
  REQUIRE(phases);
  REQUIRE(phases->size() == 3);
  CHECK((*phases)[0].batch == 2097152);
  CHECK((*phases)[0].tokens == 1e12);
  CHECK((*phases)[1].batch == 4194304);
  CHECK((*phases)[1].tokens == 13e12);
  CHECK((*phases)[2].sequence == 131072);
  CHECK((*phases)[2].tokens == Approx(1e12));
  // a ramp that says where it ends is followed by the batch asked for
  const auto ended = training_phases(asked(), {}, *parse_stretches("1Mi:2T", "ramp"));
  REQUIRE(ended);
  REQUIRE(ended->size() == 2);
  CHECK((*ended)[0].batch == 1048576);
  CHECK((*ended)[1].batch == 4194304);
  CHECK((*ended)[1].tokens == 13e12);
}

TEST_CASE("phases that are more or less than the run are refused") {
  CHECK(!training_phases(asked(), *parse_stretches("8Ki:10T,128Ki:1T", "phases"), {}));
  CHECK(!training_phases(asked(), {}, *parse_stretches("1Mi:20T", "ramp")));
  CHECK(!parse_stretches("8Ki:14X", "phases"));
  TrainingQuestion none = asked();
  none.tokens = 0;
  CHECK(!training_phases(none, *parse_stretches("8Ki:10T,128Ki", "phases"), {}));
  CHECK(training_phases(none, *parse_stretches("8Ki:10T,32Ki:1T", "phases"), {})->size() == 2);
}

TEST_CASE("one phase is the run itself, and two halves of it are the whole") {
  const auto whole = answer_training(asked(), testing::library(), phase_recipes(), false, {});
  const auto halves = answer_phases(asked(), {{8192, 4194304, 7.5e12}, {8192, 4194304, 7.5e12}}, testing::library(),
                                    phase_recipes(), false);
  REQUIRE(whole);
  REQUIRE(halves);
  CHECK(halves->seconds == Approx(whole->estimate.run.value()).epsilon(1e-12));
  CHECK(halves->dollars == Approx(whole->estimate.dollars.value()).epsilon(1e-12));
  CHECK(halves->joules == Approx(whole->estimate.energy.value()).epsilon(1e-12));
}

TEST_CASE("an anchored prediction is the measured step, and what beats the bound is refused") {
  const auto ground = training_ground(asked(), testing::library(), phase_recipes());
  REQUIRE(ground);
  const auto layout = given_layout(asked(), *ground);
  REQUIRE(layout);
  const double predicted = training_estimate(*ground, *layout).times.step.value();
  for (const double slower : {0.9, 1.0, 1.2, 2.0}) {
    CAPTURE(slower);
    const auto anchor = anchor_training(*ground, *layout, predicted * slower);
    REQUIRE(anchor);
    CHECK(training_estimate(anchored(*ground, anchor->kernels), *layout).times.step.value() ==
          Approx(predicted * slower).epsilon(1e-9));
    if (slower == 1.0) CHECK(anchor->kernels == Approx(1.0).epsilon(1e-9));
    // the question that carries the number gives the same
    TrainingQuestion again = asked();
    again.kernels = anchor->kernels;
    const auto told = training_ground(again, testing::library(), phase_recipes());
    CHECK(training_estimate(*told, *layout).times.step.value() == Approx(predicted * slower).epsilon(1e-9));
  }
  // by hand: at the peak of 64 chips the products of 4 Mi tokens take `bound`; a hair below it nothing can be
  const double bound = anchor_training(*ground, *layout, predicted)->bound;
  CHECK(bound < predicted);
  const auto refused = anchor_training(*ground, *layout, bound * 0.999);
  REQUIRE(!refused);
  CHECK(refused.error().front().what.find("beats the bound") != std::string::npos);
  CHECK(!anchor_training(*ground, *layout, predicted * 1e4));
}

TEST_CASE("logs of the frameworks say what a step took") {
  const auto megatron = catalog::read_training_log(
      " [2026-01-01 00:00:00] iteration      10/  100 | consumed samples: 5120 | elapsed time per iteration (ms): "
      "5612.5 "
      "| throughput per GPU (TFLOP/s/GPU): 402.1 | learning rate: 3.0E-04 | global batch size:   512 |\n",
      "anchor");
  REQUIRE(megatron);
  CHECK(*megatron->step == Approx(5.6125));
  CHECK(*megatron->tflops == Approx(402.1));
  const auto titan = catalog::read_training_log(
      "[titan] step: 10  loss:  8.1  memory: 47.50GiB(59.99%)  tps: 7,300  tflops: 426.1  mfu: 43.1%\n", "anchor");
  REQUIRE(titan);
  CHECK(*titan->rate == Approx(7300));
  CHECK(*titan->peak_bytes == Approx(47.5 * 1024 * 1024 * 1024));
  const auto speed = catalog::read_training_log(
      "[Rank 0] step=10, RunningAvgSamplesPerSec=99.1, CurrSamplesPerSec=101.5, MemAllocated=1GB\n", "anchor");
  REQUIRE(speed);
  CHECK(*speed->samples == Approx(101.5));
  const auto csv = catalog::read_training_log("chips,tp,pp,step_s\n64,2,1,6.5\n", "anchor");
  REQUIRE(csv);
  CHECK(*csv->step == 6.5);
  CHECK(csv->said.at("tp") == "2");
  // the first steps warm up: of ten lines the first two are left out, and the middle of the rest counts
  std::string lines;
  for (int i = 0; i < 10; ++i)
    lines += "elapsed time per iteration (ms): " + std::string(i < 2 ? "90000" : "5000") + " |\n";
  CHECK(*catalog::read_training_log(lines, "anchor")->step == Approx(5.0));
  CHECK(!catalog::read_training_log("nothing of the kind", "anchor"));
  CHECK(!catalog::read_training_log("a,b\n1,2\n", "anchor"));
  // numbers that nobody measured are refused by name, or, in a log, left out
  for (const char* wrong : {"step_s\n0\n", "step_s\n-5\n", "step_s,peak_bytes\n5,-1\n", "step_ms\nsoon\n"}) {
    const auto refused = catalog::read_training_log(wrong, "anchor");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().front().hint == "a number above 0");
  }
  const auto huge = catalog::read_training_log("tps: 7,300 memory: 1e308GiB\ntps: 7,300 memory: 40GiB\n", "anchor");
  REQUIRE(huge);
  CHECK(*huge->peak_bytes == Approx(40.0 * 1024 * 1024 * 1024));
}

TEST_CASE("in turns each waits while the other works; divided, neither does") {
  // by hand: 1,000 answers of 2,000 tokens at 100 tok/s on 100 chips: 200 s; training 50 s
  const RlStep step{100, 1000, 500, 2000, TokensPerSecond<double>(100.0), Seconds<double>(50.0)};
  CHECK(step.rollout().value() == Approx(200));
  CHECK(step.in_turns().value() == Approx(250));
  CHECK(step.training_waits() == Approx(0.8));
  CHECK(step.rollout_waits() == Approx(0.2));
  // 80 chips generate in 250 s what 100 do in 200; 20 train in 250 s what 100 do in 50
  CHECK(step.generating_chips() == Approx(80));
}

}  // namespace training_phases_test
