#include "serve/slo/slo.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"

namespace ridge {

namespace {

constexpr std::array<std::pair<std::string_view, SloMetric>, 3> kMetrics = {
    {{"ttft", SloMetric::ttft}, {"tpot", SloMetric::tpot}, {"e2e", SloMetric::e2e}}};
constexpr const char* kSloExample = "e.g. ttft=2s,tpot=30ms (99th percentiles), ttft.p90=1s or tpot.mean=30ms";

std::optional<SloMetric> metric_named(std::string_view word) {
  for (const auto& [name, metric] : kMetrics) {
    if (word == name) return metric;
  }
  return {};
}

/// "p99", "p99.9", "99", "mean", "avg"; "median" is p50.
std::optional<SloStatistic> statistic_named(std::string_view word) {
  if (word == "mean" || word == "avg" || word == "average") return SloStatistic{0};
  if (word == "median") return SloStatistic{50};
  if (word.starts_with('p')) word.remove_prefix(1);
  const auto value = parse<Ratio<double>>(word, "slo");
  if (!value || word.ends_with('%') || !(value->value() > 0 && value->value() < 100)) return {};
  return SloStatistic{value->value()};
}

/// "ttft", "ttft.p90", "p90.ttft", "ttft_mean", "TTFT-p99"
std::optional<std::pair<SloMetric, SloStatistic>> promised(std::string_view text) {
  if (const auto metric = metric_named(text)) return std::pair{*metric, SloStatistic{}};
  const std::size_t at = text.find_first_of("._-: @");
  if (at == std::string_view::npos) return {};
  const std::string_view first = text.substr(0, at), rest = text.substr(at + 1);
  if (const auto metric = metric_named(first)) {
    if (const auto statistic = statistic_named(rest)) return std::pair{*metric, *statistic};
  }
  const std::size_t last = text.find_last_of("._-: @");  // p99.9.ttft
  if (const auto metric = metric_named(text.substr(last + 1))) {
    if (const auto statistic = statistic_named(text.substr(0, last))) return std::pair{*metric, *statistic};
  }
  return {};
}

}  // namespace

std::string_view name_of(SloMetric metric) {
  constexpr std::array<std::string_view, 3> kNames = {"TTFT", "TPOT", "E2E"};
  return kNames[static_cast<std::size_t>(metric)];
}

std::string name_of(const SloStatistic& statistic) {
  return statistic.is_mean() ? "mean" : fmt::format("p{:g}", statistic.percentile);
}

std::string show(const SloTarget& target) {
  return fmt::format("{} {} <= {}", name_of(target.metric), name_of(target.statistic), show(target.limit));
}

std::string show(const std::vector<SloTarget>& slo) {
  if (slo.empty()) return "no SLO";
  std::string out;
  for (const SloTarget& target : slo) out += (out.empty() ? "SLO " : ", ") + show(target);
  return out;
}

Result<std::vector<SloTarget>> parse_slo(std::string_view text) {
  constexpr double kLongest = 1e6;  // s
  std::vector<SloTarget> out;
  Errors errors;
  const auto refuse = [&](std::string what) { errors.push_back({"slo", std::move(what), kSloExample}); };
  for (const std::string_view part : split(text, ',')) {
    const std::size_t equals = part.find('=');
    const std::string name = lower_case(trimmed(part.substr(0, equals)));
    const auto what = promised(name);
    if (!what) {
      errors.push_back({"slo", fmt::format("\"{}\" is no latency that is promised", shortened(name)),
                        fmt::format("{} {}", suggestion(name, {"ttft", "tpot", "e2e"}), kSloExample)});
    } else if (equals == std::string_view::npos) {
      refuse(fmt::format("\"{}\" has no =", shortened(std::string(part))));
    } else if (const auto time = parse<Seconds<double>>(part.substr(equals + 1), "slo: " + name); !time) {
      append(errors, time.error());
    } else if (!(time->value() > 0 && time->value() <= kLongest)) {
      refuse(fmt::format("{} of {}", name, shortened(std::string(part.substr(equals + 1)))));
    } else {
      const SloTarget target{what->first, what->second, *time};
      const bool twice = std::any_of(out.begin(), out.end(), [&](const SloTarget& other) {
        return other.metric == target.metric && other.statistic == target.statistic;
      });
      if (twice) refuse(name + " stands twice");
      out.push_back(target);
    }
  }
  if (!errors.empty()) return fail(std::move(errors));
  return out;
}

std::optional<Seconds<double>> shortest_limit(const std::vector<SloTarget>& slo, SloMetric metric) {
  std::optional<Seconds<double>> out;
  for (const SloTarget& target : slo) {
    if (target.metric == metric && (!out || target.limit < *out)) out = target.limit;
  }
  return out;
}

}  // namespace ridge
