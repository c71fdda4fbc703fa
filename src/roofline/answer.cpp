#include "roofline/answer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/text/field_text.hpp"
#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "roofline/dependents.hpp"
#include "roofline/readings.hpp"

namespace ridge {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kFastSpeed = 2.0;  // the fast mode shown: twice the speed

DecodeEstimate<double> at_batch(DecodeCase<double> c, double batch) {
  c.batch = batch;
  return estimate_decode(c);
}

/// Bisection for the point in [low, high] where an increasing condition becomes true.
template <class Condition>
double first_true(double low, double high, Condition&& condition) {
  for (int i = 0; i < 200 && high - low > 1e-9 * high; ++i) {
    const double middle = low + (high - low) / 2;
    (condition(middle) ? high : low) = middle;
  }
  return high;
}

Mode mode_at(const WhyAnswer& answer, std::string name, std::string meaning, double batch) {
  const DecodeEstimate<double> e = at_batch(answer.resolved.numbers, batch);
  return {
      std::move(name), std::move(meaning), batch, e.step_time, e.user_rate, e.cost, e.memory_needed <= e.memory_there};
}

std::vector<Mode> modes_of(const WhyAnswer& answer) {
  const DecodeCase<double>& c = answer.resolved.numbers;
  const double here = c.batch.value();
  std::vector<Mode> modes;
  modes.push_back(mode_at(answer, "alone", "batch 1: lowest latency", 1.0));
  const Seconds<double> fast_step = answer.estimate.step_time / kFastSpeed;
  if (modes.front().step < fast_step) {
    const double batch = first_true(1.0, here, [&](double b) { return at_batch(c, b).step_time >= fast_step; });
    const double fast = std::floor(batch);
    if (fast > 1.0 && fast < here) modes.push_back(mode_at(answer, "fast", "at least 2x the speed", fast));
  }
  modes.push_back(mode_at(answer, "here", "this batch", here));
  if (std::isfinite(answer.flip_batch) && answer.flip_batch > 1.0) {
    modes.push_back(mode_at(answer, "ridge", "compute equals memory", std::ceil(answer.flip_batch)));
  }
  const double limit = std::floor(answer.estimate.batch_limit.value());
  if (std::isfinite(limit) && limit >= 1.0 && limit != here)
    modes.push_back(mode_at(answer, "full", "largest batch that fits", limit));
  std::stable_sort(modes.begin(), modes.end(), [](const Mode& a, const Mode& b) { return a.batch < b.batch; });
  modes.push_back({"slow", "limit of large batches", kInfinity, Seconds<double>(kInfinity),
                   TokensPerSecond<double>(0.0), answer.estimate.cost_floor, false});
  return modes;
}

/// Whether a changed scenario holds the same batch and context.
bool holds_same_load(const WhyAnswer& answer, Scenario changed, const Library& library) {
  const DecodeCase<double>& c = answer.resolved.numbers;
  for (const auto& [key, value] : {std::pair{"batch", c.batch.value()}, std::pair{"context", c.context.value()}}) {
    changed.given.push_back({key, value, {"scenario", Kind::user}});
  }
  const auto resolved = resolve(changed, library);
  if (!resolved) return false;
  const auto e = estimate_decode(resolved->numbers);
  return e.memory_needed <= e.memory_there;
}

/// Another machine that holds it, everything else as asked.
void try_machines(const WhyAnswer& answer, const Library& library, std::vector<std::string>& ways) {
  const Machine* best = nullptr;
  double least = kInfinity;
  const Machine* own = find_named(library.machines, answer.resolved.machine);
  const Chip* own_chip = own == nullptr ? nullptr : find_named(library.chips, own->chip);
  for (const Machine& machine : library.machines) {
    const Chip* chip = find_named(library.chips, machine.chip);
    if (chip == nullptr || machine.name == answer.resolved.machine) continue;
    Scenario elsewhere = answer.scenario;
    forget_dependents(elsewhere, "machine");
    elsewhere.machine = machine.name;
    // the same maker first, then the least memory
    const bool other_maker = own_chip != nullptr && chip->vendor != own_chip->vendor;
    const double memory = machine.chips.value * chip->usable_capacity().value.value() * (other_maker ? 1e6 : 1.0);
    if (memory >= least || !holds_same_load(answer, elsewhere, library)) continue;
    least = memory;
    best = &machine;
  }
  if (best != nullptr) ways.push_back(field("machine", best->name));
}

/// Formats narrower than the ones in use, each tried alone and together with an fp8-sized cache.
void try_formats(const WhyAnswer& answer, const Library& library, std::vector<std::string>& ways) {
  const auto fits = [&](const Scenario& changed) { return holds_same_load(answer, changed, library); };
  std::vector<const Format*> narrower;
  for (const Format& format : library.formats) {
    if (!format.mix && format.bytes.value < answer.resolved.numbers.width_experts) narrower.push_back(&format);
  }
  std::stable_sort(narrower.begin(), narrower.end(),
                   [](const Format* a, const Format* b) { return a->bytes.value > b->bytes.value; });
  std::erase_if(narrower, [](const Format* format) { return format->name.find("block") != std::string::npos; });
  for (const Format* format : narrower) {
    Scenario weights_only = answer.scenario;
    forget_dependents(weights_only, "weights");
    weights_only.weights = weights_only.experts = format->name;
    if (!fits(weights_only)) continue;
    const std::string experts = answer.scenario.experts ? " " + field("experts", format->name) : "";
    return ways.push_back(field("weights", format->name) + experts);
  }
  for (const Format& format : library.formats) {
    if (format.name != "fp8" || answer.resolved.precision.kv == "fp8") continue;
    Scenario cache = answer.scenario;
    forget_dependents(cache, "kv");
    cache.kv = format.name;
    if (fits(cache)) ways.push_back(field("kv", "fp8"));
  }
}

Fit fit_of(const WhyAnswer& answer, const Library& library) {
  const DecodeEstimate<double>& e = answer.estimate;
  const DecodeCase<double>& c = answer.resolved.numbers;
  Fit fit{
      .fits = e.memory_needed <= e.memory_there, .needed = e.memory_needed, .there = e.memory_there, .ways_out = {}};
  if (fit.fits) return fit;
  fit.ways_out.push_back(
      field("chips", fmt::format("{:.0f}", std::ceil(e.memory_needed.value() / c.hbm_capacity.value()))));
  const double batch = std::floor(e.batch_limit.value());
  if (batch >= 1.0) fit.ways_out.push_back(field("batch", fmt::format("{:.0f}", batch)));
  const double context = std::floor(e.context_limit.value());
  if (context >= 1.0) fit.ways_out.push_back(field("context", fmt::format("{:.0f}", context)));
  try_formats(answer, library, fit.ways_out);
  try_machines(answer, library, fit.ways_out);
  return fit;
}

}  // namespace

