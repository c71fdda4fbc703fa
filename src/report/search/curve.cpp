#include "report/search/curve.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "report/roofline/why_text.hpp"

namespace ridge::report {

namespace {

/// A column of the table: a heading and how a point is written.
struct CurveColumn {
  std::string_view heading;
  std::string_view output;  // key; empty: computed below
  int width;
};

std::vector<CurveColumn> columns_for(CurveKind kind) {
  switch (kind) {
    case CurveKind::batch:
      return {{"step", "step_time", 10},
              {"tok/s/user", "tok_s_per_user", 11},
              {"tok/s/chip", "output_tok_s_per_chip", 11},
              {"$/Mtok", "cost", 9},
              {"MFU", "mfu", 6},
              {"MBU", "mbu", 6}};
    case CurveKind::context:
      return {{"step", "step_time", 10},       {"weights", "weights_time", 9}, {"KV", "kv_time", 8},
              {"compute", "compute_time", 9},  {"$/Mtok", "cost", 9},          {"MFU", "mfu", 5},
              {"max batch", "batch_limit", 10}};
    case CurveKind::chips:
      return {{"step", "step_time", 10},
              {"tok/s/user", "tok_s_per_user", 11},
              {"tok/s/chip", "output_tok_s_per_chip", 11},
              {"$/Mtok", "cost", 9},
              {"max batch", "batch_limit", 10}};
    case CurveKind::sparsity:
      return {{"weights", "weights_stored", 9},
              {"ridge", "ridge_weights", 8},
              {"floor", "cost_floor", 8},
              {"$/Mtok", "cost", 8},
              {"full at tok/s", "output_tok_s_ceiling", 14},
              {"dense equiv.", "", 13}};
  }
  return {};
}

std::string cell(const Curve& curve, std::string_view output, std::size_t row) {
  if (output.empty())
    return curve.dense_equivalent.empty() ? "-" : show(Params<double>(curve.dense_equivalent[row]), 3);
  const double value = column(curve, output)[row];
  if (output == "mfu" || output == "mbu") return percent(value);
  if (output == "batch_limit") return value < 1.0 ? "none" : with_commas(std::floor(value));
  if (output == "ridge_weights") return with_commas(value);
  if (output.starts_with("cost")) return money(value * 1e6);
  if (output.find("tok_s") != std::string_view::npos) return significant(value, 3);
  for (std::size_t i = 0; i < kDecodeOutputs; ++i) {
    if (output_info(i).key == output) return show(value, output_dimension(i), 3);
  }
  return "";
}

std::string_view binds_at(const Curve& curve, std::size_t row) {
  if (column(curve, "compute_time")[row] >= column(curve, "memory_time")[row]) return "compute";
  return column(curve, "weights_time")[row] >= column(curve, "kv_time")[row] ? "weights" : "KV";
}

bool fits_at(const Curve& curve, std::size_t row) {
  return column(curve, "memory_needed")[row] <= column(curve, "memory_capacity")[row];
}

std::string x_label(CurveKind kind) {
  switch (kind) {
    case CurveKind::batch:
      return "batch (concurrent sequences)";
    case CurveKind::context:
      return "context (tokens in each sequence)";
    case CurveKind::chips:
      return "chips";
    case CurveKind::sparsity:
      return "total over active parameters";
  }
  return "";
}

Series series(const Curve& curve, std::string label, std::string_view key, double scale, bool is_bold) {
  Series one{.label = std::move(label), .x = curve.x, .y = column(curve, key), .bold = is_bold, .dashed = false};
  for (double& y : one.y) y *= scale;
  return one;
}

std::string at_text(const Curve& curve, double x) {
  return curve.kind == CurveKind::sparsity ? significant(x, 3) : with_commas(std::round(x));
}

/// What binds a step along the curve: "weights-bound up to batch 2,444, compute-bound beyond".
std::string step_finding(const Curve& curve, const WhyAnswer& answer) {
  const std::string kind(name_of(curve.kind));
  const auto bound_by = [](std::string_view part) {
    return part == "compute" ? "compute-bound" : part == "KV" ? "HBM-bound by KV cache" : "HBM-bound";
  };
  const std::string_view first = binds_at(curve, 0), last = binds_at(curve, curve.x.size() - 1);
  if (first == last) {
    const bool everywhere = [&] {
      for (std::size_t row = 0; row < curve.x.size(); ++row) {
        if (binds_at(curve, row) != first) return false;
      }
      return true;
    }();
    if (everywhere)
      return curve.kind == CurveKind::chips
                 ? fmt::format("{} on any number of chips; twice as many halve the step", bound_by(first))
                 : fmt::format("{} at any {} shown", bound_by(first), kind);
  }
  std::size_t from = curve.x.size() - 1;  // where the last stretch begins
  while (from > 0 && binds_at(curve, from - 1) == last) --from;
  const double ridge = std::ceil(answer.flip_batch);
  const bool at_ridge =
      curve.kind == CurveKind::batch && last == "compute" && ridge > curve.x.front() && ridge <= curve.x.back();
  const std::string at = fmt::format("{} {}", kind, at_text(curve, at_ridge ? ridge : curve.x[from]));
  if (first == "weights" && last == "KV") return fmt::format("HBM-bound by weights, by KV cache from {} on", at);
  if (first == "KV" && last == "weights") return fmt::format("HBM-bound by KV cache, by weights from {} on", at);
  return fmt::format("{} first, {} from {} on", bound_by(first), bound_by(last), at);
}

/// Where a token costs least, and how far from that the first point is.
std::string cost_finding(const Curve& curve) {
  const std::vector<double>& cost = column(curve, "cost");
  std::size_t best = 0;
  for (std::size_t row = 0; row < cost.size(); ++row) {
    if (std::isfinite(cost[row]) && cost[row] < cost[best] * (1 - 1e-9)) best = row;
  }
  constexpr double kSame = 1.01;
  while (best > 0 && cost[best - 1] <= cost[best] * kSame) --best;
  return fmt::format("{}/Mtok output from {} {} on; {}x that at {}", money(cost[best] * 1e6), name_of(curve.kind),
                     at_text(curve, curve.x[best]), significant(cost.front() / cost[best], 3),
                     at_text(curve, curve.x.front()));
}

void add_titles(Chart& chart, const Curve& curve, const WhyAnswer& answer, bool is_step) {
  const DecodeCase<double>& c = answer.resolved.numbers;
  const ResolvedCase& resolved = answer.resolved;
  const auto unless = [&](CurveKind moved, std::string_view name, double value) {
    return curve.kind == moved ? "" : fmt::format("{} {}, ", name, with_commas(value));
  };
  chart.title =
      fmt::format("{}: {}", resolved.model_title, is_step ? step_finding(curve, answer) : cost_finding(curve));
  chart.subtitle = fmt::format("{}, {}{}weights {}, KV cache {}",
                               curve.kind == CurveKind::chips ? machine_kind(resolved) : machine_text(resolved),
                               unless(CurveKind::batch, "batch", c.batch.value()),
                               unless(CurveKind::context, "context", c.context.value()), resolved.precision.weights,
                               resolved.precision.kv);
  if (const std::string changed = changed_text(resolved); !changed.empty()) chart.subtitle += "; " + changed;
  chart.footer = fmt::format("roofline bound: datasheet peaks, perfect sharding and overlap, no network; {} per chip",
                             show(c.price));
  chart.x = {.label = x_label(curve.kind), .unit = "", .scale = Scale::logarithmic};
}

void add_step(Chart& chart, const Curve& curve, const DecodeEstimate<double>& e) {
  chart.y = {.label = "time of one decode step", .unit = "s", .scale = Scale::logarithmic};
  chart.series = {series(curve, "weights", "weights_time", 1, false), series(curve, "KV cache", "kv_time", 1, false),
                  series(curve, "compute", "compute_time", 1, false), series(curve, "step", "step_time", 1, true)};
  chart.series[0].hue = chart.series[1].hue = Hue::hbm;
  chart.series[1].dashed = true;
  chart.series[2].hue = Hue::compute;
  if (curve.kind != CurveKind::batch) return;
  chart.lines.push_back(
      {.vertical = false, .at = e.floor_all.value(), .label = "all weights read once, " + show(e.floor_all, 3)});
}

void add_cost(Chart& chart, const Curve& curve) {
  constexpr double kPerMillion = 1e6;
  chart.y = {.label = "cost of output, $/Mtok", .unit = "$/Mtok", .scale = Scale::logarithmic};
  chart.series = {series(curve, "cost", "cost", kPerMillion, true),
                  series(curve, "floor", "cost_floor", kPerMillion, false)};
  if (curve.kind != CurveKind::batch) return;
  const double first = column(curve, "cost").front();
  const double floor = column(curve, "cost_floor").front();
  chart.markers.push_back({.x = curve.x.front(),
                           .y = first * kPerMillion,
                           .label = fmt::format("{}x the floor", significant(first / floor, 3))});
}

void add_marks(Chart& chart, const Curve& curve, const WhyAnswer& answer) {
  constexpr double kEnd = std::numeric_limits<double>::infinity();
  const double ridge = std::ceil(answer.flip_batch);
  const double balance = answer.estimate.balance_context.value();
  const auto inside = [&](double x) { return x >= curve.x.front() && x <= curve.x.back(); };
  if (curve.kind == CurveKind::batch && inside(ridge) && ridge > 1.0) {
    chart.lines.push_back({.vertical = true, .at = ridge, .label = "ridge " + with_commas(ridge)});
  }
  if (curve.kind == CurveKind::context && inside(balance)) {
    chart.lines.push_back({.vertical = true, .at = balance, .label = "KV reads = compute, " + with_commas(balance)});
  }
  const double domain = answer.resolved.domain;
  if (curve.kind == CurveKind::chips && domain > 0 && domain < curve.x.back() && inside(domain)) {
    chart.lines.push_back(
        {.vertical = true, .at = domain, .label = "scale-up domain, " + with_commas(domain) + ": beyond it scale-out"});
  }
  const double limit = curve.capacity_limit;
  const bool by_chips = curve.kind == CurveKind::chips;
  if (limit == (by_chips ? kEnd : 0.0)) {
    chart.regions.push_back({.from_x = -kEnd, .to_x = kEnd, .label = "does not fit anywhere here"});
  } else if (by_chips && limit > 0.0) {
    const std::string label = "does not fit below " + with_commas(std::ceil(limit));
    chart.regions.push_back({.from_x = -kEnd, .to_x = limit, .label = label});
  } else if (!by_chips && std::isfinite(limit)) {
    const std::string number =
        curve.kind == CurveKind::sparsity ? significant(limit, 3) : with_commas(std::floor(limit));
    chart.regions.push_back({.from_x = limit, .to_x = kEnd, .label = "does not fit above " + number});
  }
}

}  // namespace

Result<Chart> curve_chart(const Curve& curve, const WhyAnswer& answer, std::string_view y) {
  if (y != "step" && y != "cost")
    return fail({"chart", fmt::format("unknown quantity \"{}\"", y), "one of: step, cost"});
  Chart chart;
  add_titles(chart, curve, answer, y == "step");
  if (y == "step") {
    add_step(chart, curve, answer.estimate);
  } else {
    add_cost(chart, curve);
  }
  add_marks(chart, curve, answer);
  return chart;
}

std::string curve_table(const Curve& curve, const Style& style) {
  const std::vector<CurveColumn> columns = columns_for(curve.kind);
  std::string head = padded(name_of(curve.kind), 10, true);
  for (const CurveColumn& one : columns) head += padded(one.heading, one.width, true);
  std::string out = dim(style, head + "  bound by") + "\n";
  bool all_fit = true;
  for (std::size_t row = 0; row < curve.x.size(); ++row) {
    out +=
        padded(curve.kind == CurveKind::sparsity ? significant(curve.x[row], 3) : with_commas(curve.x[row]), 10, true);
    for (const CurveColumn& one : columns) out += padded(cell(curve, one.output, row), one.width, true);
    out += fmt::format("  {}{}\n", binds_at(curve, row), fits_at(curve, row) ? "" : "*");
    all_fit = all_fit && fits_at(curve, row);
  }
  return all_fit ? out : out + "* does not fit\n";
}

std::string quality_text(const Curve& curve, std::string_view law, std::string_view note, const Style& style) {
  if (curve.dense_equivalent.empty()) return "";
  const double total = curve.x.back(), worth = curve.dense_equivalent.back() / curve.active;
  const double users = column(curve, "ridge_weights").back() / column(curve, "ridge_weights").front();
  std::string out = wrapped(
      fmt::format("dense equiv.: the dense model with the same loss under {}. {}x the active parameters are worth a "
                  "dense model of {}x them; the ridge batch grows {}x from the first row to the last",
                  law, significant(total, 3), significant(worth, 3), significant(users, 3)),
      style.columns, 2);
  if (!note.empty()) out += "\n" + wrapped(fmt::format("note: {}", note), style.columns, 6);
  return out + "\n";
}

std::string curve_csv(const Curve& curve) {
  std::string out(name_of(curve.kind));
  for (const ridge::Axis& axis : curve.axes) {
    if (input_info(axis.input).key != name_of(curve.kind)) out += fmt::format(",{}", input_info(axis.input).key);
  }
  for (std::size_t i = 0; i < kDecodeOutputs; ++i) {
    const std::string unit = unit_name(output_dimension(i));
    out += fmt::format(",{}{}", output_info(i).key, unit.empty() ? "" : "_[" + unit + "]");
  }
  if (!curve.dense_equivalent.empty()) out += ",dense_equivalent_[param]";
  out += ",binds,fits\n";
  const auto number = [](double value) { return std::isfinite(value) ? fmt::format("{}", value) : std::string(); };
  for (std::size_t row = 0; row < curve.x.size(); ++row) {
    out += number(curve.x[row]);
    for (const ridge::Axis& axis : curve.axes) {
      if (input_info(axis.input).key != name_of(curve.kind)) out += "," + number(axis.values[row]);
    }
    for (const auto& values : curve.columns) out += "," + number(values[row]);
    if (!curve.dense_equivalent.empty()) out += "," + number(curve.dense_equivalent[row]);
    out += fmt::format(",{},{}\n", binds_at(curve, row), fits_at(curve, row) ? "true" : "false");
  }
  return out;
}

}  // namespace ridge::report
