#pragma once
// What a benchmark's file says, whichever tool wrote it: one value for all of them, in seconds, tokens and bytes. What a
// file does not say is not here; what is wrong with it is said in words.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ridge {

/// Over requests, or over gaps between tokens; s.
struct MeasuredTime {
  std::optional<double> mean, median, p99;

  bool any() const { return mean || median || p99; }
  /// The mean, or the median where there is no mean.
  std::optional<double> typical() const { return mean ? mean : median; }
};

/// What was measured.
enum class ResultKind {
  serving,   // requests under a load
  batch,     // a fixed batch, decoded in step: no scheduler, no requests that come and go
  prefill,   // prompts alone
  offline,   // all requests at once: a throughput, and no load
  summary,   // several loads mixed: no load point
  start_up,  // memory of an engine that starts
};

constexpr std::string_view name_of(ResultKind kind) {
  constexpr std::string_view kNames[] = {"serving", "batch", "prefill", "offline", "summary", "start-up"};
  return kNames[static_cast<std::size_t>(kind)];
}

struct BenchmarkResult {
  std::string place;  // "run.json", "sweep.jsonl: line 3"
  ResultKind kind = ResultKind::serving;
  std::string tool, version;  // of the program that measured
  std::string engine, engine_version;
  std::string model, format;  // as stated
  std::string hardware;       // as stated
  // The layout as stated; attention_data: DP attention inside the chips of one replica.
  std::optional<double> chips, tensor, pipeline, attention_data, expert;
  bool disaggregated = false, speculative = false;
  bool shared_prefix = false;  // prompts repeat each other, and nobody says how much the prefix cache had

  std::optional<double> isl, osl;      // mean tokens of a request
  std::optional<double> depth;         // tokens that were in the KV cache before
  std::optional<double> concurrency;   // asked for: requests at once, or the batch
  std::optional<double> rate;          // asked for: requests/s
  std::optional<double> in_flight;     // requests at once on average: measured, or by Little's law
  std::optional<double> request_rate;  // reached: requests/s

  // TTFT; TPOT without the first token, (E2E - TTFT) / (OSL - 1), or a step of a fixed batch; gaps between chunks; E2E.
  // Of prefill alone, `ttft` is the time of all its prompts.
  MeasuredTime ttft, tpot, itl, e2e;
  std::optional<double> output_rate, input_rate, total_rate;  // tok/s over all chips
  std::optional<double> completed, failed, duration;
  std::optional<double> weight_bytes, kv_bytes;  // on one chip
  std::optional<double> kv_tokens;               // of a replica

  std::vector<std::string> missing;  // what the file does not say
  std::vector<std::string> notes;    // what its reader should know
  std::vector<std::string> faults;   // why it is no measurement of one steady load: nothing is fitted to it
};

/// The same faults, and hits in the prefix cache unless their share is given.
std::vector<std::string> faults_of(const BenchmarkResult& result, bool cached_given);

}  // namespace ridge
