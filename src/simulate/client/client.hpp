#pragma once
// Who sends requests, when, and how long they are. Rules are values; a Client walks through them.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "simulate/client/random.hpp"
#include "simulate/client/request.hpp"
#include "simulate/client/trace.hpp"

namespace ridge::simulate {

/// Whole numbers of tokens, all alike from `least` to `most`.
struct LengthRange {
  std::int32_t least = 1, most = 1;

  double mean() const { return (static_cast<double>(least) + most) / 2; }
};

/// So many users, each of whom sends the next request when the last is answered and some time has passed. All start at once.
struct ClosedLoop {
  std::int64_t users = 1;
  Nanoseconds think = 0;  // mean of an exponential, or none
};

/// Requests that come whether or not others are answered: gaps are gamma, of shape `burstiness` (1: Poisson; above:
/// steadier; below: bursts; 0: all gaps alike).
struct OpenLoop {
  double rate = 1;  // requests a second
  double burstiness = 1;
  double ramp_from = 0;    // rate at the start, which grows evenly to `rate` over all requests; 0: no ramp
  bool stretched = false;  // gaps are scaled so that the last request is sent at requests / rate (not of a ramp)
  std::int64_t most_in_flight = 0;  // the client holds back what is more, and does not count that wait; 0: no limit
};

/// Conversations: each turn's prompt is all that was said before and something new. They begin as an open loop, or so many
/// go on at once.
struct Sessions {
  double rate = 0;  // that begin a second; 0: `users` at once, each beginning another when one ends
  std::int64_t users = 1;
  std::int32_t turns = 4;
  Nanoseconds think = 0;  // mean of an exponential, between two turns
};

/// What was recorded, again; `speed` 2 is twice as fast.
struct Replay {
  const Trace* trace = nullptr;  // outlives the simulation
  double speed = 1;
};

struct ClientRules {
  std::variant<ClosedLoop, OpenLoop, Sessions, Replay> arrivals;
  LengthRange prompt, output;   // of a turn, for sessions; nothing to a replay
  std::int64_t requests = 100;  // to send in all; a replay sends what it has, at most so many
  // the first tokens of each prompt are one of so many system prompts
  std::int32_t system_prompts = 0, system_tokens = 0;
  bool prompts_in_turn = false;    // one system prompt after the other, not at random; warm-ups begin in the same way
  std::int32_t chunk_tokens = 64;  // in which prompts are compared
  // Copies of the first request (of system prompts in turn: of the first requests) that are sent and answered before
  // the run, and counted nowhere. Not of conversations or a replay.
  std::int64_t warmups = 0;

  /// The longest prompt and the longest output that can come.
  std::int32_t longest_prompt() const;
  std::int32_t longest_output() const;
  /// Requests come whether or not others are answered: a queue may grow without end.
  bool is_open() const;
  /// Requests whose answers are a beginning, after which a run is steady: the first wave of a closed loop.
  std::int64_t first_wave() const;
  /// Requests that may be on their way at once while warming up.
  std::int64_t warmup_users() const;
};

/// Requests in the order in which they are sent. The same seed gives the same requests whatever becomes of them.
class Client {
 public:
  Client(const ClientRules& rules, std::uint64_t seed);

  /// A request and when it is to be sent, at `now` or later.
  struct Sending {
    Nanoseconds at = 0;
    Request request;
  };
  /// Those that are sent whatever becomes of others: the next one; nothing when there are no more of the kind.
  std::optional<Sending> next();
  /// The request that follows one that was answered, where one does.
  std::optional<Sending> after(const Request& answered, Nanoseconds now);
  /// A copy of the first request, or, with system prompts in turn, of the first requests one after the other.
  Request warmup();
  /// All were sent.
  bool done() const { return sent_ >= rules_.requests; }
  /// Requests that there will be, from first to last.
  std::int64_t total() const { return rules_.requests; }

 private:
  Request make();
  Request made(std::int64_t number) const;
  double gap(const OpenLoop& loop, Random& random) const;
  Request turn(std::int32_t user);
  void share_system_prompt(Request& request, Random& random, std::int64_t turn) const;
  Nanoseconds thought(Nanoseconds mean);

  ClientRules rules_;
  std::uint64_t seed_;
  Random gaps_;
  std::int64_t sent_ = 0, warmed_ = 0;
  std::int64_t started_ = 0;  // users or sessions
  Nanoseconds last_ = 0;
  double stretch_ = 1;  // of the gaps
  struct Session {
    std::uint64_t name = 0;
    std::int32_t turns = 0, tokens = 0;  // so far
  };
  std::vector<Session> sessions_;
};

}  // namespace ridge::simulate
