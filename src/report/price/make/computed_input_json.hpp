#pragma once
// Beside what load computed input costs what it costs, as JSON.

#include "price/make/computed_input.hpp"
#include "report/base/json.hpp"

namespace ridge::report {

inline Json computed_input_json(const ComputedInput& computed) {
  return {{"prefill_tokens_per_step", json_number(computed.at_once.value())},
          {"token_budget", json_number(computed.token_budget.value())},
          {"isl", json_number(computed.load.isl)},
          {"osl", json_number(computed.load.osl)},
          {"concurrency", json_number(computed.load.concurrency)}};
}

}  // namespace ridge::report
