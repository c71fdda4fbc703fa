#pragma once
// What a rank did, in all.

#include <cstdint>

namespace ridge::simulate {

struct RankCounts {
  std::int64_t preemptions = 0, lost_tokens = 0;         // tokens computed again after them
  std::int64_t prompt_tokens = 0, cached_tokens = 0;     // of admitted prompts, and of those found in the prefix cache
  std::int64_t computed_tokens = 0, decoded_tokens = 0;  // of prompts in steps; given by decodes
  std::int64_t fetched_tokens = 0;                       // of the cached ones, from tiers below the chip's memory
};

/// Every count of `sum` and the same of `one` are told to `tell`.
template <class Tell>
void each_count(RankCounts& sum, const RankCounts& one, Tell&& tell) {
  tell(sum.preemptions, one.preemptions);
  tell(sum.lost_tokens, one.lost_tokens);
  tell(sum.prompt_tokens, one.prompt_tokens);
  tell(sum.cached_tokens, one.cached_tokens);
  tell(sum.computed_tokens, one.computed_tokens);
  tell(sum.decoded_tokens, one.decoded_tokens);
  tell(sum.fetched_tokens, one.fetched_tokens);
}

inline RankCounts& operator+=(RankCounts& sum, const RankCounts& one) {
  each_count(sum, one, [](std::int64_t& all, std::int64_t more) { all += more; });
  return sum;
}

inline RankCounts& operator-=(RankCounts& sum, const RankCounts& one) {
  each_count(sum, one, [](std::int64_t& all, std::int64_t less) { all -= less; });
  return sum;
}

}  // namespace ridge::simulate
