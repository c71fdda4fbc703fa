#include "simulate/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <queue>

namespace ridge::simulate {

namespace {

enum class What : std::uint8_t { sends, arrives, moved, starts, step_ends };

struct Event {
  Nanoseconds at;
  std::uint64_t order;  // of its making: ties go to the older
  What what;
  std::int32_t replica;  // or -1: not yet chosen
  std::int32_t which;    // a slot, or a micro-batch

  /// At one moment all that arrives is there before an idle engine starts.
  bool operator>(const Event& other) const {
    if (at != other.at) return at > other.at;
    const bool starts = what == What::starts, other_starts = other.what == What::starts;
    return starts != other_starts ? starts : order > other.order;
  }
};

constexpr std::size_t kMoments = 512;      // of a timeline, at most: then every second one goes
constexpr std::int64_t kLookEvery = 4096;  // events between two looks at whether to go on

/// State of the system over time, and its integral.
class Watch {
 public:
  void pass(Nanoseconds now, double in_flight, double running, double waiting, double cache) {
    const auto span = static_cast<double>(now - last_);
    in_flight_ += in_flight_now_ * span;
    running_ += running_now_ * span;
    cache_ += cache_now_ * span;
    last_ = now;
    in_flight_now_ = in_flight;
    running_now_ = running;
    cache_now_ = cache;
    most_cache_ = std::max(most_cache_, cache);
    last_moment_ = {seconds(now), running, waiting, cache};
    if (now < next_) return;
    timeline_.push_back(last_moment_);
    next_ = now + every_;
    if (timeline_.size() < kMoments) return;
    for (std::size_t i = 0; i < kMoments / 2; ++i) timeline_[i] = timeline_[2 * i];
    timeline_.resize(kMoments / 2);
    every_ *= 2;
  }

  void tell(SimulationResult& result) const {
    const auto span = static_cast<double>(std::max<Nanoseconds>(1, last_));
    result.in_flight = in_flight_ / span;
    result.mean_running = running_ / span;
    result.mean_cache = cache_ / span;
    result.most_cache = most_cache_;
    result.timeline = timeline_;
    result.timeline.push_back(last_moment_);
  }

 private:
  Nanoseconds last_ = 0, next_ = 0, every_ = 1'000'000;
  double in_flight_ = 0, running_ = 0, cache_ = 0, most_cache_ = 0;
  double in_flight_now_ = 0, running_now_ = 0, cache_now_ = 0;
  std::vector<Moment> timeline_;
  Moment last_moment_;
};

bool within(const RequestOutcome& outcome, const LatencyTargets& targets) {
  return (targets.ttft == 0 || seconds(outcome.ttft()) <= targets.ttft) &&
         (targets.tpot == 0 || seconds(outcome.tpot()) <= targets.tpot) &&
         (targets.e2e == 0 || seconds(outcome.e2e()) <= targets.e2e);
}

void count(Latencies& latencies, const RequestOutcome& outcome, const LatencyTargets& targets) {
  latencies.ttft.add(outcome.ttft());
  latencies.queue.add(outcome.queued());
  latencies.e2e.add(outcome.e2e());
  if (outcome.output > 1) latencies.tpot.add(static_cast<Nanoseconds>(outcome.tpot() + 0.5));
  if (within(outcome, targets)) ++latencies.within_targets;
}

/// Whether the queue of an open loop grows without end: looked at between the middle request and the last.
class QueueGrowth {
 public:
  void sent(std::int64_t count, std::int64_t total, Nanoseconds now) {
    if (count == (total + 1) / 2) {
      from_ = {now, waiting_};
      least_ = waiting_;
      requests_ = total - count;
    }
    if (count == total) {
      to_ = {now, waiting_};
      is_over_ = true;
    }
  }
  void waits(double waiting) {
    waiting_ = waiting;
    if (!is_over_) least_ = std::min(least_, waiting);
  }
  void tell(SimulationResult& result) const {
    const double span = seconds(to_.at - from_.at), growth = to_.waiting - from_.waiting;
    if (!is_over_ || span <= 0) return;
    result.queue_growth = growth / span;
    // A queue below saturation is empty now and then; and the count of n arrivals strays by its root.
    constexpr double kNotable = 0.03;
    const auto n = static_cast<double>(requests_);
    result.saturated = least_ > 0 && growth > std::max(kNotable * n, std::sqrt(n));
  }

