// A libFuzzer target: any bytes as the state of a sweep, as they are and sealed. Built and run by `make fuzz`.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "cli/sweep/sweep_state.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string given(reinterpret_cast<const char*>(data), size);
  for (const std::string& text :
       {given, ridge::cli::sealed(given), ridge::cli::sealed("ridge-sweep-state 2\n" + given + "\n")}) {
    const auto state = ridge::cli::parse_state(text, "rows.csv");
    if (!state) continue;
    // what is accepted says the same when it is written again
    const auto again = ridge::cli::parse_state(ridge::cli::state_text(*state), "rows.csv");
    const bool whole = state->part <= state->parts && state->parts <= 1000000 && state->done <= state->cases;
    const bool old = state->hash.empty();
    if (whole && (old || (again && ridge::cli::state_text(*again) == ridge::cli::state_text(*state)))) continue;
    std::fprintf(stderr, "a state that is not itself\n");
    std::abort();
  }
  return 0;
}
