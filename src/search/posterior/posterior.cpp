#include "search/posterior/posterior.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "base/threads.hpp"
#include "search/lanes/chosen_entry.hpp"
#include "search/posterior/posterior_lanes.hpp"

namespace ridge {

namespace {

constexpr std::size_t kBins = 240;
constexpr std::size_t kSampleBlock = 2048;               // samples at once: their columns stay in the cache
constexpr std::uint64_t kTask = std::uint64_t{1} << 16;  // samples whose sums are added up by one thread

using Entry = decltype(&ridge_posterior_lanes_baseline);

Entry entry_of(InstructionSet set) {
  return chosen_entry<&ridge_posterior_lanes_baseline, &ridge_posterior_lanes_avx2, &ridge_posterior_lanes_avx512>(set);
}

/// A number in [0, 1) from its place alone (Steele, Lea and Flood's SplitMix64), so that threads need share nothing.
double uniform_at(std::uint64_t seed, std::uint64_t sample, std::uint64_t column) {
  std::uint64_t x = (seed * 0x9E3779B97F4A7C15ULL) ^ (sample * 0xD1342543DE82EF95ULL + column * 0x9E3779B97F4A7C15ULL);
  for (int round = 0; round < 2; ++round) {
    x += 0x9E3779B97F4A7C15ULL;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
    x ^= x >> 31;
  }
  return static_cast<double>(x >> 11) * 0x1p-53;
}

/// Which unknown an equation is solved for: the first of the candidates that is not given as one number.
struct SolvedUnknown {
  ProviderIndex unknown;
  bool rising;
};
RidgeSolvedFor solved_for(const Inference& inference, Observable what,
                          std::initializer_list<SolvedUnknown> candidates) {
  RidgeSolvedFor out{0, -1, 0, 0.0};
  for (const Constraint& one : inference.constraints) {
    if (one.what != what) continue;
    out.present = 1;
    out.observed = (one.target.low + one.target.high) / 2;
  }
  for (const SolvedUnknown& candidate : candidates) {
    const Interval& range = inference.box[candidate.unknown];
    if (out.unknown >= 0 || !(range.high > range.low)) continue;
    out.unknown = static_cast<int>(candidate.unknown);
    out.rising = candidate.rising ? 1 : 0;
  }
  return out;
}

RidgePosteriorTerms terms_of(const Inference& inference) {
  RidgePosteriorTerms terms{};
  for (std::size_t i = 0; i < kUnknowns; ++i) {
    terms.low[i] = inference.box[i].low;
    terms.high[i] = inference.box[i].high;
  }
  terms.kv_low = inference.priors.kv.low;
  terms.kv_high = inference.priors.kv.high;
  terms.long_above = solved_for(inference, Observable::long_above, {{kLongStep, true}, {kBalanceContext, true}});
  terms.long_output = solved_for(inference, Observable::long_output, {{kLongOver, true}});
  terms.fast = solved_for(inference, Observable::fast_speed, {{kFastEven, true}});
  terms.input = solved_for(inference, Observable::input,
                           {{kActive, true}, {kFlopPrice, true}, {kOverCost, true}, {kUtilization, false}});
  terms.output = solved_for(inference, Observable::output, {{kDecode, false}});
  terms.cached = solved_for(inference, Observable::cached, {{kFetch, false}});
  if (inference.fast) {
    terms.fast_load = inference.fast->load;
    terms.fast_speed = inference.fast->speed;
  }
  return terms;
}

/// Part of the prior that the box still holds, over what is drawn and not solved for: elsewhere the sheet cannot be.
double part_drawn(const Inference& inference, const RidgePosteriorTerms& terms) {
  double part = 1;
  for (std::size_t i = 0; i < kUnknowns; ++i) {
    const Interval &box = inference.box[i], &prior = inference.priors.box[i];
    bool solved = i == kWidth && !(terms.kv_high > terms.kv_low);  // it follows where the bytes are given
    for (const RidgeSolvedFor* one :
         {&terms.long_above, &terms.long_output, &terms.fast, &terms.input, &terms.output, &terms.cached})
      solved = solved || (one->present != 0 && one->unknown == static_cast<int>(i));
    if (!solved && prior.high > prior.low && box.high > box.low)
      part *= std::log(box.high / box.low) / std::log(prior.high / prior.low);
  }
  return part;
}

struct Sums {
  std::array<std::vector<double>, kInferred> bins;
  double weight = 0, squares = 0;
  std::uint64_t accepted = 0;
};

/// The samples of one task, one after the other: the sums are the same whoever computes them, in lanes of any width.
class Task {
 public:
  Task(const RidgePosteriorTerms& terms, const Inference& inference, const SampleRequest& request)
      : terms_(terms), request_(request), entry_(entry_of(request.set)) {
    for (auto& row : uniforms_) row.resize(kSampleBlock);
    for (auto& row : values_) row.resize(kSampleBlock);
    weight_.resize(kSampleBlock);
    for (std::size_t i = 0; i < kInferred; ++i) {
      const Interval& range = inference.inferred[i].interval;
      floor_[i] = range.low;
      scale_[i] = range.high > range.low ? static_cast<double>(kBins) / std::log(range.high / range.low) : 0.0;
    }
  }

