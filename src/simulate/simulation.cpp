#include "simulate/simulation.hpp"

#include <algorithm>
#include <cassert>
#include <deque>
#include <numeric>
#include <queue>

#include "base/text/field_text.hpp"
#include "simulate/answer/limit_watch.hpp"
#include "simulate/answer/run_watch.hpp"

namespace ridge::simulate {

namespace {

enum class What : std::uint8_t { sends, leaves_client, arrives, moved, starts, step_ends, fails, returns };

struct Event {
  Nanoseconds at;
  std::uint64_t order;  // of its making: ties go to the older
  What what;
  std::int32_t replica;  // or -1: not yet chosen
  std::int32_t which;    // a slot, a micro-batch, or an outage (-1: one at random)
  std::uint32_t life;    // of the replica when it was made: one that failed since has forgotten it

  /// At one moment all that arrives is there before an idle engine starts.
  bool operator>(const Event& other) const {
    if (at != other.at) return at > other.at;
    const bool starts = what == What::starts, other_starts = other.what == What::starts;
    return starts != other_starts ? starts : order > other.order;
  }
};

constexpr std::int64_t kLookEvery = 4096;  // events between two looks at whether to go on

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

/// The run under way: events in order, and what they change.
class Run {
 public:
  Run(const SimulationSetup& setup, const LatencyTargets& targets, const Onlookers& look)
      : setup_(setup),
        targets_(targets),
        look_(look),
        client_(setup.client, setup.seed),
        random_(mixed(~setup.seed)),
        chance_(mixed(mixed(setup.seed), ~std::uint64_t{0})),
        decoders_(static_cast<std::size_t>(setup.replicas)),
        decoding_(setup.routing, 0, decoders_),
        prefilling_(setup.routing, decoders_, setup.prefill ? static_cast<std::size_t>(setup.prefill->replicas) : 0) {
    const std::size_t all = decoders_ + (setup.prefill ? static_cast<std::size_t>(setup.prefill->replicas) : 0);
    for (std::size_t i = 0; i < all; ++i) {
      replicas_.emplace_back(setup_of(i), live_);
      sites_.emplace_back();
      sites_.back().awake = setup.replica.cold_start;
      pool_of(i).blocks += replicas_.back().blocks();
    }
    if (const auto* loop = std::get_if<OpenLoop>(&setup.client.arrivals)) most_in_flight_ = loop->most_in_flight;
    first_wave_ = setup.client.first_wave();
    is_open_ = setup.client.is_open();
    if (look.verdict) limits_.emplace(*look.verdict);
    if (look.verdict) all_limits_.emplace(*look.verdict);
  }

  SimulationResult run() {
    warm_up();
    if (result_.stopped) return told();
    plan_failures();
    send_next();
    handle_all();
    return told();
  }

 private:
  /// A replica beside what it does: when it can start, and what it was seen to hold.
  struct Site {
    std::uint32_t life = 0;
    bool is_up = true;
    Nanoseconds awake = 0, link_free = 0;  // its link to those that decode
    Replica::Held held;
  };
  struct Pool {
    std::int64_t blocks = 0, used = 0;
    Nanoseconds busy = 0;  // of replicas that failed, less warm-ups; at the end all

    double share() const { return blocks > 0 ? static_cast<double>(used) / static_cast<double>(blocks) : 0; }
  };

  ReplicaSetup setup_of(std::size_t index) const {
    const bool decodes = index < decoders_;
    ReplicaSetup one = in_chunks(decodes ? setup_.replica : setup_.prefill->replica);
    one.limits.seed =
        mixed(decodes ? setup_.seed : ~setup_.seed, static_cast<std::uint64_t>(decodes ? index : index - decoders_));
    if (decodes) one.limits.longest_output = std::max(one.limits.longest_output, setup_.client.longest_output());
    return one;
  }

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

  bool is_apart() const { return setup_.prefill.has_value(); }
  Site& site(std::size_t replica) { return sites_[replica]; }
  Router& router_of(std::size_t replica) { return replica < decoders_ ? decoding_ : prefilling_; }
  Pool& pool_of(std::size_t replica) { return pools_[replica < decoders_ ? 0 : 1]; }

  void push(Nanoseconds at, What what, std::int32_t replica, std::int32_t which) {
    const std::uint32_t life = replica < 0 ? 0 : sites_[static_cast<std::size_t>(replica)].life;
    events_.push({at, order_++, what, replica, which, life});
  }

