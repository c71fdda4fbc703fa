// Does a chip hold what the published formulas say?

#include "train/memory/training_memory.hpp"

#include "catalog_library.hpp"
#include "train/activations.hpp"
#include "train/step/model_shape.hpp"
#include "train/step/training_flops.hpp"

namespace training_memory_test {

using namespace ridge;
using doctest::Approx;

Model gpt_shape() { return *model_of_shape("layers=4 hidden=64 heads=4 ffn=256 vocab=512", "model"); }

TrainingMemory memory_of(const Model& model, const TrainingLayout& layout, double batch = 64) {
  const TrainingRecipe recipe;
  return training_memory(model, stages_of(training_shape(model, recipe), layout.pipeline), layout, recipe,
                         {.sequence = 128, .batch = batch}, MemoryHabits{});
}

TEST_CASE("a layer of GPT keeps sixteen widths a token without its scores") {
  const Model model = gpt_shape();
  const KeptModules kept = kept_modules(model.kinds[0], 64);
  // two norms, two normalized inputs, three of queries, keys and values, the result, four and four of the network;
  // with a byte each for two masks of dropout these are the 34 bytes of Korthikanti et al. 2022
  CHECK(kept.total() == 16 * 64);
  CHECK(layer_activations(model.kinds[0], 64, 2, true).elements == 16 * 64);
}

TEST_CASE("tensor parallelism divides what its matrices make, sequence parallelism the rest") {
  const Model model = gpt_shape();
  const KeptModules kept = kept_modules(model.kinds[0], 64);
  const auto sum = [](const std::array<double, kKeptModules>& modules) {
    double all = 0;
    for (const double one : modules) all += one;
    return all;
  };
  // norms and inputs 4 x 64 stay whole, 12 x 64 are divided by 4
  CHECK(sum(kept_on_chip(kept, {4, 1, false}, {})) == Approx(4 * 64 + 3 * 64));
  CHECK(sum(kept_on_chip(kept, {4, 1, true}, {})) == Approx(4 * 64));
  const auto mlp = parse_recompute("mlp", "recompute");
  CHECK(sum(kept_on_chip(kept, {1, 1, true}, *mlp)) == Approx(8 * 64));
}

TEST_CASE("states take 18 bytes a parameter, and 6 + 12 / d where the optimizer is divided over d") {
  const Model model = gpt_shape();
  const double params = count_parameters(model).total();
  TrainingLayout layout;
  layout.data = 4;
  layout.sharding = Sharding::none;
  CHECK(memory_of(model, layout).worst().state().value() == Approx(18 * params));
  layout.sharding = Sharding::optimizer;
  CHECK(memory_of(model, layout).worst().state().value() == Approx((6 + 12.0 / 4) * params));
  layout.sharding = Sharding::gradients;
  CHECK(memory_of(model, layout).worst().state().value() == Approx((2 + 16.0 / 4) * params));
  layout.sharding = Sharding::weights;
  CHECK(memory_of(model, layout).worst().state().value() == Approx(18.0 / 4 * params));
}

TEST_CASE("the stages of a pipeline hold all parameters once, the ends the tables") {
  const Model model = gpt_shape();
  TrainingLayout layout;
  layout.pipeline = 4;
  const TrainingMemory memory = memory_of(model, layout);
  double all = 0;
  for (const StageMemory& stage : memory.stages) all += stage.params;
  CHECK(all == Approx(count_parameters(model).total()));
  // embedding and head of 512 x 64 on the ends
  CHECK(memory.stages[0].params - memory.stages[1].params == Approx(512 * 64));
}

TEST_CASE("a rank keeps as many micro-batches as its schedule has on their way") {
  using train::ScheduleKind;
  const auto live = [](ScheduleKind schedule, double stages, double rank, double chunks, double count) {
    TrainingLayout layout;
    layout.pipeline = stages;
    layout.virtual_stages = chunks;
    layout.schedule = schedule;
    return live_micro_batches(layout, rank, count);
  };
  CHECK(live(ScheduleKind::one_f_one_b, 8, 0, 1, 32) == 8);
  CHECK(live(ScheduleKind::one_f_one_b, 8, 7, 1, 32) == 1);
  CHECK(live(ScheduleKind::one_f_one_b, 8, 0, 1, 3) == 3);
  // interleaved: ((v - 1) p + 2 (p - 1 - i) + 1) / v
  CHECK(live(ScheduleKind::one_f_one_b, 4, 0, 2, 32) == Approx((4 + 6 + 1) / 2.0));
  // weight gradients put off: p on every rank, twice that less one, and the two halves of a V
  CHECK(live(ScheduleKind::zb_h1, 8, 7, 1, 32) == 8);
  CHECK(live(ScheduleKind::zb_h2, 8, 7, 1, 32) == 15);
  CHECK(live(ScheduleKind::zb_v, 8, 3, 1, 32) == 8);
  // DualPipe keeps p + 1 of single stages, and a rank has two of them
  CHECK(live(ScheduleKind::dualpipe, 8, 3, 1, 32) == 4.5);
}

TEST_CASE("ridge activations and the memory of a training run count the same, for every model of the catalog") {
  for (const Model& entry : testing::library().models) {
    Model model = entry;
    model.mtp_order.clear();  // prediction modules are a training run's choice
    if (model.layers() < 1) continue;
    CAPTURE(model.name);
    const double batch = 2, sequence = 4096;
    const auto view = activation_case(model, Ratio<double>(batch), Tokens<double>(sequence), false);
    const auto kept = [&](ActivationPolicy policy) { return activation_cost(view, policy).kept.value(); };
    const auto held = [&](const char* words) {
      TrainingLayout layout;
      layout.micro_batch = batch;
      layout.recompute = *parse_recompute(words, "recompute");
      const TrainingRecipe recipe;
      return training_memory(model, stages_of(training_shape(model, recipe), 1), layout, recipe,
                             {.sequence = sequence, .batch = batch}, MemoryHabits{})
          .worst();
    };
    // before and after the final norm, a number of two bytes each
    const double end = 2 * batch * sequence * model.hidden * 2;
    CHECK(held("none")[MemoryTerm::activations].value() ==
          Approx(kept(ActivationPolicy::selective) + end).epsilon(1e-12));
    CHECK(held("full")[MemoryTerm::activations].value() == Approx(kept(ActivationPolicy::full) + end).epsilon(1e-12));
    CHECK(held("reversible")[MemoryTerm::activations].value() ==
          Approx(kept(ActivationPolicy::reversible) + end).epsilon(1e-12));
  }
}

TEST_CASE("what is kept at once is what each micro-batch keeps, times those that are live") {
  const Model model = gpt_shape();
  TrainingLayout layout;
  layout.pipeline = 4;
  const TrainingMemory memory = memory_of(model, layout);
  // 128 tokens x 16 x 64 numbers of 2 bytes a layer, one layer a stage, four micro-batches on the first
  CHECK(memory.stages[0][MemoryTerm::activations].value() == Approx(4 * 128 * 16 * 64 * 2.0));
}

TEST_CASE("experts are divided over their group, and hold what their copies divide") {
  const Model model =
      *model_of_shape("layers=2 hidden=64 heads=4 gated experts=8 top=2 expert_ffn=96 vocab=512", "model");
  TrainingLayout layout;
  layout.data = 8;
  layout.expert = 4;
  const auto stages = stages_of(training_shape(model, {}), 1);
  const HeldParams held = held_params(model, stages[0], layout);
  // 2 layers x 8 experts x 3 x 64 x 96, on 4 chips
  CHECK(held.expert == Approx(2 * 8 * 3 * 64 * 96 / 4.0));
  CHECK(layout.expert_copies() == 2);
}

TEST_CASE("there are as many groups of the experts' copies as of the others, and they must divide them") {
  const Model model =
      *model_of_shape("layers=2 hidden=64 heads=4 gated experts=8 top=2 expert_ffn=96 vocab=512", "model");
  TrainingLayout layout;
  layout.data = 8;
  layout.expert = 4;
  layout.shard_group = 4;
  // two groups of four chips; each expert is there twice, so each group has it whole
  CHECK(layout.dense_shards() == 4);
  CHECK(layout.expert_shards() == 1);
  CHECK(checked(layout, model, 128, 8));
  layout.shard_group = 2;
  const auto wrong = checked(layout, model, 128, 8);
  REQUIRE(!wrong);
  CHECK(wrong.error().front().where == "shard_group");
  CHECK(wrong.error().front().hint.starts_with("4 or more"));
}

TEST_CASE("between steps a chunk has its last input and its gradient, and libraries their workspaces") {
  const Model model =
      *model_of_shape("layers=8 hidden=64 heads=4 gated experts=8 top=2 expert_ffn=96 vocab=512", "model");
  TrainingLayout layout;
  layout.pipeline = 2;
  layout.virtual_stages = 2;
  layout.data = 4;
  layout.expert = 4;
  MemoryHabits habits;
  habits.workspace = Bytes<double>(1000);
  habits.grouped = Bytes<double>(400);
  habits.held_inputs = Ratio<double>(2);
  const auto held = [&] {
    return training_memory(model, stages_of(training_shape(model, {}), 2), layout, {}, {.sequence = 128, .batch = 64},
                           habits)
        .stages;
  };
  // 128 tokens x 64 numbers of two bytes, twice, for the one chunk of the first stage that has one before it, and for both
  // of the last
  const double one = 2 * 128 * 64 * 2;
  CHECK(held()[0].held_buffers.value() == Approx(1400 + one));
  CHECK(held()[1].held_buffers.value() == Approx(1400 + 2 * one));
  // they are among the activations when these are at their most
  CHECK(held()[1][MemoryTerm::buffers].value() == Approx(1400));
  // experts that choose among all tokens of their group have these in a buffer
  habits.gathers_tokens = true;
  CHECK(held()[1][MemoryTerm::buffers].value() == Approx(1400 + 4 * 128 * 64 * 2));
}

TEST_CASE("prediction modules use the model's own tables: the last of several stages has the embedding once more") {
  Model model = *model_of_shape("layers=4 hidden=64 heads=4 ffn=256 vocab=512 mtp=1", "model");
  const auto params = [&](double stages) {
    TrainingLayout layout;
    layout.pipeline = stages;
    double all = 0;
    for (const StageMemory& stage : memory_of(model, layout).stages) all += stage.params;
    return all;
  };
  CHECK(params(2) - params(1) == Approx(512 * 64));
  // copies of both, as a checkpoint may have them, are nothing of their own
  const double before = params(1);
  const double flops = training_flops(model, 128, {}, false)[FlopConvention::causal];
  model.mtp_extra.push_back({Part::mtp, "embed_tokens", 64, 512, 1, 1, Use::table});
  model.mtp_extra.push_back({Part::mtp, "shared_head.head", 64, 512, 1, 1});
  CHECK(params(1) == before);
  CHECK(training_flops(model, 128, {}, false)[FlopConvention::causal] == flops);
}

TEST_CASE(
    "a tensor group divides the table of words, and each of its chips has that of positions, on the first stage") {
  const auto held = [](const char* shape, double tensor, double pipeline, std::size_t stage) {
    const Model model = *model_of_shape(shape, "model");
    TrainingLayout layout;
    layout.tensor = tensor;
    layout.pipeline = pipeline;
    return held_params(model, stages_of(training_shape(model, {}), pipeline)[stage], layout).dense;
  };
  const char* without = "layers=4 hidden=64 heads=4 ffn=256 vocab=512 tied";
  const char* with = "layers=4 hidden=64 heads=4 ffn=256 vocab=512 tied positions=128";
  CHECK(held(with, 1, 1, 0) - held(without, 1, 1, 0) == Approx(128 * 64));
  CHECK(held(with, 4, 1, 0) - held(without, 4, 1, 0) == Approx(128 * 64));
  CHECK(held(with, 1, 2, 0) - held(without, 1, 2, 0) == Approx(128 * 64));
  CHECK(held(with, 1, 2, 1) == held(without, 1, 2, 1));
}

}  // namespace training_memory_test
