#include "serve/step/known_times.hpp"

#include <bit>

#include "serve/step/step.ipp"

namespace ridge {

namespace {

constexpr std::size_t kPlaces = 256;  // 24 kB: batches of a replica differ by a few dozen requests

StepTimes<double> known_times(KnownTimes& known, const StepOperations& plan, const ChipPaces<double>& paces,
                              const StepLoad<double>& load) {
  const step::StepTokens<double> tokens = step::tokens_of(plan, load);
  KnownTimes::Place& place = known.place_of(tokens.all, tokens.predicted, tokens.in_group);
  step::StepSum<double> sum({});
  if (place.all == tokens.all && place.predicted == tokens.predicted && place.in_group == tokens.in_group &&
      place.padded == tokens.padded) {
    sum.times.part = place.part;
  } else {
    step::add_products<false>(sum, plan, paces, tokens);
    step::add_experts<false>(sum, plan, paces, tokens);
    step::add_network_and_small(sum, plan, paces, tokens);
    place = {tokens.all, tokens.predicted, tokens.in_group, sum.times.part, tokens.padded};
  }
  step::add_attention<false>(sum, plan, paces, load, tokens);
  return sum.times;
}

}  // namespace

KnownTimes::Place& KnownTimes::place_of(const Ratio<double>& all, const Ratio<double>& predicted,
                                        const Ratio<double>& in_group) {
  if (places_.empty()) places_.resize(kPlaces);
  std::uint64_t bits = 0;
  for (const Ratio<double>& one : {all, predicted, in_group})
    bits = (bits ^ std::bit_cast<std::uint64_t>(one.value())) * 0x9e3779b97f4a7c15u;
  return places_[(bits >> 32) % kPlaces];
}

Seconds<double> overlapped_step(KnownTimes& known, const StepOperations& plan, const ChipPaces<double>& paces,
                                const StepLoad<double>& load, Overlap overlap) {
  if (plan.ggml) return overlapped_step<double>(plan, paces, load, overlap);  // its kernels run attention beside others
  return overlapped_kernels(load, overlap,
                            [&](const StepLoad<double>& one) { return known_times(known, plan, paces, one); });
}

}  // namespace ridge
