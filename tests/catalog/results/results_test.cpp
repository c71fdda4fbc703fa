#include "catalog/results/results.hpp"

#include <string>

#include <doctest/doctest.h>

#include "base/text/text.hpp"

// Samples shaped as the tools write them, with numbers of our own. Real files: tests/validation/results_test.py.

namespace results_test {

using namespace ridge;
using namespace ridge::catalog;

std::vector<BenchmarkResult> read(std::string_view text) {
  const auto results = read_results(text, "sample");
  CAPTURE(results ? std::string() : results.error().front().where + ": " + results.error().front().what);
  REQUIRE(results.has_value());
  return *results;
}

BenchmarkResult read_one(std::string_view text) {
  const auto results = read(text);
  REQUIRE(results.size() == 1);
  return results.front();
}

std::string refusal_of(std::string_view text) {
  const auto results = read_results(text, "sample");
  REQUIRE(!results.has_value());
  return results.error().front().where + ": " + results.error().front().what;
}

bool says(const std::vector<std::string>& texts, std::string_view part) {
  for (const std::string& text : texts) {
    if (contains(text, part)) return true;
  }
  return false;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

// 20 requests of 1,000 in and 101 out, 4 at once: each takes 0.1 + 100 x 0.01 = 1.1 s, so all take 20 / 4 x 1.1 = 5.5 s.
// 2,020 output tokens in 5.5 s are 367.27 a second.
const std::string kServe =
    R"({"backend": "vllm", "model_id": "acme/m", "num_prompts": 20, "request_rate": "inf", "max_concurrency": 4,
    "duration": 5.5, "completed": 20, "failed": 0, "total_input_tokens": 20000, "total_output_tokens": 2020,
    "request_throughput": 3.636363, "output_throughput": 367.2727, "total_token_throughput": 4003.6,
    "mean_ttft_ms": 100, "median_ttft_ms": 98, "p99_ttft_ms": 140, "mean_tpot_ms": 10, "median_tpot_ms": 10,
    "p99_tpot_ms": 11, "mean_itl_ms": 10, "median_itl_ms": 9.8, "p99_itl_ms": 30})";

TEST_CASE("vllm bench serve: milliseconds, lengths from totals, requests in flight by Little's law") {
  const BenchmarkResult r = read_one(kServe);
  CHECK(r.tool == "vllm bench serve");
  CHECK(r.engine == "vllm");
  CHECK(r.isl == 1000);
  CHECK(r.osl == 101);
  CHECK(r.concurrency == 4);
  CHECK(*r.tpot.mean == doctest::Approx(0.010));
  CHECK(*r.ttft.p99 == doctest::Approx(0.140));
  CHECK(*r.in_flight == doctest::Approx(4).epsilon(1e-4));  // 3.636 requests/s x 1.1 s
  CHECK(r.faults.empty());
  CHECK(r.missing == std::vector<std::string>{"hardware"});
}

TEST_CASE("what spoils a serving run is said in words") {
  const auto faults = [](std::string_view from, std::string_view to) {
    return read_one(replaced(kServe, from, to)).faults;
  };
  CHECK(says(faults("\"failed\": 0", "\"failed\": 3"), "3 of 23 requests failed"));
  CHECK(faults("\"failed\": 0, ", "").empty());
  CHECK(says(faults("\"duration\": 5.5", "\"duration\": 0"), "0 s"));
  CHECK(says(faults("\"max_concurrency\": 4", "\"max_concurrency\": null"), "all requests at once"));
  CHECK(says(faults("\"mean_tpot_ms\": 10", "\"mean_tpot_ms\": 0.010, \"mean_e2el_ms\": 1100"), "another unit"));
  CHECK(says(faults("\"output_throughput\": 367.2727", "\"output_throughput\": 500"), "do not follow"));
  // 20 requests of 1000 + 101 tokens in 5.5 s are 4003.6 tok/s in and out, 367.3 out
  CHECK(says(faults("\"output_throughput\": 367.2727", "\"output_throughput\": 4003.6"), "count input tokens, too"));
  CHECK(says(faults("\"p99_tpot_ms\": 11", "\"p99_tpot_ms\": 2"), "p99"));
  const auto open = replaced(kServe, "\"request_rate\": \"inf\", \"max_concurrency\": 4",
                             "\"request_rate\": 10.0, \"max_concurrency\": null");
  // 20 requests at 10/s are sent in 2 s and end 1.1 s later: 6.45 a second could have been reached, 3.64 were
  CHECK(says(read_one(open).faults, "reached 3.64 of the 10 requests/s"));
}

