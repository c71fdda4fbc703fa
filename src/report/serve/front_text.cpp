#include "report/serve/front_text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "report/base/counts.hpp"
#include "report/serve/interval_text.hpp"
#include "report/serve/serving_text.hpp"
#include "serve/serving_bound.hpp"

namespace ridge::report {

namespace {

/// "26.9 to 32.8": the column says of which share of runs.
std::string front_interval(const std::string& interval) { return interval.substr(0, interval.find(',')); }

std::string front_row(std::string_view name, const std::string& value, const std::string& interval,
                      const std::string& bound) {
  return fmt::format("  {} {} {} {}\n", padded(name, 22), padded(value, 14, true),
                     padded(front_interval(interval), 20, true), padded(bound, 18, true));
}

/// "attention 31%, routed experts 28%, ...": the largest parts of a decode step.
std::string largest_parts(const ServingAnswer& answer) {
  constexpr std::string_view kNames[kStepParts] = {"QKV and output projections",
                                                   "attention",
                                                   "dense FFN and shared experts",
                                                   "routed experts",
                                                   "LM head",
                                                   "small kernels",
                                                   "all-reduce",
                                                   "all-to-all",
                                                   "pipeline hops"};
  constexpr std::size_t kShown = 3;
  std::vector<std::pair<double, std::string_view>> parts;
  for (std::size_t i = 0; i < kStepParts; ++i) parts.emplace_back(answer.estimate.step.part[i].value(), kNames[i]);
  parts.emplace_back(answer.estimate.times.around.value(), "CPU/engine overhead");
  std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  const double whole = step_time(answer.estimate.times, true).value();
  std::vector<std::string> words;
  for (std::size_t i = 0; i < kShown; ++i)
    words.push_back(fmt::format("{} {}", parts[i].second, percent(parts[i].first / whole)));
  return joined(words, ", ");
}

std::string front_figures(const ServingAnswer& answer) {
  const ServingEstimate& estimate = answer.estimate;
  const ServingBound bound = bound_of(answer);
  const double rate = estimate.output_rate.value() / estimate.chips.value();
  const double paid = answer.ground().numbers.price.value() / answer.ground().numbers.utilization.value();
  const double cost = paid / rate * 1e6;  // as the bound counts it: the whole bill over the output tokens
  const auto dollars = [](double of_million) { return money(of_million) + "/Mtok"; };
  std::string out = fmt::format("  {} {} {} {}\n", padded("", 22), padded("calibrated", 14, true),
                                padded("80 % of runs", 20, true), padded("roofline bound", 18, true));
  out += front_row("TPOT", show(estimate.times.tpot),
                   interval_text(answer.errors, SpreadFigure::tpot, estimate.times.tpot), show(bound.tpot));
  out +=
      front_row("output tok/s/" + chip_word(answer.ground().machine->title), fmt::format("{:.4g}", rate),
                rate_interval_text(answer.errors, rate), with_commas(std::round(bound.output_rate_per_chip.value())));
  out += front_row("cost, output tokens", dollars(cost), money_interval_text(answer.errors, cost),
                   dollars(bound.cost.value() * 1e6));
  out += front_row("TTFT", show(estimate.times.ttft),
                   interval_text(answer.errors, SpreadFigure::ttft, estimate.times.ttft), "-");
  return out;
}

}  // namespace

std::string front_text(const ServingAnswer& answer, const std::optional<NearestRun>& nearest, std::string_view asked,
                       const std::vector<NextLine>& next, const Style& style) {
  const ServingQuestion& q = answer.question;
  std::string out =
      bold(style, fmt::format("{} on {} of {} ({})", answer.ground().model->title,
                              chips_text(answer.layout().chips(), answer.ground().machine->title),
                              machine_kind(answer.ground().machine->title), short_name(answer.layout()))) +
      fmt::format("\nISL {:g}, OSL {:g}, concurrency {:g}, {}, {}\n\n", q.isl, q.osl, answer.load.concurrency,
                  formats_text(answer), q.engine);
  out += front_figures(answer);
  out += wrapped("  a step goes to: " + largest_parts(answer), style.columns, 4) + "\n";
  if (nearest) out += dim(style, nearest_text(*nearest, style));
  out += fmt::format("this was:\n  {}\n\n", asked);
  out += bold(style, "What to type next") + dim(style, "   docs/roles has a ten-minute walk for each") + "\n";
  for (const NextLine& one : next) out += fmt::format("  {} {}\n", padded(one.who, 14), one.line);
  out += "ridge --help lists every command, ridge COMMAND --help its options\n";
  return plain_text(style, out);
}

}  // namespace ridge::report
