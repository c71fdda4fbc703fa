#include "simulate/question_check.hpp"

#include <cmath>

#include <fmt/format.h>

#include "base/text/field_text.hpp"
#include "base/text/text.hpp"

namespace ridge::simulate {

namespace {

class QuestionCheck {
 public:
  explicit QuestionCheck(const SimulationQuestion& question) : question_(question), client_(question.client) {}

  Errors errors() {
    check_lengths();
    std::visit([this](const auto& arrivals) { check(arrivals); }, client_.arrivals);
    const auto requests = static_cast<double>(client_.requests);
    if (!(requests >= 1 && requests <= kMostRequests)) {
      refuse("requests", with_commas(requests) + " requests", "from 1 to 20 million");
    }
    if (const auto pool = question_.prefill_replicas) {
      if (!question_.serving.disaggregated)
        refuse("prefill_replicas", "prefill is not disaggregated", fmt::format("add {}", field("disaggregated")));
      if (!(*pool >= 1 && *pool <= kMostReplicas && *pool == std::floor(*pool)))
        refuse("prefill_replicas", fmt::format("{:g} replicas", *pool), "a whole number from 1 to 4,096");
    }
    const double replicas = question_.serving.replicas.value_or(1);
    check_failures(replicas);
    if (client_.warmups < 0 || static_cast<double>(client_.warmups) > kMostUsers)
      refuse("warmups", fmt::format("{} requests", client_.warmups), "from 0 to a million");
    if (!(replicas <= kMostReplicas)) refuse("replicas", fmt::format("{:g} copies", replicas), "at most 4,096");
    return std::move(errors_);
  }

 private:
  void refuse(const char* where, std::string what, std::string hint) {
    errors_.push_back({where, std::move(what), std::move(hint)});
  }

  void check_failures(double replicas) {
    const FailureRules& failures = question_.failures;
    double gone = 0;
    for (const Outage& outage : failures.outages) gone += outage.length == 0 ? 1 : 0;
    const auto outages = static_cast<double>(failures.outages.size());
    const bool in_vain = outages > 0 && gone >= replicas;
    if (in_vain)
      refuse("fail", fmt::format("no replica of {:g} would be left", replicas),
             "say for how long, e.g. 60s:30s, or have more replicas");
    if (outages > replicas && !in_vain)
      refuse("fail", fmt::format("{:g} outages of {:g} replicas", outages, replicas),
             fmt::format("one for each replica in turn; {} for more", field("mtbf")));
    if (failures.mean_time < 0 || failures.repair < 0) refuse("mtbf", "a negative time", "above zero");
  }

  void check_lengths() {
    if (std::holds_alternative<Replay>(client_.arrivals)) return;
    const auto one = [&](const char* where, const LengthRange& range) {
      if (range.least < 1 || range.least > range.most || range.most > kMostTokens)
        refuse(where, fmt::format("{} to {} tokens", range.least, range.most), "from 1 to 10 million");
    };
    one("isl", client_.prompt);
    one("osl", client_.output);
    if (client_.system_prompts < 0 || client_.system_prompts > kMostUsers)
      refuse("system_prompts", fmt::format("{} prompts", client_.system_prompts), "from 0 to a million");
    if (client_.system_tokens < 0 || client_.system_tokens > kMostTokens)
      refuse("system_tokens", fmt::format("{} tokens", client_.system_tokens), "from 0 to 10 million");
    if (!std::holds_alternative<Sessions>(client_.arrivals) && client_.system_tokens > client_.prompt.least) {
      refuse("system_tokens", fmt::format("{} tokens in prompts of {}", client_.system_tokens, client_.prompt.least),
             fmt::format("a part of the prompt: at most the shortest ({})", field("isl")));
    }
  }

  void check_users(const char* where, std::int64_t users, Nanoseconds think) {
    if (users < 1 || static_cast<double>(users) > kMostUsers)
      refuse(where, with_commas(static_cast<double>(users)) + " at once", "from 1 to a million");
    // as though all waited in turn
    const double span =
        seconds(think) * static_cast<double>(client_.requests) / static_cast<double>(std::max<std::int64_t>(1, users));
    if (span > kLongestRun)
      refuse("think", "the run would last longer than 30 years", "think less, or send fewer requests");
  }

  void check_rate(double rate) {
    if (!(rate > 0 && rate <= 1e9))
      return refuse("rate", fmt::format("{:g} requests a second", rate), "above 0, at most a billion");
    if (static_cast<double>(client_.requests) / rate > kLongestRun)
      refuse("rate", fmt::format("{} requests at {:g} a second take longer than 30 years", client_.requests, rate),
             fmt::format("a higher rate, or fewer requests ({})", field("requests")));
  }

  void check(const ClosedLoop& loop) { check_users("concurrency", loop.users, loop.think); }

  void check(const OpenLoop& loop) {
    check_rate(loop.rate);
    if (loop.most_in_flight < 0 || static_cast<double>(loop.most_in_flight) > kMostUsers)
      refuse("concurrency", fmt::format("{} at once", loop.most_in_flight), "from 1 to a million");
    if (loop.burstiness != 0 && !(loop.burstiness >= 0.01 && loop.burstiness <= 1e6))
      refuse("burstiness", fmt::format("{:g}", loop.burstiness),
             "0 for equal gaps, or 0.01 to a million; 1 is Poisson");
    if (loop.ramp_from != 0 && !(loop.ramp_from >= loop.rate / 1e4 && loop.ramp_from <= loop.rate * 1e4))
      refuse("ramp_from", fmt::format("{:g} requests a second beside {:g}", loop.ramp_from, loop.rate),
             "within a factor of 10,000 of the rate it leads to");
  }

  void check(const Sessions& sessions) {
    if (sessions.rate > 0) {
      check_rate(sessions.rate);
    } else {
      check_users("sessions", sessions.users, sessions.think);
    }
    if (seconds(sessions.think) > kLongestRun / 1e3) refuse("think", "longer than 10 days", "a shorter time");
    if (sessions.turns < 1 || sessions.turns > 10'000)
      return refuse("turns", fmt::format("{} turns", sessions.turns), "from 1 to 10,000");
    const double longest = client_.system_tokens + static_cast<double>(sessions.turns) *
                                                       (static_cast<double>(client_.prompt.most) + client_.output.most);
    if (longest > kMostTokens)
      refuse("turns", fmt::format("the last prompt would have {} tokens", with_commas(longest)), "at most 10 million");
  }

  void check(const Replay& replay) {
    if (!(replay.speed >= 1e-6 && replay.speed <= 1e9))
      refuse("speed", fmt::format("{:g} times as fast", replay.speed), "from a millionth to a billion");
    if (replay.trace == nullptr || replay.trace->requests.empty())
      return refuse("trace", "has no requests", "give another");
    if (seconds(replay.trace->requests.back().sent) / replay.speed > kLongestRun)
      refuse("speed", "the run would last longer than 30 years", "replay it faster");
    for (const TraceRequest& one : replay.trace->requests) {
      if (one.prompt > kMostTokens || one.output > kMostTokens)
        return refuse("trace", fmt::format("a request of {} and {} tokens", one.prompt, one.output),
                      "at most 10 million");
    }
  }

  const SimulationQuestion& question_;
  const ClientRules& client_;
  Errors errors_;
};

}  // namespace

Errors checked_question(const SimulationQuestion& question) { return QuestionCheck(question).errors(); }

}  // namespace ridge::simulate
