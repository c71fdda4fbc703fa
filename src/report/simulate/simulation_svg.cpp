#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "report/simulate/simulation_text.hpp"

namespace ridge::report {

namespace {

using simulate::SimulationAnswer;

std::string picture_subtitle(const SimulationAnswer& answer) {
  return fmt::format("{}, {}; {}", simulated_words(answer), answer.ground().engine.name,
                     client_words(answer.asked.question));
}

/// The share of requests (y) that had at most so long a time (x).
Series cumulative(const std::string& label, const simulate::Samples& samples, bool bold) {
  constexpr int kPoints = 201;
  Series series{.label = label, .bold = bold};
  series.x = samples.curve(kPoints);
  for (std::size_t i = 0; i < series.x.size(); ++i)
    series.y.push_back(100.0 * static_cast<double>(i) / static_cast<double>(kPoints - 1));
  return series;
}

Chart latency_chart(const SimulationAnswer& answer) {
  const simulate::Latencies& all = answer.result.all;
  Chart chart{.title = "No request was answered", .subtitle = picture_subtitle(answer)};
  if (all.ttft.count() > 0)
    chart.title = fmt::format("Half of the requests have their first token within {}, 99% within {}",
                              show(Seconds<double>(all.ttft.percentile(0.5)), 3),
                              show(Seconds<double>(all.ttft.percentile(0.99)), 3));
  chart.footer =
      fmt::format("{} requests, seed {}; simulated by ridge", answer.result.finished, answer.asked.question.seed);
  chart.x = {"time", "s", Scale::logarithmic};
  chart.y = {"requests that took at most this, %", "", Scale::linear};
  chart.series.push_back(cumulative("TTFT", all.ttft, true));
  if (all.tpot.count() > 0) chart.series.push_back(cumulative("TPOT", all.tpot, false));
  if (all.itl.count() > 0) chart.series.push_back(cumulative("ITL", all.itl, false));
  chart.series.push_back(cumulative("E2E", all.e2e, false));
  const auto promise = [&](const char* name, double target) {
    if (target > 0)
      chart.lines.push_back(
          {.vertical = true, .at = target, .label = fmt::format("SLO {} {}", name, show(Seconds<double>(target), 3))});
  };
  promise("TTFT", answer.targets().ttft);
  promise("TPOT", answer.targets().tpot);
  promise("E2E", answer.targets().e2e);
  return chart;
}

/// Steps between moments, as a state holds until the next.
template <class Value>
Series over_time(const std::string& label, const SimulationAnswer& answer, const Value& value, bool bold) {
  Series series{.label = label, .bold = bold, .shape = Shape::steps};
  for (const simulate::Moment& one : answer.result.timeline) {
    series.x.push_back(one.at);
    series.y.push_back(value(one));
  }
  if (!answer.result.stopped) {  // all are answered
    series.x.push_back(answer.result.duration);
    series.y.push_back(0);
  }
  return series;
}

Chart requests_chart(const SimulationAnswer& answer) {
  double running = 0, waiting = 0;
  for (const simulate::Moment& one : answer.result.timeline) {
    running = std::max(running, static_cast<double>(one.running));
    waiting = std::max(waiting, static_cast<double>(one.waiting));
  }
  Chart chart{.title = fmt::format("At most {} requests run at once, and {} wait", with_commas(running),
                                   waiting > 0 ? with_commas(waiting) : "none"),
              .subtitle = picture_subtitle(answer)};
  chart.x = {"time since the first request", "s", Scale::linear};
  chart.y = {"requests", "", Scale::linear};
  chart.series.push_back(over_time(
      "running", answer, [](const auto& one) { return one.running; }, true));
  chart.series.push_back(over_time(
      "waiting", answer, [](const auto& one) { return one.waiting; }, false));
  return chart;
}

Chart cache_chart(const SimulationAnswer& answer) {
  double most = 0;
  for (const simulate::Moment& one : answer.result.timeline) most = std::max(most, static_cast<double>(one.cache_used));
  Chart chart{.title = fmt::format("The KV cache is never fuller than {}", percent(most)),
              .subtitle = "share of its blocks that running requests hold"};
  chart.footer =
      fmt::format("{} requests, seed {}; simulated by ridge", answer.result.finished, answer.asked.question.seed);
  chart.x = {"time since the first request", "s", Scale::linear};
  chart.y = {"KV cache in use, %", "", Scale::linear};
  chart.series.push_back(over_time(
      "KV cache", answer, [](const auto& one) { return 100 * one.cache_used; }, true));
  return chart;
}

Chart load_chart(const SimulationAnswer& answer) {
  const simulate::RateSearch& search = *answer.search;
  Chart chart{.title = search.rate ? fmt::format("{:.4g} requests/s keep {} for {}% of requests", *search.rate,
                                                 targets_words(answer.targets()), 100 * search.share)
                                   : fmt::format("No rate keeps {}", targets_words(answer.targets()))};
  chart.subtitle = fmt::format("{}, {}", simulated_words(answer), answer.ground().engine.name);
  chart.footer = fmt::format("SLO {} for {}% of requests; simulated by ridge", targets_words(answer.targets()),
                             100 * search.share);
  chart.x = {"requests/s", "", Scale::linear};
  chart.y = {"TTFT", "s", Scale::logarithmic};
  Series middle{.label = "p50"}, tail{.label = "p99", .bold = true};
  double saturated = std::numeric_limits<double>::infinity();
  for (const simulate::RatePoint& point : search.points) {
    middle.x.push_back(point.rate);
    middle.y.push_back(point.ttft.p50);
    tail.x.push_back(point.rate);
    tail.y.push_back(point.ttft.p99);
    if (point.saturated) saturated = std::min(saturated, point.rate);
    if (search.rate && point.rate == *search.rate) {
      chart.markers.push_back({point.rate, point.ttft.p99, fmt::format("{:.4g} requests/s", point.rate)});
    }
  }
  chart.series = {middle, tail};
  if (answer.targets().ttft > 0)
    chart.lines.push_back({.vertical = false,
                           .at = answer.targets().ttft,
                           .label = "SLO TTFT " + show(Seconds<double>(answer.targets().ttft), 3)});
  if (std::isfinite(saturated))
    chart.regions.push_back({saturated, std::numeric_limits<double>::infinity(), "saturated"});
  return chart;
}

/// One picture above another: each is an SVG of 880 x 540.
std::string stacked(const std::string& upper, const std::string& lower) {
  const auto inner = [](std::string svg, int y) {
    svg.erase(0, svg.find("<svg"));
    return svg.insert(4, fmt::format(" y=\"{}\" width=\"880\" height=\"540\"", y));
  };
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 880 1080\">\n" + inner(upper, 0) + inner(lower, 540) +
         "</svg>\n";
}

}  // namespace

std::string simulation_svg(const SimulationAnswer& answer, SimulationPicture picture) {
  switch (picture) {
    case SimulationPicture::timeline:
      return stacked(to_svg(requests_chart(answer)), to_svg(cache_chart(answer)));
    case SimulationPicture::load:
      return to_svg(load_chart(answer));
    case SimulationPicture::latency:
      break;
  }
  return to_svg(latency_chart(answer));
}

}  // namespace ridge::report
