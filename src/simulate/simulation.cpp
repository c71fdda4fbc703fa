#include "simulate/simulation.hpp"

#include <algorithm>
#include <deque>

#include "base/text/field_text.hpp"
#include "simulate/answer/run_watch.hpp"
#include "simulate/run/events.hpp"
#include "simulate/run/fleet.hpp"
#include "simulate/run/tally.hpp"

namespace ridge::simulate {

namespace {

constexpr std::int64_t kLookEvery = 4096;  // events between two looks at whether to go on

/// The run under way: events in order, and what becomes of requests by them.
class Run {
 public:
  Run(const SimulationSetup& setup, const LatencyTargets& targets, const Onlookers& look)
      : setup_(setup),
        look_(look),
        client_(setup.client, setup.seed),
        random_(mixed(~setup.seed)),
        chance_(mixed(mixed(setup.seed), ~std::uint64_t{0})),
        fleet_(setup, live_),
        tally_(setup, targets, look, client_.total(), result_) {
    if (const auto* loop = std::get_if<OpenLoop>(&setup.client.arrivals)) most_in_flight_ = loop->most_in_flight;
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
  void push(Nanoseconds at, What what, std::int32_t replica, std::int32_t which) {
    events_.add(at, what, replica, which, replica < 0 ? 0 : fleet_.site(static_cast<std::size_t>(replica)).life);
  }

  void handle_all() {
    while (events_.any() && !tally_.is_decided()) {
      const Event event = events_.take();
      if (event.is_of_failures() && client_.done() && live_.count() == 0) continue;  // nobody is left to notice
      now_ = event.at;
      handle(event);
      if (++handled_ % kLookEvery == 0 && look_.go_on && !look_.go_on(result_.finished)) {
        result_.stopped = true;
        break;
      }
    }
  }

  void handle(const Event& event) {
    if (event.replica >= 0 && !event.outlives() &&
        event.life != fleet_.site(static_cast<std::size_t>(event.replica)).life)
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
    fleet_.forget(now_);
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
      if (static_cast<std::size_t>(outage.replica) >= fleet_.size()) continue;
      push(outage.at, What::fails, outage.replica, static_cast<std::int32_t>(i));
    }
    for (std::size_t i = 0; i < fleet_.size(); ++i) plan_failure(i);
  }

  void plan_failure(std::size_t replica) {
    const Nanoseconds mean = setup_.failures.mean_time;
    if (mean == 0) return;
    const auto span = static_cast<Nanoseconds>(static_cast<double>(mean) * chance_.exponential());
    push(now_ + std::max<Nanoseconds>(1, span), What::fails, static_cast<std::int32_t>(replica), -1);
  }

  /// What it runs is lost and sent again; its KV cache is gone.
  void fails(std::size_t replica, std::int32_t outage) {
    if (!fleet_.site(replica).is_up) return;
    ++result_.failures;
    fleet_.fail(replica);
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
    if (fleet_.site(replica).is_up) return;
    fleet_.come_back(replica, now_);
    plan_failure(replica);
    const bool computed = fleet_.is_apart() && fleet_.decodes(replica);
    std::deque<Slot>& stranded = computed ? stranded_computed_ : stranded_;
    std::deque<Slot> waited;
    waited.swap(stranded);
    for (const Slot slot : waited) computed ? moved(slot) : dispatch(slot);
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
    tally_.sent(now_, behind());
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
    Router& router = fleet_.first_router();
    const auto chosen = router.choose(one.request, random_);
    if (!chosen) return stranded_.push_back(slot);
    one.prefill_only = fleet_.is_apart();
    one.outcome.replica = static_cast<std::int32_t>(*chosen);
    const Nanoseconds there = fleet_[*chosen].through_front(one.request, now_);
    router.add(*chosen);
    if (!fleet_.holds(*chosen, one.request)) return refuse(slot);
    push(there, What::arrives, static_cast<std::int32_t>(*chosen), slot);
  }

