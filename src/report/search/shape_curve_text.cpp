#include <cmath>

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/unit_text.hpp"
#include "report/base/counts.hpp"
#include "report/base/listing_text.hpp"
#include "report/search/shape_curve.hpp"

namespace ridge::report {

namespace {

double kv_bytes_held(const ServingAnswer& answer) {
  const double tokens = answer.question.isl + answer.question.osl / 2;
  return context_held(answer.deployment.decode.operations, tokens) / tokens;
}

/// The first point that was deployed; null where none was.
const ServingAnswer* any_answer(const ShapeCurve& curve) {
  for (const ShapePoint& point : curve.points) {
    if (point.answer) return &*point.answer;
  }
  return nullptr;
}

std::string shape_headline(const ShapeCurve& curve) {
  const ServingAnswer* known = any_answer(curve);
  if (known == nullptr) return "no point of it can be served so";
  const ShapePoint *cheapest = nullptr, *own = nullptr;
  for (const ShapePoint& point : curve.points) {
    if (!point.answer) continue;
    if (point.own) own = &point;
    if (cheapest == nullptr || point.answer->estimate.output_cost < cheapest->answer->estimate.output_cost)
      cheapest = &point;
  }
  const auto cost = [](const ShapePoint& point) { return money(point.answer->estimate.output_cost.value() * 1e6); };
  std::string out = fmt::format("{} {:g}: {}/Mtok output", name_of(curve.kind), cheapest->value, cost(*cheapest));
  if (own != nullptr && own != cheapest) out += fmt::format("; as it is, {:g}: {}", own->value, cost(*own));
  return out + fmt::format("; on {}, ISL {:g}, OSL {:g}, {}", known->ground().machine->title, known->question.isl,
                           known->question.osl, known->question.engine);
}

}  // namespace

std::string shape_curve_text(const ShapeCurve& curve, const Style& style) {
  std::string out = bold(style, fmt::format("{} along {}", curve.model, name_of(curve.kind))) + "\n" +
                    wrapped(shape_headline(curve), style.columns, 2) + "\n\n";
  Listing listing{{{std::string(name_of(curve.kind))}, {"params"}, {"active"}}, {}};
  if (!curve.law.empty()) listing.columns.push_back({"worth"});
  for (const char* heading : {"layout", "TPOT", "tok/s/chip", "$/Mtok", "KV tok", "fit"})
    listing.columns.push_back({heading});
  for (const ShapePoint& point : curve.points) {
    std::vector<std::string> row = {with_commas(point.value) + (point.own ? " *" : ""), count_text(point.params),
                                    count_text(point.active)};
    if (!curve.law.empty()) row.push_back(point.worth ? count_text(*point.worth) : "-");
    if (point.answer) {
      const ServingAnswer& a = *point.answer;
      row.insert(row.end(), {short_name(a.layout()), show(a.estimate.times.tpot, 3),
                             significant(a.estimate.output_rate.value() / a.estimate.chips.value(), 3),
                             money(a.estimate.output_cost.value() * 1e6), show(Bytes<double>(kv_bytes_held(a)), 3),
                             with_commas(std::floor(a.estimate.memory.sequences.value()))});
    } else {
      row.insert(row.end(), {"none", "-", "-", "-", "-", "-"});
    }
    listing.rows.push_back(std::move(row));
  }
  out += listing_text(listing, style);
  out += wrapped(fmt::format(
                     "*: as it is. {}KV tok: bytes of a token of context on a chip; fit: sequences a replica holds.",
                     curve.law.empty()
                         ? ""
                         : fmt::format("worth: parameters of the dense model that is as good, by {}. ", curve.law)),
                 style.columns, 0) +
         "\n";
  for (const ShapePoint& point : curve.points) {
    if (!point.why_not.empty())
      out +=
          wrapped(fmt::format("note: {} {:g}: {}", name_of(curve.kind), point.value, point.why_not), style.columns, 6) +
          "\n";
  }
  for (const std::string& note : curve.notes) out += wrapped("note: " + note, style.columns, 6) + "\n";
  return plain_text(style, out);
}

Chart shape_chart(const ShapeCurve& curve) {
  Chart chart;
  chart.title = fmt::format("Cost of {} along {}", curve.model, name_of(curve.kind));
  chart.subtitle = shape_headline(curve);
  chart.x = {std::string(name_of(curve.kind)), "", Scale::logarithmic};
  chart.y = {"cost of output, $/Mtok", "$/Mtok", Scale::logarithmic};
  Series series{.label = "output cost", .bold = true};
  for (const ShapePoint& point : curve.points) {
    if (!point.answer) continue;
    const double cost = point.answer->estimate.output_cost.value() * 1e6;
    series.x.push_back(point.value);
    series.y.push_back(cost);
    chart.markers.push_back(
        {point.value, cost, point.worth ? "worth " + count_text(*point.worth) : short_name(point.answer->layout())});
  }
  chart.series.push_back(std::move(series));
  return chart;
}

}  // namespace ridge::report
