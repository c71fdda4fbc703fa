#include "catalog/results/serve_bench.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/text.hpp"
#include "catalog/results/result_checks.hpp"

namespace ridge::catalog {

namespace {

constexpr double kMs = 1e-3, kGiBytes = 1024.0 * 1024 * 1024;

std::optional<double> per(const std::optional<double>& total, const std::optional<double>& count) {
  return total && count && *count > 0 ? std::optional<double>(*total / *count) : std::nullopt;
}

/// The load that the client was asked for: both tools write it alike.
void put_load(BenchmarkResult& r, const ResultFields& run, const std::optional<double>& prompts) {
  r.rate = run.limit("request_rate");
  r.concurrency = run.limit("max_concurrency");
  if (r.concurrency && *r.concurrency <= 0) r.concurrency.reset();
  if (r.rate && *r.rate <= 0) r.rate.reset();
  if (r.concurrency && prompts && *prompts > 0) r.concurrency = std::min(*r.concurrency, *prompts);
  if (!r.rate && !r.concurrency && run.has("request_rate")) {
    r.faults.push_back("all requests at once: the load falls from the first request that ends");
  }
}

/// Times, tokens and rates of a run of requests: both tools write them alike.
void put_run(BenchmarkResult& r, const ResultFields& run) {
  r.completed = run.number("completed");
  r.duration = run.number("duration");
  r.isl = per(run.number("total_input_tokens"), r.completed);
  r.osl = per(run.number("total_output_tokens"), r.completed);
  r.request_rate = run.number("request_throughput");
  r.output_rate = run.number("output_throughput");
  r.input_rate = run.number("input_throughput");
  r.total_rate = run.number_of({"total_token_throughput", "total_throughput"});
  r.ttft = run.time("ttft_ms", kMs);
  r.tpot = run.time("tpot_ms", kMs);
  r.itl = run.time("itl_ms", kMs);
}

/// Requests without a single output token count as completed.
void note_empty_outputs(BenchmarkResult& r, const ResultFields& run) {
  const JsonValue* lengths = run.value().find("output_lens");
  if (lengths == nullptr || lengths->array() == nullptr) return;
  const auto& all = *lengths->array();
  const auto empty = std::count_if(all.begin(), all.end(),
                                   [](const JsonValue& one) { return one.number() != nullptr && *one.number() == 0; });
  if (empty > 0) r.notes.push_back(fmt::format("{} requests have no output token and count as completed", empty));
}

void put_server(BenchmarkResult& r, const ResultFields& server) {
  r.model = server.text_of({"model_path", "served_model_name"});
  r.engine_version = server.text("version");
  r.tensor = server.number("tp_size");
  r.pipeline = server.number("pp_size");
  if (server.flag("enable_dp_attention")) r.attention_data = server.number("dp_size");
  if (const auto experts = server.number("ep_size"); experts && *experts > 1) r.expert = experts;
  if (r.tensor) r.chips = *r.tensor * r.pipeline.value_or(1);
  if (r.attention_data && r.tensor && *r.attention_data >= 1) r.tensor = *r.tensor / *r.attention_data;
  r.format = server.text("quantization");
  r.speculative = !server.text("speculative_algorithm").empty();
  const auto states = server.children("internal_states");
  if (states.empty()) return;
  const ResultFields memory = states.front().child("memory_usage");
  if (const auto weight = memory.number("weight")) r.weight_bytes = *weight * kGiBytes;
  if (const auto cache = memory.number("kvcache")) r.kv_bytes = *cache * kGiBytes;
  r.kv_tokens = memory.number("token_capacity");
}

/// With two pools the server's own answer is in lists, one entry a worker.
void put_pools(BenchmarkResult& r, const ResultFields& server) {
  r.disaggregated = true;
  std::set<std::string> versions;
  for (const char* pool : {"prefill", "decode"}) {
    for (const ResultFields& worker : server.children(pool)) {
      if (r.model.empty()) r.model = worker.text("model_path");
      if (const std::string version = worker.text("version"); !version.empty()) versions.insert(version);
    }
  }
  if (versions.size() == 1) r.engine_version = *versions.begin();
  if (versions.size() > 1)
    r.faults.push_back(fmt::format("the pools run mixed versions: {}", fmt::join(versions, ", ")));
}

}  // namespace

std::string engine_word(std::string_view word) {
  const std::string low = lower_case(word);
  if (low.starts_with("trt") || low.starts_with("tensorrt") || low.ends_with("-trt")) return "trtllm";
  if (low == "sgl") return "sglang";
  for (const char* known : {"vllm", "sglang", "atom", "llama.cpp"}) {
    if (low == known || low.starts_with(std::string(known) + "-") || low.ends_with(std::string("-") + known))
      return known;
  }
  return "";
}

BenchmarkResult read_vllm_serve(const ResultFields& run) {
  BenchmarkResult r;
  r.tool = "vllm bench serve";
  r.engine = engine_word(run.text_of({"framework", "backend"}));
  if (r.engine.empty() && run.text("backend").starts_with("openai"))
    r.notes.push_back("the client spoke OpenAI's protocol: any engine may have answered");
  r.model = run.text_of({"model_id", "model"});
  put_run(r, run);
  r.e2e = run.time("e2el_ms", kMs);
  if (!r.e2e.any()) r.e2e = run.time("latency_ms", kMs);
  const auto prompts = run.number("num_prompts");
  put_load(r, run, prompts);
  r.failed = run.number("failed");
  if (!r.failed && prompts && r.completed && *prompts >= *r.completed) r.failed = *prompts - *r.completed;
  r.tensor = run.number_of({"tensor_parallel_size", "tp"});  // from --metadata
  r.hardware = run.text_of({"gpu", "hardware", "gpu_type"});
  note_empty_outputs(r, run);
  for (const auto& [key, value] : run.value().object() != nullptr ? *run.value().object() : JsonMembers{}) {
    if (key.starts_with("spec_decode") && !value.is_null()) r.speculative = true;
  }
  return r;
}

BenchmarkResult read_vllm_throughput(const ResultFields& run) {
  BenchmarkResult r;
  r.kind = ResultKind::offline;
  r.tool = "vllm bench throughput";
  r.engine = "vllm";
  r.duration = run.number("elapsed_time");
  r.completed = run.number("num_requests");
  r.request_rate = run.number("requests_per_second");
  r.total_rate = run.number("tokens_per_second");
  r.notes.push_back("tokens_per_second counts input and output tokens");
  return r;
}

BenchmarkResult read_vllm_latency(const ResultFields& run) {
  BenchmarkResult r;
  r.kind = ResultKind::batch;
  r.tool = "vllm bench latency";
  r.engine = "vllm";
  r.e2e.mean = run.number("avg_latency");
  const ResultFields percentiles = run.child("percentiles");
  r.e2e.median = percentiles.number("50");
  r.e2e.p99 = percentiles.number("99");
  r.faults.push_back("the time of a whole batch, whose size and lengths the file does not say");
  return r;
}

BenchmarkResult read_sglang_serving(const ResultFields& run) {
  BenchmarkResult r;
  r.tool = "sglang.bench_serving";
  r.engine = engine_word(run.text("backend"));
  put_run(r, run);
  r.e2e = run.time("e2e_latency_ms", kMs);
  r.in_flight = run.number("concurrency");
  put_load(r, run, {});
  if (r.concurrency && r.completed && *r.completed > 0) r.concurrency = std::min(*r.concurrency, *r.completed);
  if (const auto server = run.child_if("server_info")) {
    if (server->value().find("prefill") != nullptr && server->value().find("decode") != nullptr) {
      put_pools(r, *server);
    } else {
      put_server(r, *server);
    }
  }
  if (run.has("accept_length")) r.speculative = true;
  const auto counted = run.number("total_output_tokens"), again = run.number("total_output_tokens_retokenized");
  if (counted && again && *again > 0 && !adds_up(*counted, *again)) {
    r.faults.push_back(
        fmt::format("{:g} output tokens reported, {:g} in the text: lengths are not what was made", *counted, *again));
  }
  if (lower_case(run.text("dataset_name")).find("prefix") != std::string::npos) r.shared_prefix = true;
  return r;
}

BenchmarkResult read_sglang_one_batch(const ResultFields& run) {
  BenchmarkResult r;
  r.kind = ResultKind::batch;
  r.tool = "sglang.bench_one_batch";
  r.engine = "sglang";
  r.concurrency = run.number("batch_size");
  r.isl = run.number("input_len");
  r.osl = run.number("output_len");
  r.ttft.mean = run.number("prefill_latency");
  r.tpot.median = run.number("median_decode_latency");
  r.e2e.mean = run.number("total_latency");
  r.output_rate = run.number("median_decode_throughput");
  if (!r.tpot.any()) {
    r.kind = ResultKind::prefill;
    r.notes.push_back("one output token: prefill gives it, and nothing is decoded");
  }
  return r;
}

BenchmarkResult read_sglang_offline(const ResultFields& run) {
  BenchmarkResult r;
  r.kind = ResultKind::offline;
  r.tool = "sglang.bench_offline_throughput";
  r.engine = "sglang";
  r.completed = run.number("successful_requests");
  r.duration = run.number("total_latency");
  r.isl = per(run.number("total_input_tokens"), r.completed);
  r.osl = per(run.number("total_output_tokens"), r.completed);
  r.request_rate = run.number("request_throughput");
  r.input_rate = run.number("input_throughput");
  r.output_rate = run.number("output_throughput");
  r.total_rate = run.number("total_throughput");
  return r;
}

}  // namespace ridge::catalog