TEST_CASE("without a key for failed requests, those that did not complete have failed") {
  std::string old = replaced(kServe, "\"failed\": 0, ", "");
  old = replaced(old, "\"num_prompts\": 20", "\"num_prompts\": 45");
  CHECK(read_one(old).failed == 25);
  CHECK(says(read_one(old).faults, "25 of 45 requests failed"));
}

TEST_CASE("bundled tokens leave the TPOT and take the ITL") {
  const BenchmarkResult r = read_one(replaced(kServe, "\"mean_itl_ms\": 10", "\"mean_itl_ms\": 120"));
  CHECK(says(r.notes, "12.0 times"));
  CHECK(r.faults.empty());
}

TEST_CASE("lines of results are each read, and a mixture of engines is said") {
  const std::string one = replaced(kServe, "\n    ", " "),
                    two = replaced(one, "\"backend\": \"vllm\"", "\"backend\": \"sglang\"");
  std::string lines = one + "\n\n" + two + "\n";
  std::size_t at = 0;
  while ((at = lines.find("\n    ")) != std::string::npos) lines.replace(at, 5, " ");
  const auto results = read(lines);
  REQUIRE(results.size() == 2);
  CHECK(results[1].place == "sample: line 3");
  CHECK(says(results[0].notes, "mixes sglang, vllm"));
}

TEST_CASE("SGLang's Infinity is no rate, and its disaggregated server has two pools") {
  const std::string run =
      R"({"backend": "sglang", "dataset_name": "random", "request_rate": Infinity, "max_concurrency": 8, "server_info":
      {"model_path": "acme/m", "tp_size": 2, "pp_size": 1, "version": "0.5.6", "internal_states": [{"memory_usage":
      {"weight": 6.0, "kvcache": 64.0, "token_capacity": 1000}}]}, "duration": 10, "completed": 16,
      "total_input_tokens": 1600, "total_output_tokens": 1616, "request_throughput": 1.6, "output_throughput": 161.6,
      "mean_e2e_latency_ms": 5000, "mean_ttft_ms": 1000, "mean_tpot_ms": 40, "concurrency": 8.0, "accept_length": null})";
  const BenchmarkResult r = read_one(run);
  CHECK(!r.rate.has_value());
  CHECK(r.concurrency == 8);
  CHECK(r.tensor == 2);
  CHECK(*r.weight_bytes == doctest::Approx(6.0 * 1073741824));  // "GB" there is GiB
  CHECK(r.faults.empty());
  CHECK(says(read_one(replaced(run, "\"accept_length\": null", "\"accept_length\": 2.4")).faults, "speculative"));
  const std::string pools =
      replaced(run, "\"model_path\": \"acme/m\", \"tp_size\": 2, \"pp_size\": 1, \"version\": \"0.5.6\"",
               R"("prefill": [{"version": "0.5.5"}], "decode": [{"version": "0.5.6"}])");
  CHECK(read_one(pools).disaggregated);
  CHECK(says(read_one(pools).faults, "mixed versions: 0.5.5, 0.5.6"));
  const BenchmarkResult shared = read_one(replaced(run, "\"random\"", "\"generated-shared-prefix\""));
  CHECK(shared.faults.empty());
  CHECK(says(faults_of(shared, false), "prefix-cache hits"));
  CHECK(faults_of(shared, true).empty());
}

