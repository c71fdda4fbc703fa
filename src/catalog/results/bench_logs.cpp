#include "catalog/results/bench_logs.hpp"

#include <cmath>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "catalog/results/log_lines.hpp"
#include "catalog/results/serve_bench.hpp"

namespace ridge::catalog {

namespace {

std::optional<double> times(const std::optional<double>& value, double unit) {
  return value ? std::optional<double>(*value * unit) : std::nullopt;
}

std::optional<double> over(const std::optional<double>& total, const std::optional<double>& count) {
  return total && count && *count > 0 ? std::optional<double>(*total / *count) : std::nullopt;
}

using Lines = std::vector<std::string_view>;

MeasuredTime console_time(const Lines& lines, const std::string& name) {
  const auto of = [&](const std::string& statistic) {
    return times(labeled(lines, fmt::format("{} {} (ms)", statistic, name)), 1e-3);
  };
  return {of("Mean"), of("Median"), of("P99")};
}

}  // namespace

Result<BenchmarkResult> read_serving_console(std::string_view text, std::string_view place) {
  const Lines lines = lines_of(text);
  BenchmarkResult r;
  const std::string backend = labeled_text(lines, "Backend");
  r.tool = backend.empty() ? "vllm bench serve" : "sglang.bench_serving";
  r.engine = engine_word(backend);
  for (const std::string_view line : lines) {
    if (!line.starts_with("Namespace(")) continue;
    r.model = python_value(line, "model");
    if (r.engine.empty()) r.engine = engine_word(python_value(line, "backend"));
  }
  r.completed = labeled(lines, "Successful requests");
  r.failed = labeled(lines, "Failed requests");
  r.duration = labeled(lines, "Benchmark duration (s)");
  if (!r.completed || !r.duration)
    return fail({std::string(place), "the summary has no requests or no duration", "is the output whole?"});
  r.isl = over(labeled(lines, "Total input tokens"), r.completed);
  r.osl = over(labeled(lines, "Total generated tokens"), r.completed);
  r.request_rate = labeled(lines, "Request throughput (req/s)");
  r.output_rate = labeled(lines, "Output token throughput (tok/s)");
  r.input_rate = labeled(lines, "Input token throughput (tok/s)");
  r.total_rate = labeled(lines, "Total Token throughput (tok/s)");
  if (!r.total_rate) r.total_rate = labeled(lines, "Total token throughput (tok/s)");
  r.ttft = console_time(lines, "TTFT");
  r.tpot = console_time(lines, "TPOT");
  r.itl = console_time(lines, "ITL");
  r.e2e = console_time(lines, "E2EL");
  if (!r.e2e.any()) r.e2e = console_time(lines, "E2E Latency");
  r.rate = labeled(lines, "Request rate configured (RPS)");
  if (!r.rate) r.rate = labeled(lines, "Traffic request rate");
  r.concurrency = labeled(lines, "Maximum request concurrency");
  if (!r.concurrency) r.concurrency = labeled(lines, "Max request concurrency");
  if (r.rate && *r.rate <= 0) r.rate.reset();
  if (r.concurrency && *r.concurrency <= 0) r.concurrency.reset();
  return r;
}

Result<BenchmarkResult> read_trtllm_bench(std::string_view text, std::string_view place) {
  const Lines lines = lines_of(text);
  BenchmarkResult r;
  r.kind = ResultKind::offline;
  r.tool = "trtllm-bench";
  r.engine = "trtllm";
  r.version = r.engine_version = labeled_text(lines, "TensorRT-LLM Version");
  r.model = labeled_text(lines, "Model");
  r.format = lower_case(labeled_text(lines, "Quantization"));
  r.tensor = labeled(lines, "TP Size");
  r.pipeline = labeled(lines, "PP Size");
  if (r.tensor) r.chips = *r.tensor * r.pipeline.value_or(1);
  r.completed = labeled(lines, "Number of requests");
  r.isl = labeled(lines, "Average Input Length (tokens)");
  r.osl = labeled(lines, "Average Output Length (tokens)");
  r.duration = times(labeled(lines, "Total Latency (ms)"), 1e-3);
  r.request_rate = labeled(lines, "Request Throughput (req/sec)");
  r.output_rate = labeled(lines, "Total Output Throughput (tokens/sec)");
  r.total_rate = labeled(lines, "Total Token Throughput (tokens/sec)");
  if (!r.output_rate) r.output_rate = labeled(lines, "Token Throughput (tokens/sec)");
  if (!r.completed || !r.duration)
    return fail({std::string(place), "the performance overview has no requests or no latency", "is the log whole?"});
  if (!r.output_rate && !r.total_rate)
    return fail({std::string(place), "the performance overview has no token throughput", "is the log whole?"});
  r.notes.push_back("Token Throughput counts output tokens");
  return r;
}

Result<BenchmarkResult> read_mlperf(std::string_view text, std::string_view place) {
  constexpr double kNanosecond = 1e-9;
  const Lines lines = lines_of(text);
  BenchmarkResult r;
  r.tool = "mlperf loadgen";
  r.model = labeled_text(lines, "SUT name");
  const std::string scenario = labeled_text(lines, "Scenario"), verdict = labeled_text(lines, "Result is");
  if (scenario.empty() || verdict.empty())
    return fail({std::string(place), "a summary without scenario or verdict", "is the file whole?"});
  const bool offline = scenario == "Offline";
  r.kind = offline ? ResultKind::offline : ResultKind::serving;
  if (verdict != "VALID") r.faults.push_back(fmt::format("MLPerf itself calls the run {}", shortened(verdict)));
  const auto stated = [&](const char* statistic, const char* what) {
    return times(labeled(lines, fmt::format("{} {} (ns)", statistic, what)), kNanosecond);
  };
  r.e2e = {stated("Mean", "latency"), stated("50.00 percentile", "latency"), stated("99.00 percentile", "latency")};
  r.ttft = {stated("Mean", "First Token latency"), stated("50.00 percentile", "first token latency"),
            stated("99.00 percentile", "first token latency")};
  r.tpot = {stated("Mean", "Time to Output Token"), stated("50.00 percentile", "time to output token"),
            stated("99.00 percentile", "time to output token")};
  r.output_rate = labeled(lines, offline ? "Tokens per second" : "Completed tokens per second");
  r.request_rate = labeled(lines, offline ? "Samples per second" : "Completed samples per second");
  if (!offline) r.rate = labeled(lines, "Scheduled samples per second");
  if (r.output_rate && r.request_rate && *r.request_rate > 0) r.osl = *r.output_rate / *r.request_rate;
  r.notes.push_back("tokens are output tokens, over all chips");
  return r;
}

}  // namespace ridge::catalog
