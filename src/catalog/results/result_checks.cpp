#include "catalog/results/result_checks.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/text.hpp"

namespace ridge::catalog {

namespace {

constexpr double kBundled = 1.1;     // mean ITL over mean TPOT from which on a chunk holds several tokens
constexpr double kAnotherUnit = 3;   // times that should agree and do not within this factor
constexpr double kReached = 0.9;     // of the rate asked for
constexpr double kLongQueue = 0.05;  // of the run, from which on the mean TTFT of an open loop is its queue
constexpr double kFewRequests = 8;   // fewer have no median to speak of

/// Mean seconds of a request, stated or from its parts.
std::optional<double> mean_request_time(const BenchmarkResult& r) {
  if (r.e2e.mean) return r.e2e.mean;
  if (r.ttft.mean && r.tpot.mean && r.osl) return *r.ttft.mean + *r.tpot.mean * std::max(0.0, *r.osl - 1);
  return {};
}

void check_requests(BenchmarkResult& r) {
  if (r.duration && *r.duration <= 0) {
    r.faults.push_back("the run lasted 0 s: no rate means anything");
    r.output_rate = r.input_rate = r.total_rate = r.request_rate = {};
  }
  if (r.completed && *r.completed <= 0) r.faults.push_back("no request was completed");
  if (r.failed && *r.failed > 0) {
    const std::string all = r.completed ? fmt::format(" of {:g}", *r.completed + *r.failed) : "";
    r.faults.push_back(
        fmt::format("{:g}{} requests failed: they are in no mean, and the duration contains them", *r.failed, all));
  }
  const bool requests = r.kind == ResultKind::serving && r.completed && *r.completed > 0;
  if (requests && *r.completed < kFewRequests) r.notes.push_back(fmt::format("only {:g} requests", *r.completed));
  if (requests && r.concurrency && *r.concurrency > 1 && *r.completed < 2 * *r.concurrency)
    r.notes.push_back(fmt::format("{:g} requests at concurrency {:g}: start and end are most of the run", *r.completed,
                                  *r.concurrency));
}

/// An open loop that fell behind has no steady state.
void check_rate(BenchmarkResult& r) {
  if (!r.rate || !r.request_rate || r.concurrency || r.kind != ResultKind::serving) return;
  double expected = *r.rate;
  const auto request = mean_request_time(r);
  if (request && r.completed && *r.completed > 0) expected = *r.completed / (*r.completed / *r.rate + *request);
  if (r.ttft.mean && r.duration && *r.ttft.mean > kLongQueue * *r.duration && *r.duration > 0) {
    r.faults.push_back(fmt::format("the mean TTFT is {:.0f} % of the whole run: the queue grew all along",
                                   100 * *r.ttft.mean / *r.duration));
    return;
  }
  if (*r.request_rate >= kReached * expected) return;
  r.faults.push_back(fmt::format("reached {:.3g} of the {:.3g} requests/s asked for: the queue grew all along",
                                 *r.request_rate, *r.rate));
}

void check_times(BenchmarkResult& r) {
  const auto ordered = [&](const MeasuredTime& time, const char* name) {
    if (time.median && time.p99 && *time.p99 < *time.median * 0.999)
      r.faults.push_back(fmt::format("the p99 of {} is below its median", name));
  };
  ordered(r.ttft, "TTFT");
  ordered(r.tpot, "TPOT");
  ordered(r.e2e, "E2E");
  if (r.itl.mean && r.tpot.mean && *r.tpot.mean > 0 && *r.itl.mean > kBundled * *r.tpot.mean) {
    r.notes.push_back(
        fmt::format("tokens arrive in bundles: the mean ITL is {:.1f} times the mean TPOT, and is no "
                    "token's time",
                    *r.itl.mean / *r.tpot.mean));
  }
  if (r.kind != ResultKind::serving) return;
  if (r.e2e.mean && r.ttft.mean && r.tpot.mean && r.osl && *r.osl > 1) {
    const double parts = *r.ttft.mean + *r.tpot.mean * (*r.osl - 1);
    if (parts > 0 && *r.e2e.mean > 0 && (parts > kAnotherUnit * *r.e2e.mean || *r.e2e.mean > kAnotherUnit * parts))
      r.faults.push_back(
          fmt::format("TTFT + TPOT x (OSL - 1) = {:.3g} s, but E2E is {:.3g} s: another unit?", parts, *r.e2e.mean));
  }
  if (const auto request = mean_request_time(r); request && r.request_rate && !r.in_flight)
    r.in_flight = *r.request_rate * *request;
  if (r.in_flight && r.concurrency && *r.in_flight > *r.concurrency * 1.2)
    r.faults.push_back(fmt::format("{:.3g} requests in flight by Little's law, with {:g} asked for: another unit?",
                                   *r.in_flight, *r.concurrency));
}

void check_tokens(BenchmarkResult& r) {
  if (!r.completed || !r.osl || !r.duration || !r.output_rate || *r.duration <= 0) return;
  const double counted = *r.completed * *r.osl / *r.duration;
  if (!(counted > 0) || adds_up(*r.output_rate, counted)) return;
  const double with_input = *r.completed * (*r.osl + r.isl.value_or(0)) / *r.duration;
  r.faults.push_back(
      r.isl && adds_up(*r.output_rate, with_input)
          ? fmt::format("{:.4g} output tok/s count input tokens, too: output alone is {:.4g}", *r.output_rate, counted)
          : fmt::format("{:.4g} output tok/s do not follow from its tokens and duration ({:.4g})", *r.output_rate,
                        counted));
}

void list_missing(BenchmarkResult& r) {
  const auto need = [&](bool there, const char* what) {
    if (!there) add_once(r.missing, what);
  };
  need(!r.model.empty(), "model");
  need(!r.hardware.empty(), "hardware");
  if (r.kind == ResultKind::start_up) return;
  need(!r.engine.empty(), "engine");
  need(r.isl || r.depth || r.kind == ResultKind::batch, "ISL");
  if (r.kind == ResultKind::prefill) return;
  need(r.osl.has_value(), "OSL");
  if (r.kind == ResultKind::serving) need(r.concurrency || r.rate || r.in_flight, "concurrency or rate");
  if (r.kind == ResultKind::serving || r.kind == ResultKind::batch) need(r.tpot.any(), "TPOT");
}

}  // namespace

bool adds_up(double stated, double counted) {
  constexpr double kMostOff = 0.05;  // rounding, and means over different requests
  return !(std::abs(stated / counted - 1) > kMostOff);
}

void check_result(BenchmarkResult& r) {
  check_requests(r);
  check_rate(r);
  check_times(r);
  check_tokens(r);
  if (r.kind == ResultKind::summary) r.faults.push_back("a summary over several loads: no load point");
  if (r.speculative) r.faults.push_back("speculative decoding: a token's time is no step's time");
  if (r.disaggregated) r.faults.push_back("disaggregated prefill: two pools, and no one layout");
  list_missing(r);
}

void check_together(std::vector<BenchmarkResult>& results) {
  std::set<std::string> versions, models;
  for (const BenchmarkResult& r : results) {
    if (!r.engine.empty()) versions.insert(r.engine + (r.engine_version.empty() ? "" : " " + r.engine_version));
    if (!r.model.empty()) models.insert(r.model);
  }
  for (BenchmarkResult& r : results) {
    if (versions.size() > 1) r.notes.push_back(fmt::format("the file mixes {}", fmt::join(versions, ", ")));
    if (models.size() > 1) r.notes.push_back(fmt::format("the file mixes {} models", models.size()));
  }
}

}  // namespace ridge::catalog