  /// Its prompt is computed: the KV cache goes to those that decode, behind the prompts before it.
  void prefilled(std::size_t replica, Slot slot) {
    LiveRequest& one = live_[slot];
    fleet_.router_of(replica).remove(replica);
    one.outcome.replica = -1;
    Nanoseconds& free = fleet_.site(replica).link_free;
    const auto span = static_cast<Nanoseconds>(setup_.prefill->link_time * one.request.prompt);
    free = std::max(free, now_) + span;
    push(free + setup_.prefill->link_latency, What::moved, -1, slot);
  }

  void moved(Slot slot) {
    LiveRequest& one = live_[slot];
    const auto chosen = fleet_.decoding_router().choose(one.request, random_);
    if (!chosen) return stranded_computed_.push_back(slot);
    one.prefill_only = false;
    one.arrives_computed = true;
    one.computed = 0;
    one.outcome.replica = static_cast<std::int32_t>(*chosen);
    fleet_.decoding_router().add(*chosen);
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
      fleet_.router_of(static_cast<std::size_t>(replica)).remove(static_cast<std::size_t>(replica));
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
    Replica& one = fleet_[static_cast<std::size_t>(replica)];
    const std::int32_t batch = one.enqueue(slot);
    if (!one.busy(batch)) push(now_, What::starts, replica, batch);  // with all that come at the same moment
    fleet_.note(static_cast<std::size_t>(replica));
  }

  void start(std::int32_t replica, std::int32_t batch) {
    const auto here = static_cast<std::size_t>(replica);
    if (const Nanoseconds awake = fleet_.site(here).awake; now_ < awake)
      return push(awake, What::starts, replica, batch);
    Replica& one = fleet_[here];
    const auto end = one.start_step(batch, now_);
    fleet_.note(here);
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
    fleet_[here].end_step(batch, now_, news_, look_.gaps);
    if (!warming_) tally_.gaps(news_, client_.done());
    if (!fleet_.decodes(here)) {
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

  void finish(Slot slot) {
    if (live_[slot].request.warms_up) return leave(slot);
    RequestOutcome& outcome = live_[slot].outcome;
    outcome.last_token = now_ + setup_.replica.front.back;
    tally_.finished(outcome, now_, client_.done());
    if (look_.finished) look_.finished(outcome);
    leave(slot);
  }

  /// Sent before the one that is sent now, and neither running nor over.
  std::int64_t behind() const {
    return result_.sent - 1 - result_.finished - result_.refused - result_.lost - fleet_.running();
  }

  void watch(std::size_t replica) {
    fleet_.note(replica);
    watch();
  }

  void watch() {
    if (warming_) return;
    const auto idle = static_cast<std::int64_t>(held_back_.size() + stranded_.size() + stranded_computed_.size());
    const auto waiting = static_cast<double>(fleet_.waiting() + idle);
    tally_.waits(waiting);
    // of those that decode: the others hold a prompt while they compute it
    watch_.pass(now_, static_cast<double>(in_flight_), static_cast<double>(fleet_.running()), waiting,
                fleet_.cache_share());
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
    tally_.tell(now_);
    fleet_.tell(result_);
    return std::move(result_);
  }

  const SimulationSetup& setup_;
  const Onlookers& look_;
  SimulationResult result_;
  Client client_;
  Random random_, chance_;  // of routing; of failures
  LiveRequests live_;
  Fleet fleet_;
  Tally tally_;
  RunWatch watch_;
  Events events_;
  std::deque<Slot> held_back_;                     // by the client
  std::deque<Slot> stranded_, stranded_computed_;  // no replica is up for them
  std::int64_t handled_ = 0, in_flight_ = 0, most_in_flight_ = 0, warmups_ = 0;
  bool sending_later_ = false, warming_ = false;
  Nanoseconds now_ = 0;
  StepNews news_;
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
