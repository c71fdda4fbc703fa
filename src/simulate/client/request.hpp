#pragma once
// A request as a client sends it, and what became of it.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "simulate/clock.hpp"

namespace ridge::simulate {

/// Parts of a prompt that others may share: names of whole chunks from its start, each `tokens` long.
struct SharedChunks {
  std::vector<std::uint64_t>
      names;                // of the prompt, and beyond it of what is generated, where others will build on that
  std::int32_t tokens = 0;  // of a chunk; 0: nothing is shared

  /// Chunks of a prompt that a cache may spare it: its last token is computed in any case.
  std::int32_t before_last(std::int32_t prompt) const { return tokens == 0 ? 0 : (prompt - 1) / tokens; }
  /// Of the chunks with names, those that so many tokens fill.
  std::int32_t filled_by(std::int32_t computed) const {
    return tokens == 0 ? 0 : std::min(static_cast<std::int32_t>(names.size()), computed / tokens);
  }
};

struct Request {
  std::uint64_t number = 0;  // in the order in which they were sent
  Nanoseconds sent = 0;
  std::int32_t prompt = 1, output = 1;  // tokens
  std::int32_t priority = 0;            // lower is served first, where the engine heeds it
  std::int32_t user = 0;                // of a closed loop or a session
  bool warms_up = false;                // sent before what is measured
  SharedChunks shared;
};

/// What became of one, as its client saw it.
struct RequestOutcome {
  std::uint64_t number = 0;
  Nanoseconds sent = 0, admitted = 0, first_token = 0, last_token = 0;
  std::int32_t prompt = 0, output = 0;
  std::int32_t cached = 0;  // of the prompt, found in the prefix cache when it was first admitted
  std::int32_t preemptions = 0;
  std::int32_t replica = 0;
  std::int32_t retries = 0;  // sent again, since its replica failed: its times run from its first sending
  bool refused = false;      // longer than the KV cache holds: nothing of it was computed
  bool lost = false;         // given up after too many retries

  Nanoseconds ttft() const { return first_token - sent; }
  Nanoseconds queued() const { return admitted - sent; }
  Nanoseconds e2e() const { return last_token - sent; }
  /// (E2E - TTFT) / (OSL - 1); 0 where there is one token.
  double tpot() const {
    return output < 2 ? 0.0 : static_cast<double>(last_token - first_token) / static_cast<double>(output - 1);
  }
};

}  // namespace ridge::simulate
