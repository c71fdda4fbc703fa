#include "search/sweep/ordered_work.hpp"

namespace ridge {

std::optional<std::uint64_t> OrderedWork::next() {
  std::unique_lock lock(mutex_);
  room_.wait(lock, [&] { return is_over() || !is_window_full(); });
  if (is_over()) return {};
  return handed_out_++;
}

std::optional<std::uint64_t> OrderedWork::try_next(bool& later) {
  const std::lock_guard lock(mutex_);
  later = !is_over() && is_window_full();
  if (is_over() || later) return {};
  return handed_out_++;
}

void OrderedWork::deliver(std::uint64_t task, std::string result) {
  const std::lock_guard lock(mutex_);
  results_[task % results_.size()] = std::move(result);
  if (task == taken_) arrival_.notify_one();
}

std::optional<std::string> OrderedWork::take(std::chrono::microseconds patience) {
  std::unique_lock lock(mutex_);
  auto& slot = results_[taken_ % results_.size()];
  if (!arrival_.wait_for(lock, patience, [&] { return slot.has_value(); })) return {};
  std::optional<std::string> result = std::move(slot);
  slot.reset();
  ++taken_;
  room_.notify_all();
  return result;
}

bool OrderedWork::all_taken() const {
  const std::lock_guard lock(mutex_);
  return taken_ == tasks_;
}

void OrderedWork::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  room_.notify_all();
}

}  // namespace ridge
