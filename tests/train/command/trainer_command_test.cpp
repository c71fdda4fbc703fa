// Are commands of training frameworks read as they were meant, and read back as they were written?

#include "train/command/trainer_command.hpp"

#include <cmath>

#include "catalog/trainer/trainer_entry.hpp"
#include "catalog/trainer/training_reading.hpp"
#include "catalog_library.hpp"
#include "train/step/model_shape.hpp"

namespace trainer_command_test {

using namespace ridge;

const std::vector<Trainer>& all_trainers() {
  static const std::vector<Trainer> all = catalog::trainers(catalog::embedded_facts()).value();
  return all;
}

catalog::TrainingReading read(std::string_view text, const std::string& model = "", double chips = 0) {
  const auto reading = catalog::read_training_command(text, all_trainers(), testing::library(), "from", model, chips);
  if (!reading) {
    for (const Error& error : reading.error()) FAIL(error.what);
  }
  return *reading;
}

bool mentions(const std::vector<std::string>& texts, std::string_view part) {
  for (const std::string& text : texts) {
    if (text.find(part) != std::string::npos) return true;
  }
  return false;
}

TEST_CASE("Megatron-LM's own example script is read: variables, arrays of arguments, quiet flags") {
  const auto reading = read(R"(#!/bin/bash
GPUS_PER_NODE=8
NUM_NODES=16
TP=8
MODEL_PARALLEL_ARGS=(
    --tensor-model-parallel-size $TP
    --pipeline-model-parallel-size 4
    --sequence-parallel
    --use-distributed-optimizer
)
TRAINING_ARGS=(
    --micro-batch-size 1
    --global-batch-size 512
    --train-samples 1000000
    --lr 6.0e-5
    --bf16
    --seq-length 4096
)
torchrun --nproc_per_node $GPUS_PER_NODE --nnodes ${NUM_NODES} pretrain_gpt.py ${MODEL_PARALLEL_ARGS[@]} \
    --recompute-granularity selective --recompute-modules mlp layernorm --my-own-switch 3
)",
                            "llama-3.1-70b");
  CHECK(reading.trainer == "megatron-lm");
  CHECK(reading.chips == 128);
  CHECK(reading.layout.tensor == 8);
  CHECK(reading.layout.pipeline == 4);
  CHECK(reading.layout.sequence_parallel == true);
  CHECK(reading.layout.zero == 1);
  CHECK(reading.batch == 512);
  CHECK(reading.sequence == 4096);
  CHECK(reading.tokens == 4096e6);
  CHECK(reading.recipe == "bf16");
  CHECK(name_of(*reading.layout.recompute) == "mlp+layernorm");
  // nothing is dropped silently, and nothing that is known is complained of
  REQUIRE(reading.ignored.size() == 1);
  CHECK(reading.ignored.front() == "--my-own-switch 3");
}

TEST_CASE("a model is known by its layers and hidden size, and by its name") {
  // of two models with 80 layers of 8,192 none is taken
  const auto several = catalog::read_training_command(
      "torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 80 --hidden-size 8192 --bf16", all_trainers(),
      testing::library(), "from");
  REQUIRE(!several);
  CHECK(several.error().front().hint.find("llama-3.1-70b") != std::string::npos);
  const auto named =
      read("torchrun --nproc-per-node 8 pretrain_gpt.py --bf16 --num-layers 64 --hidden-size 8192", "llama-3.1-70b");
  CHECK(mentions(named.notes, "64 layers"));
  const auto none =
      catalog::read_training_command("torchrun pretrain_gpt.py --bf16", all_trainers(), testing::library(), "from");
  CHECK(!none);
}

TEST_CASE("a model that no catalog has is taken as its command describes it") {
  const auto reading = read(
      "torchrun --nproc-per-node 8 pretrain_gpt.py --bf16 --num-layers 60 --hidden-size 7168 --num-attention-heads 56 "
      "--swiglu --group-query-attention --num-query-groups 8 --untie-embeddings-and-output-weights --vocab-size 100352 "
      "--tensor-model-parallel-size 8 --pipeline-model-parallel-size 4 --num-layers-per-virtual-pipeline-stage 5");
  REQUIRE(reading.shape);
  // no width said: 8/3 of the hidden vector's, in whole 64s (Megatron-LM's arguments.py)
  CHECK(reading.model == "layers=60 hidden=7168 heads=56 kv=8 vocab=100352 ffn=19072 gated");
  CHECK(reading.shape->hidden == 7168);
  CHECK(reading.shape->layers() == 60);
  CHECK(reading.layout.virtual_stages == 3);
  CHECK(mentions(reading.notes, "no model of the catalog has 60 layers of 7168"));
  CHECK(!mentions(reading.notes, "no vocabulary"));
}

