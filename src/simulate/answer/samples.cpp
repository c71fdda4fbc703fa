#include "simulate/answer/samples.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace ridge::simulate {

namespace {

constexpr std::size_t kExactly = 1U << 16;  // distinct entries, not spans: equal neighbors are one
constexpr int kBucketBits = 11;

/// Below 2^12 a bucket is a span; above, the first 12 bits are what counts.
std::size_t bucket_of(Nanoseconds span) {
  const auto value = static_cast<std::uint64_t>(span);
  const int shift = std::max(0, static_cast<int>(std::bit_width(value)) - (kBucketBits + 1));
  return (static_cast<std::size_t>(shift) << kBucketBits) + static_cast<std::size_t>(value >> shift);
}

Nanoseconds middle_of(std::size_t bucket) {
  if (bucket < (1U << (kBucketBits + 1))) return static_cast<Nanoseconds>(bucket);
  const std::size_t shift = (bucket >> kBucketBits) - 1;
  const std::uint64_t first = static_cast<std::uint64_t>(bucket - (shift << kBucketBits)) << shift;
  return static_cast<Nanoseconds>(first + ((1ULL << shift) >> 1U));
}

}  // namespace

void Samples::add(Nanoseconds span, std::int64_t count) {
  if (count <= 0) return;
  if (count_ == 0 || span < least_) least_ = span;
  if (count_ == 0 || span > most_) most_ = span;
  count_ += count;
  const auto value = static_cast<double>(span), times = static_cast<double>(count);
  sum_ += value * times;
  squares_ += value * value * times;
  is_ordered_ = false;
  if (!buckets_.empty()) {
    buckets_[bucket_of(span)] += count;
  } else if (!few_.empty() && few_.back().first == span) {
    few_.back().second += count;
  } else {
    few_.emplace_back(span, count);
    if (few_.size() > kExactly) into_buckets();
  }
}

void Samples::into_buckets() {
  buckets_.assign(std::size_t{65 - kBucketBits} << kBucketBits, 0);
  for (const auto& [span, count] : few_) buckets_[bucket_of(span)] += count;
  few_.clear();
  few_.shrink_to_fit();
}

const std::vector<Samples::Counted>& Samples::in_order() const {
  if (is_ordered_) return ordered_;
  ordered_ = few_;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    if (buckets_[i] > 0) ordered_.emplace_back(std::clamp(middle_of(i), least_, most_), buckets_[i]);
  }
  std::sort(ordered_.begin(), ordered_.end());
  is_ordered_ = true;
  return ordered_;
}

double Samples::percentile(double share) const {
  const double place = share * static_cast<double>(count_ - 1);
  const auto below = static_cast<std::int64_t>(place);
  std::int64_t passed = 0;
  const auto& ordered = in_order();
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    passed += ordered[i].second;
    if (passed <= below) continue;
    const auto here = static_cast<double>(ordered[i].first);
    if (passed > below + 1 || i + 1 == ordered.size()) return seconds(here);
    const auto next = static_cast<double>(ordered[i + 1].first);
    return seconds(here + (next - here) * (place - static_cast<double>(below)));
  }
  return seconds(most_);
}

Spread Samples::spread() const {
  if (count_ == 0) return {};
  const auto n = static_cast<double>(count_);
  const double mean = sum_ / n, variance = std::max(0.0, squares_ / n - mean * mean);
  return {count_,           seconds(mean),    seconds(std::sqrt(variance)),
          seconds(least_),  percentile(0.5),  percentile(0.90),
          percentile(0.95), percentile(0.99), seconds(most_)};
}

double Samples::share_within(double limit) const {
  if (count_ == 0) return 0;
  std::int64_t within = 0;
  for (const auto& [span, count] : in_order()) {
    if (span <= nanoseconds(limit)) within += count;
  }
  return static_cast<double>(within) / static_cast<double>(count_);
}

std::vector<double> Samples::curve(int points) const {
  std::vector<double> spans;
  if (count_ == 0 || points < 2) return spans;
  for (int i = 0; i < points; ++i) spans.push_back(percentile(static_cast<double>(i) / (points - 1)));
  return spans;
}

}  // namespace ridge::simulate
