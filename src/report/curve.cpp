#include "report/curve.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/text.hpp"
#include "base/unit_text.hpp"
#include "report/why_text.hpp"

namespace ridge::report {

namespace {

/// A column of the table: a heading and how a point is written.
struct TableColumn {
  std::string_view heading;
  std::string_view output;  // key; empty: computed below
  int width;
};

std::vector<TableColumn> columns_for(CurveKind kind) {
  switch (kind) {
    case CurveKind::batch: return {{"step", "step_time", 11}, {"per user", "user_rate", 15}, {"per chip", "chip_rate", 15}, {"cost", "cost", 15}, {"MFU", "mfu", 6}, {"MBU", "mbu", 6}};
    case CurveKind::context: return {{"step", "step_time", 11}, {"weights", "weights_time", 11}, {"context", "context_time", 11}, {"compute", "compute_time", 11}, {"cost", "cost", 15}, {"MFU", "mfu", 6}, {"fits batch", "batch_limit", 12}};
    case CurveKind::chips: return {{"step", "step_time", 11}, {"per user", "user_rate", 15}, {"per chip", "chip_rate", 15}, {"cost", "cost", 15}, {"fits batch", "batch_limit", 12}};
    case CurveKind::sparsity: return {{"weights", "weights_stored", 11}, {"ridge", "ridge_weights", 11}, {"floor", "cost_floor", 15}, {"cost", "cost", 15}, {"step", "step_time", 11}, {"fills at", "rate_ceiling", 17}};
  }
  return {};
}

std::string cell(const Curve& curve, std::string_view output, std::size_t row) {
  const double value = column(curve, output)[row];
  if (output == "mfu" || output == "mbu") return percent(value);
  if (output == "batch_limit") return value < 1.0 ? "none" : with_commas(std::floor(value));
  if (output == "ridge_weights") return with_commas(value);
  for (std::size_t i = 0; i < kDecodeOutputs; ++i) {
    if (output_info(i).key == output) return show(value, output_dimension(i), 3);
  }
  return "";
}

std::string_view binds_at(const Curve& curve, std::size_t row) {
  if (column(curve, "compute_time")[row] >= column(curve, "memory_time")[row]) return "compute";
  return column(curve, "weights_time")[row] >= column(curve, "context_time")[row] ? "weights" : "context";
}

bool fits_at(const Curve& curve, std::size_t row) { return column(curve, "memory_needed")[row] <= column(curve, "memory_there")[row]; }

std::string x_label(CurveKind kind) {
  switch (kind) {
    case CurveKind::batch: return "batch (sequences decoding at once)";
    case CurveKind::context: return "context (tokens in each sequence)";
    case CurveKind::chips: return "chips";
    case CurveKind::sparsity: return "total over active parameters";
  }
  return "";
}

Series series(const Curve& curve, std::string label, std::string_view key, double scale, bool is_bold) {
  Series one{.label = std::move(label), .x = curve.x, .y = column(curve, key), .bold = is_bold, .dashed = false};
  for (double& y : one.y) y *= scale;
  return one;
}

void mark_batch(Chart& chart, const WhyAnswer& answer) {
  if (std::isfinite(answer.flip_batch) && answer.flip_batch > 1.0) {
    chart.lines.push_back({.vertical = true, .at = std::ceil(answer.flip_batch), .label = "ridge " + with_commas(std::ceil(answer.flip_batch))});
  }
}

}  // namespace

Result<Chart> curve_chart(const Curve& curve, const WhyAnswer& answer, std::string_view y) {
  if (y != "step" && y != "cost") return fail({"--y", fmt::format("unknown quantity \"{}\"", y), "one of: step, cost"});
  const DecodeEstimate<double>& e = answer.estimate;
  const DecodeCase<double>& c = answer.resolved.numbers;
  Chart chart;
  chart.title = fmt::format("{} against {}: {} on {}", y == "step" ? "Step time" : "Cost of an output token", name_of(curve.kind), answer.resolved.model_title, answer.resolved.machine_title);
  chart.subtitle = fmt::format("{} chips, {}{}weights {}, KV {}", with_commas(c.chips.value()), curve.kind == CurveKind::batch ? "" : "batch " + with_commas(c.batch.value()) + ", ",
                               curve.kind == CurveKind::context ? "" : "context " + with_commas(c.context.value()) + ", ", answer.resolved.precision.weights, answer.resolved.precision.kv);
  chart.footer = fmt::format("bound: datasheet peaks, perfect sharding and overlap, no network; {} a chip", show(c.price));
  chart.x = {.label = x_label(curve.kind), .unit = "", .scale = Scale::logarithmic};
  if (y == "step") {
    chart.y = {.label = "time of one decode step", .unit = "s", .scale = Scale::logarithmic};
    chart.series = {series(curve, "weights", "weights_time", 1, false), series(curve, "context", "context_time", 1, false),
                    series(curve, "compute", "compute_time", 1, false), series(curve, "step", "step_time", 1, true)};
    if (curve.kind == CurveKind::batch) chart.lines.push_back({.vertical = false, .at = e.floor_all.value(), .label = "floor: all weights once, " + show(e.floor_all, 3)});
  } else {
    chart.y = {.label = "cost of a million output tokens", .unit = "$/Mtok", .scale = Scale::logarithmic};
    chart.series = {series(curve, "cost", "cost", 1e6, true), series(curve, "floor", "cost_floor", 1e6, false)};
    if (curve.kind == CurveKind::batch) chart.markers.push_back({.x = curve.x.front(), .y = column(curve, "cost").front() * 1e6, .label = fmt::format("{} x the floor", significant(column(curve, "cost").front() / column(curve, "cost_floor").front(), 3))});
  }
  if (curve.kind == CurveKind::batch) mark_batch(chart, answer);
  if (curve.kind == CurveKind::context && std::isfinite(e.balance_context.value())) {
    chart.lines.push_back({.vertical = true, .at = e.balance_context.value(), .label = "reads = weight compute, " + with_commas(e.balance_context.value())});
  }
  constexpr double kEnd = std::numeric_limits<double>::infinity();
  if (curve.kind == CurveKind::chips && curve.capacity_limit > 0.0) chart.regions.push_back({.from_x = -kEnd, .to_x = curve.capacity_limit, .label = "does not fit"});
  if (curve.kind != CurveKind::chips && std::isfinite(curve.capacity_limit)) chart.regions.push_back({.from_x = curve.capacity_limit, .to_x = kEnd, .label = "does not fit"});
  return chart;
}

std::string curve_table(const Curve& curve, const Style& style) {
  const std::vector<TableColumn> columns = columns_for(curve.kind);
  std::string head = padded(name_of(curve.kind), 12, true);
  for (const TableColumn& one : columns) head += padded(one.heading, one.width, true);
  std::string out = dim(style, head + "  binds") + "\n";
  for (std::size_t row = 0; row < curve.x.size(); ++row) {
    out += padded(curve.kind == CurveKind::sparsity ? significant(curve.x[row], 3) : with_commas(curve.x[row]), 12, true);
    for (const TableColumn& one : columns) out += padded(cell(curve, one.output, row), one.width, true);
    out += fmt::format("  {}{}\n", binds_at(curve, row), fits_at(curve, row) ? "" : ", does not fit");
  }
  return out;
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
  out += ",binds,fits\n";
  const auto number = [](double value) { return std::isfinite(value) ? fmt::format("{}", value) : std::string(); };
  for (std::size_t row = 0; row < curve.x.size(); ++row) {
    out += number(curve.x[row]);
    for (const ridge::Axis& axis : curve.axes) {
      if (input_info(axis.input).key != name_of(curve.kind)) out += "," + number(axis.values[row]);
    }
    for (const auto& values : curve.columns) out += "," + number(values[row]);
    out += fmt::format(",{},{}\n", binds_at(curve, row), fits_at(curve, row) ? "true" : "false");
  }
  return out;
}

}  // namespace ridge::report
