#pragma once
// Prices and hosts on the layout that a question names, or on the fewest chips: what the commands do after a search.

#include "price/make/price_answer.hpp"
#include "price/money/host.hpp"

namespace ridge::testing {

inline Result<PriceResult> price_as_asked(const PriceQuestion& question, const NumbersEntry& terms,
                                          const Library& library) {
  const auto request = mean_request(question, terms, library);
  if (!request) return fail(request.error());
  const auto chosen = deployed(*request, {}, library);
  if (!chosen) return fail(chosen.error());
  return answer_price(question, terms, *chosen, library);
}

}  // namespace ridge::testing