TEST_CASE("a described model has its experts, its latents and its modules, and a vocabulary that is said to be taken") {
  const auto reading = read(
      "torchrun --nproc-per-node 8 pretrain_gpt.py --bf16 --num-layers 40 --hidden-size 5000 --num-attention-heads 40 "
      "--swiglu --ffn-hidden-size 12288 --num-experts 96 --moe-router-topk 6 --moe-ffn-hidden-size 1536 "
      "--moe-shared-expert-intermediate-size 3072 --moe-layer-freq \"([0]*2+[1]*38)\" --multi-latent-attention "
      "--q-lora-rank 1536 --kv-lora-rank 512 --qk-head-dim 128 --qk-pos-emb-head-dim 64 --v-head-dim 128 "
      "--mtp-num-layers 1");
  REQUIRE(reading.shape);
  CHECK(reading.shape->experts()->count == 96);
  CHECK(reading.shape->experts()->per_token == 6);
  CHECK(reading.shape->order.front() != reading.shape->order.back());
  CHECK(reading.shape->mtp_order.size() == 1);
  CHECK(reading.shape->tied_embeddings);
  CHECK(mentions(reading.notes, "no vocabulary in it: one of 128256 tokens is taken"));
  CHECK(!mentions(reading.notes, "not modeled"));
}

TEST_CASE("a model in words is written with its command, and read back as the same model") {
  for (const char* words : {"layers=48 hidden=6656 heads=52 kv=4 ffn=17920 gated vocab=128000",
                            "layers=24 hidden=2000 heads=20 ffn=8000 vocab=50304 tied",
                            "layers=40 hidden=5000 heads=40 gated ffn=12288 experts=96 top=6 expert_ffn=1536 "
                            "shared_ffn=3072 dense_layers=2 "
                            "vocab=150000 q_rank=1536 kv_rank=512 nope=128 rope=64 value=128 mtp=1"}) {
    CAPTURE(words);
    const Model model = *model_of_shape(words, "model");
    TrainingSetup setup;
    setup.shape = words;
    setup.layers = model.layers();
    setup.experts = model.experts() != nullptr;
    setup.layout.data = 8;
    setup.batch = 64;
    setup.sequence = 4096;
    setup.recipe = "bf16";
    for (const Trainer& trainer : all_trainers()) {
      const TrainingCommand command = trainer_command(trainer, setup);
      CAPTURE(command.text);
      if (trainer.name == "torchtitan") CHECK(mentions(command.notes, "no words for the model's shape"));
      if (trainer.name != "megatron-lm") continue;
      const auto back = read(command.text);
      CHECK(back.ignored.empty());
      REQUIRE(back.shape);
      CHECK(count_parameters(*back.shape).total() == count_parameters(model).total());
      CHECK(active_parameters(*back.shape) == active_parameters(model));
    }
  }
}

TEST_CASE("a DeepSpeed configuration alone says batch, micro-batch and stage") {
  // 16 chips, micro-batches of 2, 4 of them a step: 128 sequences
  const auto reading = read(R"({"train_micro_batch_size_per_gpu": 2, "gradient_accumulation_steps": 4,
    "zero_optimization": {"stage": 3, "overlap_comm": true, "offload_optimizer": {"device": "cpu"}},
    "bf16": {"enabled": true}, "hybrid_engine": {"enabled": true}})",
                            "llama-3.1-8b", 16);
  CHECK(reading.trainer == "deepspeed");
  CHECK(reading.layout.zero == 3);
  CHECK(reading.layout.micro_batch == 2);
  CHECK(reading.batch == 128);
  CHECK(mentions(reading.notes, "not modeled: zero_optimization/offload_optimizer/device cpu"));
  CHECK(mentions(reading.ignored, "hybrid_engine/enabled"));
}

TEST_CASE("a torchtitan configuration is read by its sections") {
  const auto reading = read(R"([model]
name = "llama3"
flavor = "8B"
[training]
local_batch_size = 2
seq_len = 8192
steps = 1000
[parallelism]
data_parallel_shard_degree = 64
tensor_parallel_degree = 2
[activation_checkpoint]
mode = "selective"
selective_ac_option = "op"
)",
                            "llama-3.1-8b");
  CHECK(reading.trainer == "torchtitan");
  CHECK(reading.chips == 128);
  CHECK(reading.layout.micro_batch == 2);
  CHECK(reading.batch == 128);
  CHECK(reading.layout.zero == 3);
  CHECK(reading.recipe == "amp-bf16");
  CHECK(name_of(*reading.layout.recompute) == "full:16");  // half of 32 layers
  CHECK(reading.tokens == 1000.0 * 128 * 8192);
}

