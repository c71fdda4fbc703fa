// Does each term of a step have the FLOP and the bytes that hand arithmetic gives it?

#include "catalog/entries/recipes.hpp"
#include "catalog_library.hpp"
#include "train/step/model_shape.hpp"
#include "train/step/training_estimate.hpp"
#include "train/step/training_step.ipp"

namespace training_terms_test {

using namespace ridge;
using doctest::Approx;

const std::vector<NumbersEntry>& all_recipes() {
  static const std::vector<NumbersEntry> all = catalog::recipes(catalog::embedded_facts()).value();
  return all;
}

struct Run {
  Model model;
  TrainingGround ground;
  double part(const TrainingLayout& layout, TrainingPart which) const {
    return training_estimate(ground, layout).times.part[static_cast<std::size_t>(which)].value();
  }
  TrainingLayerTimes<double> layer(const TrainingLayout& layout, std::size_t kind = 0) const {
    return layer_times(training_operations(ground.shape, layout, ground.fabric), kind, training_rates(ground),
                       ground.load);
  }
};

/// Sequences of 4,096 tokens.
Run run_of(const std::string& shape, double chips, double batch, const std::string& framework = "bridge-26.02",
           const std::string& recipe = "bf16") {
  Run run{*model_of_shape(shape, "model"), {}};
  TrainingQuestion question;
  question.machine = framework == "megatron-2021" ? "hgx-a100" : "hgx-h100";
  question.chips = chips;
  question.sequence = 4096;
  question.global_batch = batch * 4096;
  question.framework = framework;
  question.recipe = recipe;
  run.ground = *training_ground(question, run.model, testing::library(), all_recipes());
  run.ground.model = nullptr;
  return run;
}

/// The ground points at the run's model, which moves with it.
double part_of(Run& run, const TrainingLayout& layout, TrainingPart which) {
  run.ground.model = &run.model;
  return run.part(layout, which);
}

const std::string kDense = "layers=8 hidden=1024 heads=16 ffn=4096 vocab=32000";
const std::string kExperts = "layers=4 hidden=1024 heads=16 experts=16 top=4 expert_ffn=512 vocab=32000 gated";

TEST_CASE("every prediction module has a head, and a product that joins two vectors into one") {
  Run none = run_of(kDense, 1, 4), two = run_of(kDense + " mtp=2", 1, 4);
  CHECK(part_of(two, {}, TrainingPart::head) == Approx(3 * part_of(none, {}, TrainingPart::head)));
  const auto operations = training_operations(two.ground.shape, {}, two.ground.fabric);
  REQUIRE(operations.module_products.size() == 1);
  CHECK(operations.module_products[0].inner == 2048);
  CHECK(operations.module_products[0].outer == 1024);
  // ten layers instead of eight, and of each module the join: four micro-batches, a backward pass of two products
  const auto rates = training_rates(two.ground);
  const double join =
      (training::forward_product(rates.paces, operations.module_products[0], Ratio<double>(4096)) *
       rates.framework.kernels * rates.chip * (literal<Ratio<double>>(1) + rates.training.backward_products * 2.0))
          .value();
  CHECK(part_of(two, {}, TrainingPart::projections) ==
        Approx(part_of(none, {}, TrainingPart::projections) * 10 / 8 + 4 * 2 * join));
}

TEST_CASE("a tensor group gathers and scatters for a mixer and for what all tokens pass, not for routed experts") {
  TrainingLayout layout;
  layout.tensor = 4;
  const auto halves = [&](const std::string& shape) {
    const Run run = run_of(shape, 8, 8);
    return training_operations(run.ground.shape, layout, run.ground.fabric).kinds[0].halves;
  };
  CHECK(halves(kDense) == 2);
  CHECK(halves(kExperts) == 1);
  CHECK(halves(kExperts + " shared_ffn=512") == 2);
  // what goes to experts that are divided themselves is their exchange's alone
  layout.expert_tensor = 4;
  CHECK(halves(kExperts) == 1);
  // each half is two collectives: a quarter of the bytes stays where it is
  const Run run = run_of(kDense, 8, 8);
  layout.expert_tensor = 1;
  const auto rates = training_rates(run.ground);
  const auto start = collective_start<double>(rates.paces, 4.0).value();
  const double wire = 4096.0 * 1024 * 2 * 3 / 4 * rates.paces.scale_up.value();
  CHECK(run.layer(layout).tensor.value() ==
        Approx(4 * (start + wire) * run.ground.numbers.training.tensor_exposed.value()));
}

TEST_CASE("tokens go to their experts as the recipe has them, and come back in 16 bit") {
  TrainingLayout layout;
  layout.expert = 8;
  layout.data = 8;
  Run run = run_of(kExperts, 8, 8, "bridge-26.02", "fp8-block128");
  const auto exchange = [&](double bytes) {
    run.ground.shape.dispatch_bytes = bytes;
    return run.layer(layout).exchange.value();
  };
  CHECK(run.ground.shape.dispatch_bytes == 1);
  const double narrow = exchange(1), wide = exchange(2);
  // of eight chips four choices reach 8 (1 - (7/8)^4) = 3.311, of which an eighth stays: 4,096 x 1,024 bytes for each
  const auto rates = training_rates(run.ground);
  const auto& t = run.ground.numbers.training;
  const double bytes = 4096.0 * 1024 * 8 * (1 - std::pow(7.0 / 8, 4)) * 7 / 8 * t.imbalance.value();
  CHECK(wide - narrow ==
        Approx(bytes * rates.paces.scale_up.value() * t.expert_exposed.value() * rates.framework.exchange.value())
            .epsilon(0.02));
}

TEST_CASE("unfused attention computes the whole square, twice as much back, and moves its scores") {
  const Run run = run_of(kDense, 1, 4, "megatron-2021");
  const auto layer = run.layer({});
  const auto rates = training_rates(run.ground);
  // 16 heads of 64: 4,096^2 scores a head, 4 x 64 FLOP each, 2 bytes each and as often as fitted
  const double scores = 4096.0 * 4096 * 16;
  const double products = scores * 4 * 64 * rates.paces.matrix_of(Precision::bits16).value();
  const double moved = scores * 2 * run.ground.numbers.training.score_passes.value() * rates.paces.peak_memory.value();
  CHECK(layer.attention.value() == Approx(products + moved));
  CHECK(layer.attention_backward.value() == Approx(2 * products + 1.5 * moved));
}

TEST_CASE("divided gradients are sent for every micro-batch, and under a pipeline once") {
  Run run = run_of(kDense, 8, 64);
  run.ground.numbers.training.data_hidden = Ratio<double>(0);
  TrainingLayout layout;
  layout.data = 8;
  const auto data = [&](Sharding sharding) {
    layout.sharding = sharding;
    return part_of(run, layout, TrainingPart::data);
  };
  const auto rates = training_rates(run.ground);
  const auto operations = training_operations(run.ground.shape, layout, run.ground.fabric);
  const HeldParams held = held_params(run.model, stages_of(run.ground.shape, 1)[0], layout);
  const auto copies = training::copies_time<double>(operations, held, run.ground.recipe, rates.paces);
  // eight micro-batches, a ring of eight chips and eight layers; the last gradients and the weights as under ZeRO-1
  const double around = run.ground.numbers.training.ring_chip_time.value() * 7 * 8;
  CHECK(data(Sharding::gradients) - data(Sharding::optimizer) ==
        Approx(7 * (copies.reduced.value() + around) + 2 * around));
  layout.pipeline = 2;
  layout.data = 4;
  CHECK(data(Sharding::gradients) - data(Sharding::optimizer) ==
        Approx(2 * run.ground.numbers.training.ring_chip_time.value() * 3 * 4));
}

TEST_CASE("gradients of a micro-batch are added to those before by a kernel where no product does it") {
  Run run = run_of("layers=8 hidden=1024 heads=16 ffn=4096 vocab=16", 2, 8);
  TrainingLayout layout;
  layout.pipeline = 2;
  const auto small = [&](double adds) {
    run.ground.numbers.framework.adds_gradients = Ratio<double>(adds);
    return part_of(run, layout, TrainingPart::small);
  };
  // four layers of 4 x 1,024^2 + 2 x 1,024 x 4,096 parameters and a table; 2 bytes come, 4 are read and written; seven of
  // eight micro-batches find something to add to
  const double params = 4 * (4.0 * 1024 * 1024 + 2.0 * 1024 * 4096) + 16 * 1024;
  CHECK(small(1) - small(0) == Approx(7 * params * 10 * training_rates(run.ground).paces.peak_memory.value()));
  // divided weights keep no whole gradients
  layout.sharding = Sharding::weights;
  CHECK(small(1) == small(0));
  // one micro-batch adds to nothing
  Run one = run_of(kDense, 8, 8);
  layout = {};
  layout.data = 8;
  one.ground.numbers.framework.adds_gradients = Ratio<double>(1);
  const double with = part_of(one, layout, TrainingPart::small);
  one.ground.numbers.framework.adds_gradients = Ratio<double>(0);
  CHECK(with == part_of(one, layout, TrainingPart::small));
}

TEST_CASE("the table of the first stage is not the next ones'") {
  Run run = run_of(kDense, 4, 8);
  run.ground.model = &run.model;
  run.ground.numbers.framework.adds_gradients = Ratio<double>(1);
  TrainingLayout layout;
  layout.pipeline = 4;
  const auto stages = training_estimate(run.ground, layout).times.stages;
  REQUIRE(stages.size() == 4);
  // two layers each; the first beside them adds up 32,000 x 1,024 gradients: 2 bytes come, 4 are read and written, for
  // seven of eight micro-batches
  const double table = 32000.0 * 1024 * 10 * 7 / 8 * training_rates(run.ground).paces.peak_memory.value();
  CHECK((stages[0].total() - stages[1].total()).value() == Approx(table));
  CHECK(stages[1].total().value() == stages[2].total().value());
}

TEST_CASE("gradients that every micro-batch sends away are not added up") {
  Run run = run_of(kDense, 8, 64);
  TrainingLayout layout;
  layout.data = 8;
  const auto small = [&](double adds, Sharding sharding) {
    run.ground.numbers.framework.adds_gradients = Ratio<double>(adds);
    layout.sharding = sharding;
    return part_of(run, layout, TrainingPart::small);
  };
  CHECK(small(1, Sharding::optimizer) > small(0, Sharding::optimizer));
  CHECK(small(1, Sharding::gradients) == small(0, Sharding::gradients));
  CHECK(small(1, Sharding::weights) == small(0, Sharding::weights));
}

TEST_CASE("the loss crosses the memory as often as the framework's small kernels are many") {
  Run run = run_of(kDense, 1, 4);
  const auto head = [&](double small) {
    run.ground.numbers.framework.small = Ratio<double>(small);
    return part_of(run, {}, TrainingPart::head);
  };
  const double once = head(1), twice = head(2);
  const auto rates = training_rates(run.ground);
  // 4,096 tokens, 32,000 logits of 4 bytes, both passes, four micro-batches
  const double loss = 4096.0 * 32000 * 4 * 2 * 4 * run.ground.numbers.training.head_passes.value() *
                      (rates.paces.peak_memory * rates.framework.kernels * rates.chip).value();
  CHECK(twice - once == Approx(loss));
}

TEST_CASE("experts that are computed again take what all tokens share with them; a dense network is no expert") {
  Run run = run_of(kExperts + " shared_ffn=512", 1, 4);
  TrainingLayout layout;
  const auto again = [&](const char* words) {
    layout.recompute = *parse_recompute(words, "recompute");
    return part_of(run, layout, TrainingPart::recompute);
  };
  const auto rates = training_rates(run.ground);
  const auto layer = run.layer({});
  // four layers, four micro-batches
  CHECK(again("moe") ==
        Approx(16 * ((layer.experts + layer.dense_ffn) * rates.framework.kernels * rates.chip).value()));
  CHECK(again("mlp") == 0);
}

TEST_CASE("HFU counts what a policy computes again, layers of each stage among them") {
  const Model dense = *model_of_shape("layers=4 hidden=8 heads=2 ffn=32 vocab=16", "model");
  const auto more = [&](const Model& model, const char* words, double stages) {
    const double none = training_flops(model, 4, {}, false)[FlopConvention::hardware];
    return training_flops(model, 4, *parse_recompute(words, "recompute"), false, stages)[FlopConvention::hardware] -
           none;
  };
  // a layer: 4 x 8 x 8 + 2 x 8 x 32 = 768 parameters, attention 64 FLOP (see above); the last norm counts with the head
  const double one = more(dense, "full:1", 1);
  CHECK(one == Approx(2 * (768 + 16) + 64).epsilon(0.01));
  CHECK(more(dense, "full:1", 4) == Approx(4 * one));
  CHECK(more(dense, "full:2", 4) == Approx(4 * one));
  CHECK(more(dense, "reversible", 1) == Approx(more(dense, "full", 1)));
  // the network alone: 4 layers of 2 x 8 x 32 parameters
  CHECK(more(dense, "mlp", 2) == Approx(4 * 2 * 2 * 8 * 32));
  // router 8 x 4, two of four experts of two matrices 8 x 16, shared 2 x 8 x 16: 32 + 512 + 256 parameters
  const Model experts =
      *model_of_shape("layers=1 hidden=8 heads=2 experts=4 top=2 expert_ffn=16 shared_ffn=16 vocab=16", "model");
  CHECK(more(experts, "moe", 1) == Approx(2 * (32 + 2 * 2 * 8 * 16 + 2 * 8 * 16)));
}

TEST_CASE("a framework that waits for no message waits for none between chunks either") {
  FrameworkCalibration<double> framework{};
  framework.chunk_hops_block = Ratio<double>(1.0);
  CHECK(!framework.waits_for_hops(true));
  CHECK(!framework.waits_for_hops(false));
  framework.hops_block = Ratio<double>(1.0);
  CHECK(framework.waits_for_hops(true));
  CHECK(framework.waits_for_hops(false));
  framework.chunk_hops_block = Ratio<double>(0.0);
  CHECK(!framework.waits_for_hops(true));
}

}  // namespace training_terms_test
