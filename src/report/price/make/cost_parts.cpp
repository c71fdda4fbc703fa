#include "report/price/make/cost_parts.hpp"

#include <fmt/format.h>

#include "report/base/style.hpp"

namespace ridge::report {

std::string signed_percent(double share) {
  if (share < -9.995) return fmt::format("-{:.0f}x", -share);
  return share < 0 ? "-" + percent(-share) : percent(share);
}

std::string parts_text(const StepCosts<double>& parts) {
  std::string out;
  for (const CostPart& part : kCostParts) {
    const double share = ((parts.*part.time) / parts.total()).value();
    if (share != 0) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", part.name, signed_percent(share));
  }
  return out;
}

}  // namespace ridge::report
