#include "serve/slo/slo_odds.hpp"

#include <cmath>

#include "base/number/normal.hpp"

namespace ridge {

namespace {

/// Where the line from quantile to ln(measured / estimate) bends: at the estimate, then at each level.
struct QuantileLine {
  std::array<double, kLevels.size() + 1> z{}, reach{};

  bool flat() const { return reach.back() <= 0; }
};

QuantileLine quantile_line(const AnswerErrors& errors, SpreadFigure figure) {
  QuantileLine out;
  if (!errors.known) return out;
  for (std::size_t level = 0; level < kLevels.size(); ++level) {
    out.z[level + 1] = normal_quantile((1 + kLevels[level]) / 2);
    out.reach[level + 1] = std::log(errors.factor[static_cast<std::size_t>(figure)][level]);
  }
  return out;
}

/// On the line through the points (from, to), which goes on beyond the last as before it. Levels that reach equally far say
/// nothing of a slope: the one before them goes on.
double along(const std::array<double, kLevels.size() + 1>& from, const std::array<double, kLevels.size() + 1>& to,
             double x) {
  std::size_t i = 1;
  while (i + 1 < from.size() && x >= from[i]) ++i;
  while (i > 1 && from[i] <= from[i - 1]) --i;
  return to[i - 1] + (x - from[i - 1]) * (to[i] - to[i - 1]) / (from[i] - from[i - 1]);
}

}  // namespace

double odds_within(double estimate, double target, const AnswerErrors& errors, SpreadFigure figure) {
  const QuantileLine line = quantile_line(errors, figure);
  if (line.flat() || estimate <= 0 || target <= 0) return estimate <= target ? 1 : 0;
  const double distance = std::log(target / estimate);
  const double z = along(line.reach, line.z, std::abs(distance));
  return normal_share(distance < 0 ? -z : z);
}

double margin_at(double confidence, const AnswerErrors& errors, SpreadFigure figure) {
  const QuantileLine line = quantile_line(errors, figure);
  const double z = normal_quantile(confidence);
  if (line.flat() || z == 0) return 1;
  if (std::isinf(z)) return z < 0 ? 0 : z;
  const double reach = along(line.z, line.reach, std::abs(z));
  return std::exp(z < 0 ? -reach : reach);
}

}  // namespace ridge
