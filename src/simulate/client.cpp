#include "simulate/client.hpp"

#include <algorithm>
#include <limits>

namespace ridge::simulate {

namespace {

std::int32_t drawn(Random& random, const LengthRange& range) {
  return static_cast<std::int32_t>(random.whole(range.least, range.most));
}

}  // namespace

std::int32_t ClientRules::longest_prompt() const {
  if (const auto* replay = std::get_if<Replay>(&arrivals)) {
    std::int32_t longest = 1;
    for (const TraceRequest& one : replay->trace->requests) longest = std::max(longest, one.prompt);
    return longest;
  }
  if (const auto* sessions = std::get_if<Sessions>(&arrivals)) {
    return system_tokens + sessions->turns * prompt.most + (sessions->turns - 1) * output.most;
  }
  return std::max(prompt.most, system_tokens + 1);
}

std::int32_t ClientRules::longest_output() const {
  const auto* replay = std::get_if<Replay>(&arrivals);
  if (replay == nullptr) return output.most;
  std::int32_t longest = 1;
  for (const TraceRequest& one : replay->trace->requests) longest = std::max(longest, one.output);
  return longest;
}

bool ClientRules::is_open() const {
  if (const auto* sessions = std::get_if<Sessions>(&arrivals)) return sessions->rate > 0;
  return !std::holds_alternative<ClosedLoop>(arrivals);
}

std::int64_t ClientRules::first_wave() const {
  if (const auto* loop = std::get_if<ClosedLoop>(&arrivals)) return std::min(loop->users, requests / 2);
  if (const auto* sessions = std::get_if<Sessions>(&arrivals); sessions != nullptr && sessions->rate == 0) {
    return std::min(sessions->users, requests / 2);
  }
  return requests / 10;
}

Client::Client(const ClientRules& rules, std::uint64_t seed) : rules_(rules), seed_(mixed(seed)), gaps_(mixed(seed_)) {
  if (const auto* replay = std::get_if<Replay>(&rules_.arrivals)) {
    rules_.requests = std::min(rules_.requests, static_cast<std::int64_t>(replay->trace->requests.size()));
  }
}

void Client::share_system_prompt(Request& request, Random& random) const {
  if (rules_.system_prompts == 0) return;
  const auto which = static_cast<std::uint64_t>(random.whole(0, rules_.system_prompts - 1));
  request.shared.tokens = rules_.chunk_tokens;
  const std::int32_t chunks = std::min(rules_.system_tokens, request.prompt) / rules_.chunk_tokens;
  for (std::int32_t i = 0; i < chunks; ++i) {
    request.shared.names.push_back(mixed(mixed(seed_, which), static_cast<std::uint64_t>(i)));
  }
}

Request Client::make() {
  Random random(mixed(seed_, static_cast<std::uint64_t>(sent_)));
  Request request;
  request.number = static_cast<std::uint64_t>(sent_++);
  request.prompt = drawn(random, rules_.prompt);
  request.output = drawn(random, rules_.output);
  share_system_prompt(request, random);
  return request;
}

/// The next turn of a user's conversation.
Request Client::turn(std::int32_t user) {
  Session& session = sessions_[static_cast<std::size_t>(user)];
  Random random(mixed(seed_, static_cast<std::uint64_t>(sent_)));
  if (session.turns == 0) {
    session.name = mixed(~seed_, static_cast<std::uint64_t>(sent_));
    session.tokens = rules_.system_tokens;
  }
  Request request;
  request.number = static_cast<std::uint64_t>(sent_++);
  request.user = user;
  request.prompt = session.tokens + drawn(random, rules_.prompt);
  request.output = drawn(random, rules_.output);
  Random system(session.name);  // one system prompt for all of its turns
  share_system_prompt(request, system);
  request.shared.tokens = rules_.chunk_tokens;
  session.tokens = request.prompt + request.output;
  ++session.turns;
  for (auto i = static_cast<std::int32_t>(request.shared.names.size()); i < session.tokens / rules_.chunk_tokens; ++i) {
    request.shared.names.push_back(mixed(session.name, static_cast<std::uint64_t>(i)));
  }
  return request;
}

Nanoseconds Client::thought(Nanoseconds mean) {
  return mean == 0 ? 0 : static_cast<Nanoseconds>(static_cast<double>(mean) * gaps_.exponential());
}

std::optional<Client::Sending> Client::next() {
  if (done()) return {};
  if (const auto* loop = std::get_if<ClosedLoop>(&rules_.arrivals)) {
    if (started_ >= loop->users) return {};
    ++started_;
    return Sending{0, make()};
  }
  if (const auto* loop = std::get_if<OpenLoop>(&rules_.arrivals)) {
    double rate = loop->rate;
    if (loop->ramp_from > 0) {
      const double way =
          static_cast<double>(sent_) / static_cast<double>(std::max<std::int64_t>(1, rules_.requests - 1));
      rate = loop->ramp_from + (loop->rate - loop->ramp_from) * way;
    }
    const double gap = loop->burstiness == 0   ? 1
                       : loop->burstiness == 1 ? gaps_.exponential()
                                               : gaps_.gamma(loop->burstiness);
    if (sent_ > 0 || loop->burstiness != 0) last_ += nanoseconds(gap / rate);
    return Sending{last_, make()};
  }
  if (const auto* sessions = std::get_if<Sessions>(&rules_.arrivals)) {
    if (sessions->rate == 0 && started_ >= sessions->users) return {};
    if (sessions->rate > 0) last_ += nanoseconds(gaps_.exponential() / sessions->rate);
    const auto user = static_cast<std::int32_t>(sessions_.size());
    sessions_.emplace_back();
    ++started_;
    return Sending{last_, turn(user)};
  }
  const auto& replay = std::get<Replay>(rules_.arrivals);
  const TraceRequest& recorded = replay.trace->requests[static_cast<std::size_t>(sent_)];
  Request request;
  request.number = static_cast<std::uint64_t>(sent_++);
  request.prompt = recorded.prompt;
  request.output = recorded.output;
  request.priority = recorded.priority;
  if (replay.trace->chunk_tokens > 0) {
    const auto first = replay.trace->chunks.begin() + recorded.first_chunk;
    request.shared.names.assign(first, first + recorded.prompt_chunks + recorded.output_chunks);
    request.shared.tokens = replay.trace->chunk_tokens;
  }
  return Sending{static_cast<Nanoseconds>(static_cast<double>(recorded.sent) / replay.speed), std::move(request)};
}

std::optional<Client::Sending> Client::after(const Request& answered, Nanoseconds now) {
  if (done()) return {};
  if (const auto* loop = std::get_if<ClosedLoop>(&rules_.arrivals)) return Sending{now + thought(loop->think), make()};
  const auto* sessions = std::get_if<Sessions>(&rules_.arrivals);
  if (sessions == nullptr) return {};
  Session& session = sessions_[static_cast<std::size_t>(answered.user)];
  if (session.turns == sessions->turns) {
    if (sessions->rate > 0) return {};  // another one begins when its time comes
    session = {};
  }
  return Sending{now + thought(sessions->think), turn(answered.user)};
}

}  // namespace ridge::simulate
