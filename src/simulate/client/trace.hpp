#pragma once
// Requests that somebody recorded: when each was sent, how long it was, and which parts of its prompt others share.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "simulate/clock.hpp"

namespace ridge::simulate {

struct TraceRequest {
  Nanoseconds sent = 0;                              // after the first request of the trace
  std::int32_t prompt = 1, output = 1;               // tokens, at least one each
  std::uint32_t first_chunk = 0, prompt_chunks = 0;  // of Trace::chunks: whole chunks of the prompt, from its start
  Nanoseconds ttft = -1, e2e = -1;                   // as measured, where the recording has them; -1: not known
  std::uint32_t output_chunks = 0;  // after those of the prompt: what is generated, where a later prompt contains it
  std::int32_t priority = 0;        // lower is served first
  std::int32_t session = -1;        // a conversation, numbered as they begin; -1: of none
};

struct Trace {
  std::string name;                    // of the file
  std::vector<TraceRequest> requests;  // in the order in which they were sent
  std::vector<std::uint64_t>
      chunks;                      // names of prompts' parts: the same name, the same tokens and the same before them
  std::int32_t chunk_tokens = 0;   // of each; 0: nothing is known of what prompts share
  std::vector<std::string> notes;  // what a reader should know: rows left out, columns ignored
};

/// Requests a second of a recording, at its own speed; 0 where all come at once.
inline double own_rate(const Trace& trace) {
  const double span = trace.requests.empty() ? 0 : seconds(trace.requests.back().sent);
  return span > 0 ? static_cast<double>(trace.requests.size()) / span : 0;
}

/// Mean tokens of a prompt and of what is generated, at least one each.
struct MeanTokens {
  double prompt = 1, output = 1;
};
inline MeanTokens mean_tokens(const Trace& trace) {
  double prompts = 0, outputs = 0;
  for (const TraceRequest& one : trace.requests) {
    prompts += one.prompt;
    outputs += one.output;
  }
  const auto count = static_cast<double>(trace.requests.empty() ? 1 : trace.requests.size());
  return {std::max(1.0, prompts / count), std::max(1.0, outputs / count)};
}

}  // namespace ridge::simulate
