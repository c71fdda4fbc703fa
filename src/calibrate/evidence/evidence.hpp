#pragma once
// Somebody's clock: measured kernels and measured serving runs, as rows. Facts only; what is predicted for them lives in
// validate.hpp.

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ridge {

/// Which measured thing a kernel row is about.
enum class KernelClass {
  product,            // a matrix product
  decode_attention,   // grouped or multi-head, one new token
  prefill_attention,  // the same over a whole prompt
  latent_decode,      // multi-head latent attention, absorbed
  latent_prefill,     // the same, expanded
  experts,            // a routed expert layer
  all_reduce,
  collective,  // NCCL's other ones
  dispatch,    // tokens to their experts
  combine,     // and back
};

constexpr std::string_view name_of(KernelClass kind) {
  constexpr std::string_view kNames[] = {
      "matrix products", "decode attention", "prefill attention", "latent decode", "latent prefill",
      "expert layers",   "all-reduce",       "other collectives", "dispatch",      "combine"};
  return kNames[static_cast<std::size_t>(kind)];
}

/// Where a set of rows comes from: one for each data set and file.
struct EvidenceSet {
  std::string name, title, source, licence, date, note;
};

/// One timed kernel. Dimensions by name, as its class needs them: see catalog/evidence/README.md.
struct KernelRow {
  KernelClass kind = KernelClass::product;
  std::string set;   // EvidenceSet::name
  std::string chip;  // catalog name
  std::string kernel;
  std::string format, kv_format;
  // product: m, n, k. attention: batch, heads, kv_heads, head_dim, window (0: none), tokens (of context or of prompt).
  // experts: tokens, hidden, size, top, experts, slots, tp, ep. collectives: op, mode, chips, bytes. dispatch and combine:
  // chips, nodes, tokens, hidden, top, experts.
  double m = 0, n = 0, k = 0;
  double batch = 0, heads = 0, kv_heads = 0, head_dim = 0, window = 0, tokens = 0;
  double hidden = 0, size = 0, top = 0, experts = 0, tp = 1, ep = 1;
  double slots = 0;  // experts with their copies
  double chips = 1, nodes = 1, bytes = 0;
  std::string op;            // decode, prefill, all_reduce, all_gather, reduce_scatter, all_to_all, dispatch, combine
  std::string mode;          // of collectives: graph, or eager
  std::string distribution;  // of tokens over experts
  double seconds = 0;
};

/// One measured serving run. What was not said is 0 or empty.
struct ServingRow {
  std::string set, id;         // id: stable, made from the row's content
  std::string model, machine;  // catalog names
  std::string format;          // of weights: fp8, nvfp4, mxfp4, bf16
  std::string engine, version;
  std::string mode;  // aggregated, disaggregated (one decode worker), static, max-load, open-loop, decode, prefill
  double tensor = 1, pipeline = 1, attention_data = 1, moe_tensor = 1, expert = 1, chips = 1;
  double isl = 0, osl = 0;  // nominal tokens
  double length_mean = 1;   // mean length over nominal: 0.9 where lengths are random
  double concurrency = 0;   // requests in flight over all chips, or the static batch
  double cached = 0;        // share of the prompts that a prefix cache had
  bool speculative = false;
  double tpot = 0, ttft = 0;          // s, means
  double output_rate = 0;             // output tokens/s per chip
  double total_rate = 0;              // input and output tokens/s per chip
  double latency = 0;                 // s, end to end
  std::string wrong;                  // the written rule that says this row is wrong; empty: credible
  std::string date;                   // "2026-01": of the run, or of its engine's release
  std::string kv_format;              // of the KV cache, where that is known; empty: the engine's own rule
  double poll_steps = 0;              // decode steps between two looks at what came in; 0: every one
  double itl_p50 = 0, itl_p99 = 0;    // s, between two tokens
  double ttft_p50 = 0, ttft_p99 = 0;  // s
  double tpot_p99 = 0;                // s, over requests
  double e2e_p99 = 0;                 // s; its mean is `latency`
  bool cold = false;                  // it compiled in its first wave: only its medians tell
  // The scheduler's and the client's settings, where they are known: 0 where not.
  double token_budget = 0, max_sequences = 0;
  bool whole_prompts = false;                    // prompts are not cut into chunks
  double requests_per_user = 0;                  // sent in all, over the concurrency
  double balance_wait = 0, balance_timeout = 0;  // steps, of attention DP (docs/theory/simulation.md)
  double captured_tokens = 0;  // of the largest step that a captured graph holds, where the engine was told
  double pools_rate = 0;       // disaggregated: output tokens/s per chip of both pools

  /// Output tokens/s per chip that served, whichever way.
  double rate_of_all() const { return mode == "disaggregated" ? pools_rate : output_rate; }
};

/// A whole step on one chip by a plain program: no engine around it.
struct StepRow {
  std::string set, chip, model;
  double layers = 0;  // of the model that were run
  std::string phase;  // decode or prefill
  double batch = 1, tokens = 0;
  double seconds = 0;
};

/// A step, a prompt or the sampling after a step, by llama.cpp's own benchmarks or inside its server.
struct GgmlRow {
  std::string set, chip, model, format;       // format of the weights; empty: as released
  std::string phase;                          // decode, prefill or sample
  double batch = 1, tokens = 1, context = 0;  // sequences; new tokens of each; those before them
  double ubatch = 512, threads = 0;           // threads of a CPU; 0: none of its work
  std::string half;                           // fit, or judge
  double seconds = 0;
};

/// Why predictions of some rows fail, as far as somebody knows: said where they are said to fail.
struct KnownCause {
  std::string group, name;  // of the line of the validation, or of its worst part
  std::string cause;
};

/// A run of which it is known how each request was sent: simulated again, never fitted. 0 and empty: not stated.
struct SentRow {
  std::string set, id, model, machine, engine, format;
  std::string kv_format;  // of the KV cache, where that is known; empty: the engine's own rule
  double tensor = 1;
  std::string layout, prefill_layout;         // "DEP8"; empty: the tensor degree, and no prefill pool
  double replicas = 1, prefill_replicas = 0;  // workers of each
  double token_budget = 0, max_sequences = 0, memory_utilization = 0;
  double prefill_token_budget = 0, prefill_sequences = 0;  // of a prefill pool's step, each rank; 0: not said
  bool prefix_cache = false;
  std::string arrivals;  // closed, poisson (stretched to its length), replay
  double users = 0, rate = 0, requests = 0;
  double isl = 0, isl_most = 0, osl = 0, osl_most = 0, system_prompts = 0, system_tokens = 0;
  double ttft = 0, ttft_p50 = 0, ttft_p99 = 0, tpot = 0, itl_p50 = 0, itl_p99 = 0, e2e = 0, e2e_p99 = 0;  // s
  double requests_per_s = 0;
  double warmups = 0;  // prompts that were sent before what is measured: those of an earlier stage
  bool fresh = false;  // its server had computed no prompt before
  bool cold = false;   // it compiled while it was measured: only its medians tell
};

/// A request of a run that is replayed.
struct SentRequest {
  std::string id;  // of the run
  double sent = 0, prompt = 1, output = 1;
};

struct Evidence {
  std::map<std::string, EvidenceSet> sets;
  std::vector<KernelRow> kernels;
  std::vector<ServingRow> serving;
  std::vector<StepRow> steps;
  std::vector<GgmlRow> ggml;
  std::vector<KnownCause> causes;
  std::vector<SentRow> sent;
  std::vector<SentRequest> requests;  // of those that are replayed
};

}  // namespace ridge
