#include "report/simulate/chrome_trace.hpp"

#include <fmt/format.h>

namespace ridge::report {

namespace {

constexpr int kRequests = 1'000'000;  // the process of requests and counters, beyond all replicas

/// Microseconds to the last nanosecond.
std::string microseconds(simulate::Nanoseconds at) { return fmt::format("{}.{:03}", at / 1000, at % 1000); }

std::string named_process(int process, const std::string& name) {
  return fmt::format("{{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":{},\"tid\":0,\"args\":{{\"name\":\"{}\"}}}},\n",
                     process, name);
}

}  // namespace

std::string trace_beginning(std::int32_t replicas) {
  std::string out = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
  for (std::int32_t i = 0; i < replicas; ++i) out += named_process(i, fmt::format("replica {}: steps", i));
  return out + named_process(kRequests, "requests");
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
  return fmt::format(
      "{{\"name\":\"{}\",\"cat\":\"step\",\"ph\":\"X\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{},\"args\":{{"
      "\"decodes\":"
      "{},\"decode_context\":{},\"prompts\":{},\"prompt_tokens\":{}}}}},\n",
      name, replica, batch, microseconds(from), microseconds(to - from), all.decodes, all.decode_context, all.prompts,
      all.prompt_tokens);
}

std::string trace_request(const simulate::RequestOutcome& one) {
  std::string out;
  const auto event = [&](const char* name, char phase, simulate::Nanoseconds at, const std::string& arguments = "") {
    out += fmt::format(
        "{{\"name\":\"{}\",\"cat\":\"request\",\"ph\":\"{}\",\"id\":{},\"pid\":{},\"tid\":0,\"ts\":{}{}}},\n", name,
        phase, one.number, kRequests, microseconds(at), arguments.empty() ? "" : ",\"args\":{" + arguments + "}");
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
    const std::string at = microseconds(simulate::nanoseconds(one.at));
    out += fmt::format(
        "{{\"name\":\"requests\",\"ph\":\"C\",\"pid\":{},\"tid\":0,\"ts\":{},\"args\":{{\"running\":{:.0f},\"waiting\":"
        "{:.0f}}}}},\n",
        kRequests, at, one.running, one.waiting);
    out += fmt::format(
        "{{\"name\":\"KV cache\",\"ph\":\"C\",\"pid\":{},\"tid\":0,\"ts\":{},\"args\":{{\"share\":{:.6f}}}}},\n",
        kRequests, at, one.cache_used);
  }
  // a last event, since none before it may end without a comma
  return out + fmt::format("{{\"name\":\"end\",\"ph\":\"i\",\"s\":\"g\",\"pid\":{},\"tid\":0,\"ts\":{}}}\n]}}\n",
                           kRequests, microseconds(simulate::nanoseconds(result.duration)));
}

}  // namespace ridge::report
