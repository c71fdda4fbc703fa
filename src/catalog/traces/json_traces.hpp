#pragma once
// Traces with one JSON object a line: Mooncake's, and request logs of vLLM.

#include "base/result.hpp"
#include "catalog/traces/traces.hpp"

namespace ridge::catalog {

/// {"timestamp": ms, "input_length": , "output_length": , "hash_ids": [a number for each 512 tokens of the prompt]}. A
/// number names its block together with all blocks before it, whether or not the file's own numbers do so already.
Result<simulate::Trace> read_mooncake(std::string_view text, std::string_view place, const TraceLimits& limits);

/// {"request_id": , "input_toks": , "output_toks": , "arrival_time": , "queued_ts": , "first_token_ts": ,
/// "last_token_ts": }, in any order. arrival_time is the wall clock in the front end, the others are the engine's own
/// clock, in another process. Both run on one machine, so their difference is a constant plus the way from the one to the
/// other, which is never negative: the smallest difference queued_ts - arrival_time of all requests is taken for the
/// constant. TTFT and E2E from arrival are thus too short by the shortest such way (a millisecond or so), the same for
/// all.
Result<simulate::Trace> read_vllm_log(std::string_view text, std::string_view place, const TraceLimits& limits);

/// Which of the two a first line is; nothing where it is none.
using JsonTraceReader = Result<simulate::Trace> (*)(std::string_view, std::string_view, const TraceLimits&);
JsonTraceReader json_trace_reader(std::string_view first_line);

}  // namespace ridge::catalog
