#include "catalog/results/guidellm.hpp"

#include <map>

#include <fmt/format.h>

#include "base/text/text.hpp"

namespace ridge::catalog {

namespace {

constexpr double kMsOfGuide = 1e-3;
constexpr const char* kOwnTpot =
    "its \"time per output token\" is divided by all tokens and from 0.6 on includes the TTFT; its inter-token latency "
    "is what others call TPOT, and is taken";

/// A statistic of the requests that succeeded.
MeasuredTime time_of(const ResultFields& metrics, std::string_view name, double unit) {
  const ResultFields good = metrics.child(name).child("successful");
  const ResultFields percentiles = good.child("percentiles");
  const auto scaled = [&](const std::optional<double>& value) {
    return value ? std::optional<double>(*value * unit) : std::nullopt;
  };
  return {scaled(good.number("mean")), scaled(good.number("median")), scaled(percentiles.number("p99"))};
}

std::optional<double> mean_of(const ResultFields& metrics, std::string_view name) {
  return metrics.child(name).child("successful").number("mean");
}

void put_strategy(BenchmarkResult& r, const std::string& type, const ResultFields& strategy) {
  if (type == "synchronous") {
    r.concurrency = 1;
  } else if (type == "concurrent") {
    r.concurrency = strategy.number_of({"streams", "max_concurrency"});
  } else if (type == "throughput") {
    r.concurrency = strategy.number("max_concurrency");
    r.notes.push_back("strategy \"throughput\": as many requests at once as the client could");
  } else {
    r.rate = strategy.limit("rate");
    if (r.rate && *r.rate <= 0) r.rate.reset();
  }
}

void note_counts(BenchmarkResult& r, double incomplete) {
  if (incomplete > 0)
    r.notes.push_back(fmt::format("{:g} requests were cut off at the end and are in no mean", incomplete));
}

/// More tokens than streamed pieces: the server thought before the first, or sends several at once.
void check_iterations(BenchmarkResult& r, const std::optional<double>& tokens) {
  if (!tokens || *tokens <= 1.1) return;
  r.faults.push_back(
      fmt::format("{:.2g} output tokens for each streamed piece: reasoning tokens count as output and not as the first "
                  "token, so TTFT may be thinking time and TPOT is too short",
                  *tokens));
}

/// Prompts that share their beginning, as the report's data says.
bool shared_prefix(const ResultFields& config) {
  for (const ResultFields& data : config.child("spec").children("data")) {
    for (const ResultFields& bucket : data.children("prefix_buckets")) {
      if (bucket.number("prefix_tokens").value_or(0) > 0) return true;
    }
  }
  return false;
}

BenchmarkResult read_benchmark(const ResultFields& report, const ResultFields& run) {
  BenchmarkResult r;
  r.tool = "guidellm";
  r.version = report.child("metadata").text("guidellm_version");
  const ResultFields config = run.child("config"), metrics = run.child("metrics");
  const bool old = !run.child_if("config");
  const ResultFields strategy = (old ? run.child("args") : config).child("strategy");
  r.model = old ? run.child("worker").text("backend_model") : config.child("backend").text("model");
  put_strategy(r, strategy.text("type_"), strategy);
  const ResultFields totals = metrics.child_if("request_totals").value_or(run.child("request_totals"));
  r.completed = totals.number("successful");
  r.failed = totals.number("errored");
  note_counts(r, totals.number("incomplete").value_or(0));
  r.duration = run.number("duration");
  r.isl = mean_of(metrics, "prompt_token_count");
  r.osl = mean_of(metrics, "output_token_count");
  r.ttft = time_of(metrics, "time_to_first_token_ms", kMsOfGuide);
  r.tpot = time_of(metrics, "inter_token_latency_ms", kMsOfGuide);
  r.e2e = time_of(metrics, "request_latency", 1);
  r.request_rate = mean_of(metrics, "requests_per_second");
  r.in_flight = mean_of(metrics, "request_concurrency");
  r.output_rate = mean_of(metrics, "output_tokens_per_second");
  r.total_rate = mean_of(metrics, "tokens_per_second");
  r.notes.push_back(kOwnTpot);
  check_iterations(r, mean_of(metrics, "output_tokens_per_iteration"));
  r.shared_prefix = shared_prefix(report.child("config"));
  return r;
}

}  // namespace

std::vector<BenchmarkResult> read_guidellm(const ResultFields& report) {
  std::vector<BenchmarkResult> results;
  for (const ResultFields& run : report.children("benchmarks")) results.push_back(read_benchmark(report, run));
  return results;
}

namespace {

/// "group|name|statistic" -> cell, all in lower case.
using GuideCells = std::map<std::string, std::string>;

class GuideRow {
 public:
  GuideRow(GuideCells cells, std::string place) : cells_(std::move(cells)), place_(std::move(place)) {}