 private:
  struct At {
    Nanoseconds at = 0;
    double waiting = 0;
  };
  At from_, to_;
  double waiting_ = 0, least_ = 0;
  std::int64_t requests_ = 0;
  bool is_over_ = false;
};

/// The run under way: events in order, and what they change.
class Run {
 public:
  Run(const SimulationSetup& setup, const LatencyTargets& targets, const Onlookers& look)
      : setup_(setup), targets_(targets), look_(look), client_(setup.client, setup.seed), random_(mixed(~setup.seed)) {
    for (std::int32_t i = 0; i < setup.replicas; ++i) {
      ReplicaSetup one = in_chunks(setup.replica);
      one.limits.seed = mixed(setup.seed, static_cast<std::uint64_t>(i));
      one.limits.longest_output = std::max(one.limits.longest_output, setup.client.longest_output());
      replicas_.emplace_back(one, live_);
    }
    decoders_ = replicas_.size();
    for (std::int32_t i = 0; setup.prefill && i < setup.prefill->replicas; ++i) {
      ReplicaSetup one = in_chunks(setup.prefill->replica);
      one.limits.seed = mixed(~setup.seed, static_cast<std::uint64_t>(i));
      replicas_.emplace_back(one, live_);
      link_free_.push_back(0);
    }
    on_way_.resize(replicas_.size());
    first_wave_ = setup.client.first_wave();
    is_open_ = setup.client.is_open();
  }

  SimulationResult run() {
    send_next();
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      now_ = event.at;
      handle(event);
      if (++handled_ % kLookEvery == 0 && look_.go_on && !look_.go_on(result_.finished)) {
        result_.stopped = true;
        break;
      }
    }
    return told();
  }

 private:
  /// Blocks so small that chunks are whole ones.
  ReplicaSetup in_chunks(ReplicaSetup one) const {
    const auto* replay = std::get_if<Replay>(&setup_.client.arrivals);
    const std::int32_t chunk = replay != nullptr ? replay->trace->chunk_tokens : setup_.client.chunk_tokens;
    if (chunk == 0) return one;
    const std::int32_t block = std::gcd(one.rules.block_tokens, chunk);
    one.limits.blocks *= one.rules.block_tokens / block;
    one.rules.block_tokens = block;
    return one;
  }

  void push(Nanoseconds at, What what, std::int32_t replica, std::int32_t which) {
    events_.push({at, order_++, what, replica, which});
  }

  /// Of the requests that are sent whatever becomes of others, the next; of a closed loop, all of its beginning.
  void send_next() {
    const bool at_once = !std::holds_alternative<OpenLoop>(setup_.client.arrivals) &&
                         !std::holds_alternative<Replay>(setup_.client.arrivals);
    do {
      auto sending = client_.next();
      if (!sending) return;
      send(std::move(*sending));
      if (!at_once || sending_later_) return;
    } while (true);
  }

  void send(Client::Sending sending) {
    sending.request.sent = sending.at;
    sending_later_ = sending.at > now_;
    push(sending.at, What::sends, -1, live_.add(std::move(sending.request)));
  }

  /// Of `all` replicas from `first` on.
  std::size_t chosen_replica(const Request& request, std::size_t first, std::size_t all) {
    return first + (all == 1 ? 0 : chosen_of(request, {on_way_.data() + first, all}));
  }

  std::size_t chosen_of(const Request& request, std::span<const std::int64_t> loads) {
    const std::size_t all = loads.size();
    const auto load = [&](std::size_t i) { return loads[i]; };
    switch (setup_.routing) {
      case Routing::round_robin:
        return turn_++ % all;
      case Routing::power_of_two: {
        const auto one = static_cast<std::size_t>(random_.whole(0, static_cast<std::int64_t>(all) - 1));
        const auto other = static_cast<std::size_t>(random_.whole(0, static_cast<std::int64_t>(all) - 1));
        return load(other) < load(one) ? other : one;
      }
      case Routing::prefix_aware:
        if (!request.shared.names.empty()) {  // the same beginning, the same replica, unless it has too much to do
          const auto home = static_cast<std::size_t>(mixed(request.shared.names.front()) % all);
          if (load(home) <= *std::min_element(loads.begin(), loads.end()) * 3 / 2 + 32) return home;
        }
        [[fallthrough]];
      case Routing::least_loaded:
        break;
    }
    std::size_t best = turn_ % all;
    for (std::size_t k = 1; k < all; ++k) {
      const std::size_t i = (turn_ + k) % all;
      if (load(i) < load(best)) best = i;
    }
    turn_ = best + 1;
    return best;
  }

