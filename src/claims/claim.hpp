#pragma once
// The lecture's statements, computed and judged. A claim's words, the numbers it gives and what it says should come out
// are catalog facts; how to compute it is one function here; the verdict follows from comparing the two.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/text/unit_text.hpp"
#include "library/library.hpp"
#include "price/sheet/sheet.hpp"

namespace ridge {

/// What a claim says one of its figures should be.
struct Expectation {
  std::string figure;
  Measure low, high;
};

struct Claim {
  std::string id, title, statement, at, topic;
  std::string condition;  // with figures in braces, see claim_text.hpp: no number is typed beside the computed one
  std::string band;       // why what is expected has these ends
  bool derived = false;   // said by nobody, so that nothing is expected and nothing judged
  std::map<std::string, Sourced<Measure>, std::less<>> given;  // numbers the speaker gave
  std::vector<Expectation> expected;
};

/// A number the engine computed for a claim.
struct Figure {
  std::string key, meaning;
  double value = 0.0;
  Dimension dimension;
};

enum class Verdict { holds, holds_under_conditions, does_not_hold, derived };
const char* name_of(Verdict verdict);

struct JudgedFigure {
  Figure figure;
  std::optional<Expectation> expected;
  bool agrees = true;
};

struct JudgedClaim {
  Claim claim;
  std::vector<JudgedFigure> figures;
  Verdict verdict = Verdict::holds;
  std::string condition;  // the claim's, with its figures
};

/// Ids of the claims that have a computation, in order.
std::vector<std::string> computable_claims();

/// All expected figures agree: holds. Some: holds under conditions, which the entry states. None: does not hold. What is
/// only derived from a claim has figures and no verdict: to expect what one has computed would be a circle.
/// Some claims are about price sheets, and cannot be judged without.
Result<JudgedClaim> judge(const Claim& claim, const Library& library, const std::vector<PriceSheet>& sheets = {});

}  // namespace ridge
