#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
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

/// Whether a law says of the parameters more than their number.
bool has_worth(const ShapeCurve& curve) {
  return std::any_of(curve.points.begin(), curve.points.end(),
                     [](const ShapePoint& point) { return point.worth && *point.worth != point.params; });
}

bool is_sparse(const ShapeCurve& curve) {
  return std::any_of(curve.points.begin(), curve.points.end(),
                     [](const ShapePoint& point) { return point.active != point.params; });
}

/// What it is asked on: machine, lengths, engine.
std::string setting_words(const ShapeCurve& curve) {
  const ServingAnswer* known = any_answer(curve);
  return known == nullptr ? std::string()
                          : fmt::format("on {}, ISL {:g}, OSL {:g}, {}", known->ground().machine->title,
                                        known->question.isl, known->question.osl, known->question.engine);
}

/// The cheapest point, and the model as it is.
std::string least_words(const ShapeCurve& curve) {
  if (any_answer(curve) == nullptr) return "no point of it can be served so";
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
  return out;
}

std::string shape_headline(const ShapeCurve& curve) {
  const std::string setting = setting_words(curve);
  return least_words(curve) + (setting.empty() ? "" : "; " + setting);
}

}  // namespace

std::string shape_curve_text(const ShapeCurve& curve, const Style& style) {
  std::string out = bold(style, fmt::format("{} along {}", curve.model, name_of(curve.kind))) + "\n" +
                    wrapped(shape_headline(curve), style.columns, 2) + "\n\n";
  const bool sparse = is_sparse(curve), worth = has_worth(curve), loss = !curve.loss_law.empty();
  Listing listing{{{std::string(name_of(curve.kind))}, {"params"}}, {}};
  if (sparse) listing.columns.push_back({"active"});
  if (worth) listing.columns.push_back({"worth"});
  if (loss) listing.columns.push_back({"loss"});
  for (const char* heading : {"layout", "TPOT", "$/Mtok", "KV tok", "fit"}) listing.columns.push_back({heading});
  for (const ShapePoint& point : curve.points) {
    std::vector<std::string> row = {with_commas(point.value) + (point.own ? " *" : ""), count_text(point.params)};
    if (sparse) row.push_back(count_text(point.active));
    if (worth) row.push_back(point.worth ? count_text(*point.worth) : "-");
    if (loss) row.push_back(point.own ? "+0" : point.loss_change ? fmt::format("{:+.3f}", *point.loss_change) : "-");
    if (point.answer) {
      const ServingAnswer& a = *point.answer;
      row.insert(row.end(), {short_name(a.layout()), show(a.estimate.times.tpot, 3),
                             money(a.estimate.output_cost.value() * 1e6), show(Bytes<double>(kv_bytes_held(a)), 3),
                             with_commas(std::floor(a.estimate.memory.sequences.value()))});
    } else {
      row.insert(row.end(), {"none", "-", "-", "-", "-"});
    }
    listing.rows.push_back(std::move(row));
  }
  out += listing_text(listing, style);
  std::string legend = "*: as it is. ";
  if (worth) legend += fmt::format("worth: parameters of the dense model that is as good, by {}. ", curve.law);
  if (loss)
    legend += fmt::format("loss: nats a token more than as it is, on as many training tokens, by {}. ", curve.loss_law);
  legend += "KV tok: bytes of a token of context on a chip; fit: sequences a replica holds.";
  out += wrapped(legend, style.columns, 0) + "\n";
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
  chart.title = fmt::format("{}: {}", curve.model, least_words(curve));
  chart.subtitle = setting_words(curve);
  chart.footer = curve.law.empty()
                     ? "beside each point: its layout"
                     : fmt::format("beside each point: the dense model that is as good, by {}", curve.law);
  chart.x = {std::string(name_of(curve.kind)), "", Scale::logarithmic};
  chart.y = {"cost of output, $/Mtok", "$/Mtok", Scale::logarithmic};
  Series series{.bold = true};
  for (const ShapePoint& point : curve.points) {
    if (!point.answer) continue;
    const double cost = point.answer->estimate.output_cost.value() * 1e6;
    series.x.push_back(point.value);
    series.y.push_back(cost);
    const std::string label = point.worth ? count_text(*point.worth) + " dense" : short_name(point.answer->layout());
    chart.markers.push_back({point.value, cost, label + (point.own ? " (as released)" : "")});
  }
  chart.series.push_back(std::move(series));
  return chart;
}

}  // namespace ridge::report
