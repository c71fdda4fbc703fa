#include "search/plan/frontier.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <tuple>
#include <type_traits>

namespace ridge {

void BestCases::add(const Candidate& candidate) {
  const auto before = [](const Candidate& a, const Candidate& b) {
    return std::tie(a.x, a.index) < std::tie(b.x, b.index);
  };
  if (kept_.size() == keep_ && !before(candidate, kept_.back())) return;
  kept_.insert(std::upper_bound(kept_.begin(), kept_.end(), candidate, before), candidate);
  if (kept_.size() > keep_) kept_.pop_back();
}

double BestCases::limit() const {
  return kept_.size() == keep_ ? kept_.back().x : std::numeric_limits<double>::infinity();
}

static_assert(std::is_trivially_copyable_v<Candidate>);

std::string packed(const std::vector<Candidate>& candidates) {
  std::string bytes(candidates.size() * sizeof(Candidate), '\0');
  if (!candidates.empty()) std::memcpy(bytes.data(), candidates.data(), bytes.size());
  return bytes;
}

std::vector<Candidate> unpacked(std::string_view bytes) {
  std::vector<Candidate> candidates(bytes.size() / sizeof(Candidate));
  if (!candidates.empty()) std::memcpy(candidates.data(), bytes.data(), candidates.size() * sizeof(Candidate));
  return candidates;
}

}  // namespace ridge
