#include "report/roofline/why_text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "report/base/counts.hpp"
#include "report/derive/ranges.hpp"
#include "roofline/readings.hpp"

namespace ridge::report {

namespace {

constexpr int kTimeBarWidth = 18;

std::string why_title(const WhyAnswer& answer, const Style& style) {
  return bold(style, fmt::format("{} on {}", answer.resolved.model_title, machine_text(answer.resolved))) + "\n";
}

/// What was asked, below the answer.
std::string why_details(const WhyAnswer& answer, const Style& style) {
  const ResolvedCase& r = answer.resolved;
  const DecodeCase<double>& c = r.numbers;
  const auto said = [&](std::string_view key) {
    return r.from[input_index(key)].source == "default" ? " (default)" : "";
  };
  std::string out = wrapped(
      fmt::format("batch {}{}, context {}{}, weights {}, KV cache {}, attention {}; roofline bound: datasheet peaks, "
                  "perfect sharding and overlap, no network",
                  with_commas(c.batch.value()), said("batch"), with_commas(c.context.value()), said("context"),
                  r.precision.weights == r.precision.experts || r.precision.experts.empty()
                      ? r.precision.weights
                      : r.precision.weights + "/" + r.precision.experts,
                  r.precision.kv, r.precision.attention),
      style.columns, 0);
  const std::string changed = changed_text(r);
  if (!changed.empty()) out += "\n" + wrapped("changed: " + changed, style.columns, 9);
  return out + "\n";
}

std::string part(const Style& style, std::string_view name, Seconds<double> time, Seconds<double> step,
                 std::string_view remark) {
  const double share = time.value() / step.value();
  return wrapped(fmt::format("  {} {} {} {}{}{}", padded(name, 13), padded(show(time), 10, true),
                             bar(style, share, kTimeBarWidth), padded(percent(share), 5, true),
                             remark.empty() ? "" : " ", remark),
                 std::max(style.columns, 80), 52) +
         "\n";
}

/// What one sequence's KV cache costs: per token where it grows with every token, as a whole where it does not.
std::string context_read_text(const DecodeCase<double>& c, const DecodeEstimate<double>& e) {
  if (!c.has.any()) return fmt::format("{} read", show(c.kv_read));
  return fmt::format("{} read per sequence", show(e.context_read / c.batch));
}

/// The context at which reading the KV cache takes as long as computing: somewhere, at once, or nowhere.
std::string balance_text(const DecodeCase<double>& c, const DecodeEstimate<double>& e) {
  const double weights = e.balance_context.value(), all = e.balance_context_full.value();
  if (weights <= 0) return "reading a sequence's state alone takes longer than the weights' compute";
  if (!std::isfinite(weights)) return "KV reads never take as long as the weights' compute: they stop growing";
  const bool outgrown = c.attention_flops.value() > 0 || c.root_flops.value() > 0;
  std::string against_all =
      all <= 0 ? "at once against all compute" : show(e.balance_context_full) + " against all compute";
  if (!std::isfinite(all)) {
    against_all = std::string("never against all compute: ") +
                  (outgrown ? "attention's compute grows faster than its reads" : "the reads stop growing");
  }
  return fmt::format("KV reads take as long as the weights' compute at {} ({})", show(e.balance_context), against_all);
}

std::string resources(const WhyAnswer& answer, const Style& style) {
  const DecodeEstimate<double>& e = answer.estimate;
  const DecodeCase<double>& c = answer.resolved.numbers;
  const bool experts = c.params_routed.value() > 0.0;
  const auto binds = [&](Resource resource) { return answer.binds == resource ? "<- binds" : ""; };
  std::string out = part(style, answer.resolved.memory_name, e.memory_time, e.step_time, binds(Resource::memory));
  const std::string bandwidth = fmt::format("{} x {}", with_commas(c.chips.value()), show(c.hbm_bandwidth));
  std::string read = fmt::format("{} over {}", show(e.weights_read), bandwidth);
  if (experts) read += fmt::format("; {} of the experts", percent(e.touched.value()));
  out += part(style, "  weights", e.weights_time, e.step_time, read);
  out += part(style, "  KV cache", e.context_time, e.step_time, context_read_text(c, e));
  out += part(style, "compute", e.compute_time, e.step_time, binds(Resource::compute));
  const auto at = [&](std::size_t role, FlopsPerSecond<double> peak) {
    const std::string& format = answer.resolved.matmul_format[role];
    return (format.empty() ? "" : format + " ") + "at " + show(peak);
  };
  out += part(style, "  dense", e.dense_time, e.step_time, at(0, c.matmul_weights));
  if (experts) out += part(style, "  experts", e.experts_time, e.step_time, at(1, c.matmul_experts));
  out += part(style, "  attention", e.attention_time, e.step_time, at(2, c.matmul_attention));
  out += fmt::format("  {} {}", padded("step", 13), padded(show(e.step_time), 10, true));
  if (experts) out += fmt::format("   best-case routing {} (all pick the same)", show(e.step_strict));
  out += fmt::format("\n  {} {}   {} without overlap of compute and {}\n", padded("", 13), padded("", 10),
                     show(e.step_no_overlap), answer.resolved.memory_name);
  return out;
}

std::string batch_or_none(double batch) {
  return std::isfinite(batch) ? with_commas(std::ceil(batch)) : "no finite ridge";
}

std::string economics(const WhyAnswer& answer, const Style& style) {
  const DecodeEstimate<double>& e = answer.estimate;
  const DecodeCase<double>& c = answer.resolved.numbers;
  std::string out;
  out += named_line("throughput",
                    fmt::format("{}/user, {}/{}, {} in all (output tokens); MFU {}, MBU {}", show(e.user_rate),
                                show(e.chip_rate), chip_word(answer.resolved.machine_title), show(e.total_rate),
                                percent(e.mfu.value()), percent(e.mbu.value())),
                    style);
  out += named_line(
      "cost",
      fmt::format("{} output at {} per {}{}, {} utilized; no batch goes below {}; batch 1 costs {}, {}x that",
                  show(e.cost), show(c.price), chip_word(answer.resolved.machine_title),
                  price_basis(answer.resolved.from[input_index("price")]), percent(c.utilization.value()),
                  show(e.cost_floor), show(e.cost_alone), significant(e.alone_penalty.value(), 3)),
      style);
  out += named_line("ridge",
                    fmt::format("batch {} by weights alone; {} with KV cache reads and attention",
                                batch_or_none(e.ridge_weights.value()), batch_or_none(e.ridge.value())),
                    style);
  out += named_line("context", balance_text(c, e), style);
  out += named_line(
      "latency",
      fmt::format("floor {} to read all weights, {} for one sequence; all of memory read in {}; longest wait {} (just "
                  "missed a step of {})",
                  show(e.floor_all), show(e.floor_one), show(e.sweep_time), show(e.longest_wait), show(e.step_time)),
      style);
  out += named_line("memory",
                    fmt::format("{} of {}: weights {}, KV cache {}; {}", show_gib(e.memory_needed.value()),
                                show_gib(e.memory_there.value()), show_gib(e.weights_stored.value()),
                                show_gib(e.context_stored.value()),
                                e.batch_limit.value() >= 1.0
                                    ? (std::isfinite(e.batch_limit.value())
                                           ? "largest batch " + with_commas(std::floor(e.batch_limit.value()))
                                           : "any batch fits")
                                    : "no batch fits"),
                    style);
  out += named_line("demand",
                    fmt::format("{} concurrent sequence{} keep this batch full, {}; no batch makes more than {}",
                                with_commas(c.batch.value()), c.batch.value() == 1.0 ? "" : "s", show(e.total_rate),
                                show(e.rate_ceiling)),
                    style);
  return out;
}

std::string mode_table(const WhyAnswer& answer, const Style& style) {
  const double here = answer.estimate.cost.value();
  std::string out = dim(
      style, fmt::format("  {} {} {} {} {} {}\n", padded("mode", 6), padded("batch", 7, true), padded("step", 9, true),
                         padded("tok/s/user", 10, true), padded("$/Mtok out", 10, true), padded("cost", 6, true)));
  for (const Mode& mode : answer.modes) {
    const bool limit = !std::isfinite(mode.batch);
    out += fmt::format("  {} {} {} {} {} {}  {}\n", padded(mode.name, 6),
                       padded(limit ? "limit" : with_commas(mode.batch), 7, true),
                       padded(limit ? "-" : show(mode.step), 9, true),
                       padded(limit ? "-" : significant(mode.user_rate.value(), 4), 10, true),
                       padded(money(mode.cost.value() * 1e6), 10, true),
                       padded(here > 0.0 ? significant(mode.cost.value() / here, 3) + "x" : "-", 6, true),
                       limit || mode.fits ? mode.meaning : "does not fit");
  }
  return out;
}

std::string ways_text(const Fit& fit, const Style& style) {
  return warn(style, fmt::format("does not fit: needs {}, has {} (short by {})", show_gib(fit.needed.value()),
                                 show_gib(fit.there.value()), show_gib(fit.shortfall().value()))) +
         "\n" + wrapped("  fits with: " + joined(fit.ways_out, "  |  "), style.columns, 13) + "\n";
}

}  // namespace

std::string price_basis(const Provenance& from) {
  const std::string assumed = from.kind == Kind::assumed ? "assumed price" : "";
  const std::string between = assumed.empty() || from.note.empty() ? "" : ": ";
  return assumed.empty() && from.note.empty() ? "" : fmt::format(" ({}{}{})", assumed, between, from.note);
}

std::string verdict_line(const WhyAnswer& answer) {
  const bool memory_binds = answer.binds == Resource::memory;
  const std::string& memory = answer.resolved.memory_name;
  std::string out = fmt::format("{}-bound; {} at {}", memory_binds ? memory : "compute",
                                memory_binds ? "compute" : memory, percent(answer.other_share));
  if (!std::isfinite(answer.flip_batch)) return out + "; no batch makes it compute-bound";
  const double flip = std::ceil(answer.flip_batch);
  const double limit = std::max(0.0, std::floor(answer.estimate.batch_limit.value()));
  if (memory_binds) {
    const std::string fits = flip > limit ? fmt::format(", but only {} fit", with_commas(limit)) : "";
    return out + fmt::format("; compute-bound from batch {}{}", with_commas(flip), fits);
  }
  return out + (flip <= 1.0 ? "; at any batch" : fmt::format("; {}-bound below batch {}", memory, with_commas(flip)));
}

std::string changed_text(const ResolvedCase& resolved) {
  // batch, context, chips, formats, price and utilization have places of their own on the screen
  static constexpr std::array<std::string_view, 7> kElsewhere = {
      "batch", "context", "chips", "price", "utilization", "width.weights", "width.experts"};
  std::vector<std::string> changed;
  const auto values = input_values(resolved.numbers);
  for (std::size_t i = 0; i < kDecodeInputs; ++i) {
    const bool shown = std::find(kElsewhere.begin(), kElsewhere.end(), input_info(i).key) != kElsewhere.end();
    if (resolved.from[i].kind != Kind::user || shown) continue;
    changed.push_back(fmt::format("{} = {}", input_info(i).key, show(values[i], input_dimension(i))));
  }
  return joined(changed, ", ");
}

std::string machine_kind(const ResolvedCase& resolved) { return machine_kind(resolved.machine_title); }

std::string machine_text(const ResolvedCase& resolved) {
  const bool own = resolved.from[input_index("chips")].kind == Kind::user;
  const double chips = resolved.numbers.chips.value();
  if (!own) return resolved.machine_title;
  return fmt::format("{} of {}", chips_text(chips, resolved.machine_title), machine_kind(resolved));
}

std::string why_text(const WhyAnswer& answer, const Style& style) {
  std::string out = why_title(answer, style);
  if (!answer.fit.fits) out += ways_text(answer.fit, style);
  out += bold(style, verdict_line(answer)) + "\n" + why_details(answer, style) + "\n";
  out += resources(answer, style) + "\n";
  out += economics(answer, style) + "\n";
  out += mode_table(answer, style);
  if (!answer.resolved.notes.empty()) out += "\n";
  for (const std::string& note : answer.resolved.notes) out += wrapped("note: " + note, style.columns, 6) + "\n";
  return out;
}

std::string engine_room_text(const WhyAnswer& answer, const EngineShare& engine) {
  const DecodeEstimate<double>& e = answer.estimate;
  const DecodeCase<double>& c = answer.resolved.numbers;
  const double taken = engine.share * e.memory_there.value(), weights = e.weights_stored.value();
  const std::string said =
      fmt::format("{} takes {} of the memory, {}", engine.name, percent(engine.share), show_gib(taken));
  if (weights > taken) return fmt::format("{}: the weights alone are {}", said, show_gib(weights));
  const double each = (e.context_stored / c.batch).value();
  if (!(each > 0)) return said;
  return fmt::format("{}: room for at most {} of {} tokens", said,
                     plural(std::floor((taken - weights) / each), "sequence"), with_commas(c.context.value()));
}

std::string fit_text(const WhyAnswer& answer, const EngineShare& engine, const Style& style) {
  const DecodeEstimate<double>& e = answer.estimate;
  const DecodeCase<double>& c = answer.resolved.numbers;
  const ResolvedCase& r = answer.resolved;
  std::string out = why_title(answer, style);
  if (answer.fit.fits) {
    const bool no_engine = e.weights_stored.value() > engine.share * e.memory_there.value();
    out += bold(style, fmt::format("{}: {} of {} used", no_engine ? "fits on paper alone" : "fits",
                                   show_gib(e.memory_needed.value()), show_gib(e.memory_there.value()))) +
           "\n";
    const std::string room = wrapped(engine_room_text(answer, engine), style.columns, 2) + "\n";
    out += no_engine ? warn(style, room) : room;
  } else {
    out += ways_text(answer.fit, style);
  }
  const auto row = [&](std::string_view name, Bytes<double> bytes, const std::string& remark) {
    out += wrapped(fmt::format("  {} {} {} {}", padded(name, 8), padded(show_gib(bytes.value()), 11, true),
                               bar(style, bytes.value() / e.memory_there.value(), 14), remark),
                   style.columns, 38) +
           "\n";
  };
  out += why_details(answer, style) + "\n";
  row("capacity", e.memory_there,
      fmt::format("{} x {} ({})", chips_text(c.chips.value(), r.machine_title), show_gib(c.hbm_capacity.value()),
                  name_of(r.from[input_index("hbm.capacity")].kind)));
  row("weights", e.weights_stored,
      fmt::format("{} at {}{}", show(c.params_dense + c.params_routed + c.params_lookup), show(c.width_weights),
                  c.width_weights == c.width_experts ? "" : ", experts at " + show(c.width_experts)));
  row("KV cache", e.context_stored,
      c.has.any() ? fmt::format("{} sequence{} of {} tokens, {} each", with_commas(c.batch.value()),
                                c.batch.value() == 1.0 ? "" : "s", with_commas(c.context.value()),
                                show(e.context_stored / c.batch))
                  : fmt::format("{} x {} tokens x {}", with_commas(c.batch.value()), with_commas(c.context.value()),
                                show(c.kv_stored)));
  row("free", max(e.memory_there - e.memory_needed, Bytes<double>(0.0)), "activations and the engine's reserve");
  const double tokens = (e.memory_there - e.weights_stored).value() / c.kv_stored.value();
  const std::string sequences =
      fmt::format("{} sequences of {}", with_commas(std::floor(e.batch_limit.value())), with_commas(c.context.value()));
  if (c.has.any()) {
    if (e.batch_limit.value() >= 1.0 && std::isfinite(e.batch_limit.value()))
      out += "\nroom for " + sequences + " tokens\n";
  } else if (tokens > 0.0 && std::isfinite(tokens) && c.context.value() > 0.0) {
    out += fmt::format("\nroom for {} tokens of KV cache: {}\n", with_commas(std::floor(tokens)), sequences);
  }
  for (const std::string& note : r.notes) out += wrapped("note: " + note, style.columns, 6) + "\n";
  return out;
}

std::string sensitivity_text(const std::vector<Sensitivity>& all, const Style& style) {
  static constexpr std::array<std::string_view, 5> kColumns = {"step_time", "cost", "cost_floor", "ridge",
                                                               "batch_limit"};
  std::array<std::size_t, kColumns.size()> columns{};
  const auto keys = output_keys();
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    columns[i] = static_cast<std::size_t>(std::find(keys.begin(), keys.end(), kColumns[i]) - keys.begin());
  }
  std::string out = "elasticity: percent change of each figure for one percent more of an input\n";
  out += "  " + padded("", 18);
  for (const auto column : kColumns) out += padded(column, 12, true);
  out += "\n";
  bool kinked = false;
  for (const Sensitivity& one : all) {
    out += "  " + padded(one.input, 18);
    for (const std::size_t column : columns) {
      const double value = one.elasticity[column];
      const std::string mark = one.kink[column] ? "*" : "";
      kinked = kinked || one.kink[column];
      out += padded(!one.defined[column]      ? "-"
                    : std::fabs(value) < 5e-4 ? "." + mark
                                              : fmt::format("{:+.3f}{}", value, mark),
                    12, true);
    }
    out += "\n";
  }
  if (kinked)
    out += wrapped("* two resources are tied here: the figure is for more of the input; less of it has another slope",
                   style.columns, 2) +
           "\n";
  return out;
}

std::string range_text(const std::array<Interval, kDecodeOutputs>& bounds, const DecodeEstimate<double>& estimate,
                       const Style& style) {
  return ranges_text(ranged_figures(estimate, bounds), style);
}

}  // namespace ridge::report