TEST_CASE("a fixed batch of SGLang is a step; with one output token it is prefill") {
  const auto rows = read(
      R"({"run_name": "a", "batch_size": 4, "input_len": 512, "output_len": 9, "prefill_latency": 0.05, "median_decode_latency": 0.004, "median_decode_throughput": 1000, "total_latency": 0.082}
{"run_name": "a", "batch_size": 4, "input_len": 512, "output_len": 1, "prefill_latency": 0.05, "total_latency": 0.05})");
  CHECK(rows[0].kind == ResultKind::batch);
  CHECK(*rows[0].tpot.median == doctest::Approx(0.004));
  CHECK(rows[1].kind == ResultKind::prefill);
}

TEST_CASE("GuideLLM's TPOT is never taken: its inter-token latency is what others call so") {
  const std::string run = R"({"metadata": {"guidellm_version": "0.6.0"}, "benchmarks": [{"config": {"strategy":
    {"type_": "concurrent", "streams": 3}, "backend": {"model": "acme/m"}}, "duration": 10, "metrics": {
    "request_totals": {"successful": 12, "errored": 0, "incomplete": 2},
    "request_latency": {"successful": {"mean": 2.1, "median": 2.0, "percentiles": {"p99": 3.0}}},
    "prompt_token_count": {"successful": {"mean": 100}}, "output_token_count": {"successful": {"mean": 101}},
    "time_to_first_token_ms": {"successful": {"mean": 100}},
    "time_per_output_token_ms": {"successful": {"mean": 20.8}}, "inter_token_latency_ms": {"successful": {"mean": 20}},
    "output_tokens_per_iteration": {"successful": {"mean": 1.0}}}}]})";
  const BenchmarkResult r = read_one(run);
  CHECK(*r.tpot.mean == doctest::Approx(0.020));  // (2.1 - 0.1) / 100; their 20.8 is 2.1 / 101
  CHECK(*r.e2e.mean == doctest::Approx(2.1));
  CHECK(r.concurrency == 3);
  CHECK(says(r.notes, "2 requests were cut off"));
  CHECK(r.faults.empty());
  CHECK(says(read_one(replaced(run, "\"mean\": 1.0", "\"mean\": 1.8")).faults, "reasoning tokens"));
}

TEST_CASE("AIPerf's blocks say their unit; another is refused") {
  const std::string run =
      R"({"aiperf_version": "0.8.0", "request_latency": {"unit": "ms", "avg": 1100}, "request_count":
    {"unit": "requests", "avg": 20}, "time_to_first_token": {"unit": "ms", "avg": 100}, "inter_token_latency": {"unit":
    "ms", "avg": 10}, "output_sequence_length": {"avg": 101}, "input_sequence_length": {"avg": 1000},
    "error_request_count": null, "benchmark_duration": {"unit": "sec", "avg": 5.5}, "input_config": {"endpoint":
    {"model_names": ["acme/m"]}, "loadgen": {"concurrency": 4}}})";
  const BenchmarkResult r = read_one(run);
  CHECK(*r.tpot.mean == doctest::Approx(0.010));
  CHECK(r.duration == 5.5);
  CHECK(r.failed == 0);
  CHECK(r.model == "acme/m");
  CHECK(contains(refusal_of(replaced(run, "\"unit\": \"ms\", \"avg\": 1100", "\"unit\": \"furlongs\", \"avg\": 1100")),
                 "no unit of time"));
  CHECK(says(read_one(replaced(run, "\"error_request_count\": null", "\"error_request_count\": {\"avg\": 5}")).faults,
             "5 of 25 requests failed"));
}

TEST_CASE("GenAI-Perf's CSV has thousands in quotes") {
  const BenchmarkResult r = read_one(
      "Metric,avg,min,p99,p50\nTime To First Token (ms),\"1,146.31\",1,\"3,457.97\",640\nInter Token Latency "
      "(ms),30.35,1,35,30\nRequest Latency (ms),\"6,400\",1,2,3\nOutput Sequence Length (tokens),174.45,1,1,1\nInput "
      "Sequence Length,\"3,000.05\",1,1,1\n\nMetric,Value\nOutput Token Throughput (per sec),261.25\n");
  CHECK(r.tool == "genai-perf");
  CHECK(*r.ttft.mean == doctest::Approx(1.14631));
  CHECK(*r.ttft.p99 == doctest::Approx(3.45797));
  CHECK(*r.isl == doctest::Approx(3000.05));
  CHECK(r.output_rate == 261.25);
}

