#include "simulate/engine/router.hpp"

#include <algorithm>

namespace ridge::simulate {

void Router::list_up() {
  up_.clear();
  for (std::size_t i = 0; i < is_up_.size(); ++i) {
    if (is_up_[i] != 0) up_.push_back(i);
  }
}

void Router::set_up(std::size_t replica, bool up) {
  is_up_[replica - first_] = up ? 1 : 0;
  if (!up) loads_[replica - first_] = 0;
  list_up();
}

std::optional<std::size_t> Router::choose(const Request& request, Random& random) {
  if (up_.empty()) return {};
  return first_ + (up_.size() == 1 ? up_.front() : up_[among_up(request, random)]);
}

std::size_t Router::among_up(const Request& request, Random& random) {
  const std::size_t all = up_.size();
  const auto load = [&](std::size_t i) { return loads_[up_[i]]; };
  switch (routing_) {
    case Routing::round_robin:
      return turn_++ % all;
    case Routing::power_of_two: {
      const auto one = static_cast<std::size_t>(random.whole(0, static_cast<std::int64_t>(all) - 1));
      const auto other = static_cast<std::size_t>(random.whole(0, static_cast<std::int64_t>(all) - 1));
      return load(other) < load(one) ? other : one;
    }
    case Routing::prefix_aware:
      if (!request.shared.names.empty()) {  // the same beginning, the same replica, unless it has too much to do
        const auto home = static_cast<std::size_t>(mixed(request.shared.names.front()) % is_up_.size());
        const auto there = std::find(up_.begin(), up_.end(), home);
        std::int64_t least = load(0);
        for (std::size_t i = 1; i < all; ++i) least = std::min(least, load(i));
        if (there != up_.end() && loads_[home] <= least * 3 / 2 + 32)
          return static_cast<std::size_t>(there - up_.begin());
      }
      [[fallthrough]];
    case Routing::least_loaded:
      break;
  }
  // from the one whose turn it is, around: the first with the least to do
  const auto least_of = [&](auto&& load_of) {
    const std::size_t first = turn_ % all;
    std::size_t best = first;
    std::int64_t least = load_of(first);
    const auto look = [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) {
        if (const std::int64_t here = load_of(i); here < least) {
          best = i;
          least = here;
        }
      }
    };
    look(first + 1, all);
    look(0, first);
    return best;
  };
  const bool all_up = all == loads_.size();  // then each is at its own number
  const std::size_t best = all_up ? least_of([this](std::size_t i) { return loads_[i]; }) : least_of(load);
  turn_ = best + 1;
  return best;
}

}  // namespace ridge::simulate
