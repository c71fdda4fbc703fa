#pragma once
// What requests of each class of a mix saw.

#include <vector>

#include "simulate/answer/samples.hpp"
#include "simulate/client/request.hpp"
#include "simulate/client/request_mix.hpp"

namespace ridge::simulate {

struct ClassSpread {
  Spread ttft, tpot;
};

/// Without the first tenth of the requests, while caches and queues fill. `mixed` outlives it.
class ClassSamples {
 public:
  ClassSamples(const MixedRequests& mixed, std::size_t classes) : mixed_(mixed), ttft_(classes), tpot_(classes) {}

  void add(const RequestOutcome& one) {
    if (one.refused || one.number < mixed_.class_of.size() / 10) return;
    const std::size_t which = mixed_.class_of[one.number];
    ttft_[which].add(one.ttft());
    if (one.output > 1) tpot_[which].add((one.last_token - one.first_token) / (one.output - 1));
  }

  std::vector<ClassSpread> spreads() const {
    std::vector<ClassSpread> out;
    for (std::size_t i = 0; i < ttft_.size(); ++i) out.push_back({ttft_[i].spread(), tpot_[i].spread()});
    return out;
  }

 private:
  const MixedRequests& mixed_;
  std::vector<Samples> ttft_, tpot_;
};

}  // namespace ridge::simulate