TEST_CASE("InferenceX has seconds, rates of a GPU and a text for DP attention") {
  const std::string row = R"({"hw": "b200-trt", "conc": 32, "image": "x/y:1.2.0rc2", "model": "acme/m", "framework":
    "trt", "precision": "fp4", "spec_decoding": "none", "disagg": false, "isl": 1024, "osl": 1024, "tp": 8, "ep": 8,
    "dp_attention": "true", "tput_per_gpu": 100, "output_tput_per_gpu": 50, "mean_ttft": 0.2, "mean_tpot": 0.01})";
  const BenchmarkResult r = read_one(row);
  CHECK(r.engine == "trtllm");
  CHECK(r.engine_version == "1.2.0rc2");
  CHECK(r.hardware == "b200");
  CHECK(r.tensor == 1);
  CHECK(r.attention_data == 8);
  CHECK(r.expert == 8);
  CHECK(r.output_rate == 400);
  CHECK(*r.tpot.mean == doctest::Approx(0.01));
  CHECK(*r.isl == doctest::Approx(921.6));
  CHECK(read_one(replaced(row, "\"dp_attention\": \"true\"", "\"dp_attention\": \"false\"")).tensor == 8);
}

TEST_CASE("InferenceX counts input over the GPUs that prefill, output over those that decode, and both over all") {
  const std::string row = R"({"hw": "gb200", "conc": 4300, "model": "acme/m", "framework": "dynamo-trt", "precision":
    "fp4", "disagg": true, "isl": 1024, "osl": 1024, "num_prefill_gpu": 4, "num_decode_gpu": 8, "tput_per_gpu": 10204.8,
    "output_tput_per_gpu": 7650.8, "input_tput_per_gpu": 15312.8, "mean_ttft": 13.4, "mean_tpot": 0.0527})";
  const BenchmarkResult r = read_one(row);
  CHECK(r.chips == 12);
  CHECK(!r.tensor);  // two pools have no one layout
  CHECK(*r.output_rate == doctest::Approx(8 * 7650.8));
  CHECK(*r.input_rate == doctest::Approx(4 * 15312.8));
  CHECK(*r.total_rate == doctest::Approx(*r.output_rate + *r.input_rate).epsilon(1e-3));
  const BenchmarkResult unknown = read_one(replaced(row, "\"num_prefill_gpu\": 4, ", ""));
  CHECK(!unknown.chips);
  CHECK(!unknown.output_rate);
}

TEST_CASE("llama-bench is the same in JSON, CSV and Markdown") {
  const BenchmarkResult json = read_one(
      R"([{"build_commit": "a", "build_number": 7000, "gpu_info": "RTX 9", "model_filename": "m/Acme-8B-Q4_K_M.gguf",
      "model_type": "acme 8B Q4_K - Medium", "n_prompt": 0, "n_gen": 128, "n_depth": 4096, "avg_ns": 1280000000,
      "avg_ts": 100.0}])");
  CHECK(json.kind == ResultKind::batch);
  CHECK(json.model == "Acme-8B-Q4_K_M");
  CHECK(json.format == "q4_k");
  CHECK(json.depth == 4096);
  CHECK(*json.tpot.mean == doctest::Approx(0.010));
  const BenchmarkResult csv = read_one(
      "build_commit,build_number,gpu_info,model_filename,model_type,n_prompt,n_gen,n_depth,avg_ns,avg_ts\n"
      "\"a\",\"7000\",\"RTX 9\",\"Acme.gguf\",\"acme\",\"512\",\"0\",\"0\",\"512000000\",\"1000.0\"\n");
  CHECK(csv.kind == ResultKind::prefill);
  CHECK(*csv.ttft.mean == doctest::Approx(0.512));
  const auto table = read(
      "| model | size | test | t/s |\n| --- | --: | --: | --: |\n| acme 8B Q4_K | 4 GiB | pp512 @ d4096 | 2000.00 ± "
      "3.1 "
      "|\n| acme 8B Q4_K | 4 GiB | tg32 | 50.0 ± 0.1 |\n");
  REQUIRE(table.size() == 2);
  CHECK(table[0].isl == 512);
  CHECK(table[0].depth == 4096);
  CHECK(*table[0].ttft.mean == doctest::Approx(0.256));
  CHECK(*table[1].tpot.mean == doctest::Approx(0.020));
}