  void handle_all() {
    while (!events_.empty() && !is_decided_) {
      const Event event = events_.top();
      events_.pop();
      const bool of_failures = event.what == What::fails || event.what == What::returns;
      if (of_failures && client_.done() && live_.count() == 0) continue;  // nobody is left to notice
      now_ = event.at;
      handle(event);
      if (++handled_ % kLookEvery == 0 && look_.go_on && !look_.go_on(result_.finished)) {
        result_.stopped = true;
        break;
      }
    }
  }

  void handle(const Event& event) {
    const bool whatever_was = event.what == What::returns || (event.what == What::fails && event.which >= 0);
    if (event.replica >= 0 && !whatever_was && event.life != sites_[static_cast<std::size_t>(event.replica)].life)
      return;
    switch (event.what) {
      case What::sends:
        return sends(event.which);
      case What::leaves_client:
        return leaves_client(event.which);
      case What::arrives:
        return arrives(event.replica, event.which);
      case What::moved:
        return moved(event.which);
      case What::starts:
        return start(event.replica, event.which);
      case What::step_ends:
        return step_ends(event.replica, event.which);
      case What::fails:
        return fails(static_cast<std::size_t>(event.replica), event.which);
      case What::returns:
        return returns(static_cast<std::size_t>(event.replica));
    }
  }

  /// Copies of the first request, as many at once as the client allows; then the clock starts again.
  void warm_up() {
    warmups_ = setup_.client.warmups;
    if (warmups_ == 0) return;
    warming_ = true;
    for (std::int64_t i = std::min(warmups_, setup_.client.warmup_users()); i > 0; --i) send_warmup();
    handle_all();
    warming_ = false;
    for (Replica& one : replicas_) {
      before_ += one.counts();
      steps_before_ += one.steps();
      one.rebase(now_);
    }
    for (std::size_t i = 0; i < replicas_.size(); ++i) pool_of(i).busy -= replicas_[i].busy_time();
    for (Site& one : sites_) one.awake = one.link_free = 0;
    now_ = 0;
  }

  void send_warmup() {
    --warmups_;
    Request request = client_.warmup();
    request.sent = now_;
    push(now_, What::leaves_client, -1, live_.add(std::move(request)));
    ++in_flight_;
  }

  void plan_failures() {
    const FailureRules& failures = setup_.failures;
    for (std::size_t i = 0; i < failures.outages.size(); ++i) {
      const auto& outage = failures.outages[i];
      if (static_cast<std::size_t>(outage.replica) >= replicas_.size()) continue;
      push(outage.at, What::fails, outage.replica, static_cast<std::int32_t>(i));
    }
    for (std::size_t i = 0; i < replicas_.size(); ++i) plan_failure(i);
  }

  void plan_failure(std::size_t replica) {
    const Nanoseconds mean = setup_.failures.mean_time;
    if (mean == 0) return;
    const auto span = static_cast<Nanoseconds>(static_cast<double>(mean) * chance_.exponential());
    push(now_ + std::max<Nanoseconds>(1, span), What::fails, static_cast<std::int32_t>(replica), -1);
  }

  /// What it runs is lost and sent again; its KV cache is gone.
  void fails(std::size_t replica, std::int32_t outage) {
    Site& one = site(replica);
    if (!one.is_up) return;
    ++result_.failures;
    ++one.life;
    one.is_up = false;
    before_ -= replicas_[replica].counts();
    pool_of(replica).busy += replicas_[replica].busy_time();
    steps_before_ -= replicas_[replica].steps();
    replicas_[replica] = Replica(setup_of(replica), live_);
    router_of(replica).set_up(replica, false);
    const Nanoseconds length = outage < 0 ? std::max<Nanoseconds>(1, setup_.failures.repair)
                                          : setup_.failures.outages[static_cast<std::size_t>(outage)].length;
    if (length > 0)
      push(now_ + length + setup_.replica.cold_start, What::returns, static_cast<std::int32_t>(replica), -1);
    for (const Slot slot : live_.at(static_cast<std::int32_t>(replica))) {
      live_.restart(slot);
      ++result_.retries;
      if (live_[slot].outcome.retries > kMostRetries) {
        lose(slot);
      } else {
        dispatch(slot);
      }
    }
    watch(replica);
  }

