// Are the FLOP of a token, the checks of a layout and the parts of a step what hand arithmetic says?

#include "train/step/training_step.ipp"

#include "catalog/entries/recipes.hpp"
#include "catalog_library.hpp"
#include "train/step/model_shape.hpp"
#include "train/step/training_estimate.hpp"

namespace training_step_test {

using namespace ridge;
using doctest::Approx;

const std::vector<NumbersEntry>& recipes_of_catalog() {
  static const std::vector<NumbersEntry> all = catalog::recipes(catalog::embedded_facts()).value();
  return all;
}

TrainingQuestion question_about(double chips, double batch_sequences, double sequence = 4096) {
  TrainingQuestion question;
  question.machine = "hgx-h100";
  question.chips = chips;
  question.sequence = sequence;
  question.global_batch = batch_sequences * sequence;
  return question;
}

Model small_model() { return *model_of_shape("layers=8 hidden=1024 heads=16 ffn=4096 vocab=32000", "model"); }

TEST_CASE("a token's FLOP follow from the shape, by each convention") {
  const Model model = *model_of_shape("layers=1 hidden=8 heads=2 ffn=32 vocab=16 tied", "model");
  const TrainingFlops flops = training_flops(model, 4, {}, false);
  // products: 4 x 8 x 8 + 2 x 8 x 32 + 8 x 16 = 896 parameters, 1,792 FLOP forward;
  // three norms of 8 numbers: 48 more; attention: a token sees 4 - 4 x 4 / (2 x 4) = 2 tokens on average, 2 heads x (4 + 4) x 2 FLOP each: 64
  CHECK(flops[FlopConvention::causal] == Approx(3 * (1840 + 64)));
  CHECK(flops[FlopConvention::full] == Approx(3 * (1840 + 128)));
  // 896 and three norms of 8 numbers
  CHECK(flops[FlopConvention::parameters] == Approx(6 * (896 + 24)));
  CHECK(flops[FlopConvention::hardware] == Approx(3 * (1840 + 64)));
  // all layers once more, but not the head: 1,840 - 2 x 128 + 64
  const auto full = parse_recompute("full", "recompute");
  CHECK(training_flops(model, 4, *full, false)[FlopConvention::hardware] == Approx(3 * (1840 + 64) + 1584 + 64));
}

TEST_CASE("a policy reads back as it is written, and a slip names the nearest") {
  for (const char* words : {"none", "full", "full:4", "mla_up_proj+mlp", "core_attn", "reversible"})
    CHECK(name_of(*parse_recompute(words, "recompute")) == words);
  CHECK(name_of(*parse_recompute("selective", "recompute")) == "core_attn");
  const auto wrong = parse_recompute("moe_acts", "recompute");
  REQUIRE(!wrong);
  CHECK(wrong.error().front().hint.find("moe_act") != std::string::npos);
  CHECK(!parse_recompute("full:0", "recompute"));
  CHECK(!parse_recompute("full:x", "recompute"));
}

TEST_CASE("a layout that cannot be says what is possible") {
  const Model model = small_model();
  const auto hint = [&](TrainingLayout layout, double batch) {
    const auto result = checked(layout, model, 4096, batch);
    REQUIRE(!result);
    return result.error().front().where + ": " + result.error().front().hint;
  };
  TrainingLayout layout;
  layout.tensor = 3;
  CHECK(hint(layout, 8).starts_with("tp: possible: 1, 2, 4, 8, 16"));
  layout = {};
  layout.pipeline = 9;
  CHECK(hint(layout, 9) == "pp: at most 8");
  layout = {};
  layout.data = 16;
  CHECK(hint(layout, 8).starts_with("global_batch: at least 16 sequences"));
  CHECK(hint(layout, 24) == "global_batch: 16 or 32 sequences (65536 or 131072 tokens)");
  layout = {};
  layout.expert = 2;
  CHECK(hint(layout, 8) == "ep: leave it out");
  layout = {};
  layout.virtual_stages = 2;
  CHECK(hint(layout, 8).starts_with("vp: give "));
  layout = {};
  layout.pipeline = 4;
  layout.virtual_stages = 2;
  CHECK(hint(layout, 6).starts_with("vp: the interleaved schedule needs one"));
  const Model experts =
      *model_of_shape("layers=4 hidden=512 heads=8 experts=12 top=2 expert_ffn=1024 vocab=1000", "model");
  layout = {};
  layout.data = 8;
  layout.expert = 8;
  const auto uneven = checked(layout, experts, 4096, 8);
  REQUIRE(!uneven);
  CHECK(uneven.error().front().hint == "possible: 3, 4, 6");
}

TEST_CASE("a schedule, a group or a place that cannot be says what is possible") {
  const Model model = small_model();
  const auto hint = [&](TrainingLayout layout, double batch) {
    const auto result = checked(layout, model, 4096, batch);
    REQUIRE(!result);
    return result.error().front().where + ": " + result.error().front().hint;
  };
  using train::ScheduleKind;
  TrainingLayout layout;
  layout.schedule = ScheduleKind::zb_h1;
  CHECK(hint(layout, 8).starts_with("schedule: give "));
  layout.pipeline = 8;
  layout.schedule = ScheduleKind::zb_v;
  CHECK(hint(layout, 32) == "pp: at most 4");
  layout.pipeline = 4;
  layout.schedule = ScheduleKind::dualpipe;
  CHECK(hint(layout, 4) == "global_batch: 8 sequences would be 8 micro-batches");
  CHECK(hint(layout, 9) == "global_batch: 10 sequences would be 10 micro-batches");
  layout.pipeline = 3;
  CHECK(hint(layout, 12) == "pp: the nearest are 2 and 4 stages");
  layout.pipeline = 4;
  layout.virtual_stages = 2;
  CHECK(hint(layout, 16).starts_with("vp: leave out "));
  layout = {};
  layout.data = 12;
  layout.sharding = Sharding::weights;
  layout.shard_group = 5;
  CHECK(hint(layout, 12) == "shard_group: possible: 3, 4, 6");
  CHECK(!parse_offload("weights", "offload"));
  CHECK(name_of(*parse_offload("activations,optimizer", "offload")) == "optimizer+activations");
}

TEST_CASE("a ring of context parallelism costs starts, merges and what its attention does not hide") {
  // the same tokens on each chip: sequences of 8,192 whole, or of 16,384 over two
  const Model model = *model_of_shape("layers=8 hidden=4096 heads=32 kv=8 ffn=14336 gated vocab=16", "model");
  const Model latent = *model_of_shape(
      "layers=8 hidden=4096 heads=32 q_rank=1536 kv_rank=512 nope=128 rope=64 value=128 ffn=14336 gated vocab=16",
      "model");
  const auto ring = [&](const Model& one, double context, double sequence) {
    const auto ground = training_ground(question_about(8, 8, sequence), one, testing::library(), recipes_of_catalog());
    TrainingLayout layout;
    layout.context = context;
    layout.data = 8 / context;
    return training_estimate(*ground, layout);
  };
  const auto part = [](const TrainingEstimate& e, TrainingPart which) {
    return e.times.part[static_cast<std::size_t>(which)].value();
  };
  CHECK(part(ring(model, 1, 8192), TrainingPart::context) == 0);
  double before = 0;
  for (const double context : {2.0, 4.0, 8.0}) {
    const TrainingEstimate e = ring(model, context, 8192);
    CAPTURE(context);
    // of a sequence a chip has less to do, and merges more often
    CHECK(part(e, TrainingPart::context) > before / 2);
    CHECK(part(e, TrainingPart::attention) * context > part(ring(model, 1, 8192), TrainingPart::attention));
    before = part(e, TrainingPart::context);
  }
  // latents are multiplied out before they travel: 32 heads x (192 + 128) numbers, not 576
  const auto ground = training_ground(question_about(8, 8, 8192), latent, testing::library(), recipes_of_catalog());
  TrainingLayout layout;
  layout.context = 2;
  const auto operations = training_operations(ground->shape, layout, ground->fabric);
  CHECK(operations.kinds[0].keys_values == Approx(32 * (192 + 128) * 2.0));
  const auto grouped = training_ground(question_about(8, 8, 8192), model, testing::library(), recipes_of_catalog());
  CHECK(training_operations(grouped->shape, layout, grouped->fabric).kinds[0].keys_values == Approx(8 * 2 * 128 * 2.0));
}

TEST_CASE("stages are even, or the last has fewer layers and the head") {
  Model model = small_model();
  const TrainingShape even = training_shape(model, {});
  for (const StageLayers& stage : stages_of(even, 4)) CHECK(stage.layers == 2);
  model.order.assign(7, 0);
  const auto stages = stages_of(training_shape(model, {}), 4);
  // seven layers and a head that counts as one: 2 each, of which the last gives one for the head
  CHECK(stages[0].layers == 2);
  CHECK(stages[3].layers == 1);
  double all = 0;
  for (const StageLayers& stage : stages) all += stage.layers;
  CHECK(all == 7);
}

TEST_CASE("stages by work take layers until they have more than their share of the products, the head's among them") {
  const Model model = *model_of_shape("layers=16 hidden=2048 heads=32 ffn=8192 gated vocab=131072 tied", "model");
  TrainingShape shape = training_shape(model, {});
  shape.stages_by_work = true;
  const auto layers = [&](double pipeline) {
    std::vector<double> out;
    for (const StageLayers& stage : stages_of(shape, pipeline)) out.push_back(stage.layers);
    return out;
  };
  // a layer has 4 x 2048^2 + 3 x 2048 x 8192 = 67.1M parameters, the head 131072 x 2048 = 268.4M: as much as four layers
  CHECK(layers(1) == std::vector<double>{16});
  CHECK(layers(2) == std::vector<double>{11, 5});
  CHECK(layers(4) == std::vector<double>{6, 5, 5, 0});
  CHECK(layers(8) == std::vector<double>{3, 3, 2, 3, 2, 3, 0, 0});
  const auto stages = stages_of(shape, 8);
  for (std::size_t i = 0; i < stages.size(); ++i) CHECK(stages[i].last == (i == 6));
  CHECK(stages[0].first);
}

TEST_CASE("the parts of a step add up, and an even pipeline's bubble is (pp - 1) / (m vp) of its passes") {
  Model model = small_model();
  model.vocabulary = 16;  // next to no head: stages are even
  const auto ground = training_ground(question_about(4, 16), model, testing::library(), recipes_of_catalog());
  REQUIRE(ground);
  TrainingLayout layout;
  layout.pipeline = 4;
  const TrainingEstimate plain = training_estimate(*ground, layout);
  double sum = 0;
  for (const auto& part : plain.times.part) sum += part.value();
  CHECK(plain.times.step.value() == Approx(sum));
  CHECK(plain.times.micro_batches == 16);
  double passes = 0;
  for (const auto& stage : plain.times.stages) passes += stage.total().value();
  const auto bubble = [](const TrainingEstimate& e) {
    return e.times.part[static_cast<std::size_t>(TrainingPart::bubble)].value();
  };
  CHECK(bubble(plain) == Approx(passes * 3 / 4).epsilon(0.03));
  layout.virtual_stages = 2;
  CHECK(bubble(training_estimate(*ground, layout)) == Approx(bubble(plain) / 2));
}

TEST_CASE("recomputing everything costs a forward pass, and saves all but the layers' inputs") {
  const Model model = small_model();
  const auto ground = training_ground(question_about(1, 4), model, testing::library(), recipes_of_catalog());
  REQUIRE(ground);
  TrainingLayout layout;
  const TrainingEstimate keep = training_estimate(*ground, layout);
  layout.recompute = *parse_recompute("full", "recompute");
  const TrainingEstimate again = training_estimate(*ground, layout);
  const auto recomputed = again.times.part[static_cast<std::size_t>(TrainingPart::recompute)];
  CHECK(recomputed.value() > 0);
  CHECK(recomputed < again.times.stages[0].forward * 4.0);
  CHECK(again.memory.worst()[MemoryTerm::activations] < keep.memory.worst()[MemoryTerm::activations]);
  CHECK(again.mfu() < keep.mfu());
  CHECK(again.hfu() > again.mfu());
}

TEST_CASE("recomputation that ends at the last tensor needed spares the down projection") {
  const Model model = small_model();
  auto ground = training_ground(question_about(1, 4), model, testing::library(), recipes_of_catalog());
  REQUIRE(ground);
  TrainingLayout layout;
  layout.recompute = *parse_recompute("full", "recompute");
  const auto again = [&](double early) {
    ground->numbers.framework.stops_early = Ratio<double>(early);
    return training_estimate(*ground, layout).times.part[static_cast<std::size_t>(TrainingPart::recompute)].value();
  };
  const auto rates = training_rates(*ground);
  const auto operations = training_operations(ground->shape, layout, ground->fabric);
  const auto layer = layer_times(operations, 0, rates, ground->load);
  // eight layers, four micro-batches of one sequence; a network of two matrices of the same size
  const double spared = 8 * 4 * (layer.dense_last * rates.framework.kernels * rates.chip).value();
  CHECK(again(0) - again(1) == Approx(spared));
  // the same of the network alone, which is two matrices where nothing ends early
  layout.recompute = *parse_recompute("mlp", "recompute");
  CHECK(again(0) - again(1) == Approx(spared));
  CHECK(again(0) == Approx(8 * 4 * (layer.dense_ffn * rates.framework.kernels * rates.chip).value()));
  CHECK(layer.dense_last.value() == Approx(layer.dense_ffn.value() / 2).epsilon(0.05));
  // over four chips the first matrix is 1,024 wide there, like the second: still only that one is spared
  layout.tensor = 4;
  const auto divided = layer_times(training_operations(ground->shape, layout, ground->fabric), 0, rates, ground->load);
  CHECK(divided.dense_last.value() == Approx(divided.dense_ffn.value() / 2).epsilon(0.05));
}

TEST_CASE("weights that the backward pass asks for late are waited for once, and ZeRO-1 has none") {
  const Model model = small_model();
  auto ground = training_ground(question_about(8, 8), model, testing::library(), recipes_of_catalog());
  REQUIRE(ground);
  TrainingLayout layout;
  layout.data = 8;
  const auto data = [&](Sharding sharding, double late) {
    layout.sharding = sharding;
    ground->numbers.framework.gathers_late = Ratio<double>(late);
    return training_estimate(*ground, layout).times.part[static_cast<std::size_t>(TrainingPart::data)].value();
  };
  const auto rates = training_rates(*ground);
  const auto operations = training_operations(ground->shape, layout, ground->fabric);
  const HeldParams held = held_params(model, stages_of(ground->shape, 1)[0], layout);
  const double gathered =
      training::copies_time<double>(operations, held, ground->recipe, rates.paces).each_step.value();
  CHECK(data(Sharding::optimizer, 0) == data(Sharding::optimizer, 1));
  CHECK(data(Sharding::weights, 1) > data(Sharding::weights, 0));
  CHECK(data(Sharding::weights, 1) < data(Sharding::weights, 0) + gathered);
}

TEST_CASE("products hide a tensor group's collectives inside a scale-up domain, and none across") {
  const Model model = small_model();
  auto ground = training_ground(question_about(16, 16), model, testing::library(), recipes_of_catalog());
  REQUIRE(ground);
  const auto tensor = [&](double ways, double exposed) {
    ground->numbers.training.tensor_exposed = Ratio<double>(exposed);
    TrainingLayout layout;
    layout.tensor = ways;
    layout.data = 16 / ways;
    return training_estimate(*ground, layout).times.part[static_cast<std::size_t>(TrainingPart::tensor)].value();
  };
  CHECK(tensor(8, 0.5) == Approx(tensor(8, 1.0) / 2));
  CHECK(tensor(16, 0.5) == tensor(16, 1.0));
}

TEST_CASE("an attention kernel slow in its products costs long sequences, and more on chips newer than it") {
  const Model model = small_model();
  TrainingQuestion question = question_about(1, 1, 32768);
  question.framework = "llm-foundry-2023";
  const auto attention = [&](const char* machine, double products) {
    question.machine = machine;
    auto ground = training_ground(question, model, testing::library(), recipes_of_catalog());
    REQUIRE(ground);
    ground->numbers.framework.attention_products = Ratio<double>(products);
    return training_estimate(*ground, {}).times.part[static_cast<std::size_t>(TrainingPart::attention)].value();
  };
  for (const char* machine : {"hgx-a100", "hgx-h100"}) {
    CAPTURE(machine);
    // products and exponentials overlap half: less than twice for twice
    CHECK(attention(machine, 2) > 1.2 * attention(machine, 1));
    CHECK(attention(machine, 2) < 2 * attention(machine, 1));
    CHECK(attention(machine, 0) == attention(machine, 1));
  }
}

TEST_CASE("a whole run takes as long as its tokens, and costs what its chips cost") {
  TrainingQuestion question = question_about(8, 16);
  question.tokens = 1e9;
  question.price = 1.0 / 3600;  // $1 an hour
  const Model model = small_model();
  const auto ground = training_ground(question, model, testing::library(), recipes_of_catalog());
  REQUIRE(ground);
  TrainingLayout layout;
  layout.data = 8;
  const TrainingEstimate e = training_estimate(*ground, layout);
  // 1e9 tokens in steps of 16 x 4,096
  CHECK(e.run.value() == Approx(1e9 / 65536 * e.times.step.value()));
  CHECK(e.dollars.value() == Approx(e.chip_hours));
  CHECK(e.chip_hours == Approx(e.run.value() * 8 / 3600));
}

TEST_CASE("faster links never slow a step") {
  const Model model = small_model();
  auto ground = training_ground(question_about(64, 256), model, testing::library(), recipes_of_catalog());
  REQUIRE(ground);
  for (const double tensor : {1.0, 4.0, 8.0}) {
    TrainingLayout layout;
    layout.tensor = tensor;
    layout.data = 64 / tensor;
    TrainingGround faster = *ground;
    faster.rates.peak.scale_up = faster.rates.peak.scale_up * 2.0;
    faster.rates.peak.scale_out = faster.rates.peak.scale_out * 2.0;
    CAPTURE(tensor);
    CHECK(training_estimate(faster, layout).times.step <= training_estimate(*ground, layout).times.step);
  }
}

TEST_CASE("a question without sense names what is wrong") {
  const Model model = small_model();
  const auto where = [&](const TrainingQuestion& question) {
    const auto ground = training_ground(question, model, testing::library(), recipes_of_catalog());
    REQUIRE(!ground);
    return ground.error().front().where;
  };
  TrainingQuestion question = question_about(0, 8);
  CHECK(where(question) == "chips");
  question = question_about(8, 8);
  question.global_batch = 10;
  CHECK(where(question) == "global_batch");
  question = question_about(8, 8);
  question.recipe = "fp9";
  CHECK(where(question) == "recipe");
  question.recipe = "bf16";
  question.framework = "megatron";
  CHECK(where(question) == "framework");
}

}  // namespace training_step_test
