#pragma once
// Requests of several kinds at once: short chats, long documents, agents whose prompts begin alike.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "simulate/client/trace.hpp"

namespace ridge::simulate {

struct RequestClass {
  std::string name;         // for people
  double share = 1;         // of the requests
  double isl = 1, osl = 1;  // tokens
  double cached = 0;        // of its prompts, what all requests of the class begin with
};

struct RequestMix {
  std::vector<RequestClass> classes;

  double isl() const;     // mean tokens of a prompt
  double osl() const;     // and of what is generated
  double cached() const;  // share of all prompt tokens that others begin with as well
};

/// "chat: 70% 1k/200, documents: 25% 30k/500, agents: 5% 8k/1k@90%": a share, tokens in and out, and what of the prompt all
/// requests of the class share. Names may be left out.
Result<RequestMix> parse_mix(std::string_view text);

/// Requests at random times (Poisson), each of a class at random.
struct MixedRequests {
  Trace trace;
  std::vector<std::uint32_t> class_of;  // of each request
};
MixedRequests mixed_requests(const RequestMix& mix, double rate, std::int64_t requests, std::uint64_t seed);

}  // namespace ridge::simulate
