// Are the commands that people post read as they meant them? Each layout was worked out by hand from the engines' manuals.

#include "catalog/engine/engine_command.hpp"

#include <doctest/doctest.h>

#include "catalog_library.hpp"

namespace engine_command_test {

using namespace ridge;
using catalog::EngineReading;
using catalog::read_engine_command;
using ridge::testing::library;

namespace {

EngineReading reading(std::string_view text) {
  const auto read = read_engine_command(text, library(), "--from");
  if (!read) FAIL(read.error()[0].where, ": ", read.error()[0].what);
  return *read;
}

bool says(const EngineReading& read, std::string_view words) {
  for (const std::string& note : read.notes) {
    if (note.find(words) != std::string::npos) return true;
  }
  return false;
}

/// tensor, context, groups, experts' chips, stages, copies
void check_layout(const ServingQuestion& q, double tp, double cp, double dp, double ep, double pp, double copies) {
  CHECK(q.tensor.value_or(1) == tp);
  CHECK(q.context.value_or(1) == cp);
  CHECK(q.attention_data.value_or(1) == dp);
  CHECK(q.expert.value_or(1) == ep);
  CHECK(q.pipeline.value_or(1) == pp);
  CHECK(q.replicas.value_or(1) == copies);
}

std::string first_error(std::string_view text) {
  const auto read = read_engine_command(text, library(), "--from");
  REQUIRE(!read.has_value());
  CHECK(!read.error()[0].hint.empty());
  return read.error()[0].where + ": " + read.error()[0].what;
}

}  // namespace

TEST_CASE("vLLM over two hosts, from vllm-project/vllm#14726") {
  const auto read = reading(
      "vllm serve /root/.cache/huggingface/deepseek-V3/ --tensor-parallel-size 8 --pipeline-parallel-size 2 "
      "--trust-remote-code --gpu-memory-utilization 1 --kv-cache-dtype fp8 --distributed-executor-backend ray "
      "--max-num-seqs 1 --dtype half");
  check_layout(read.question, 8, 1, 1, 1, 2, 1);
  CHECK(read.question.scenario.model == "deepseek-v3");
  CHECK(read.question.memory_utilization == 1);
  CHECK(read.question.scenario.kv == "fp8");
  CHECK(read.question.concurrency == 1);
  CHECK(read.ignored.empty());
}

TEST_CASE("vLLM with variables in front and blanks after its backslashes, from vllm-project/vllm#12256") {
  const auto read = reading(
      "RAY_IGNORE_UNHANDLED_ERRORS=1 NCCL_P2P_LEVEL=NVL NCCL_DEBUG=INFO vllm serve \\ \n\t /app/DeepSeek-R1 \\ \n"
      "\t --served-model-name \"deepseek-reasoner\" \\ \n\t --max-model-len 65536 \\ \n\t --gpu-memory-utilization 0.9 "
      "\\ \n"
      "\t --tensor-parallel-size 32 \\ \n\t --enable-reasoning \\ \n\t --max_num_batched_tokens 32768  --enforce-eager "
      " "
      "--quantization fp8 \\ \n\t --max-num-seqs 128 --num-speculative-tokens 1");
  check_layout(read.question, 32, 1, 1, 1, 1, 1);
  CHECK(read.question.scenario.model == "deepseek-r1");
  CHECK(!read.question.scenario.weights);  // it is fp8 already
  CHECK(read.question.token_budget == 32768);
  CHECK(read.question.speculative_tokens == 1);
  CHECK(read.most_tokens == 65536);
  CHECK(says(read, "not modeled: --enforce-eager"));
}

TEST_CASE("vLLM as a module, in the background with a log, from vllm-project/vllm#17470") {
  const auto read = reading(
      "nohup python -m vllm.entrypoints.openai.api_server \\\n  --model /models/DeepSeek-R1-BF16 \\\n  --dtype "
      "bfloat16 \\\n"
      "  --tensor-parallel-size 16 \\\n  --distributed-executor-backend=mp \\\n  --max-model-len 80000 \\\n"
      "  --swap-size 80 \\\n  --served-model-name dsr1bf16 &> /models/start.log &");
  check_layout(read.question, 16, 1, 1, 1, 1, 1);
  CHECK(read.question.scenario.weights == "bf16");
  CHECK(read.question.memory_utilization == 0.9);
  CHECK(says(read, "--gpu-memory-utilization 0.9"));
  CHECK(read.ignored == std::vector<std::string>{"--swap-size 80"});
}

TEST_CASE("vLLM: experts over all chips of all groups; thousands by letter; a format nobody here knows") {
  const auto read = reading(
      "CUDA_VISIBLE_DEVICES=0,1 vllm serve lukealonso/MiniMax-M2.7-NVFP4 --tensor-parallel-size 2 "
      "--enable_expert_parallel --gpu-memory-utilization 0.95 --max-num-seqs 8 --kv-cache-dtype turboquant_k8v4 "
      "--max-model-len 130k");
  check_layout(read.question, 2, 1, 1, 2, 1, 1);
  CHECK(read.question.scenario.weights == "nvfp4");
  CHECK(read.most_tokens == 130000);
  CHECK(read.ignored == std::vector<std::string>{"--kv-cache-dtype turboquant_k8v4"});

  const auto wide = reading("vllm serve deepseek-ai/DeepSeek-V3-0324 -tp 1 -dp 8 -ep --max-num-seqs 32");
  check_layout(wide.question, 1, 1, 8, 8, 1, 1);
  CHECK(wide.question.concurrency == 256);  // 32 in each of 8 groups
  check_layout(reading("vllm serve deepseek-ai/DeepSeek-V3 -tp 2 -dp 4 --no-enable-expert-parallel").question, 2, 1, 4,
               1, 1, 1);
  check_layout(reading("vllm serve meta-llama/Llama-3.1-8B-Instruct -tp 2 --data-parallel-size=4").question, 2, 1, 1, 1,
               1, 4);
}

TEST_CASE("vLLM: chips that share a cache are in the tensor group, or beside it") {
  check_layout(reading("vllm serve deepseek-ai/DeepSeek-R1 -tp 8 -dcp 8").question, 1, 8, 1, 1, 1, 1);
  check_layout(reading("vllm serve deepseek-ai/DeepSeek-R1 -tp 8 --decode-context-parallel-size 4 "
                       "--prefill-context-parallel-size 2 --enable-expert-parallel")
                   .question,
               2, 8, 1, 16, 1, 1);
}

TEST_CASE("vLLM: objects for values, in JSON or by dots") {
  const auto read = reading(
      "vllm serve deepseek-ai/DeepSeek-R1 -dp 8 --enable-expert-parallel --enable-eplb --eplb-config "
      "'{\"window_size\":1000,\"num_redundant_experts\":32}' --speculative-config '{\"method\":\"mtp\", "
      "\"num_speculative_tokens\": 2}' --kv-transfer-config "
      "'{\"kv_connector\":\"NixlConnector\",\"kv_role\":\"kv_both\"}'");
  CHECK(read.question.redundant_experts == 32);
  CHECK(read.question.speculative_tokens == 2);
  CHECK(read.question.disaggregated);
  CHECK(read.ignored.empty());
  CHECK(reading("vllm serve deepseek-r1 --speculative-config.num_speculative_tokens 3").question.speculative_tokens ==
        3);
  CHECK(reading("vllm serve deepseek-r1 --speculative-config {method:mtp}").ignored.size() == 1);
}

TEST_CASE("an image whose entry point is vLLM") {
  const auto read = reading(
      "docker run --runtime nvidia --gpus all -v ~/.cache/huggingface:/root/.cache/huggingface --env "
      "\"HUGGING_FACE_HUB_TOKEN=<secret>\" -p 8000:8000 --ipc=host vllm/vllm-openai:latest --model "
      "mistralai/Mistral-7B-Instruct-v0.3 --quantization fp8");
  CHECK(read.engine == "vllm");
  CHECK(read.question.scenario.model == "mistral-7b");
  CHECK(read.question.scenario.weights == "fp8");
}

TEST_CASE("SGLang in an image, from sgl-project/sglang#2587") {
  const auto read = reading(
      "docker run --gpus all \\\n    --shm-size 32g \\\n    -p 30000:30000 \\\n    --env \xe2\x80\x9cHF_TOKEN=<secret>"
      "\xe2\x80\x9d \\\n    --ipc=host \\\n    lmsysorg/sglang:latest \\\n    python3 -m sglang.launch_server --model "
      "deepseek-ai/DeepSeek-V3-Base --enable-dp-attention --tp 8 --trust-remote-code --port 30000");
  CHECK(read.engine == "sglang");
  check_layout(read.question, 8, 1, 1, 1, 1, 1);
  CHECK(says(read, "--enable-dp-attention does nothing"));
}

TEST_CASE("SGLang: groups are inside the tensor group, and its limits are over all of them") {
  // SemiAnalysisAI/InferenceX#1138
  const auto read = reading(
      "sglang serve --model-path deepseek-ai/DeepSeek-V4-Flash --tp 8 --dp 8 --enable-dp-attention --speculative-algo "
      "EAGLE "
      "--speculative-num-steps 1 --speculative-eagle-topk 1 --speculative-num-draft-tokens 2 --moe-a2a-backend deepep "
      "--deepep-config '{\"normal_dispatch\":{\"num_sms\":96}}' --cuda-graph-max-bs 64 --max-running-requests 128");
  check_layout(read.question, 1, 1, 8, 8, 1, 1);
  CHECK(read.question.speculative_tokens == 1);
  CHECK(read.question.concurrency == 128);
  CHECK(read.question.token_budget == 1024);  // 8,192 over 8 groups
  CHECK(read.ignored.empty());
  check_layout(
      reading(
          "python -m sglang.launch_server --model deepseek-ai/DeepSeek-R1 --tp 16 --dp 4 --enable-dp-attention --ep 8")
          .question,
      4, 1, 4, 8, 1, 1);
  // without that switch they are copies
  const auto copies =
      reading("python -m sglang.launch_server --model-path meta-llama/Meta-Llama-3-8B-Instruct --dp 2 --tp 2");
  check_layout(copies.question, 2, 1, 1, 1, 1, 2);
}

TEST_CASE("SGLang: one server of two pools") {
  const auto read = reading(
      "CUDA_VISIBLE_DEVICES=6 python -m sglang.launch_server \\\n --model-path Qwen/Qwen3-8B --mem-fraction-static 0.5 "
      "\\\n"
      " --disaggregation-mode prefill \\\n --port 30000 \\\n --disaggregation-transfer-backend nixl");
  CHECK(read.question.disaggregated);
  CHECK(read.question.memory_utilization == 0.5);
  CHECK(!reading("sglang serve --model-path Qwen/Qwen3-8B --disaggregation-mode null").question.disaggregated);
}

TEST_CASE("TensorRT-LLM with its options pasted before it, from its examples") {
  const auto read = reading(
      "cat >./config.yml <<EOF\ncuda_graph_config:\n    enable_padding: true\n    max_batch_size: 512\n"
      "enable_attention_dp: true\nkv_cache_config:\n    dtype: fp8\n    free_gpu_memory_fraction: 0.8\n"
      "stream_interval: 10\nmoe_config:\n    backend: DEEPGEMM\nEOF\n\ntrtllm-serve \\\n    deepseek-ai/DeepSeek-R1 "
      "\\\n"
      "    --host localhost --port 8000 \\\n    --trust_remote_code \\\n    --max_batch_size 1024 --max_num_tokens "
      "8192 \\\n"
      "    --tp_size 8 --ep_size 8 --pp_size 1 \\\n    --config ./config.yml \\\n    --reasoning_parser deepseek-r1");
  check_layout(read.question, 1, 1, 8, 8, 1, 1);
  CHECK(read.question.scenario.kv == "fp8");
  CHECK(read.question.memory_utilization == 0.8);
  CHECK(read.question.concurrency == 8192);  // 1,024 on each chip
  CHECK(read.ignored.empty());
  const auto bare = reading(
      "mpirun -n 8 trtllm-llmapi-launch trtllm-serve serve deepseek-ai/DeepSeek-R1 --tp_size 8 --ep_size 4 "
      "--extra_llm_api_options x.yml");
  check_layout(bare.question, 8, 1, 1, 4, 1, 1);
  CHECK(says(bare, "x.yml was not read"));
}

TEST_CASE("a command inside a command, and among others") {
  check_layout(reading("bash -c \"export A=1; vllm serve 'deepseek-ai/DeepSeek-R1' -tp 8\"").question, 8, 1, 1, 1, 1,
               1);
  check_layout(
      reading("# start\nexport X=1\ncd /srv && uv run vllm serve deepseek-ai/DeepSeek-R1 -tp 8 | tee log").question, 8,
      1, 1, 1, 1, 1);
  check_layout(reading("vllm serve deepseek-r1 \xe2\x80\x93tensor-parallel-size 8").question, 8, 1, 1, 1, 1, 1);
}

TEST_CASE("what cannot be a question is refused with its place") {
  CHECK(first_error("ls -l") == "--from: no engine in \"ls -l\"");
  CHECK(first_error(" \n") == "--from: an empty command");
  CHECK(first_error("vllm serve") == "--from: no model in this vLLM command");
  CHECK(first_error("vllm serve nobody/nothing-7b").find("unknown model") != std::string::npos);
  CHECK(first_error("vllm serve deepseek-r1 -tp $TP") == "--from: -tp: \"$TP\" is not a number");
  CHECK(first_error("vllm serve deepseek-r1 -tp 2.5") == "--from: -tp: 2.5 is no count");
  CHECK(first_error("vllm serve deepseek-r1 -tp 0") == "--from: -tp: 0 is no count");
  CHECK(first_error("vllm serve deepseek-r1 -tp").find("\"\" is not a number") != std::string::npos);
  CHECK(first_error("vllm serve deepseek-r1 -tp 4 -dcp 3").find("does not divide") != std::string::npos);
  CHECK(first_error("sglang serve --model-path deepseek-r1 --tp 4 --dp 3 --enable-dp-attention")
            .find("does not divide") != std::string::npos);
}

TEST_CASE("a model beside the command wins") {
  const auto read = read_engine_command("vllm serve nobody/nothing -tp 2", library(), "--from", "qwen3-32b");
  REQUIRE(read.has_value());
  CHECK(read->question.scenario.model == "qwen3-32b");
  CHECK(read->model == "nobody/nothing");
}

}  // namespace engine_command_test
