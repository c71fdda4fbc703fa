#include "serve/slo/slo_margins.hpp"

#include <cmath>

#include <fmt/format.h>

namespace ridge {

namespace {

/// ln of the margin where the expected error is 1: both grow together.
double reach_at(double confidence, const ErrorSpread& spread, SpreadFigure figure) {
  AnswerErrors unit;
  unit.known = true;
  const auto at = static_cast<std::size_t>(figure);
  for (std::size_t level = 0; level < kLevels.size(); ++level)
    unit.factor[at][level] = std::exp(spread.figures[at].reach[level]);
  return std::log(margin_at(confidence, unit, figure));
}

}  // namespace

std::string confidence_text(double confidence) { return fmt::format("at {:g}% confidence", 100 * confidence); }

SloMargins::SloMargins(const ServingGround& ground, const ServingGround* prefill, const RequestLoad& lengths,
                       double confidence, const Library& library)
    : situation_(ground_situation(ground, library)), spread_(error_spread(library)), lengths_(lengths) {
  if (prefill != nullptr) situation_ = situation_.beside(ground_situation(*prefill, library));
  if (!spread_) return;
  reach_ = {reach_at(confidence, *spread_, SpreadFigure::tpot), reach_at(confidence, *spread_, SpreadFigure::ttft)};
}

SloMargin SloMargins::margin_in(const Situation& situation) const {
  const auto parts = parts_of(situation);
  const auto expected = [&](SpreadFigure figure) {
    return expected_error(spread_->figures[static_cast<std::size_t>(figure)], parts);
  };
  return {std::exp(reach_.tpot * expected(SpreadFigure::tpot)), std::exp(reach_.ttft * expected(SpreadFigure::ttft))};
}

AnswerErrors SloMargins::errors_of(const Layout& layout, bool disaggregated, double concurrency) const {
  RequestLoad load = lengths_;
  load.concurrency = concurrency;
  return errors_in(situation_.of(layout, disaggregated, load), spread_);
}

SloMargin SloMargins::of(const Layout& layout, bool disaggregated, double concurrency) const {
  if (!spread_ || (reach_.tpot == 0 && reach_.ttft == 0)) return {};
  RequestLoad load = lengths_;
  load.concurrency = concurrency;
  return margin_in(situation_.of(layout, disaggregated, load));
}

}  // namespace ridge