TEST_CASE("weights divided over some of the copies are divided over those") {
  const auto reading = read(R"([parallelism]
data_parallel_shard_degree = 16
data_parallel_replicate_degree = 4
tensor_parallel_degree = 2
context_parallel_degree = 2
)",
                            "llama-3.1-8b");
  CHECK(reading.chips == 256);
  CHECK(reading.layout.zero == 3);
  CHECK(reading.layout.shard_group == 32);  // torchtitan divides over the chips of a sequence, too
}

TEST_CASE("a number that is none, and words of no framework, are refused with a way on") {
  const auto wrong =
      catalog::read_training_command("torchrun pretrain_gpt.py --tensor-model-parallel-size eight --bf16",
                                     all_trainers(), testing::library(), "from", "llama-3.1-8b");
  REQUIRE(!wrong);
  CHECK(wrong.error().front().what.find("eight") != std::string::npos);
  CHECK(!catalog::read_training_command("vllm serve x", all_trainers(), testing::library(), "from"));
  CHECK(!catalog::read_training_command("", all_trainers(), testing::library(), "from"));
}

/// Setups over many degrees, policies, stages and recipes; every framework says those it can.
TEST_CASE("what is written is read back the same wherever a framework has words for it, and says so where not") {
  double exact = 0, all = 0;
  for (const char* name : {"llama-3.1-70b", "deepseek-v3"}) {
    const Model& model = *testing::library().models.find(name);
    for (const Trainer& trainer : all_trainers()) {
      CAPTURE(trainer.name);
      unsigned draw = 1;
      const auto among = [&](unsigned count) {  // a small generator with a fixed seed
        draw = draw * 1664525u + 1013904223u;
        return (draw >> 16) % count;
      };
      for (int i = 0; i < 300; ++i) {
        TrainingSetup setup;
        setup.experts = model.experts() != nullptr;
        setup.layers = model.layers();
        constexpr std::array kTensor = {1.0, 2.0, 4.0, 8.0};
        constexpr std::array kPolicies = {"none",   "full",        "core_attn", "mlp+layernorm",
                                          "full:1", "mla_up_proj", "full:2"};
        constexpr std::array kRecipes = {"bf16", "bf16-reduce16", "fp8",       "mxfp8",        "nvfp4",
                                         "muon", "amp-bf16",      "pure-bf16", "fp8-block128", "adam-8bit"};
        setup.layout.tensor = kTensor[among(4)];
        setup.layout.pipeline = kTensor[among(3)];
        setup.layout.context = kTensor[among(2)];
        setup.layout.data = kTensor[1 + among(3)];
        setup.layout.virtual_stages = setup.layout.pipeline > 1 ? kTensor[among(2)] : 1;
        if (setup.experts) setup.layout.expert = kTensor[among(4)];
        setup.layout.micro_batch = kTensor[among(3)];
        setup.layout.sharding = static_cast<Sharding>(among(4));
        setup.layout.sequence_parallel = setup.layout.tensor > 1 && among(2) == 0;
        setup.layout.recompute = *parse_recompute(kPolicies[among(kPolicies.size())], "recompute");
        setup.recipe = kRecipes[among(kRecipes.size())];
        setup.batch = setup.layout.data * setup.layout.micro_batch * 8;
        setup.sequence = 4096;
        setup.tokens = among(2) == 0 ? 0 : 4096 * setup.batch * 100;
        setup.node = 4;
        const TrainingCommand command = trainer_command(trainer, setup);
        CAPTURE(command.text);
        ++all;
        CHECK(command.exact == command.notes.empty());
        if (!command.exact) continue;
        ++exact;
        const auto back = read(command.text, name);
        CHECK(back.trainer == trainer.name);
        CHECK(back.ignored.empty());
        CHECK(back.chips == setup.layout.chips());
        CHECK(back.layout.tensor == setup.layout.tensor);
        CHECK(back.layout.pipeline == setup.layout.pipeline);
        CHECK(back.layout.context == setup.layout.context);
        CHECK(back.layout.expert == setup.layout.expert);
        CHECK(back.layout.virtual_stages == setup.layout.virtual_stages);
        CHECK(back.layout.micro_batch == setup.layout.micro_batch);
        CHECK(back.layout.zero == static_cast<double>(setup.layout.sharding));
        if (back.layout.sequence_parallel) CHECK(*back.layout.sequence_parallel == setup.layout.sequence_parallel);
        CHECK(name_of(*back.layout.recompute) == name_of(setup.layout.recompute));
        CHECK(back.recipe == setup.recipe);
        CHECK(back.batch == setup.batch);
        CHECK(back.sequence == setup.sequence);
        CHECK(back.tokens.value_or(0) == setup.tokens);
      }
    }
  }
  CHECK(exact > all / 20);  // the test is about something
}

}  // namespace trainer_command_test