  void handle(const Event& event) {
    switch (event.what) {
      case What::sends:
        return sends(event.which);
      case What::arrives:
        return arrives(event.replica, event.which);
      case What::moved:
        return moved(event.which);
      case What::starts:
        return start(event.replica, event.which);
      case What::step_ends:
        return step_ends(event.replica, event.which);
    }
  }

  void sends(Slot slot) {
    ++result_.sent;
    if (is_open_) growth_.sent(result_.sent, client_.total(), now_);
    ++in_flight_;
    const bool apart = setup_.prefill.has_value();
    const std::size_t chosen = apart ? chosen_replica(live_[slot].request, decoders_, replicas_.size() - decoders_)
                                     : chosen_replica(live_[slot].request, 0, decoders_);
    live_[slot].prefill_only = apart;
    live_[slot].outcome.replica = static_cast<std::int32_t>(chosen);
    const Nanoseconds there = replicas_[chosen].through_front(live_[slot].request, now_);
    ++on_way_[chosen];
    if (!std::holds_alternative<ClosedLoop>(setup_.client.arrivals)) send_next();
    if (!replicas_[chosen].holds(live_[slot].request) || !replicas_.front().holds(live_[slot].request)) {
      return refuse(slot);
    }
    push(there, What::arrives, static_cast<std::int32_t>(chosen), slot);
    watch();
  }

  /// Its prompt is computed: the KV cache goes to those that decode, behind the prompts before it.
  void prefilled(std::size_t replica, Slot slot) {
    LiveRequest& one = live_[slot];
    --on_way_[replica];
    Nanoseconds& free = link_free_[replica - decoders_];
    const auto span = static_cast<Nanoseconds>(setup_.prefill->link_time * one.request.prompt);
    free = std::max(free, now_) + span;
    push(free + setup_.prefill->link_latency, What::moved, -1, slot);
  }

  void moved(Slot slot) {
    LiveRequest& one = live_[slot];
    one.prefill_only = false;
    one.arrives_computed = true;
    one.computed = 0;
    const std::size_t chosen = chosen_replica(one.request, 0, decoders_);
    one.outcome.replica = static_cast<std::int32_t>(chosen);
    ++on_way_[chosen];
    arrives(static_cast<std::int32_t>(chosen), slot);
  }

  void refuse(Slot slot) {
    LiveRequest& one = live_[slot];
    one.outcome.refused = true;
    one.outcome.admitted = one.outcome.first_token = one.outcome.last_token = now_;
    ++result_.refused;
    if (look_.finished) look_.finished(one.outcome);
    leave(slot);
  }

  /// The request is answered or refused: its user goes on.
  void leave(Slot slot) {
    --in_flight_;
    --on_way_[static_cast<std::size_t>(live_[slot].outcome.replica)];
    auto following = client_.after(live_[slot].request, now_);
    live_.remove(slot);
    if (following) send(std::move(*following));
    watch();
  }

  void arrives(std::int32_t replica, Slot slot) {
    Replica& one = replicas_[static_cast<std::size_t>(replica)];
    const std::int32_t batch = one.enqueue(slot);
    if (!one.busy(batch)) push(now_, What::starts, replica, batch);  // with all that come at the same moment
  }

  void start(std::int32_t replica, std::int32_t batch) {
    Replica& one = replicas_[static_cast<std::size_t>(replica)];
    const auto end = one.start_step(batch, now_);
    if (!end) return;
    if (look_.step) look_.step(replica, batch, now_, *end, one.work(batch));
    push(*end, What::step_ends, replica, batch);
  }

  void step_ends(std::int32_t replica, std::int32_t batch) {
    news_.clear();
    replicas_[static_cast<std::size_t>(replica)].end_step(batch, now_, news_);
    const bool is_steady = is_steady_now();
    for (const StepNews::Gap& gap : news_.gaps) {
      result_.all.itl.add(gap.span, gap.count);
      if (is_steady) result_.steady.itl.add(gap.span, gap.count);
    }
    const auto here = static_cast<std::size_t>(replica);
    if (here >= decoders_) {
      start(replica, batch);
      for (const Slot slot : news_.finished) prefilled(here, slot);
      return watch();
    }
    for (const Slot slot : news_.first_tokens) live_[slot].outcome.first_token = now_ + setup_.replica.front.back;
    // Whoever reads an answer cannot be back in time for this step; but where tokens are sampled and sent one after the
    // other, most are out long before the last.
    const bool sent_in_turn = setup_.replica.rules.sends_in_turn();
    if (!sent_in_turn) start(replica, batch);
    for (const Slot slot : news_.finished) finish(slot);
    if (sent_in_turn) push(now_, What::starts, replica, batch);
    watch();
  }

