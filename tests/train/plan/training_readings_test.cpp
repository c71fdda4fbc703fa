// Do the readings of a training step agree with the step itself, and are MFU, HFU and energy what they should be?

#include "train/plan/training_readings.hpp"

#include <cmath>

#include "catalog/entries/recipes.hpp"
#include "catalog_library.hpp"
#include "train/step/model_shape.hpp"

namespace training_readings_test {

using namespace ridge;
using doctest::Approx;

struct Asked {
  TrainingGround ground;
  TrainingLayout layout;
};

Asked asked_layout() {
  static const std::vector<NumbersEntry> recipes = catalog::recipes(catalog::embedded_facts()).value();
  TrainingQuestion question;
  question.model = "llama-3.1-8b";
  question.machine = "hgx-h100";
  question.chips = 64;
  question.tokens = 1e12;
  question.global_batch = 4194304;
  question.layout.tensor = 2;
  question.layout.pipeline = 2;
  Asked out{training_ground(question, testing::library(), recipes).value(), {}};
  out.layout = given_layout(question, out.ground).value();
  return out;
}

TEST_CASE("a slope is what moving the input does") {
  const Asked one = asked_layout();
  const double step = training_estimate(one.ground, one.layout).times.step.value();
  double kernels = 0, price = 0, price_cost = 0;
  for (const TrainingElasticity& each : training_sensitivity(one.ground, one.layout)) {
    if (each.input == "framework.kernels") kernels = each.step;
    if (each.input == "price") {
      price = each.step;
      price_cost = each.cost;
    }
  }
  TrainingGround slower = one.ground;
  slower.numbers.framework.kernels = slower.numbers.framework.kernels * Ratio<double>(1.02);
  const double moved = training_estimate(slower, one.layout).times.step.value();
  CHECK(std::log(moved / step) / std::log(1.02) == Approx(kernels).epsilon(0.02));
  CHECK(kernels > 0.5);  // most of a step is kernels
  CHECK(kernels <= 1 + 1e-6);
  CHECK(price == Approx(0));
  CHECK(price_cost == Approx(1).epsilon(1e-6));
}

TEST_CASE("bounds over a range hold what lies inside, and a range of one point is that point") {
  const Asked one = asked_layout();
  const double now = one.ground.rates.peak.memory.value();
  const auto bounds = bound_training(one.ground, one.layout, {{"hbm.bandwidth", Interval(now / 2, now * 2)}});
  for (const double factor : {0.5, 0.7, 1.0, 1.3, 2.0}) {
    CAPTURE(factor);
    const auto figures =
        training_figures(training_estimate(with_training_input(one.ground, "hbm.bandwidth", now * factor), one.layout));
    for (std::size_t i = 0; i < figures.size(); ++i) {
      CHECK(figures[i] >= bounds[i].low * (1 - 1e-12));
      CHECK(figures[i] <= bounds[i].high * (1 + 1e-12));
    }
  }
  CHECK(bounds[0].low < bounds[0].high);
  const auto point = bound_training(one.ground, one.layout, {{"hbm.bandwidth", Interval(now)}});
  CHECK(point[0].low == point[0].high);
}

TEST_CASE("the lines of a derivation end in the figures, and a step is the sum of its parts") {
  const Asked one = asked_layout();
  const TrainingEstimate e = training_estimate(one.ground, one.layout);
  const auto lines = derive_training(one.ground, e);
  double parts = 0, step = 0, shares = 0;
  for (const Seconds<double>& part : e.times.part) parts += part.value();
  for (const StepLine& line : lines) {
    if (line.symbol == "step") step = line.value;
    if (line.symbol == "m") CHECK(line.value == e.times.micro_batches);
    if (line.symbol.starts_with("MFU") || line.symbol.starts_with("HFU")) ++shares;
  }
  CHECK(step == Approx(parts).epsilon(1e-9));
  CHECK(shares == 4);  // each convention by its name
}

TEST_CASE("what pairs hide of the exchange stands in its line, and nowhere else") {
  const Model routed =
      *model_of_shape("layers=8 hidden=2048 heads=16 gated experts=16 top=4 expert_ffn=1024 vocab=32000", "model");
  TrainingQuestion question;
  question.machine = "hgx-h100";
  question.chips = 32;
  question.sequence = 4096;
  question.global_batch = 128 * 4096;
  const std::vector<NumbersEntry> recipes = catalog::recipes(catalog::embedded_facts()).value();
  const TrainingGround ground = training_ground(question, routed, testing::library(), recipes).value();
  TrainingLayout layout;
  layout.pipeline = 2;
  layout.data = layout.expert = 16;
  for (const bool pairs : {false, true}) {
    layout.schedule = pairs ? train::ScheduleKind::dualpipe : train::ScheduleKind::one_f_one_b;
    const TrainingEstimate e = training_estimate(ground, layout);
    int lines = 0;
    for (const StepLine& line : derive_training(ground, e)) {
      if (line.symbol != "all_to_all") continue;
      ++lines;
      CHECK(line.formula.ends_with("hidden in pairs") == pairs);
      CHECK(line.value == Approx(e.times.part[static_cast<std::size_t>(TrainingPart::exchange)].value()));
    }
    CHECK(lines == 1);
  }
}

TEST_CASE("MFU by each convention is FLOP over peak, HFU counts recomputation, energy is power over time") {
  Asked one = asked_layout();
  for (const char* policy : {"none", "full"}) {
    CAPTURE(policy);
    one.layout.recompute = *parse_recompute(policy, "recompute");
    const TrainingEstimate e = training_estimate(one.ground, one.layout);
    for (const FlopConvention convention : kFlopConventions) {
      const auto i = static_cast<std::size_t>(convention);
      // tokens of a step times FLOP of each, over 64 chips at their peak for as long as the step takes
      CHECK(e.utilization[i] ==
            Approx(4194304 * e.flops.per_token[i] / (64 * 989.4e12 * e.times.step.value())).epsilon(2e-3));
    }
    // recomputing a layer adds its forward pass: the hardware does four thirds of the model's work, less the head
    const double ratio = e.hfu() / e.mfu();
    if (std::string_view(policy) == "none") CHECK(ratio == Approx(1).epsilon(1e-9));
    if (std::string_view(policy) == "full") CHECK((ratio > 1.28 && ratio < 1.34));
    CHECK(e.utilization[1] > e.utilization[0]);  // the whole square of attention
    CHECK(e.energy.value() == Approx(one.ground.power.value() * 64 * e.run.value()).epsilon(1e-9));
    CHECK(e.energy.value() > 0);
  }
}

}  // namespace training_readings_test
