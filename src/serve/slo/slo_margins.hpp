#pragma once
// By how much figures of a ground's deployments may be longer than estimated, at a confidence: from the errors of runs that
// were left out of the fit, for the situation of each.

#include <string>

#include "serve/slo/slo_odds.hpp"

namespace ridge {

/// Factors on estimates that measurements stay below.
struct SloMargin {
  double tpot = 1, ttft = 1;
};

/// "at 90% confidence"
std::string confidence_text(double confidence);

class SloMargins {
 public:
  SloMargins() = default;
  /// `lengths`: its concurrency is nothing. `prefill`: where that is on another machine.
  SloMargins(const ServingGround& ground, const ServingGround* prefill, const RequestLoad& lengths, double confidence,
             const Library& library);

  AnswerErrors errors_of(const Layout& layout, bool disaggregated, double concurrency) const;
  /// Whether somebody has measured a layout of its kind.
  bool seen(const Layout& layout) const {
    return situation_.layouts_seen[static_cast<std::size_t>(kind_of(layout, situation_.fabric))];
  }
  SloMargin of(const Layout& layout, bool disaggregated, double concurrency) const;

 private:
  SloMargin margin_in(const Situation& situation) const;

  GroundSituation situation_;
  std::optional<ErrorSpread> spread_;
  RequestLoad lengths_;
  SloMargin reach_{0, 0};  // ln of a margin over the expected error, which does not depend on the situation
};

}  // namespace ridge
