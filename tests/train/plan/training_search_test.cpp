// Does the search find what trying every layout finds, and does its bound lose nothing?

#include <cmath>

#include "catalog/entries/recipes.hpp"
#include "catalog_library.hpp"
#include "train/plan/training_answer.hpp"
#include "train/step/model_shape.hpp"

namespace training_search_test {

using namespace ridge;
using doctest::Approx;

const std::vector<NumbersEntry>& searched_recipes() {
  static const std::vector<NumbersEntry> all = catalog::recipes(catalog::embedded_facts()).value();
  return all;
}

TrainingGround ground_of(const Model& model, double chips, double batch) {
  TrainingQuestion question;
  question.machine = "hgx-h100";
  question.chips = chips;
  question.sequence = 4096;
  question.global_batch = batch * 4096;
  return training_ground(question, model, testing::library(), searched_recipes()).value();
}

/// The quickest that fits, by trying all; the micro-batches and policies that the search tries for a dense model.
double by_trying(const TrainingGround& ground) {
  double best = INFINITY;
  for (double tensor = 1; tensor <= 8; tensor *= 2) {
    for (double context = 1; context <= 2; context *= 2) {
      const double left = ground.chips / (tensor * context);
      for (double pipeline = 1; pipeline <= ground.model->layers(); ++pipeline) {
        if (std::fmod(left, pipeline) != 0) continue;
        for (double chunks : {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 12.0}) {
          if (chunks > 1 && (pipeline == 1 || std::fmod(ground.model->layers(), pipeline * chunks) != 0)) continue;
          for (double micro : {1.0, 2.0, 4.0, 8.0, 16.0}) {
            for (const char* policy : {"none", "mlp", "full"}) {
              for (const int zero : {1, 3}) {
                if (zero == 3 && pipeline > 1) continue;
                TrainingLayout layout;
                layout.tensor = tensor;
                layout.context = context;
                layout.pipeline = pipeline;
                layout.virtual_stages = chunks;
                layout.data = left / pipeline;
                layout.micro_batch = micro;
                layout.sequence_parallel = tensor > 1;
                layout.sharding = static_cast<Sharding>(zero);
                layout.recompute = *parse_recompute(policy, "recompute");
                if (!checked(layout, *ground.model, ground.load.sequence, ground.load.batch)) continue;
                const TrainingEstimate e = training_estimate(ground, layout);
                if (e.memory.fits()) best = std::min(best, e.times.step.value());
              }
            }
          }
        }
      }
    }
  }
  return best;
}

TEST_CASE("the search finds the quickest layout that fits") {
  const Model model = *model_of_shape("layers=24 hidden=6144 heads=48 kv=8 ffn=24576 gated vocab=32000", "model");
  for (const double chips : {8.0, 64.0}) {
    const TrainingGround ground = ground_of(model, chips, 128);
    const TrainingSearch search = search_training(ground, {});
    CAPTURE(chips);
    REQUIRE(search.best);
    CHECK(search.best->memory.fits());
    CHECK(search.best->times.step.value() == Approx(by_trying(ground)).epsilon(1e-12));
    REQUIRE(search.runner_up);
    CHECK(search.runner_up->times.step >= search.best->times.step);
    CHECK(search.evaluated <= search.considered);
  }
}

TEST_CASE("degrees that are given stay") {
  const Model model = *model_of_shape("layers=24 hidden=4096 heads=32 ffn=16384 vocab=32000", "model");
  const TrainingGround ground = ground_of(model, 64, 256);
  AskedLayout asked;
  asked.tensor = 2;
  asked.micro_batch = 1;
  const TrainingSearch search = search_training(ground, asked);
  REQUIRE(search.best);
  CHECK(search.best->layout.tensor == 2);
  CHECK(search.best->layout.micro_batch == 1);
}

TEST_CASE("what does not fit has ways out that fit, the quickest first") {
  const Model model = *model_of_shape("layers=48 hidden=8192 heads=64 kv=8 ffn=28672 gated vocab=128256", "model");
  const TrainingGround ground = ground_of(model, 64, 128);
  TrainingLayout layout;
  layout.tensor = 2;
  layout.data = 32;
  layout.sequence_parallel = true;
  const TrainingEstimate estimate = training_estimate(ground, layout);
  REQUIRE(!estimate.memory.fits());
  const auto ways = ways_out(ground, estimate);
  REQUIRE(!ways.empty());
  CHECK(ways.size() <= 3);
  for (std::size_t i = 0; i < ways.size(); ++i) {
    CHECK(ways[i].estimate.memory.fits());
    if (i > 0) CHECK(ways[i].estimate.times.step >= ways[i - 1].estimate.times.step);
  }
}

TEST_CASE("an even pipeline simulated takes what the closed form says") {
  Model model = *model_of_shape("layers=16 hidden=2048 heads=16 ffn=8192 vocab=16", "model");
  const TrainingGround ground = ground_of(model, 4, 32);
  TrainingLayout layout;
  layout.pipeline = 4;
  const TrainingEstimate e = training_estimate(ground, layout);
  const auto pipelines = simulated_pipelines(e);
  REQUIRE(!pipelines.empty());
  CHECK(pipelines[0].schedule == "1F1B");
  double slowest = 0, all = 0;
  for (const auto& stage : e.times.stages) {
    slowest = std::max(slowest, stage.total().value());
    all += stage.total().value();
  }
  // 32 passes of the slowest stage, and each other's once
  CHECK(pipelines[0].makespan.value() == Approx(32 * slowest + all - slowest).epsilon(0.01));
}

}  // namespace training_search_test
