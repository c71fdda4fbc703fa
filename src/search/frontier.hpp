#pragma once
// The best cases of a sweep, and its Pareto frontier: streaming, with memory for the answer only. The answer does not
// depend on the order in which cases come: of equals the one with the lowest number stays.

#include <cstdint>
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

/// Those that no other beats or equals in both.
class Frontier {
 public:
  void add(const Candidate& candidate);
  double limit() const;
  /// By rising x, and so falling y.
  const std::vector<Candidate>& candidates() const { return kept_; }

 private:
  std::vector<Candidate> kept_;  // x rises strictly, y falls strictly
};

/// Candidates as bytes, to pass between processes of one machine type, and back.
std::string packed(const std::vector<Candidate>& candidates);
std::vector<Candidate> unpacked(std::string_view bytes);

}  // namespace ridge