TEST_CASE("llama-batched-bench: a step is the time over its tokens, whatever the batch") {
  const BenchmarkResult r = read_one(
      "|  PP |  TG |  B | N_KV | T_PP s | S_PP t/s | T_TG s | S_TG t/s | T s | S t/s "
      "|\n|---|---|---|---|---|---|---|---|"
      "---|---|\n| 512 | 32 | 4 | 2176 | 0.4 | 5120 | 0.8 | 160.0 | 1.2 | 1813 |\n");
  CHECK(r.concurrency == 4);
  CHECK(*r.tpot.mean == doctest::Approx(0.025));  // 0.8 s / 32; 4 x 32 / 0.8 = 160 tok/s
  CHECK(r.faults.empty());
}

TEST_CASE("inference-perf's TPOT is worked out again, and a summary is no load point") {
  const std::string stage =
      R"({"load_summary": {"requested_rate": 2.0, "achieved_rate": 2.0}, "successes": {"count": 60,
    "latency": {"request_latency": {"mean": 1.1}, "time_per_output_token": {"mean": 0.005}, "time_to_first_token":
    {"mean": 0.1}}, "throughput": {"requests_per_sec": 1.97}, "prompt_len": {"mean": 200}, "output_len": {"mean": 101}},
    "failures": {"count": 0}})";
  const BenchmarkResult r = read_one(stage);
  CHECK(*r.tpot.mean == doctest::Approx(0.010));  // (1.1 - 0.1) / 100
  CHECK(says(r.notes, "5 ms does not follow"));
  CHECK(says(read_one(replaced(stage, "\"achieved_rate\": 2.0", "\"achieved_rate\": 1.0")).faults, "sent 1 of the 2"));
  const BenchmarkResult summary = read_one(replaced(stage, "\"requested_rate\": 2.0, \"achieved_rate\": 2.0", ""));
  CHECK(summary.kind == ResultKind::summary);
  CHECK(says(summary.faults, "no load point"));
}

TEST_CASE("trtllm-bench's throughput is of output tokens, and its log has the memory") {
  const BenchmarkResult r = read_one(
      "[TensorRT-LLM] TensorRT-LLM version: 0.16.0\n[TensorRT-LLM][INFO] Loaded engine size: 8000 MiB\n"
      "[TensorRT-LLM][INFO] [MemUsageChange] Allocated 52.08 GiB for max tokens in paged KV cache (2730752).\n"
      "[TensorRT-LLM][INFO] [MemUsageChange] Allocated 52.08 GiB for max tokens in paged KV cache (2730752).\n"
      "= ENGINE DETAILS\nModel:\t\t\tacme/m\nTensorRT-LLM Version:\t0.16.0\nTP Size:\t\t8\nPP Size:\t\t1\n"
      "= PERFORMANCE OVERVIEW \nNumber of requests:\t\t100\nAverage Input Length (tokens):\t1024.0\nAverage Output "
      "Length "
      "(tokens):\t500.0\nToken Throughput (tokens/sec):\t5000.0\nTotal Latency (ms):\t\t10000.0\n");
  CHECK(r.kind == ResultKind::offline);
  CHECK(r.output_rate == 5000);  // 100 x 500 / 10 s
  CHECK(r.kv_tokens == 2730752);
  CHECK(*r.weight_bytes == doctest::Approx(8000.0 * 1048576));
  CHECK(r.tensor == 8);
  CHECK(r.faults.empty());
}

