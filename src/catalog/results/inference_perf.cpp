#include "catalog/results/inference_perf.hpp"

#include <cmath>

#include <fmt/format.h>

namespace ridge::catalog {

namespace {

MeasuredTime seconds_of(const ResultFields& latency, std::string_view name) {
  const ResultFields block = latency.child(name);
  return {block.number("mean"), block.number("median"), block.number("p99")};
}

}  // namespace

bool is_prometheus_report(const ResultFields& report) {
  return !report.child("successes").child_if("latency") && report.child("successes").has("queue_len");
}

BenchmarkResult read_inference_perf(const ResultFields& report) {
  BenchmarkResult r;
  r.tool = "inference-perf";
  const ResultFields load = report.child("load_summary"), good = report.child("successes");
  const ResultFields latency = good.child("latency"), rates = good.child("throughput");
  r.completed = good.number("count");
  r.failed = report.child("failures").number("count");
  r.isl = good.child("prompt_len").number("mean");
  r.osl = good.child("output_len").number("mean");
  r.ttft = seconds_of(latency, "time_to_first_token");
  r.e2e = seconds_of(latency, "request_latency");
  r.request_rate = rates.number("requests_per_sec");
  r.output_rate = rates.number("output_tokens_per_sec");
  r.input_rate = rates.number("input_tokens_per_sec");
  r.total_rate = rates.number("total_tokens_per_sec");
  r.rate = load.number("requested_rate");
  if (!r.rate) r.kind = ResultKind::summary;
  if (const auto sent = load.number("achieved_rate"); sent && r.rate && *sent < 0.95 * *r.rate)
    r.faults.push_back(
        fmt::format("sent {:.3g} of the {:.3g} requests/s asked for: not the load that was meant", *sent, *r.rate));
  // Before its fix 564 the tool counted a start token for every chunk, which halves its TPOT.
  const MeasuredTime own = seconds_of(latency, "time_per_output_token");
  if (r.e2e.mean && r.ttft.mean && r.osl && *r.osl > 1) {
    const double follows = (*r.e2e.mean - *r.ttft.mean) / (*r.osl - 1);
    if (own.mean && follows > 0 && std::abs(*own.mean / follows - 1) < 0.15) {
      r.tpot = own;
    } else if (follows > 0) {
      r.tpot.mean = follows;
      if (own.mean)
        r.notes.push_back(
            fmt::format("its TPOT of {:.3g} ms does not follow from E2E and TTFT (an error of versions "
                        "before fix 564); {:.3g} ms does, and is taken",
                        *own.mean * 1e3, follows * 1e3));
    }
  }
  r.notes.push_back("output tokens are those of the text, counted again");
  return r;
}

}  // namespace ridge::catalog
