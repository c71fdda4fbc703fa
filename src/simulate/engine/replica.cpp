#include "simulate/engine/replica.hpp"

#include <algorithm>

namespace ridge::simulate {

Replica::Replica(const ReplicaSetup& setup, LiveRequests& live)
    : setup_(setup), live_(&live), stage_free_(static_cast<std::size_t>(setup.stages), 0) {
  RankLimits limits = setup.limits;
  limits.blocks /= setup.stages;  // micro-batches share a rank's memory
  for (TierLimits& tier : limits.tiers) tier.tokens /= setup.stages;
  batches_.resize(static_cast<std::size_t>(setup.stages));
  const auto groups = static_cast<std::size_t>(setup.groups);
  for (MicroBatch& batch : batches_) {
    for (std::size_t i = 0; i < groups; ++i) {
      limits.seed = mixed(limits.seed);
      batch.ranks.emplace_back(setup.rules, limits, live);
    }
    batch.current.resize(groups);
    batch.next.resize(groups);
    batch.work.resize(groups);
    batch.tokens.resize(groups);
  }
}

Nanoseconds Replica::through_front(const Request& request, Nanoseconds now) {
  const FrontEnd& front = setup_.front;
  front_free_ = std::max(front_free_, now) + front.each + front.token_picoseconds * request.prompt / 1000;
  return front_free_ + front.latency;
}

Replica::Place Replica::after(Place place) const {
  if (++place.rank < static_cast<std::size_t>(setup_.groups)) return place;
  return {place.batch + 1 < batches_.size() ? place.batch + 1 : 0, 0};
}

std::int32_t Replica::enqueue(Slot slot) {
  const auto rank_at = [&](Place place) -> Rank& { return batches_[place.batch].ranks[place.rank]; };
  const auto load = [&](Place place) { return rank_at(place).running() + rank_at(place).waiting(); };
  Place best = turn_;
  std::int64_t least = load(best);
  for (Place place = after(turn_); place != turn_ && least > 0; place = after(place)) {
    const std::int64_t here = load(place);
    if (here >= least) continue;
    best = place;
    least = here;
  }
  turn_ = after(best);
  rank_at(best).enqueue(slot);
  ++held_.waiting;
  return static_cast<std::int32_t>(best.batch);
}

template <class Change>
void Replica::changed(Rank& rank, const Change& change) {
  const auto add = [&](std::int64_t sign) {
    held_.running += sign * rank.running();
    held_.waiting += sign * rank.waiting();
    held_.blocks += sign * rank.cache().used();
  };
  add(-1);
  change(rank);
  add(1);
}

bool Replica::prompts_may_run(MicroBatch& batch) const {
  const SchedulerRules& rules = setup_.rules;
  const auto all = [&](auto&& holds) { return std::all_of(batch.ranks.begin(), batch.ranks.end(), holds); };
  const bool decoding = all([](const Rank& rank) { return rank.decoding() > 0; });
  const bool ready = all([&](const Rank& rank) { return rank.has_prefill() && rank.running() < rules.max_sequences; });
  if (ready) {
    batch.waited = 0;
    if (decoding && batch.ready_for < rules.balance_wait) {
      ++batch.ready_for;
      return false;
    }
    if (decoding) batch.ready_for = 0;
    return true;
  }
  if (++batch.waited < rules.balance_timeout && decoding) return false;
  batch.waited = 0;
  return true;
}

bool Replica::compose(MicroBatch& batch, Nanoseconds now, std::vector<RankStep>& steps) {
  const bool may_prefill = setup_.rules.balance_timeout == 0 || prompts_may_run(batch);
  bool any = false;
  for (std::size_t i = 0; i < batch.ranks.size(); ++i) {
    changed(batch.ranks[i], [&](Rank& rank) { rank.compose(now, steps[i], may_prefill); });
    any = any || !steps[i].work.empty() || !steps[i].finished.empty();
  }
  return any;
}

/// What a step takes longer on a server that has computed none with so many tokens of prompts.
Nanoseconds Replica::fresh_time(const std::vector<StepWork>& work) {
  std::int64_t tokens = 0;
  for (const StepWork& rank : work) tokens = std::max(tokens, rank.prompt_tokens);
  if (tokens <= most_tokens_) return 0;
  const Nanoseconds first = most_tokens_ == 0 ? setup_.fresh.time : 0;
  const Nanoseconds larger = setup_.fresh.token_picoseconds * (tokens - most_tokens_) / 1000;
  most_tokens_ = tokens;
  return first + larger;
}

std::optional<Nanoseconds> Replica::start_step(std::int32_t index, Nanoseconds now) {
  MicroBatch& batch = batches_[static_cast<std::size_t>(index)];
  if (batch.under_way) return {};
  if (batch.composed) {
    std::swap(batch.current, batch.next);
    batch.composed = false;
  } else if (!compose(batch, now, batch.current)) {
    return {};
  }
  for (std::size_t i = 0; i < batch.ranks.size(); ++i) batch.work[i] = batch.current[i].work;
  Nanoseconds time = setup_.time(batch.work);
  if (setup_.fresh.any()) time += fresh_time(batch.work);
  const Nanoseconds stage_time = time / setup_.stages;
  Nanoseconds end = now;
  for (Nanoseconds& free : stage_free_) free = end = std::max(end, free) + stage_time;
  end += time - stage_time * setup_.stages;
  busy_time_ += stage_time;
  ++steps_;
  batch.under_way = true;
  // an engine that works ahead puts the next step together now: what comes later has to wait for the one after it
  if (setup_.rules.composed_early && setup_.stages == 1) batch.composed = compose(batch, now, batch.next);
  return end;
}

void Replica::end_step(std::int32_t index, Nanoseconds now, StepNews& news, bool gaps) {
  MicroBatch& batch = batches_[static_cast<std::size_t>(index)];
  if (!batch.under_way) return;
  batch.under_way = false;
  for (std::size_t i = 0; i < batch.ranks.size(); ++i) {
    const RankStep& step = batch.current[i];
    if (gaps) tell_gaps(step, batch.tokens[i], now, news);
    for (const Slot slot : step.first_tokens) {
      if ((*live_)[slot].outcome.first_token == 0) news.first_tokens.push_back(slot);
    }
    if (step.finished.empty()) {
      batch.ranks[i].complete(step, now);
      continue;
    }
    changed(batch.ranks[i], [&](Rank& rank) { rank.complete(step, now); });
    news.finished.insert(news.finished.end(), step.finished.begin(), step.finished.end());
  }
}

/// Spans between two tokens of a request that end with this step.
void Replica::tell_gaps(const RankStep& step, Tokens& tokens, Nanoseconds now, StepNews& news) {
  if (step.work.decodes > 0) {
    std::int64_t others = step.work.decodes;
    for (const Since& since : tokens.fresh) {
      const std::int64_t count = std::min(since.count, others);  // some may have been preempted since
      if (count > 0) news.gaps.push_back({now - since.at, count});
      others -= count;
    }
    if (others > 0) news.gaps.push_back({now - tokens.decoded, others});
    tokens.fresh.clear();
    tokens.decoded = now;
  }
  std::int64_t going_on = 0;
  for (const Slot slot : step.first_tokens) {
    const LiveRequest& one = (*live_)[slot];
    if (one.outcome.first_token != 0) news.gaps.push_back({now - one.last_token, 1});
    going_on += one.decoding && one.joined > step.last_decode ? 1 : 0;  // its next token comes in a later step
  }
  if (going_on > 0) tokens.fresh.push_back({now, going_on});
}

std::int64_t Replica::blocks() const {
  std::int64_t sum = 0;
  for (const auto& batch : batches_) {
    for (const Rank& rank : batch.ranks) sum += rank.cache().blocks();
  }
  return sum;
}

std::optional<Nanoseconds> Replica::fetched_at(std::int32_t index) const {
  std::optional<Nanoseconds> first;
  for (const Rank& rank : batches_[static_cast<std::size_t>(index)].ranks) {
    const auto at = rank.fetched_at();
    if (at && (!first || *at < *first)) first = at;
  }
  return first;
}

void Replica::rebase(Nanoseconds now) {
  std::fill(stage_free_.begin(), stage_free_.end(), 0);
  front_free_ = 0;
  for (auto& batch : batches_) {
    for (Rank& rank : batch.ranks) rank.rebase(now);
  }
}

RankCounts Replica::counts() const {
  RankCounts sum;
  for (const auto& batch : batches_) {
    for (const Rank& rank : batch.ranks) sum += rank.counts();
  }
  return sum;
}

}  // namespace ridge::simulate
