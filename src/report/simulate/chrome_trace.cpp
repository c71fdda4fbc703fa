#include "report/simulate/chrome_trace.hpp"

#include <fmt/format.h>

#include "report/base/trace_events.hpp"

namespace ridge::report {

namespace {

constexpr int kRequests = 1'000'000;  // the process of requests and counters, beyond all replicas

}  // namespace

std::string trace_beginning(const simulate::SimulationSetup& setup) {
  std::string out(kTraceBeginning);
  for (std::int32_t i = 0; i < setup.replicas; ++i) out += trace_process_name(i, fmt::format("replica {}: steps", i));
  for (std::int32_t i = 0; setup.prefill && i < setup.prefill->replicas; ++i)
    out += trace_process_name(setup.replicas + i, fmt::format("prefill replica {}: steps", i));
  return out + trace_process_name(kRequests, "requests");
}

std::string trace_step(std::int32_t replica, std::int32_t batch, simulate::Nanoseconds from, simulate::Nanoseconds to,
                       std::span<const simulate::StepWork> ranks) {
  simulate::StepWork all;
  for (const simulate::StepWork& rank : ranks) {
    all.decodes += rank.decodes;
    all.decode_context += rank.decode_context;
    all.prompts += rank.prompts;
    all.prompt_tokens += rank.prompt_tokens;
  }
  const char* name = all.prompts == 0 ? "decode" : all.decodes == 0 ? "prefill" : "mixed";
  return trace_span(
      {.name = name,
       .category = "step",
       .process = replica,
       .thread = batch,
       .from = from,
       .to = to,
       .arguments = fmt::format("\"decodes\":{},\"decode_context\":{},\"prompts\":{},\"prompt_tokens\":{}", all.decodes,
                                all.decode_context, all.prompts, all.prompt_tokens)});
}

std::string trace_request(const simulate::RequestOutcome& one) {
  std::string out;
  const auto event = [&](const char* name, char phase, simulate::Nanoseconds at, const std::string& arguments = "") {
    out += fmt::format(
        "{{\"name\":\"{}\",\"cat\":\"request\",\"ph\":\"{}\",\"id\":{},\"pid\":{},\"tid\":0,\"ts\":{}{}}},\n", name,
        phase, one.number, kRequests, trace_microseconds(at), arguments.empty() ? "" : ",\"args\":{" + arguments + "}");
  };
  const auto phase = [&](const char* name, simulate::Nanoseconds from, simulate::Nanoseconds to) {
    event(name, 'b', from);
    event(name, 'e', to);
  };
  event("request", 'b', one.sent,
        fmt::format("\"prompt_tokens\":{},\"output_tokens\":{},\"cached_tokens\":{},\"preemptions\":{},\"replica\":{},"
                    "\"refused\":{}",
                    one.prompt, one.output, one.cached, one.preemptions, one.replica, one.refused));
  if (!one.refused) {
    phase("queue", one.sent, one.admitted);
    phase("prefill", one.admitted, one.first_token);
    phase("decode", one.first_token, one.last_token);
  }
  event("request", 'e', one.last_token);
  return out;
}

std::string trace_ending(const simulate::SimulationResult& result) {
  std::string out;
  for (const simulate::Moment& one : result.timeline) {
    const simulate::Nanoseconds at = simulate::nanoseconds(one.at);
    out += trace_counter("requests", kRequests, at,
                         fmt::format("\"running\":{:.0f},\"waiting\":{:.0f}", one.running, one.waiting));
    out += trace_counter("KV cache", kRequests, at, fmt::format("\"share\":{:.6f}", one.cache_used));
  }
  return out + trace_file_end(kRequests, simulate::nanoseconds(result.duration));
}

}  // namespace ridge::report
