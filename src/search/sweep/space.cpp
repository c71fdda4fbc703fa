#include "search/sweep/space.hpp"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include "base/text/field_text.hpp"

namespace ridge {

namespace {

/// Calls visit(digit, first, count) for every stretch of cases in which a digit stays the same.
template <class Visit>
void for_stretches(std::uint64_t stride, std::size_t radix, std::uint64_t first, std::size_t count, Visit&& visit) {
  auto digit = static_cast<std::size_t>(first / stride % radix);
  std::uint64_t left = stride - first % stride;
  for (std::size_t done = 0; done < count;) {
    const auto length = static_cast<std::size_t>(std::min<std::uint64_t>(left, count - done));
    visit(digit, done, length);
    done += length;
    left = stride;
    digit = digit + 1 == radix ? 0 : digit + 1;
  }
}

}  // namespace

std::string SweepAxis::text(std::size_t digit) const {
  if (!texts.empty()) return texts[digit];
  return unit.empty() ? fmt::format("{}", numbers[digit]) : fmt::format("{} {}", numbers[digit], unit);
}

Result<Space> Space::of(std::vector<SweepAxis> axes) {
  Space space;
  space.axes_ = std::move(axes);
  space.strides_.resize(space.axes_.size());
  for (std::size_t i = space.axes_.size(); i-- > 0;) {
    const SweepAxis& axis = space.axes_[i];
    assert(axis.size() > 0 && "an axis has a value");
    space.strides_[i] = space.cases_;
    if (axis.size() > kMostCases / space.cases_) {
      return fail({axis.place, fmt::format("the axes make more than {:g} cases", static_cast<double>(kMostCases)),
                   "take fewer values; " + field("dry_run") + " counts them"});
    }
    space.cases_ *= axis.size();
  }
  return space;
}

void Space::fill(std::size_t axis, std::uint64_t first, std::size_t count, double* out) const {
  const std::vector<double>& values = axes_[axis].numbers;
  for_stretches(strides_[axis], values.size(), first, count,
                [&](std::size_t digit, std::size_t from, std::size_t n) { std::fill_n(out + from, n, values[digit]); });
}

void Space::add_digits(std::size_t axis, std::uint64_t first, std::size_t count, std::size_t weight,
                       std::size_t* out) const {
  for_stretches(strides_[axis], axes_[axis].size(), first, count,
                [&](std::size_t digit, std::size_t from, std::size_t n) {
                  for (std::size_t i = from; i < from + n; ++i) out[i] += weight * digit;
                });
}

CaseRange part_of(std::uint64_t cases, std::uint64_t part, std::uint64_t parts) {
  const std::uint64_t each = cases / parts, more = cases % parts;  // the first `more` parts have one case more
  const auto start = [&](std::uint64_t k) { return k * each + std::min(k, more); };
  return {start(part), start(part + 1)};
}

}  // namespace ridge
