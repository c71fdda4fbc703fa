#pragma once
// How far off an answer is likely to be: from the errors of measured runs that were left out of the fit, by what the
// question has in common with what was measured. The numbers are catalog/calibration/spread.toml, written by `ridge
// calibrate`; docs/theory/errors.md has the equations.

#include <array>
#include <optional>
#include <string_view>

#include "serve/error/situation.hpp"

namespace ridge {

/// Figures whose errors are known apart. Cost has that of throughput.
enum class SpreadFigure { tpot, ttft, prefill, throughput };
inline constexpr std::size_t kSpreadFigures = 4;
std::string_view name_of(SpreadFigure figure);

/// What adds to an error: each part has a mean size of its own, and independent sizes add in squares.
enum class SpreadPart {
  every_run,       // what is left where everything was seen
  experts,         // a mixture of experts
  disaggregated,   // decode on chips of its own
  attention_data,  // DP attention with experts over all chips
  over_domains,    // a stage over several scale-up domains
  stages,          // pipeline stages, context parallelism
  model,           // a dense model that was not seen
  experts_model,   // a mixture of experts that was not seen: this and the former
  attention,       // a kind of attention that was not seen
  combination,     // model, chip and engine were seen, never together
  chip,            // kernels of the chip were seen, no run
  chip_borrowed,   // nothing of the chip was seen
  engine,          // the engine was not seen
  layout,          // the kind of layout was not seen
  load,            // each doubling of the load beyond what was seen
  feature,         // each of those that no run has: speculative decoding, a prefix cache, overlap, a torus
};
inline constexpr std::size_t kSpreadParts = 16;
std::string_view name_of(SpreadPart part);

/// How often each part counts in a situation: 0, 1, or the doublings of a load.
std::array<double, kSpreadParts> parts_of(const Situation& situation);

/// Shares of the cases that an interval holds.
inline constexpr std::array<double, 3> kLevels = {0.5, 0.8, 0.95};
inline constexpr std::size_t kShownLevel = 1;  // 80 %

struct FigureSpread {
  std::array<double, kSpreadParts> part{};     // mean size of ln(measured / predicted) that it adds, in squares
  std::array<double, kLevels.size()> reach{};  // half of an interval over the mean size, by level
};

/// sqrt(sum of times * part^2): the mean size of ln(measured / predicted) that is to be expected.
double expected_error(const FigureSpread& spread, const std::array<double, kSpreadParts>& times);

struct ErrorSpread {
  std::array<FigureSpread, kSpreadFigures> figures;
};
/// From the calibration "spread"; nothing where the library has none, or not all of it.
std::optional<ErrorSpread> error_spread(const Library& library);

/// From a low to a high end, the estimate between them: its double is as far off as its half.
struct FigureInterval {
  double low = 0, high = 0;
};

/// The situation of an answer, and by which factor its figures may be off.
struct AnswerErrors {
  Situation situation;
  bool known = false;
  std::array<std::array<double, kLevels.size()>, kSpreadFigures> factor{};

  FigureInterval around(double estimate, SpreadFigure figure, std::size_t level = kShownLevel) const {
    const double by = factor[static_cast<std::size_t>(figure)][level];
    return {estimate / by, estimate * by};
  }
};
AnswerErrors errors_in(const Situation& situation, const std::optional<ErrorSpread>& spread);

}  // namespace ridge
