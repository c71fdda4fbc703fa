#include "catalog/results/results.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "catalog/results/aiperf.hpp"
#include "catalog/results/bench_logs.hpp"
#include "catalog/results/csv_rows.hpp"
#include "catalog/results/guidellm.hpp"
#include "catalog/results/inference_perf.hpp"
#include "catalog/results/inferencex.hpp"
#include "catalog/results/llama_bench.hpp"
#include "catalog/results/log_lines.hpp"
#include "catalog/results/result_checks.hpp"
#include "catalog/results/serve_bench.hpp"
#include "catalog/results/start_up_log.hpp"

namespace ridge::catalog {

namespace {

using Results = Result<std::vector<BenchmarkResult>>;
constexpr std::size_t kMostResults = 100'000;
constexpr const char* kKnownTools =
    "vllm bench, SGLang's benchmarks, GuideLLM, AIPerf, GenAI-Perf, InferenceX, llama-bench, llama-batched-bench, "
    "inference-perf, trtllm-bench, MLPerf summaries, start-up logs";

Error unknown_result(std::string_view place) {
  return {std::string(place), "no result of a known benchmark", fmt::format("known are: {}", kKnownTools)};
}

/// An object that is one result, by the keys that only its tool writes.
struct ObjectTool {
  std::initializer_list<std::string_view> keys;
  BenchmarkResult (*read)(const ResultFields&);
};

const ObjectTool* tool_of(const JsonValue& object) {
  static const ObjectTool kTools[] = {
      {{"hw", "conc", "tput_per_gpu"}, read_inferencex},
      {{"avg_ts", "n_prompt", "n_gen"}, read_llama_bench},
      {{"pp", "tg", "pl", "t_tg"}, read_llama_batched},
      {{"load_summary", "successes"}, read_inference_perf},
      {{"batch_size", "prefill_latency", "total_latency"}, read_sglang_one_batch},
      {{"last_gen_throughput", "total_latency"}, read_sglang_offline},
      {{"mean_e2e_latency_ms", "completed"}, read_sglang_serving},
      {{"mean_ttft_ms", "completed"}, read_vllm_serve},
      {{"elapsed_time", "num_requests", "tokens_per_second"}, read_vllm_throughput},
      {{"avg_latency", "latencies"}, read_vllm_latency},
  };
  for (const ObjectTool& tool : kTools) {
    if (std::all_of(tool.keys.begin(), tool.keys.end(), [&](auto key) { return object.find(key) != nullptr; }))
      return &tool;
  }
  return nullptr;
}

/// A block of AIPerf or GenAI-Perf: a statistic with its unit.
bool has_unit_block(const JsonValue& object, std::string_view key) {
  const JsonValue* block = object.find(key);
  return block != nullptr && block->find("unit") != nullptr;
}

bool is_aiperf(const JsonValue& object) {
  const JsonValue* records = object.find("records");
  const JsonValue& where = records != nullptr && records->object() != nullptr ? *records : object;
  return has_unit_block(where, "request_latency") || has_unit_block(where, "request_throughput");
}

Results read_text(std::string_view text, std::string_view place, int depth);

Results read_object(const JsonValue& object, std::string_view place, int depth) {
  Errors errors;
  const ResultFields fields(object, std::string(place), errors);
  std::vector<BenchmarkResult> results;
  if (const std::string* printed = object.find("raw_output") != nullptr ? object.find("raw_output")->text() : nullptr) {
    if (depth > 0) return fail(unknown_result(place));
    return read_text(plain_output(*printed), place, depth + 1);
  }
  if (const JsonValue* runs = object.find("benchmarks"); runs != nullptr && runs->array() != nullptr) {
    results = read_guidellm(fields);
    if (results.empty()) return fail({std::string(place), "a report without a benchmark", "did the run finish?"});
  } else if (is_aiperf(object)) {
    results.push_back(read_aiperf(fields));
  } else if (object.find("metadata") != nullptr && has_unit_block(fields.child("metrics").value(), "request_latency")) {
    return fail({std::string(place), "one request of many (AIPerf's profile_export.jsonl)",
                 "give the summary of the same run, profile_export_aiperf.json"});
  } else if (const ObjectTool* tool = tool_of(object)) {
    if (tool->read == read_inference_perf && is_prometheus_report(fields))
      return fail({std::string(place), "inference-perf's view from the server: its lengths are sums over a window",
                   "give the stage's *_lifecycle_metrics.json"});
    results.push_back(tool->read(fields));
  } else {
    return fail(unknown_result(place));
  }
  if (!errors.empty()) return fail(std::move(errors));
  for (std::size_t i = 0; i < results.size(); ++i) {
    results[i].place = results.size() == 1 ? std::string(place) : fmt::format("{}: benchmark {}", place, i + 1);
  }
  return results;
}

/// The results of many objects; all errors together, up to a few.
Results read_objects(const std::vector<std::pair<std::string, const JsonValue*>>& objects, int depth) {
  constexpr std::size_t kShownErrors = 10;
  std::vector<BenchmarkResult> results;
  Errors errors;
  for (const auto& [place, object] : objects) {
    auto some = read_object(*object, place, depth);
    if (!some) {
      append(errors, some.error());
      if (errors.size() >= kShownErrors) break;
      continue;
    }
    for (BenchmarkResult& one : *some) results.push_back(std::move(one));
    if (results.size() > kMostResults) return fail({place, "has too many results", "split the file"});
  }
  if (!errors.empty()) return fail(std::move(errors));
  return results;
}

/// One object a line; blank lines between them.
Results read_json_lines(std::string_view text, std::string_view place, int depth) {
  std::vector<JsonValue> values;
  std::vector<std::string> places;
  std::size_t number = 0;
  for (const std::string_view line : lines_of(text)) {
    ++number;
    if (trimmed(line).empty()) continue;
    const std::string where = fmt::format("{}: line {}", place, number);
    auto value = parse_json(line, where);
    if (!value) return fail(value.error());
    if (value->object() == nullptr)
      return fail({where, fmt::format("is {}, not an object", kind_of(*value)), "one result a line"});
    values.push_back(std::move(*value));
    places.push_back(where);
    if (values.size() > kMostResults) return fail({where, "has too many lines", "split the file"});
  }
  std::vector<std::pair<std::string, const JsonValue*>> objects;
  for (std::size_t i = 0; i < values.size(); ++i)
    objects.emplace_back(values.size() == 1 ? std::string(place) : places[i], &values[i]);
  return read_objects(objects, depth);
}

Results read_json_text(std::string_view text, std::string_view place, int depth) {
  const auto whole = parse_json(text, place);
  if (!whole) {
    const std::size_t end = text.find('\n');
    const bool lines = end != std::string_view::npos && parse_json(text.substr(0, end), place).has_value();
    return lines ? read_json_lines(text, place, depth) : fail(whole.error());
  }
  if (whole->object() != nullptr) return read_object(*whole, place, depth);
  std::vector<std::pair<std::string, const JsonValue*>> objects;
  if (whole->array() != nullptr) {
    for (const JsonValue& one : *whole->array()) {
      if (one.object() == nullptr) return fail(unknown_result(place));
      objects.emplace_back(fmt::format("{}: row {}", place, objects.size() + 1), &one);
    }
  }
  if (objects.empty()) return fail(unknown_result(place));
  return read_objects(objects, depth);
}

Results read_rows(const std::vector<JsonValue>& rows, std::string_view place, int depth) {
  std::vector<std::pair<std::string, const JsonValue*>> objects;
  for (const JsonValue& row : rows) objects.emplace_back(fmt::format("{}: row {}", place, objects.size() + 1), &row);
  if (objects.empty()) return fail({std::string(place), "headings and no row", "did the run finish?"});
  return read_objects(objects, depth);
}

Results read_tables(std::string_view text, std::string_view place, int depth) {
  const std::vector<MarkdownRow> rows = llama_tables(text);
  std::vector<std::pair<std::string, const JsonValue*>> objects;
  for (const MarkdownRow& row : rows) objects.emplace_back(fmt::format("{}: line {}", place, row.line), &row.object);
  return read_objects(objects, depth);
}

/// Comma-separated text by its first cells; nothing where it is none of ours.
std::optional<Results> read_csv_text(std::string_view text, std::string_view place, int depth) {
  const std::string_view start = trimmed(text).substr(0, 4096);
  const bool genai = start.starts_with("Metric,"), llama = start.starts_with("build_commit,");
  const bool guide = start.starts_with("Run Info,");
  const bool site = contains(start, "Hardware Key,Framework,Precision");
  if (!genai && !llama && !guide && !site) return {};
  const auto rows = csv_rows(text, place);
  if (!rows) return Results(fail(rows.error()));
  if (guide) return read_guidellm_csv(*rows, place);
  if (genai) {
    const auto report = aiperf_of_csv(*rows, place);
    if (!report) return Results(fail(report.error()));
    return read_object(*report, place, depth);
  }
  const auto objects = llama ? objects_of_csv(*rows, place) : inferencex_of_csv(*rows, place);
  if (!objects) return Results(fail(objects.error()));
  return read_rows(*objects, place, depth);
}

Results one_of(Result<BenchmarkResult> result) {
  if (!result) return fail(result.error());
  return std::vector<BenchmarkResult>{std::move(*result)};
}

Results read_text(std::string_view text, std::string_view place, int depth) {
  const std::string_view start = trimmed(text);
  if (start.empty()) return fail({std::string(place), "is empty", "did the benchmark finish?"});
  if (start.starts_with('{') || (start.starts_with('[') && !start.starts_with("[20") && contains(start, "\"")))
    return read_json_text(start, place, depth);
  if (auto csv = read_csv_text(text, place, depth)) return *csv;
  if (contains(text, "Serving Benchmark Result")) return one_of(read_serving_console(text, place));
  if (contains(text, "MLPerf Results Summary")) return one_of(read_mlperf(text, place));
  if (contains(text, "= PERFORMANCE OVERVIEW")) {
    auto run = read_trtllm_bench(text, place);
    if (!run) return fail(run.error());
    const auto memory = read_start_up(text);  // the log begins with the engine's start
    if (!memory.empty()) {
      run->weight_bytes = memory.back().weight_bytes;
      run->kv_bytes = memory.back().kv_bytes;
      run->kv_tokens = memory.back().kv_tokens;
    }
    return std::vector<BenchmarkResult>{std::move(*run)};
  }
  if (!llama_tables(text).empty()) return read_tables(text, place, depth);
  if (auto starts = read_start_up(text); !starts.empty()) return starts;
  if (contains(text, "elapsed time per iteration (ms)") || contains(text, "MODEL_TFLOP/s/GPU") ||
      (contains(text, "tps: ") && contains(text, "mfu: ")))
    return fail(
        {std::string(place), "a training log: only results of serving are read", "ridge lifecycle is about training"});
  return fail(unknown_result(place));
}

}  // namespace

Results read_results(std::string_view text, std::string_view place) {
  const std::string plain = plain_output(text);
  auto results = read_text(plain, place, 0);
  if (!results) return results;
  for (BenchmarkResult& one : *results) {
    if (one.place.empty()) one.place = std::string(place);
    check_result(one);
  }
  check_together(*results);
  return results;
}

}  // namespace ridge::catalog
