#include "report/simulate/class_table.hpp"

#include <fmt/format.h>

#include "base/text/unit_text.hpp"
#include "report/base/counts.hpp"

namespace ridge::report {

std::string classes_table(const simulate::RequestMix& mix, const std::vector<simulate::ClassSpread>& classes,
                          const Style& style) {
  if (classes.empty()) return "";
  std::string out = bold(style, "By class") + dim(style, "   as simulated, after the first tenth") + "\n";
  out += fmt::format("  {} {} {} {} {}\n", padded("", 36), padded("TTFT p50", 9, true), padded("p99", 9, true),
                     padded("TPOT p50", 9, true), padded("p99", 9, true));
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const simulate::RequestClass& one = mix.classes[i];
    const simulate::ClassSpread& seen = classes[i];
    const std::string name = fmt::format("{}: {} {:g}/{:g}{}", one.name, percent(one.share), one.isl, one.osl,
                                         one.cached > 0 ? fmt::format(", {} cached", percent(one.cached)) : "");
    const auto time = [](double value) { return padded(value > 0 ? show(Seconds<double>(value), 3) : "n/a", 9, true); };
    out += fmt::format("  {} {} {} {} {}\n", padded(name, 36), time(seen.ttft.p50), time(seen.ttft.p99),
                       time(seen.tpot.p50), time(seen.tpot.p99));
  }
  return out;
}

}  // namespace ridge::report
