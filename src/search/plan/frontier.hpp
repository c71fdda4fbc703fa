#pragma once
// The best cases of a sweep, and its Pareto frontier: streaming, with memory for the answer only. The answer does not
// depend on the order in which cases come: of equals the one with the lowest number stays.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace ridge {

/// A case by its number; less is better in x and in y.
struct Candidate {
  double x = 0.0, y = 0.0;
  std::uint64_t index = 0;

  bool operator==(const Candidate&) const = default;
};

/// The `keep` lowest by x.
class BestCases {
 public:
  explicit BestCases(std::size_t keep) : keep_(keep) {}
  void add(const Candidate& candidate);
  /// A candidate above it is not among them.
  double limit() const;
  /// Best first.
  const std::vector<Candidate>& candidates() const { return kept_; }

 private:
  std::size_t keep_;
  std::vector<Candidate> kept_;  // sorted
};

/// Those that no other beats or equals in both. A candidate may carry more than its numbers.
template <class C>
class FrontierOf {
 public:
  /// Whether it would stay, so that a caller need not make all of a candidate that would not.
  bool would_keep(const Candidate& candidate) const {
    const auto at = place_of(candidate);
    if (at != kept_.begin() && std::prev(at)->y <= candidate.y) return false;
    if (at == kept_.end() || at->x != candidate.x) return true;
    return candidate.y < at->y || (candidate.y == at->y && candidate.index < at->index);
  }
  void add(const C& candidate) {
    if (!would_keep(candidate)) return;
    const auto at = kept_.begin() + (place_of(candidate) - kept_.begin());
    if (at != kept_.end() && at->x == candidate.x && at->y == candidate.y) {
      *at = candidate;
      return;
    }
    const auto end = std::find_if(at, kept_.end(), [&](const C& other) { return other.y < candidate.y; });
    if (at == end) {
      kept_.insert(at, candidate);
    } else {
      *at = candidate;
      kept_.erase(at + 1, end);
    }
  }
  void merge(const FrontierOf& other) {
    for (const C& candidate : other.kept_) add(candidate);
  }
  double limit() const { return std::numeric_limits<double>::infinity(); }
  /// By rising x, and so falling y.
  const std::vector<C>& candidates() const { return kept_; }

 private:
  /// The first with x at or above the candidate's; the one before it has the lowest y of all with less x.
  typename std::vector<C>::const_iterator place_of(const Candidate& candidate) const {
    return std::lower_bound(kept_.begin(), kept_.end(), candidate.x, [](const C& a, double x) { return a.x < x; });
  }

  std::vector<C> kept_;  // x rises strictly, y falls strictly
};
using Frontier = FrontierOf<Candidate>;

/// Candidates as bytes, to pass between processes of one machine type, and back.
std::string packed(const std::vector<Candidate>& candidates);
std::vector<Candidate> unpacked(std::string_view bytes);

}  // namespace ridge
