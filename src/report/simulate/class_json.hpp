#pragma once
// What requests of each class of a mix saw, as JSON.

#include "report/base/json.hpp"
#include "simulate/answer/class_samples.hpp"

namespace ridge::report {

inline Json samples_json(const simulate::Spread& spread) {
  return {{"mean", json_number(spread.mean)},
          {"p50", json_number(spread.p50)},
          {"p90", json_number(spread.p90)},
          {"p95", json_number(spread.p95)},
          {"p99", json_number(spread.p99)}};
}

inline Json classes_json(const simulate::RequestMix& mix, const std::vector<simulate::ClassSpread>& classes) {
  Json out = Json::array();
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const simulate::RequestClass& one = mix.classes[i];
    out.push_back({{"name", one.name},
                   {"share", json_number(one.share)},
                   {"isl", json_number(one.isl)},
                   {"osl", json_number(one.osl)},
                   {"cached", json_number(one.cached)},
                   {"ttft", samples_json(classes[i].ttft)},
                   {"tpot", samples_json(classes[i].tpot)}});
  }
  return out;
}

}  // namespace ridge::report
