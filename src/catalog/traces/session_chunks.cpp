#include "catalog/traces/session_chunks.hpp"

#include <algorithm>

#include "simulate/client/random.hpp"

namespace ridge::catalog {

namespace {

constexpr std::int32_t kSmallestSessionChunk = 16;

/// One conversation: how much of it anybody names, in tokens.
struct SessionText {
  std::int64_t named = 0;
  std::int32_t requests = 0, next_prompt = 0;  // of the request after the one in hand, while going backwards
  std::size_t first_chunk = 0;
};

std::int64_t tokens_of(const simulate::TraceRequest& request) { return std::int64_t{request.prompt} + request.output; }

bool built_on(const simulate::TraceRequest& request, const SessionText& session) {
  return session.next_prompt >= tokens_of(request);
}

}  // namespace

void name_session_chunks(simulate::Trace& trace, std::size_t most) {
  std::int32_t last = -1;
  for (const auto& request : trace.requests) last = std::max(last, request.session);
  std::vector<SessionText> sessions(static_cast<std::size_t>(last) + 1);
  const auto of = [&](const simulate::TraceRequest& request) -> SessionText& {
    return sessions[static_cast<std::size_t>(request.session)];
  };
  trace.chunks.clear();
  trace.chunk_tokens = 0;
  for (auto& request : trace.requests) {
    request.first_chunk = request.prompt_chunks = request.output_chunks = 0;
    if (request.session < 0) continue;
    SessionText& session = of(request);
    ++session.requests;
    session.named = std::max<std::int64_t>(session.named, request.prompt);  // an output counts once a prompt holds it
  }
  const auto chunks_at = [&](std::int64_t size) {
    std::size_t sum = 0;
    for (const SessionText& session : sessions) {
      if (session.requests > 1) sum += static_cast<std::size_t>(session.named / size);
    }
    return sum;
  };
  std::int32_t size = kSmallestSessionChunk;
  while (size < kLargestSessionChunk && chunks_at(size) > most) size *= 2;
  const std::size_t all = chunks_at(size);
  if (all == 0) return;
  trace.chunk_tokens = size;
  trace.chunks.reserve(all);
  for (std::size_t s = 0; s < sessions.size(); ++s) {
    SessionText& session = sessions[s];
    session.first_chunk = trace.chunks.size();
    if (session.requests < 2) continue;
    const auto count = static_cast<std::uint64_t>(session.named / size);
    for (std::uint64_t i = 0; i < count; ++i) trace.chunks.push_back(simulate::mixed(s, i));
  }
  for (auto request = trace.requests.rbegin(); request != trace.requests.rend(); ++request) {
    if (request->session < 0 || of(*request).requests < 2) continue;
    SessionText& session = of(*request);
    request->first_chunk = static_cast<std::uint32_t>(session.first_chunk);
    request->prompt_chunks = static_cast<std::uint32_t>(request->prompt / size);
    if (built_on(*request, session))
      request->output_chunks = static_cast<std::uint32_t>(tokens_of(*request) / size) - request->prompt_chunks;
    session.next_prompt = request->prompt;
  }
}

}  // namespace ridge::catalog
