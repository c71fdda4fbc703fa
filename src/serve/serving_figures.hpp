#pragma once
// What the times of a deployment mean for users and the house: tokens a second, chips, dollars. One place for an answer
// and for a search over many.

#include "serve/step/steady.hpp"

namespace ridge {

/// Chips that compute prompts alone are busy to this share, which leaves waiting predictable.
inline constexpr double kPrefillBusy = 0.8;
/// So many times as long as it takes does a prompt then wait, on average (Pollaczek and Khinchine).
inline constexpr double kPrefillQueue = kPrefillBusy / (2 * (1 - kPrefillBusy));

/// Who pays for what.
template <class S>
struct ServingTermsOf {
  S isl{0.0}, osl{0.0};  // tokens of a prompt and of what is generated
  S price{0.0};          // dollars a second and chip
  double chips = 1;      // of all replicas that decode
  double replicas = 1;
  bool disaggregated = false;
  bool networked = false;  // the machine has links between its domains
  bool decodes = true;     // as in ServingLoad
  // where the chips that prefill are of another machine:
  bool prefill_elsewhere = false;
  double prefill_price = 0;  // dollars a second and chip
  double prefill_link = 0;   // seconds a byte, over its scale-out link
};
using ServingTerms = ServingTermsOf<double>;

/// The chips that compute prompts, where others decode: one replica of them.
template <class S>
struct PrefillPoolOf {
  S chips{1.0};
  S at_once{1.0};  // prompts that it computes at once
  S cache{0.0};    // bytes of a prompt's cache on one of its chips
};
using PrefillPool = PrefillPoolOf<double>;

/// Every group computes a prompt in each of its stages, the fullest of which sets the pace; but no more at once than
/// there is `room` for.
template <class S>
PrefillPoolOf<S> prefill_pool(const StepOperations& plan, const S& chips, const S& room, const S& isl) {
  return {chips, min(S(plan.attention_data * plan.pipeline / plan.unevenness), room),
          kv_cache_held(plan, Tokens<S>(isl)).value()};
}

/// Chip-seconds that one prompt takes of a pool that is busy as much as it may be.
template <class S>
Seconds<S> chip_time(const PrefillPoolOf<S>& pool, const Seconds<S>& prefill_alone) {
  const auto busy = literal<Ratio<S>>(kPrefillBusy);
  return prefill_alone * Ratio<S>(pool.chips) / (Ratio<S>(pool.at_once) * busy);
}

/// Waiting for others there.
template <class S>
Seconds<S> queue_time(const Seconds<S>& prefill_alone) {
  return prefill_alone * kPrefillQueue;
}

/// A prompt's cache on its way from the pool to those that decode, with `taken` bytes on each of them: from many chips to
/// many, and those that hold most of it set the pace. Between two machines so does the slower of their links.
template <class S>
Seconds<S> moving_time(const PrefillPoolOf<S>& pool, const Bytes<S>& taken, const Paces<S>& rates,
                       const ServingTermsOf<S>& terms) {
  using PerByte = decltype(rates.scale_out);
  const Bytes<S> most = max(Bytes<S>(pool.cache), taken);
  return most *
         (terms.prefill_elsewhere ? max(rates.scale_out, literal<PerByte>(terms.prefill_link)) : rates.scale_out);
}

template <class S>
struct ServingFiguresOf {
  S output_rate{0.0}, total_rate{0.0}, user_rate{0.0};  // tokens/s: all chips out, in and out; one user (0: no TPOT)
  S input_cost{0.0}, output_cost{0.0};                  // dollars a token
  S bill{0.0};                                          // dollars a second, of all chips
  S bill_per_output{0.0};                               // dollars: the whole bill over the answers' tokens
  S chips{0.0};                                         // those for prompts included
  S prefill_replicas{0.0};                              // for each that decodes, where prompts are apart
  Seconds<S> transfer_time{};                           // of a prompt's cache from one to the other
  Seconds<S> ttft{};
};
using ServingFigures = ServingFiguresOf<double>;

/// `pool` computes the prompts where they are apart; times.prefill_alone is then its own.
template <class S>
ServingFiguresOf<S> serving_figures(const StepOperations& plan, const Paces<S>& rates, const ServingTimes<S>& times,
                                    const ServingTermsOf<S>& terms, const PrefillPoolOf<S>& pool);

}  // namespace ridge