double flip_batch(const DecodeCase<double>& c) {
  const double ridge = estimate_decode(c).ridge.value();
  if (!std::isfinite(ridge)) return kInfinity;
  const auto compute_binds = [&](double batch) {
    const auto e = at_batch(c, batch);
    return e.compute_time >= e.memory_time;
  };
  if (compute_binds(1.0)) return 1.0;
  // at the ridge, where all experts count as read, compute already takes at least as long
  return first_true(1.0, std::max(1.0, ridge), compute_binds);
}

Result<WhyAnswer> answer_why(const Scenario& scenario, const Library& library) {
  auto resolved = resolve(scenario, library);
  if (!resolved) return fail(resolved.error());
  WhyAnswer answer;
  answer.scenario = scenario;
  answer.resolved = std::move(*resolved);
  answer.estimate = estimate_decode(answer.resolved.numbers);
  const DecodeEstimate<double>& e = answer.estimate;
  answer.binds = e.compute_time >= e.memory_time ? Resource::compute : Resource::memory;
  answer.other_share = (answer.binds == Resource::compute ? e.mbu : e.mfu).value();
  answer.flip_batch = flip_batch(answer.resolved.numbers);
  answer.fit = fit_of(answer, library);
  answer.modes = modes_of(answer);
  return answer;
}

}  // namespace ridge
