#pragma once
// How likely a target holds, given an estimate and how far off it may be; and the margin that a confidence asks for.
// docs/theory/errors.md has the equations.

#include "serve/error/error_spread.hpp"

namespace ridge {

/// P(measured <= target). An interval is symmetric in the logarithm, so a level of 80 % is 90 % one-sided. Between the
/// levels ln(measured / estimate) is linear in the normal quantile, and beyond 95 % it goes on as between 80 and 95 %. Of a
/// rate, which is to be at least its target, the odds are one minus this. Where errors are not known: 1 or 0.
double odds_within(double estimate, double target, const AnswerErrors& errors, SpreadFigure figure);

/// Its inverse: the factor on an estimate that measurements stay below with this confidence, 1 at 50 %. With 90 % it is
/// that of the 80 % interval's upper end. Below 50 % it is less than 1; infinite at 100 %.
double margin_at(double confidence, const AnswerErrors& errors, SpreadFigure figure);

/// What a plan asks for unless told otherwise.
inline constexpr double kPlanConfidence = 0.9;

}  // namespace ridge
