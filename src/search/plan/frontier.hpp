#pragma once
// The best cases of a sweep, and its Pareto frontier: streaming, with memory for the answer only. The answer does not
// depend on the order in which cases come: of equals the one with the lowest number stays.

#include <algorithm>
#include <cstddef>
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
    const std::size_t at = place_of(candidate);
    if (at > 0 && places_[at - 1].y <= candidate.y) return false;
    if (at == places_.size() || places_[at].x != candidate.x) return true;
    return candidate.y < places_[at].y || (candidate.y == places_[at].y && candidate.index < kept_[at].index);
  }
  void add(const C& candidate) {
    if (!would_keep(candidate)) return;
    const std::size_t at = place_of(candidate);
    std::size_t end = at;  // of those that it beats or equals
    while (end < places_.size() && !(places_[end].y < candidate.y)) ++end;
    put(kept_, at, end, candidate);
    put(places_, at, end, Place{candidate.x, candidate.y});
  }
  void merge(const FrontierOf& other) {
    for (const C& candidate : other.kept_) add(candidate);
  }
  double limit() const { return std::numeric_limits<double>::infinity(); }
  /// By rising x, and so falling y.
  const std::vector<C>& candidates() const { return kept_; }

 private:
  struct Place {
    double x = 0.0, y = 0.0;
  };

  /// The first with x at or above the candidate's; the one before it has the lowest y of all with less x.
  std::size_t place_of(const Candidate& candidate) const {
    const auto at = std::lower_bound(places_.begin(), places_.end(), candidate.x,
                                     [](const Place& place, double x) { return place.x < x; });
    return static_cast<std::size_t>(at - places_.begin());
  }

  /// One instead of those from `at` to before `end`.
  template <class T>
  static void put(std::vector<T>& list, std::size_t at, std::size_t end, const T& one) {
    const auto first = list.begin() + static_cast<std::ptrdiff_t>(at);
    if (at == end) {
      list.insert(first, one);
    } else {
      *first = one;
      list.erase(first + 1, list.begin() + static_cast<std::ptrdiff_t>(end));
    }
  }

  std::vector<C> kept_;        // x rises strictly, y falls strictly
  std::vector<Place> places_;  // theirs, close together: nearly every look ends here
};
using Frontier = FrontierOf<Candidate>;

/// Candidates as bytes, to pass between processes of one machine type, and back.
std::string packed(const std::vector<Candidate>& candidates);
std::vector<Candidate> unpacked(std::string_view bytes);

}  // namespace ridge