  std::string text(const std::string& key) const {
    const auto found = cells_.find(key);
    return found == cells_.end() ? "" : safe_line(found->second);
  }
  std::optional<double> number(const std::string& key) {
    const std::string cell = text(key);
    if (cell.empty()) return {};
    const auto value = parse_number(cell);
    if (value && *value >= 0 && *value < 1e18) return value;
    errors.push_back({place_, fmt::format("{}: \"{}\" cannot have been measured", key, shortened(cell)),
                      "a number from 0 to 1e18 is expected"});
    return {};
  }
  MeasuredTime time(const std::string& key, double unit) {
    const auto scaled = [&](const std::optional<double>& value) {
      return value ? std::optional<double>(*value * unit) : std::nullopt;
    };
    return {scaled(number(key + "|mean")), scaled(number(key + "|median")), {}};
  }
  /// The value of a key in a cell that is JSON.
  std::string inside(const std::string& key, std::string_view name) const {
    const auto found = cells_.find(key);
    if (found == cells_.end()) return "";
    const auto tree = parse_json(found->second, place_);
    const JsonValue* value = tree ? tree->find(name) : nullptr;
    return value != nullptr && value->text() != nullptr ? safe_line(*value->text()) : "";
  }

  Errors errors;

 private:
  GuideCells cells_;
  std::string place_;
};

BenchmarkResult read_row(GuideRow& row) {
  BenchmarkResult r;
  r.tool = "guidellm";
  r.version = row.inside("runtime info|metadata|", "guidellm_version");
  r.model = row.inside("run info|backend|", "model");
  const std::string strategy = row.text("benchmark|strategy|");
  if (strategy == "synchronous") r.concurrency = 1;
  r.completed = row.number("request counts|successful|");
  r.failed = row.number("request counts|errored|");
  note_counts(r, row.number("request counts|incomplete|").value_or(0));
  r.duration = row.number("timings|duration|sec");
  r.isl = row.number("token metrics|successful input tokens|mean");
  r.osl = row.number("token metrics|successful output tokens|mean");
  r.ttft = row.time("time to first token|successful ms", kMsOfGuide);
  r.tpot = row.time("inter token latency|successful ms", kMsOfGuide);
  r.e2e = row.time("request latency|successful sec", 1);
  r.request_rate = row.number("server throughput|successful requests/sec|mean");
  r.in_flight = row.number("server throughput|successful concurrency|mean");
  r.output_rate = row.number("token throughput|successful output tokens/sec|mean");
  r.total_rate = row.number("token throughput|successful total tokens/sec|mean");
  r.notes.push_back(kOwnTpot);
  check_iterations(r, row.number("token streaming|successful output tokens/iter|mean"));
  return r;
}

}  // namespace

Result<std::vector<BenchmarkResult>> read_guidellm_csv(const std::vector<CsvRow>& rows, std::string_view place) {
  constexpr std::size_t kHeaders = 3;
  std::vector<BenchmarkResult> results;
  const Error nothing{std::string(place), "a GuideLLM report without a benchmark",
                      "three lines of headings and no row"};
  if (rows.size() <= kHeaders) return fail(nothing);
  const std::size_t columns = rows[0].cells.size();
  Errors errors;
  for (std::size_t i = kHeaders; i < rows.size(); ++i) {
    if (rows[i].cells.empty()) continue;
    if (rows[i].cells.size() != columns || rows[1].cells.size() != columns || rows[2].cells.size() != columns) {
      return fail({fmt::format("{}:{}", place, rows[i].line), "has another number of columns than the headings",
                   "is the file whole?"});
    }
    GuideCells cells;
    for (std::size_t c = 0; c < columns; ++c) {
      cells[lower_case(rows[0].cells[c] + "|" + rows[1].cells[c] + "|" + rows[2].cells[c])] = rows[i].cells[c];
    }
    GuideRow row(std::move(cells), fmt::format("{}:{}", place, rows[i].line));
    results.push_back(read_row(row));
    append(errors, row.errors);
  }
  if (results.empty()) return fail(nothing);
  if (!errors.empty()) return fail(std::move(errors));
  return results;
}

}  // namespace ridge::catalog