  Sums run(std::uint64_t first, std::uint64_t count) {
    Sums sums;
    for (auto& bins : sums.bins) bins.assign(kBins, 0.0);
    for (std::uint64_t at = 0; at < count; at += kSampleBlock) {
      const auto here = static_cast<std::size_t>(std::min<std::uint64_t>(kSampleBlock, count - at));
      block(first + at);
      for (std::size_t i = 0; i < here; ++i) add(i, sums);
    }
    return sums;
  }

 private:
  void block(std::uint64_t first) {
    std::array<const double*, kUnknowns> uniforms;
    for (std::size_t column = 0; column < uniforms.size(); ++column) {
      for (std::size_t i = 0; i < kSampleBlock; ++i)
        uniforms_[column][i] = uniform_at(request_.seed, first + i, column);
      uniforms[column] = uniforms_[column].data();
    }
    std::array<double*, kInferred> values;
    for (std::size_t i = 0; i < kInferred; ++i) values[i] = values_[i].data();
    entry_(&terms_, uniforms.data(), kSampleBlock, values.data(), values.data() + kUnknowns, weight_.data());
  }

  void add(std::size_t i, Sums& sums) const {
    const double weight = weight_[i];
    if (!(weight > 0.0) || !std::isfinite(weight)) return;
    sums.weight += weight;
    sums.squares += weight * weight;
    ++sums.accepted;
    for (std::size_t q = 0; q < kInferred; ++q) {
      const double place = std::log(values_[q][i] / floor_[q]) * scale_[q];
      const auto bin = static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(kBins - 1)));
      sums.bins[q][bin] += weight;
    }
  }

  const RidgePosteriorTerms& terms_;
  const SampleRequest& request_;
  Entry entry_;
  std::array<std::vector<double>, kUnknowns> uniforms_;
  std::array<std::vector<double>, kInferred> values_;
  std::vector<double> weight_;
  std::array<double, kInferred> floor_{}, scale_{};
};

double quantile(const Marginal& marginal, double total, double share) {
  double below = 0.0;
  const double span = marginal.range.high / marginal.range.low;
  for (std::size_t i = 0; i < marginal.bins.size(); ++i) {
    const double here = marginal.bins[i];
    if (below + here >= share * total && here > 0.0) {
      const double place = (static_cast<double>(i) + (share * total - below) / here) / static_cast<double>(kBins);
      return marginal.range.low * std::pow(span, place);
    }
    below += here;
  }
  return marginal.range.high;
}

}  // namespace

Posterior sample_posterior(const Inference& inference, const SampleRequest& request) {
  const RidgePosteriorTerms terms = terms_of(inference);
  const std::uint64_t tasks = (request.samples + kTask - 1) / kTask;
  std::vector<Sums> sums(static_cast<std::size_t>(tasks));
  std::atomic<std::uint64_t> next{0};
  const auto work = [&](std::size_t) {
    Task task(terms, inference, request);
    for (std::uint64_t i = next++; i < tasks; i = next++)
      sums[static_cast<std::size_t>(i)] = task.run(i * kTask, std::min(kTask, request.samples - i * kTask));
  };
  auto others = start_threads(std::max(1U, request.threads) - 1, work);
  work(0);
  others.clear();  // until they are done
  Posterior out;
  out.samples = request.samples;
  double weight = 0, squares = 0;
  for (std::size_t q = 0; q < kInferred; ++q) {
    out.marginals[q].range = inference.inferred[q].interval;
    out.marginals[q].bins.assign(kBins, 0.0);
  }
  for (const Sums& one : sums) {  // in order: the same sum for any number of threads
    weight += one.weight;
    squares += one.squares;
    out.accepted += one.accepted;
    for (std::size_t q = 0; q < kInferred; ++q) {
      for (std::size_t bin = 0; bin < kBins; ++bin) out.marginals[q].bins[bin] += one.bins[q][bin];
    }
  }
  out.evidence = weight / static_cast<double>(request.samples) * part_drawn(inference, terms);
  out.effective = squares > 0 ? weight * weight / squares : 0.0;
  for (Marginal& marginal : out.marginals) {
    if (!(weight > 0)) break;
    marginal.low = quantile(marginal, weight, 0.025);
    marginal.median = quantile(marginal, weight, 0.5);
    marginal.high = quantile(marginal, weight, 0.975);
  }
  return out;
}

}  // namespace ridge
