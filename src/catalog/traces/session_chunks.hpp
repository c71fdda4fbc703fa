#pragma once
// What the prompts of one conversation share, where a trace says which requests belong together and no more.

#include <cstddef>

#include "simulate/client/trace.hpp"

namespace ridge::catalog {

/// The largest parts in which a conversation is named; the smallest are a block of vLLM's prefix cache, 16 tokens.
inline constexpr std::int32_t kLargestSessionChunk = 512;

/// Names parts of the prompts of each session that has several requests: a later prompt begins with the earlier one, and
/// with its output where it is long enough to hold both. Parts are as small as `most` names allow; sum of the longest
/// prompt and output of every session over kLargestSessionChunk is at most `most`. Replaces the trace's chunks.
void name_session_chunks(simulate::Trace& trace, std::size_t most);

}  // namespace ridge::catalog
