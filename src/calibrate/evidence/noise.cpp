#include "calibrate/evidence/noise.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

namespace ridge {

namespace {

/// Distances of the runs of one configuration; none of a run alone.
std::vector<double> distances_of(const std::vector<double>& values) {
  std::vector<double> out;
  if (values.size() < 2) return out;
  const double count = static_cast<double>(values.size());
  double mean = 0;
  for (const double value : values) mean += std::log(value) / count;
  for (const double value : values) out.push_back(std::abs(std::log(value) - mean) * std::sqrt(count / (count - 1)));
  return out;
}

struct Distances {
  std::size_t configurations = 0;
  std::vector<double> all;

  void add(const std::vector<double>& more) {
    ++configurations;
    all.insert(all.end(), more.begin(), more.end());
  }
};

NoiseLine noise_line(const std::string& figure, const std::string& name, Distances from) {
  std::sort(from.all.begin(), from.all.end());
  const double last = static_cast<double>(from.all.size() - 1);
  NoiseLine line{figure, name, from.configurations, from.all.size(), 0, 0, 0};
  for (const double distance : from.all) line.mean += distance / (last + 1);
  line.median = from.all[static_cast<std::size_t>(0.5 * last)];
  line.p90 = from.all[static_cast<std::size_t>(0.9 * last)];
  return line;
}

}  // namespace

std::string configuration_of(const ServingRow& row) {
  return fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}", row.set,
                     row.model, row.machine, row.format, row.engine, row.version, row.mode, row.tensor, row.pipeline,
                     row.attention_data, row.moe_tensor, row.expert, row.chips, row.isl, row.osl, row.length_mean,
                     row.concurrency, row.cached, row.speculative, row.date, row.kv_format, row.poll_steps,
                     row.token_budget, row.max_sequences, row.whole_prompts, row.requests_per_user, row.balance_wait,
                     row.balance_timeout);
}

std::vector<NoiseLine> noise_of(const std::vector<NoiseSample>& samples) {
  std::vector<std::string> figures;  // in the order they come
  std::map<std::string, std::map<std::pair<std::string, std::string>, std::vector<double>>> values;
  for (const NoiseSample& one : samples) {
    if (!(one.value > 0)) continue;
    if (!values.contains(one.figure)) figures.push_back(one.figure);
    values[one.figure][{one.engine, one.configuration}].push_back(one.value);
  }
  std::vector<NoiseLine> lines;
  for (const std::string& figure : figures) {
    Distances all;
    std::map<std::string, Distances> engines;
    for (const auto& [key, measured] : values[figure]) {
      const std::vector<double> distances = distances_of(measured);
      if (distances.empty()) continue;
      all.add(distances);
      engines[key.first].add(distances);
    }
    if (all.all.empty()) continue;
    lines.push_back(noise_line(figure, "all", std::move(all)));
    for (auto& [engine, own] : engines) lines.push_back(noise_line(figure, engine, std::move(own)));
  }
  return lines;
}

}  // namespace ridge
