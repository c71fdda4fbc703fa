#include "search/sweep/curve.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/text/field_text.hpp"
#include "base/text/text.hpp"
#include "roofline/readings.hpp"

namespace ridge {

namespace {

constexpr int kMostPoints = 100000;

struct KindInfo {
  CurveKind kind;
  std::string_view name, input;
  bool whole;
};
constexpr std::array kKinds = {KindInfo{CurveKind::batch, "batch", "batch", true},
                               KindInfo{CurveKind::context, "context", "context", true},
                               KindInfo{CurveKind::chips, "chips", "chips", true},
                               KindInfo{CurveKind::sparsity, "sparsity", "params.routed", false}};

const KindInfo& info_of(CurveKind kind) {
  return *std::find_if(kKinds.begin(), kKinds.end(), [&](const KindInfo& info) { return info.kind == kind; });
}

/// Where a curve starts and ends if nobody says: far enough to see both sides of the ridge and the capacity limit.
CurveRequest with_defaults(const WhyAnswer& answer, CurveRequest request) {
  const DecodeCase<double>& c = answer.resolved.numbers;
  const auto fill = [&](double from, double to, int points) {
    if (request.from == 0.0) request.from = from;
    if (request.to == 0.0) request.to = std::max(to, request.from);
    if (request.points == 0) request.points = points;
  };
  switch (request.kind) {
    case CurveKind::batch: {
      const double ridge = std::isfinite(answer.flip_batch) ? answer.flip_batch : c.batch.value();
      const double limit = answer.estimate.batch_limit.value();
      const double shown = std::max(8 * std::max(ridge, c.batch.value()), limit < 1e6 ? 2 * limit : 0.0);
      fill(1, std::exp2(std::ceil(std::log2(shown))), 0);
      if (request.points == 0) request.points = 1 + static_cast<int>(std::lround(std::log2(request.to / request.from)));
      break;
    }
    case CurveKind::context:
      fill(1024, 1048576, 11);
      break;
    case CurveKind::chips:
      fill(1, 8 * c.chips.value(), 0);
      if (request.points == 0) request.points = 1 + static_cast<int>(std::lround(std::log2(request.to / request.from)));
      break;
    case CurveKind::sparsity:
      fill(1, 64, 13);
      break;
  }
  request.points = std::max(request.points, 2);
  return request;
}

std::vector<double> spread(const CurveRequest& request, bool whole) {
  std::vector<double> x;
  for (int i = 0; i < request.points; ++i) {
    const double share = static_cast<double>(i) / (request.points - 1);
    double value = request.from * std::pow(request.to / request.from, share);
    if (i + 1 == request.points) value = request.to;
    if (whole) value = std::max(1.0, std::round(value));
    if (x.empty() || value > x.back()) x.push_back(value);
  }
  return x;
}

/// The case's own value is a point of the table, too.
void include(std::vector<double>& x, double own) {
  if (own <= x.front() || own >= x.back()) return;
  const auto at = std::lower_bound(x.begin(), x.end(), own);
  if (*at != own) x.insert(at, own);
}

double active_params(const DecodeCase<double>& c) {
  const double dense = c.params_dense.value() + c.params_lookup.value();
  return dense + c.params_routed.value() * c.experts_per_token.value() / c.experts.value();
}

/// Total over active parameters as experts are multiplied by x with the number a token uses held, so that active
/// parameters stay as they are.
std::vector<Axis> sparsity_axes(const DecodeCase<double>& c, std::vector<double>& x) {
  Axis routed{input_index("params.routed"), {}};
  Axis experts{input_index("experts.count"), {}};
  const double dense = c.params_dense.value() + c.params_lookup.value();
  const double active = active_params(c);
  const double one_share = (active - dense) / c.experts_per_token.value();  // parameters of one expert in every layer
  std::vector<double> kept;
  for (const double sparsity : x) {
    const double total_experts = (sparsity * active - dense) / one_share;
    if (total_experts < c.experts_per_token.value()) continue;
    kept.push_back(sparsity);
    experts.values.push_back(total_experts);
    routed.values.push_back(total_experts * one_share);
  }
  x = std::move(kept);
  return {routed, experts};
}

/// Where memory runs out (or, along chips, begins to suffice). What is missing grows linearly in every axis we have, so
/// a straight line between the points on either side is exact.
double capacity_limit(const Curve& curve) {
  const auto& needed = column(curve, "memory_needed");
  const auto& there = column(curve, "memory_capacity");
  const bool fewer_is_worse = curve.kind == CurveKind::chips;
  const auto missing = [&](std::size_t i) { return needed[i] - there[i]; };
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (missing(0) > 0.0 && !fewer_is_worse) return 0.0;
  for (std::size_t i = 1; i < curve.x.size(); ++i) {
    if ((missing(i - 1) > 0.0) == (missing(i) > 0.0)) continue;
    const double share = missing(i - 1) / (missing(i - 1) - missing(i));
    return curve.x[i - 1] + share * (curve.x[i] - curve.x[i - 1]);
  }
  if (fewer_is_worse) return missing(0) > 0.0 ? kInfinity : 0.0;
  return kInfinity;
}

}  // namespace

Result<CurveKind> parse_curve_kind(std::string_view word) {
  std::vector<std::string> known;
  for (const KindInfo& info : kKinds) {
    if (info.name == word) return info.kind;
    known.emplace_back(info.name);
  }
  return fail({"curve", fmt::format("unknown curve \"{}\"", shortened(word)), suggestion(word, known)});
}

std::string_view name_of(CurveKind kind) { return info_of(kind).name; }

const std::vector<double>& column(const Curve& curve, std::string_view key) {
  for (std::size_t i = 0; i < kDecodeOutputs; ++i) {
    if (output_info(i).key == key) return curve.columns[i];
  }
  assert(false && "an output key is spelled as in visit_outputs");
  return curve.columns.front();
}

Result<Curve> make_curve(const WhyAnswer& answer, const CurveRequest& asked, InstructionSet set,
                         const ExpertLaw<double>* quality) {
  if (asked.points < 0 || asked.points == 1) {
    return fail({"points", fmt::format("{} points make no curve", asked.points), "give at least 2, or leave it out"});
  }
  const CurveRequest request = with_defaults(answer, asked);
  const KindInfo& info = info_of(request.kind);
  if (!(request.from > 0.0) || !(request.to > request.from)) {
    return fail({"min", fmt::format("a curve from {:g} to {:g} has no points", request.from, request.to),
                 field("min") + " is above zero and below " + field("max")});
  }
  if (request.points > kMostPoints) {
    return fail({"points", fmt::format("{} points are more than {}", request.points, kMostPoints),
                 "a curve needs a few hundred at most"});
  }
  for (const double end : {request.from, request.to}) {
    const auto checked = checked_input(input_index(info.input), end, info.whole && end == request.from ? "min" : "max");
    if (!checked) return fail(checked.error());
  }
  std::vector<double> x = spread(request, info.whole);
  if (asked.points == 0 && info.whole) include(x, input_values(answer.resolved.numbers)[input_index(info.input)]);
  if (asked.points == 0 && asked.kind == CurveKind::chips && answer.resolved.domain > 0)
    include(x, answer.resolved.domain);
  Curve curve{
      .kind = request.kind, .x = std::move(x), .axes = {}, .columns = {}, .capacity_limit = 0, .dense_equivalent = {}};
  const DecodeCase<double>& c = answer.resolved.numbers;
  if (request.kind == CurveKind::sparsity) {
    if (c.params_routed.value() == 0.0) {
      return fail({"curve sparsity", fmt::format("{} has no routed experts", answer.resolved.model),
                   "choose a mixture-of-experts model, e.g. deepseek-v3 or qwen3-235b-a22b"});
    }
    curve.axes = sparsity_axes(c, curve.x);
    curve.active = active_params(c);
    if (curve.x.empty())
      return fail({"max", "no point of the range has as many experts as a token uses",
                   "a sparsity of 1 is a dense model; go higher"});
    if (quality != nullptr) {
      for (const double experts : curve.axes.back().values) {
        const Ratio<double> expansion(experts / c.experts_per_token.value());  // the law has one expert of so many
        curve.dense_equivalent.push_back(dense_equivalent(*quality, Params<double>(curve.active), expansion).value());
      }
    }
  } else {
    curve.axes = {{input_index(info.input), curve.x}};
  }
  curve.columns = sweep_decode(c, curve.axes, set);
  curve.capacity_limit = capacity_limit(curve);
  return curve;
}

}  // namespace ridge
