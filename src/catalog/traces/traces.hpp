#pragma once
// Recorded requests, as people have them: Mooncake's JSON lines, Azure's CSV, vLLM request logs, llama-server's request
// files and our own CSV. What wrote a file is told from what stands in it, never from its name. docs/traces.md.

#include <cstddef>
#include <string_view>

#include "base/result.hpp"
#include "simulate/client/trace.hpp"

namespace ridge::catalog {

struct TraceLimits {
  std::size_t rows = 20'000'000;
  std::size_t bytes = std::size_t{2} << 30;
  std::size_t line = std::size_t{16} << 20;  // bytes of one
  std::size_t chunks = 50'000'000;           // names of prompts' parts
};

/// A trace, checked line by line: what cannot be is an error that names its line, what is left out is said in the notes.
Result<simulate::Trace> read_trace(std::string_view text, std::string_view place, const TraceLimits& limits = {});

}  // namespace ridge::catalog
