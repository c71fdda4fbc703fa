#include "catalog/results/aiperf.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/text.hpp"

namespace ridge::catalog {

namespace {

/// Seconds of a unit as these tools write it; nothing for another.
std::optional<double> second_of(std::string_view unit) {
  if (unit == "ms") return 1e-3;
  if (unit == "s" || unit == "sec" || unit == "seconds") return 1.0;
  if (unit == "us") return 1e-6;
  if (unit == "ns") return 1e-9;
  return {};
}

std::optional<double> scale_of(const ResultFields& block) {
  const auto scale = second_of(block.text("unit"));
  if (!scale)
    block.complain("unit", fmt::format("\"{}\" is no unit of time", shortened(block.text("unit"))), "ms is expected");
  return scale;
}

MeasuredTime time_block(const ResultFields& report, std::string_view name) {
  const auto block = report.child_if(name);
  if (!block) return {};
  const auto scale = scale_of(*block);
  if (!scale) return {};
  const auto of = [&](const char* key) -> std::optional<double> {
    const auto value = block->number(key);
    return value ? std::optional<double>(*value * *scale) : std::nullopt;
  };
  return {of("avg"), of("p50"), of("p99")};
}

std::optional<double> plain_block(const ResultFields& report, std::string_view name) {
  return report.child(name).number("avg");
}

/// What was asked for: two shapes of the same, by version.
void put_asked(BenchmarkResult& r, const ResultFields& report) {
  const ResultFields config = report.child("input_config");
  const ResultFields endpoint = config.child("endpoint");
  if (const JsonValue* names = endpoint.value().find("model_names"); names != nullptr && names->array() != nullptr) {
    for (const JsonValue& one : *names->array()) {
      if (r.model.empty() && one.text() != nullptr) r.model = safe_line(*one.text());
    }
  }
  const auto models = config.child("models").children("items");
  if (r.model.empty() && !models.empty()) r.model = models.front().text("name");
  const ResultFields load = config.child("loadgen");
  r.concurrency = load.number("concurrency");
  r.rate = load.limit("request_rate");
  for (const ResultFields& phase : config.children("phases")) {
    if (phase.flag("exclude_from_results")) continue;
    r.concurrency = phase.number("concurrency");
    r.rate = phase.limit("request_rate");
  }
  const std::string tokenizer = config.child("tokenizer").text("name");
  if (!tokenizer.empty() && tokenizer != r.model)
    r.notes.push_back(fmt::format("lengths are counted with the tokenizer {}", tokenizer));
  bool turns = config.child("input").text("custom_dataset_type") == "multi_turn";
  for (const ResultFields& data : config.children("datasets")) turns = turns || data.text("format") == "multi_turn";
  r.shared_prefix = turns;  // later prompts repeat earlier ones
}

}  // namespace

BenchmarkResult read_aiperf(const ResultFields& whole) {
  BenchmarkResult r;
  const ResultFields report = whole.child_if("records").value_or(whole);  // before October 2025
  r.version = whole.text("aiperf_version");
  const bool aiperf = !r.version.empty() || report.has("benchmark_duration") || whole.has("was_cancelled");
  r.tool = aiperf ? "aiperf" : "genai-perf";
  r.ttft = time_block(report, "time_to_first_token");
  r.tpot = time_block(report, "inter_token_latency");  // a value a request, without its first token
  r.itl = time_block(report, "inter_chunk_latency");
  r.e2e = time_block(report, "request_latency");
  r.isl = plain_block(report, "input_sequence_length");
  r.osl = plain_block(report, "output_sequence_length");
  r.request_rate = plain_block(report, "request_throughput");
  r.output_rate = plain_block(report, "output_token_throughput");
  r.total_rate = plain_block(report, "total_token_throughput");
  r.completed = plain_block(report, "request_count");
  r.failed = plain_block(report, "error_request_count");
  if (aiperf && !r.failed) r.failed = 0;
  if (const auto duration = report.child_if("benchmark_duration")) {
    const auto scale = scale_of(*duration);
    if (const auto value = duration->number("avg"); value && scale) r.duration = *value * *scale;
  }
  put_asked(r, whole);
  if (whole.flag("was_cancelled")) r.faults.push_back("the run was cancelled");
  if (!aiperf) r.notes.push_back("output tokens are those of the text, counted again");
  return r;
}

namespace {

/// "Time To First Token (ms)" -> time_to_first_token and ms.
std::pair<std::string, std::string> name_and_unit(std::string_view cell) {
  std::string name = lower_case(trimmed(cell)), unit;
  if (const std::size_t open = name.rfind(" ("); open != std::string::npos && name.ends_with(')')) {
    unit = name.substr(open + 2, name.size() - open - 3);
    name.resize(open);
  }
  std::replace(name.begin(), name.end(), ' ', '_');
  return {std::move(name), std::move(unit)};
}

/// "1,146.31" -> 1146.31: thousands are separated.
std::string without_commas(std::string_view cell) {
  std::string out(trimmed(cell));
  out.erase(std::remove(out.begin(), out.end(), ','), out.end());
  return out;
}

}  // namespace

Result<JsonValue> aiperf_of_csv(const std::vector<CsvRow>& rows, std::string_view place) {
  JsonMembers report;
  const CsvRow* heading = nullptr;
  for (const CsvRow& row : rows) {
    if (row.cells.empty()) {
      heading = nullptr;  // a new block
      continue;
    }
    if (heading == nullptr || row.cells[0] == "Metric") {
      heading = &row;
      continue;
    }
    auto [name, unit] = name_and_unit(row.cells[0]);
    if (row.cells.size() > heading->cells.size()) {
      return fail({fmt::format("{}:{}", place, row.line), "has more cells than the heading above it",
                   "thousands are separated by commas only inside quotes"});
    }
    JsonMembers block;
    block.emplace_back("unit", JsonValue{unit});
    for (std::size_t c = 1; c < row.cells.size(); ++c) {
      const std::string key = heading->cells[c] == "Value" ? "avg" : lower_case(heading->cells[c]);
      const bool twice = std::any_of(block.begin(), block.end(), [&](const auto& one) { return one.first == key; });
      if (!twice) block.emplace_back(key, JsonValue{without_commas(row.cells[c])});
    }
    report.emplace_back(std::move(name), JsonValue{std::move(block)});
  }
  return JsonValue{std::move(report)};
}

}  // namespace ridge::catalog
