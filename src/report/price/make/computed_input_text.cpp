#include "report/price/make/computed_input_text.hpp"

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"

namespace ridge::report {

std::string prefill_in_flight(const ComputedInput& computed) {
  return fmt::format("{} prefill tokens per step (token budget {})", with_commas(computed.at_once.value()),
                     with_commas(computed.token_budget.value()));
}

}  // namespace ridge::report