  bool is_steady_now() const { return steady_from_ >= 0 && !client_.done(); }

  void finish(Slot slot) {
    RequestOutcome& outcome = live_[slot].outcome;
    outcome.last_token = now_ + setup_.replica.front.back;
    ++result_.finished;
    result_.prompt_tokens += outcome.prompt;
    result_.output_tokens += outcome.output;
    count(result_.all, outcome, targets_);
    if (is_steady_now()) {
      ++result_.steady_finished;
      result_.steady_output_tokens += outcome.output;
      result_.steady_prompt_tokens += outcome.prompt;
      steady_to_ = now_;
      if (outcome.sent >= steady_from_) count(result_.steady, outcome, targets_);
    }
    if (result_.finished == first_wave_) steady_from_ = now_;
    if (result_.finished == client_.total() / 4) quarter_ = now_;
    if (result_.finished == client_.total() * 3 / 4) three_quarters_ = now_;
    if (look_.finished) look_.finished(outcome);
    leave(slot);
  }

  void watch() {
    double running = 0, waiting = 0, cache = 0;
    for (const Replica& one : replicas_) {
      running += static_cast<double>(one.running());
      waiting += static_cast<double>(one.waiting());
      cache += one.cache_used();
    }
    growth_.waits(waiting);
    watch_.pass(now_, static_cast<double>(in_flight_), running, waiting, cache / static_cast<double>(replicas_.size()));
  }

  SimulationResult told() {
    watch();
    watch_.tell(result_);
    if (is_open_) growth_.tell(result_);
    result_.duration = seconds(now_);
    if (result_.saturated) result_.finish_rate = finish_rate();
    if (steady_from_ >= 0 && steady_to_ > steady_from_) result_.steady_duration = seconds(steady_to_ - steady_from_);
    Nanoseconds busy = 0;
    for (const Replica& one : replicas_) {
      result_.counts += one.counts();
      busy += one.busy_time();
      result_.steps += one.steps();
    }
    result_.busy = seconds(busy) / std::max(1e-12, result_.duration * static_cast<double>(replicas_.size()));
    return std::move(result_);
  }

  /// Over the middle half of the answers, unless that is as short as a request or two: a wave would be taken for a rate.
  double finish_rate() const {
    if (result_.finished == 0) return 0;
    constexpr double kLives = 3;
    const double life = result_.all.e2e.percentile(0.5) - result_.all.queue.percentile(0.5);
    const double span = seconds(three_quarters_ - quarter_);
    if (three_quarters_ == 0 || span < kLives * life) return result_.request_rate();
    return static_cast<double>(client_.total() * 3 / 4 - client_.total() / 4) / span;
  }

  const SimulationSetup& setup_;
  const LatencyTargets& targets_;
  const Onlookers& look_;
  Client client_;
  Random random_;
  LiveRequests live_;
  std::vector<Replica> replicas_;
  std::size_t decoders_ = 0;            // of the replicas, those that decode; the others compute prompts for them
  std::vector<Nanoseconds> link_free_;  // of each of those, when it has sent all it has
  std::vector<std::int64_t> on_way_;    // requests at each replica, or on their way to it
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t order_ = 0;
  std::int64_t handled_ = 0, in_flight_ = 0, first_wave_ = 0;
  std::size_t turn_ = 0;
  bool sending_later_ = false, is_open_ = false;
  Nanoseconds now_ = 0, steady_from_ = -1, steady_to_ = -1, quarter_ = 0, three_quarters_ = 0;
  StepNews news_;
  Watch watch_;
  QueueGrowth growth_;
  SimulationResult result_;
};

}  // namespace

SimulationResult simulate(const SimulationSetup& setup, const LatencyTargets& targets, const Onlookers& look) {
  return Run(setup, targets, look).run();
}

}  // namespace ridge::simulate