  void returns(std::size_t replica) {
    Site& one = site(replica);
    if (one.is_up) return;
    one.is_up = true;
    one.awake = now_;
    one.link_free = now_;
    router_of(replica).set_up(replica, true);
    plan_failure(replica);
    std::deque<Slot>& stranded = is_apart() && replica < decoders_ ? stranded_computed_ : stranded_;
    std::deque<Slot> waited;
    waited.swap(stranded);
    for (const Slot slot : waited) is_apart() && replica < decoders_ ? moved(slot) : dispatch(slot);
    watch();
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

  /// Its time has come: it goes out, or waits in the client until another is answered.
  void sends(Slot slot) {
    ++result_.sent;
    if (is_open_) growth_.sent(result_.sent, client_.total(), now_, behind());
    if (limits_ && result_.sent == client_.total()) all_sent();
    if (!std::holds_alternative<ClosedLoop>(setup_.client.arrivals)) send_next();
    if (most_in_flight_ > 0 && in_flight_ >= most_in_flight_) {
      held_back_.push_back(slot);
      return watch();
    }
    ++in_flight_;
    leaves_client(slot);
  }

  void leaves_client(Slot slot) {
    live_[slot].request.sent = live_[slot].outcome.sent = now_;
    dispatch(slot);
    watch();
  }

  /// To a replica, the first time or again.
  void dispatch(Slot slot) {
    LiveRequest& one = live_[slot];
    Router& router = is_apart() ? prefilling_ : decoding_;
    const auto chosen = router.choose(one.request, random_);
    if (!chosen) return stranded_.push_back(slot);
    one.prefill_only = is_apart();
    one.outcome.replica = static_cast<std::int32_t>(*chosen);
    const Nanoseconds there = replicas_[*chosen].through_front(one.request, now_);
    router.add(*chosen);
    if (!replicas_[*chosen].holds(one.request) || !replicas_.front().holds(one.request)) return refuse(slot);
    push(there, What::arrives, static_cast<std::int32_t>(*chosen), slot);
  }

  /// Its prompt is computed: the KV cache goes to those that decode, behind the prompts before it.
  void prefilled(std::size_t replica, Slot slot) {
    LiveRequest& one = live_[slot];
    prefilling_.remove(replica);
    one.outcome.replica = -1;
    Nanoseconds& free = site(replica).link_free;
    const auto span = static_cast<Nanoseconds>(setup_.prefill->link_time * one.request.prompt);
    free = std::max(free, now_) + span;
    push(free + setup_.prefill->link_latency, What::moved, -1, slot);
  }

  void moved(Slot slot) {
    LiveRequest& one = live_[slot];
    const auto chosen = decoding_.choose(one.request, random_);
    if (!chosen) return stranded_computed_.push_back(slot);
    one.prefill_only = false;
    one.arrives_computed = true;
    one.computed = 0;
    one.outcome.replica = static_cast<std::int32_t>(*chosen);
    decoding_.add(*chosen);
    arrives(static_cast<std::int32_t>(*chosen), slot);
  }

  void end_unanswered(Slot slot) {
    LiveRequest& one = live_[slot];
    one.outcome.admitted = one.outcome.first_token = one.outcome.last_token = now_;
    if (look_.finished && !one.request.warms_up) look_.finished(one.outcome);
    leave(slot);
  }

  void refuse(Slot slot) {
    live_[slot].outcome.refused = true;
    if (!live_[slot].request.warms_up) ++result_.refused;
    end_unanswered(slot);
  }

  void lose(Slot slot) {
    live_[slot].outcome.lost = true;
    ++result_.lost;
    end_unanswered(slot);
  }

  /// The request is answered or refused: its user goes on.
  void leave(Slot slot) {
    --in_flight_;
    if (const std::int32_t replica = live_[slot].outcome.replica; replica >= 0)
      router_of(static_cast<std::size_t>(replica)).remove(static_cast<std::size_t>(replica));
    if (live_[slot].request.warms_up) {
      live_.remove(slot);
      if (warmups_ > 0) send_warmup();
      return;
    }
    auto following = client_.after(live_[slot].request, now_);
    live_.remove(slot);
    if (following) send(std::move(*following));
    if (!held_back_.empty()) {
      push(now_, What::leaves_client, -1, held_back_.front());
      held_back_.pop_front();
      ++in_flight_;
    }
    watch();
  }

  void arrives(std::int32_t replica, Slot slot) {
    Replica& one = replicas_[static_cast<std::size_t>(replica)];
    const std::int32_t batch = one.enqueue(slot);
    if (!one.busy(batch)) push(now_, What::starts, replica, batch);  // with all that come at the same moment
    note(static_cast<std::size_t>(replica));
  }

  void start(std::int32_t replica, std::int32_t batch) {
    const auto here = static_cast<std::size_t>(replica);
    if (now_ < site(here).awake) return push(site(here).awake, What::starts, replica, batch);
    Replica& one = replicas_[here];
    const auto end = one.start_step(batch, now_);
    note(here);
    if (!end) {
      if (const auto at = one.fetched_at(batch); at && !one.busy(batch)) push(*at, What::starts, replica, batch);
      return;
    }
    if (look_.step && !warming_) look_.step(replica, batch, now_, *end, one.work(batch));
    push(*end, What::step_ends, replica, batch);
  }

  void step_ends(std::int32_t replica, std::int32_t batch) {
    news_.clear();
    const auto here = static_cast<std::size_t>(replica);
    replicas_[here].end_step(batch, now_, news_);
    const bool is_steady = is_steady_now();
    for (const StepNews::Gap& gap : news_.gaps) {
      if (warming_ || !look_.gaps) break;
      result_.all.itl.add(gap.span, gap.count);
      if (is_steady) result_.steady.itl.add(gap.span, gap.count);
    }
    if (here >= decoders_) {
      start(replica, batch);
      for (const Slot slot : news_.finished) prefilled(here, slot);
      return watch(here);
    }
    for (const Slot slot : news_.first_tokens) live_[slot].outcome.first_token = now_ + setup_.replica.front.back;
    // Whoever reads an answer cannot be back in time for this step; but where tokens are sampled and sent one after the
    // other, most are out long before the last.
    const bool sent_in_turn = setup_.replica.rules.sends_in_turn();
    if (!sent_in_turn) start(replica, batch);
    for (const Slot slot : news_.finished) finish(slot);
    if (sent_in_turn) push(now_, What::starts, replica, batch);
    watch(here);
  }

  bool is_steady_now() const { return steady_from_ >= 0 && !client_.done(); }

  void finish(Slot slot) {
    if (live_[slot].request.warms_up) return leave(slot);
    RequestOutcome& outcome = live_[slot].outcome;
    outcome.last_token = now_ + setup_.replica.front.back;
    ++result_.finished;
    result_.prompt_tokens += outcome.prompt;
    result_.output_tokens += outcome.output;
    count(result_.all, outcome, targets_);
    if (all_limits_ && all_limits_->exceeded_with(outcome, client_.total()) && judges_all_) exceed();
    if (is_steady_now()) {
      ++result_.steady_finished;
      result_.steady_output_tokens += outcome.output;
      result_.steady_prompt_tokens += outcome.prompt;
      steady_to_ = now_;
      if (outcome.sent >= steady_from_) count_steady(outcome);
    }
    if (result_.finished == first_wave_) steady_from_ = now_;
    if (result_.finished == client_.total() / 4) quarter_ = now_;
    if (result_.finished == client_.total() * 3 / 4) three_quarters_ = now_;
    if (look_.finished) look_.finished(outcome);
    leave(slot);
  }

  /// Of a verdict: whoever is answered from here on is not steady, and the queue is known.
  void all_sent() {
    growth_.tell(result_);
    const bool is_enough = result_.steady.e2e.count() >= kEnoughSteady;
    is_decided_ = is_enough || result_.saturated;
    judges_all_ = !is_enough;
  }

  void count_steady(const RequestOutcome& outcome) {
    count(result_.steady, outcome, targets_);
    if (limits_ && limits_->exceeded_with(outcome, client_.total() - first_wave_)) exceed();
  }

  void exceed() { is_decided_ = result_.exceeded = true; }

  /// Sent before the one that is sent now, and neither running nor over.
  std::int64_t behind() const {
    return result_.sent - 1 - result_.finished - result_.refused - result_.lost - running_;
  }

  /// What a replica holds may have changed.
  void note(std::size_t replica) {
    Site& one = site(replica);
    const Replica::Held held = replicas_[replica].held();
    running_ += held.running - one.held.running;
    waiting_ += held.waiting - one.held.waiting;
    pool_of(replica).used += held.blocks - one.held.blocks;
    one.held = held;
  }

  void watch(std::size_t replica) {
    note(replica);
    watch();
  }

  void watch() {
    if (warming_) return;
    const auto idle = static_cast<std::int64_t>(held_back_.size() + stranded_.size() + stranded_computed_.size());
    const auto waiting = static_cast<double>(waiting_ + idle);
    growth_.waits(waiting);
    // of those that decode: the others hold a prompt while they compute it
    watch_.pass(now_, static_cast<double>(in_flight_), static_cast<double>(running_), waiting, pools_[0].share());
  }

  SimulationResult told() {
    // of replicas that never came back
    for (std::deque<Slot>* stranded : {&stranded_, &stranded_computed_}) {
      while (!stranded->empty() && !result_.stopped) {
        const Slot slot = stranded->front();
        stranded->pop_front();
        lose(slot);
        handle_all();
      }
    }
    watch();
    watch_.tell(result_);
    if (is_open_) growth_.tell(result_);
    result_.duration = seconds(now_);
    if (result_.saturated) result_.finish_rate = finish_rate();
    if (steady_from_ >= 0 && steady_to_ > steady_from_) result_.steady_duration = seconds(steady_to_ - steady_from_);
    result_.steps = -steps_before_;
    for (std::size_t i = 0; i < replicas_.size(); ++i) {
      result_.counts += replicas_[i].counts();
      pool_of(i).busy += replicas_[i].busy_time();
      result_.steps += replicas_[i].steps();
      result_.rank_steps += replicas_[i].steps() * (i < decoders_ ? setup_.replica : setup_.prefill->replica).groups;
    }
    result_.counts -= before_;
    const auto share = [&](const Pool& pool, std::size_t replicas) {
      return seconds(pool.busy) / std::max(1e-12, result_.duration * static_cast<double>(replicas));
    };
    result_.busy = share(pools_[0], decoders_);
    if (is_apart()) result_.prefill_busy = share(pools_[1], replicas_.size() - decoders_);
    return std::move(result_);
  }

  /// Over the middle half of the answers, unless that is as short as a request or two: a wave would be taken for a rate.
  double finish_rate() const {
    if (result_.finished == 0) return 0;
    const double span = seconds(three_quarters_ - quarter_);
    if (three_quarters_ == 0 || span < kSteadyLives * result_.service_time()) return result_.request_rate();
    return static_cast<double>(client_.total() * 3 / 4 - client_.total() / 4) / span;
  }

  const SimulationSetup& setup_;
  const LatencyTargets& targets_;
  const Onlookers& look_;
  Client client_;
  Random random_, chance_;  // of routing; of failures
  LiveRequests live_;
  std::vector<Replica> replicas_;
  std::size_t decoders_ = 0;  // of the replicas, those that decode; the others compute prompts for them
  Router decoding_, prefilling_;
  std::vector<Site> sites_;  // of each replica
  Pool pools_[2];
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::deque<Slot> held_back_;                     // by the client
  std::deque<Slot> stranded_, stranded_computed_;  // no replica is up for them
  std::uint64_t order_ = 0;
  std::int64_t handled_ = 0, in_flight_ = 0, first_wave_ = 0, most_in_flight_ = 0, warmups_ = 0;
  std::int64_t running_ = 0, waiting_ = 0;
  bool sending_later_ = false, is_open_ = false, warming_ = false;
  Nanoseconds now_ = 0, steady_from_ = -1, steady_to_ = -1, quarter_ = 0, three_quarters_ = 0;
  StepNews news_;
  RunWatch watch_;
  QueueGrowth growth_;
  std::optional<LimitWatch> limits_, all_limits_;  // of whoever asks for a verdict alone; of steady requests and of all
  bool is_decided_ = false, judges_all_ = false;   // too few are steady
  RankCounts before_;  // of warm-ups, less what replicas did before they failed: what told() takes off
  std::int64_t steps_before_ = 0;
  SimulationResult result_;
};

}  // namespace

std::string why_refused() {
  return "longer than the KV cache holds, or than a step takes where the engine does not chunk prefill (" +
         field("token_budget") + ")";
}

double SimulationResult::service_time() const {
  return all.e2e.count() == 0 ? 0 : all.e2e.percentile(0.5) - all.queue.percentile(0.5);
}

SimulationResult simulate(const SimulationSetup& setup, const LatencyTargets& targets, const Onlookers& look) {
  return Run(setup, targets, look).run();
}

}  // namespace ridge::simulate
