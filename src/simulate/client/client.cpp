#include "simulate/client/client.hpp"

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

std::int64_t ClientRules::warmup_users() const {
  if (const auto* loop = std::get_if<ClosedLoop>(&arrivals)) return loop->users;
  const auto* loop = std::get_if<OpenLoop>(&arrivals);
  return loop != nullptr && loop->most_in_flight > 0 ? loop->most_in_flight : warmups;
}

Client::Client(const ClientRules& rules, std::uint64_t seed) : rules_(rules), seed_(mixed(seed)), gaps_(mixed(seed_)) {
  if (const auto* replay = std::get_if<Replay>(&rules_.arrivals)) {
    rules_.requests = std::min(rules_.requests, static_cast<std::int64_t>(replay->trace->requests.size()));
  }
  if (const auto* loop = std::get_if<OpenLoop>(&rules_.arrivals);
      loop != nullptr && loop->stretched && loop->ramp_from == 0 && loop->burstiness != 0) {
    Random ahead = gaps_;  // the gaps that will be drawn
    double sum = 0;
    for (std::int64_t i = 0; i < rules_.requests; ++i) sum += gap(*loop, ahead);
    stretch_ = static_cast<double>(rules_.requests) / sum;
  }
}

/// `turn`: of the request, where prompts come in turn.
void Client::share_system_prompt(Request& request, Random& random, std::int64_t turn) const {
  if (rules_.system_prompts == 0) return;
  const auto which = static_cast<std::uint64_t>(rules_.prompts_in_turn ? turn % rules_.system_prompts
                                                                       : random.whole(0, rules_.system_prompts - 1));
  request.shared.tokens = rules_.chunk_tokens;
  const std::int32_t chunks = std::min(rules_.system_tokens, request.prompt) / rules_.chunk_tokens;
  for (std::int32_t i = 0; i < chunks; ++i) {
    request.shared.names.push_back(mixed(mixed(seed_, which), static_cast<std::uint64_t>(i)));
  }
}

Request Client::made(std::int64_t number) const {
  Random random(mixed(seed_, static_cast<std::uint64_t>(number)));
  Request request;
  request.number = static_cast<std::uint64_t>(number);
  request.prompt = drawn(random, rules_.prompt);
  request.output = drawn(random, rules_.output);
  share_system_prompt(request, random, number);
  if (number == 0 && rules_.warmups > 0 && !rules_.prompts_in_turn) {  // its prompt is known already
    request.shared.tokens = rules_.chunk_tokens;
    for (auto i = static_cast<std::int32_t>(request.shared.names.size()); i < request.prompt / rules_.chunk_tokens; ++i)
      request.shared.names.push_back(mixed(mixed(~seed_), static_cast<std::uint64_t>(i)));
  }
  return request;
}

Request Client::make() { return made(sent_++); }

Request Client::warmup() {
  Request request = made(rules_.prompts_in_turn ? warmed_++ : 0);
  request.warms_up = true;
  return request;
}

/// With mean 1.
double Client::gap(const OpenLoop& loop, Random& random) const {
  if (loop.burstiness == 0) return 1;
  return loop.burstiness == 1 ? random.exponential() : random.gamma(loop.burstiness);
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
  share_system_prompt(request, system, user);
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
    const double next_gap = gap(*loop, gaps_) * stretch_;
    if (sent_ > 0 || loop->burstiness != 0) last_ += nanoseconds(next_gap / rate);
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
