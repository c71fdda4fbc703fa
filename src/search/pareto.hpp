#pragma once
// The points that no other beats in two figures at once, kept while a search runs: memory grows with the frontier, not
// with the cases.

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ridge {

/// More of both is better. Of equal points the one with the lower index stays, so that the result does not depend on the
/// order in which points come or on who found them.
template <class Point>
class Frontier {
 public:
  struct Entry {
    double x = 0, y = 0;
    std::uint64_t index = 0;
    Point point;
  };

  /// True where the point is on the frontier so far.
  bool add(double x, double y, std::uint64_t index, const Point& point) {
    // entries are sorted by x falling, so that y rises
    auto at = std::partition_point(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.x > x; });
    if (at != entries_.begin() && std::prev(at)->y >= y) return false;  // faster and as good
    if (at != entries_.end() && at->x == x) {
      if (at->y > y || (at->y == y && at->index < index)) return false;
    }
    auto last = at;
    while (last != entries_.end() && last->y <= y) ++last;  // slower and not better
    if (at == last) {
      entries_.insert(at, Entry{x, y, index, point});
    } else {
      *at = Entry{x, y, index, point};
      entries_.erase(std::next(at), last);
    }
    return true;
  }

  void merge(const Frontier& other) {
    for (const Entry& e : other.entries_) add(e.x, e.y, e.index, e.point);
  }

  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
};

}  // namespace ridge
