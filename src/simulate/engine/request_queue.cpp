#include "simulate/engine/request_queue.hpp"

#include <algorithm>

namespace ridge::simulate {

namespace {

constexpr std::size_t kLongestPrefixQueue = 128;  // SGLang: with more waiting, first come first served

}  // namespace

void RequestQueue::look(bool decodes) {
  if (since_look_ < poll_steps_ && decodes) return;
  since_look_ = 0;
  if (inbox_.empty()) return;
  waiting_.insert(waiting_.end(), inbox_.begin(), inbox_.end());
  inbox_.clear();
}

Slot RequestQueue::next(const KvCache& cache) {
  if (order_ == QueueOrder::first_come || waiting_.size() == 1) return waiting_.front();
  if (order_ == QueueOrder::longest_prefix && waiting_.size() > kLongestPrefixQueue) return waiting_.front();
  const auto rank_of = [&](Slot slot) {
    const Request& request = (*live_)[slot].request;
    if (order_ == QueueOrder::priority) return static_cast<std::int64_t>(request.priority);
    return -std::int64_t{cache.found(request.shared, request.shared.before_last(request.prompt))};
  };
  const auto best = std::min_element(waiting_.begin(), waiting_.end(),
                                     [&](Slot one, Slot other) { return rank_of(one) < rank_of(other); });
  const Slot slot = *best;
  waiting_.erase(best);
  waiting_.push_front(slot);
  return slot;
}

}  // namespace ridge::simulate