TEST_CASE("start-up logs: colors, ranks, old words, and a death after the KV cache") {
  const std::string log =
      "\x1b[0;36m(APIServer pid=1)\x1b[0;0m INFO vLLM API server version 0.12.0\n"
      "INFO non-default args: {'model_tag': 'acme/m', 'model': 'acme/m', 'tensor_parallel_size': 2}\n"
      "INFO Model loading took 15.00 GiB memory and 4.0 seconds\nINFO Model loading took 15.50 GiB memory and 4.0 s\n"
      "INFO Available KV cache memory: 7.09 GiB\nINFO Available KV cache memory: 7.00 GiB\n"
      "INFO GPU KV cache size: 56,800 tokens\nINFO Maximum concurrency for 28,400 tokens per request: 2.00x\n";
  const BenchmarkResult r = read_one(log);
  CHECK(r.kind == ResultKind::start_up);
  CHECK(r.engine_version == "0.12.0");
  CHECK(r.tensor == 2);
  CHECK(*r.weight_bytes == doctest::Approx(15.5 * 1073741824));  // the fullest rank
  CHECK(*r.kv_bytes == doctest::Approx(7.0 * 1073741824));       // the rank with least
  CHECK(r.kv_tokens == 56800);
  CHECK(r.faults.empty());
  CHECK(r.notes.empty());
  CHECK(says(read_one(log + "INFO ERROR x.py capture_model\n").faults, "died"));
  const auto old = read(
      "model weights take 19.86GiB; non_torch_memory takes 0.16GiB; the rest of the memory reserved for "
      "KV Cache is 14.65GiB.\n# CUDA blocks: 6001, # CPU blocks: 1638\n");
  CHECK(old.front().kv_tokens == 96016);  // blocks of 16
  CHECK(*old.front().kv_bytes == doctest::Approx(14.65 * 1073741824));
}

TEST_CASE("what is no result is refused with the reason") {
  CHECK(contains(refusal_of(""), "empty"));
  CHECK(contains(refusal_of("hello"), "no result of a known benchmark"));
  CHECK(contains(refusal_of("{\"a\": 1}"), "no result of a known benchmark"));
  CHECK(contains(refusal_of("[1, 2]\n\"\""), "sample"));
  CHECK(contains(refusal_of(replaced(kServe, "\"mean_tpot_ms\": 10", "\"mean_tpot_ms\": -10")),
                 "cannot have been measured"));
  CHECK(contains(refusal_of(replaced(kServe, "\"mean_tpot_ms\": 10", "\"mean_tpot_ms\": \"fast\"")), "not a number"));
  CHECK(contains(refusal_of("step: 1  loss: 6  memory: 1GiB  tps: 5,856  tflops: 3  mfu: 34%"), "training log"));
  CHECK(contains(refusal_of("Metric,avg\n\"Time"), "never closed"));
  CHECK(contains(refusal_of("Run Info,a\nb,c\nd,e\n\n\n"), "without a benchmark"));
  CHECK(contains(refusal_of("build_commit,avg_ts\n1,2,3\n"), "another number of cells"));
  CHECK(contains(refusal_of(R"({"metadata": {}, "metrics": {"request_latency": {"value": 1, "unit": "ms"}}})"),
                 "one request of many"));
}

TEST_CASE("names from a file cannot steer a terminal") {
  const BenchmarkResult r = read_one(replaced(kServe, "acme/m", "acme\\u001b[31m\\n/m"));
  CHECK(r.model.find('\x1b') == std::string::npos);
  CHECK(r.model.find('\n') == std::string::npos);
  const BenchmarkResult start = read_one(
      "INFO vLLM API server version 0.12\x1b]0;owned\x07.0\nINFO Available KV cache memory: 7.09 GiB\n"
      "INFO GPU KV cache size: 56,800 tokens\n");
  CHECK(start.engine_version.starts_with("0.12"));
  CHECK(start.engine_version.find('\x1b') == std::string::npos);
}

}  // namespace results_test
