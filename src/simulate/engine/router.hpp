#pragma once
// Requests spread over the replicas that are there.

#include <cstdint>
#include <optional>
#include <vector>

#include "simulate/client/random.hpp"
#include "simulate/client/request.hpp"

namespace ridge::simulate {

/// How requests are spread over replicas.
enum class Routing { round_robin, least_loaded, power_of_two, prefix_aware };

/// A pool of replicas, numbered from `first` on.
class Router {
 public:
  Router(Routing routing, std::size_t first, std::size_t replicas)
      : routing_(routing), first_(first), loads_(replicas, 0), is_up_(replicas, 1) {
    list_up();
  }

  /// Nothing where no replica is up.
  std::optional<std::size_t> choose(const Request& request, Random& random);
  /// Requests at a replica, or on their way to it.
  void add(std::size_t replica) { ++loads_[replica - first_]; }
  void remove(std::size_t replica) { --loads_[replica - first_]; }
  bool has(std::size_t replica) const { return replica >= first_ && replica - first_ < loads_.size(); }
  /// A replica that goes, with all its requests, or comes.
  void set_up(std::size_t replica, bool up);

 private:
  void list_up();
  std::size_t among_up(const Request& request, Random& random);

  Routing routing_;
  std::size_t first_;
  std::vector<std::int64_t> loads_;
  std::vector<char> is_up_;
  std::vector<std::size_t> up_;
  std::size_t turn_ = 0;
};

}  // namespace ridge::simulate
