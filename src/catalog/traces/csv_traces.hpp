#pragma once
// Traces with one line of cells a request, below a line of headings: Azure's, llama-server's request files, and our own:
//
//   sent_s,prompt_tokens,output_tokens[,session][,ttft_s][,e2e_s][,priority][,chunks_N]
//
// chunks_N holds the names (whole numbers, blanks between them) of the chunks of N tokens with which a prompt begins, and
// beyond it of the output, where a later prompt holds it: the same name, the same tokens and the same before them. Where
// there is no such column, `session` says the same of requests of one conversation (session_chunks.hpp).

#include "base/result.hpp"
#include "catalog/traces/traces.hpp"

namespace ridge::catalog {

/// Nothing of a trace's headings in a line: nothing. Otherwise its requests, or what is wrong.
bool is_csv_trace(std::string_view headings);
Result<simulate::Trace> read_csv_trace(std::string_view text, std::string_view place, const TraceLimits& limits);

}  // namespace ridge::catalog
