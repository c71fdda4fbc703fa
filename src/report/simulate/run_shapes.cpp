#include "report/simulate/run_shapes.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "base/text/unit_text.hpp"

namespace ridge::report {

namespace {

/// One character for a share of 1, the lowest for nothing.
std::string_view level(const Style& style, double share) {
  static constexpr std::string_view kBlocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  static constexpr std::string_view kPlain[] = {" ", ".", ":", "-", "=", "+", "*", "#", "@"};
  const int step = share <= 0 ? 0 : std::clamp(static_cast<int>(std::ceil(share * 8)), 1, 8);
  return (style.unicode ? kBlocks : kPlain)[step];
}

std::string whole_number(double value) { return fmt::format("{:.4g}", value); }

}  // namespace

std::string ttft_histogram(const simulate::SimulationResult& result, const Style& style) {
  const simulate::Samples& ttft = result.all.ttft;
  constexpr int kBins = 8, kWidth = 40;
  if (ttft.count() < 2) return "";
  const double low = ttft.percentile(0), high = ttft.percentile(1);
  if (!(high > low * 1.001)) return "";
  const bool geometric = low > 0 && high > 8 * low;
  const auto edge = [&](int i) {
    const double way = static_cast<double>(i) / kBins;
    return geometric ? low * std::pow(high / low, way) : low + (high - low) * way;
  };
  double shares[kBins], most = 0, before = 0;
  for (int i = 0; i < kBins; ++i) {
    const double until = i + 1 == kBins ? 1.0 : ttft.share_within(edge(i + 1));
    shares[i] = until - before;
    before = until;
    most = std::max(most, shares[i]);
  }
  std::string out = bold(style, "TTFT of requests") + "\n";
  for (int i = 0; i < kBins; ++i) {
    std::string row = fmt::format("  {} to {} {:>6}  {}", padded(show(Seconds<double>(edge(i)), 3), 9, true),
                                  padded(show(Seconds<double>(edge(i + 1)), 3), 9, true), percent(shares[i]),
                                  bar(style, shares[i] / most, kWidth));
    row.erase(row.find_last_not_of(' ') + 1);
    out += row + "\n";
  }
  return out;
}

std::vector<simulate::Moment> evenly(const simulate::SimulationResult& result, int moments) {
  std::vector<simulate::Moment> out;
  if (result.timeline.empty() || !(result.duration > 0)) return out;
  std::size_t next = 0;
  simulate::Moment now = result.timeline.front();
  for (int i = 0; i < moments; ++i) {
    const double until = result.duration * (i + 1) / moments;
    simulate::Moment sum;
    int count = 0;
    for (; next < result.timeline.size() && result.timeline[next].at <= until; ++next, ++count) {
      now = result.timeline[next];
      sum.running += now.running;
      sum.waiting += now.waiting;
      sum.cache_used += now.cache_used;
    }
    if (count == 0) sum = now, count = 1;  // nothing changed
    out.push_back({until, sum.running / count, sum.waiting / count, sum.cache_used / count});
  }
  return out;
}

std::string run_timeline(const simulate::SimulationResult& result, const Style& style) {
  constexpr int kWidth = 50;
  const auto moments = evenly(result, kWidth);
  if (moments.empty()) return "";
  std::string out = bold(style, "Over time") +
                    dim(style, fmt::format("   0 to {}", show(Seconds<double>(result.duration), 3))) + "\n";
  const auto line = [&](const char* name, const std::function<double(const simulate::Moment&)>& value, double full,
                        const std::string& remark) {
    std::string row = fmt::format("  {} ", padded(name, 9));
    for (const simulate::Moment& one : moments) row += level(style, full > 0 ? value(one) / full : 0);
    out += row + "  " + remark + "\n";
  };
  double running = 0, waiting = 0;
  for (const simulate::Moment& one : result.timeline) {
    running = std::max(running, one.running);
    waiting = std::max(waiting, one.waiting);
  }
  line(
      "running", [](const auto& one) { return one.running; }, running, whole_number(running) + " at most");
  line(
      "waiting", [](const auto& one) { return one.waiting; }, waiting, whole_number(waiting) + " at most");
  line(
      "KV cache", [](const auto& one) { return one.cache_used; }, 1, "of 100%");
  return out;
}

}  // namespace ridge::report
