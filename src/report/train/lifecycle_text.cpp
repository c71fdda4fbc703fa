#include "report/train/lifecycle_text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "report/base/counts.hpp"
#include "report/derive/ranges.hpp"

namespace ridge::report {

namespace {

constexpr int kCostBarWidth = 15;

std::string life_money(const Dollars<double>& dollars, int digits = 3) { return money(dollars.value(), digits); }
std::string times(const Ratio<double>& ratio) {
  const bool large = ratio.value() >= 1e5;
  return (large ? count_text(ratio.value()) : significant(ratio.value(), 3)) + "x";
}

/// Where a number was not given, it says so.
std::string_view said(const ResolvedLifecycle& r, std::string_view key) {
  return r.from[lifecycle_input(key, "").value()].kind == Kind::user ? "" : " (default)";
}

/// Which size costs least, and what this model costs against it.
std::string life_finding(const LifecycleEstimate<double>& e) {
  const double excess = e.cost.value() / e.best_cost.value();
  return fmt::format("{} params on {} tokens cost least: {} over the whole life; this model {}",
                     count_text(e.best_params), count_text(e.best_tokens), life_money(e.best_cost),
                     excess < 1.005 ? "as much" : fmt::format("{}x that", significant(excess, 3)));
}

std::string heading(const LifecycleAnswer& answer, const Style& style) {
  const ResolvedLifecycle& r = answer.resolved;
  const LifecycleCase<double>& c = r.numbers;
  const std::string who = r.model_title.empty() ? "a model" : r.model_title;
  std::string out = bold(style, fmt::format("Lifecycle of {} with {} active parameters{}", who, count_text(c.params),
                                            r.model_title.empty() ? said(r, "params") : "")) +
                    "\n";
  out += wrapped(life_finding(answer.estimate) + ".", style.columns, 2) + "\n";
  std::string line = fmt::format("serving {}{} for {}{}, {}", show(c.served), said(r, "served"), time_text(c.life),
                                 said(r, "life"), "law: " + r.law_title);
  if (c.multiple.value() != 1.0)
    line += fmt::format("; as good as a dense model of {} ({})", count_text(c.multiple * c.params),
                        r.expert_law_title.empty() ? "given" : r.expert_law_title);
  out += wrapped(line, style.columns, 0) + "\n";
  out += wrapped(fmt::format("at {} in {} and {} per chip on {}; MFU {} training{}, {} decode{}, {} prefill{}",
                             show(c.peak), r.format, show(c.price), r.machine_title, percent(c.mfu_training.value()),
                             said(r, "mfu.training"), percent(c.mfu_decode.value()), said(r, "mfu.decode"),
                             percent(c.mfu_prefill.value()), said(r, "mfu.prefill")),
                 style.columns, 0) +
         "\n";
  if (!answer.extrapolation.empty()) out += warn(style, wrapped(answer.extrapolation, style.columns, 2)) + "\n";
  return out;
}

std::string phase(const Style& style, std::string_view name, const std::string& tokens, const std::string& work,
                  const Dollars<double>& cost, const Dollars<double>& all) {
  const double share = cost / all < Ratio<double>(1e30) ? (cost / all).value() : 0.0;
  return fmt::format("  {}{}{}{} {} {}\n", padded(name, 14), padded(tokens, 10, true), padded(work, 14, true),
                     padded(life_money(cost), 12, true), bar(style, share, kCostBarWidth),
                     padded(percent(share), 5, true));
}

std::string plan_title(const LifecyclePlan& plan) {
  using enum LifecyclePlan::Pretraining;
  const std::string rollouts = plan.equal_rollouts ? "RL costs as much as serving" : "RL tokens as given";
  if (plan.pretraining == equal && plan.equal_rollouts)
    return "the lecture's rule: pre-training, RL and serving cost the same";
  if (plan.pretraining == equal) return "pre-training costs as much as serving, " + rollouts;
  if (plan.pretraining == by_loss) return "trained to the given loss, " + rollouts;
  return "pre-training tokens as given, " + rollouts;
}

std::string plan_text(const LifecycleAnswer& answer, const Style& style) {
  const LifecycleEstimate<double>& e = answer.estimate;
  const LifecycleCase<double>& c = answer.resolved.numbers;
  const auto work = [](const FlopsPerParamToken<double>& each) { return significant(each.value(), 3); };
  std::string out = "this model: " + plan_title(c.plan) + "\n";
  out += dim(style, fmt::format("  {}{}{}{}", padded("", 14), padded("tokens", 10, true),
                                padded("FLOP/N/token", 14, true), padded("cost", 12, true))) +
         "\n";
  out += phase(style, "pre-training", count_text(e.pretraining), work(e.work_pretraining), e.cost_pretraining, e.cost);
  out += phase(style, "RL", count_text(e.rollouts), work(e.work_rollouts), e.cost_rollouts, e.cost);
  out += phase(style, "serving", count_text(e.served), work(e.work_serving), e.cost_serving, e.cost);
  out += fmt::format("  {}{}{}{}\n", padded("total", 14), padded("", 10), padded("", 14),
                     padded(life_money(e.cost), 12, true));
  const bool is_over = e.smaller.value() >= 1.0;
  out +=
      wrapped(fmt::format(
                  "  {} {} the rule of {} tokens per parameter, {} the law's compute-optimum at this size; loss {:.4f}",
                  padded(is_over ? "over-training" : "under-training", 15), times(e.over_rule),
                  significant(c.rule.value(), 3), times(e.over_law), e.loss.value()),
              style.columns, 18) +
      "\n";
  out +=
      wrapped(fmt::format("  {} {} the training FLOP of the compute-optimal model with this loss ({} parameters on {} "
                          "tokens), for a model {} {}",
                          padded("which costs", 15), times(e.training_price), count_text(e.least_params),
                          count_text(e.least_tokens), times(is_over ? e.smaller : Ratio<double>(1.0) / e.smaller),
                          is_over ? "smaller" : "larger"),
              style.columns, 18) +
      "\n";
  return out;
}

std::string best_text(const LifecycleAnswer& answer, const Style& style) {
  const LifecycleEstimate<double>& e = answer.estimate;
  const auto row = [&](std::string_view name, const Params<double>& params, const Tokens<double>& tokens,
                       const Ratio<double>& over, const Ratio<double>& loss, const Dollars<double>& pretraining,
                       const Dollars<double>& all) {
    return fmt::format("  {}{}{}{}{}{}{}\n", padded(name, 22), padded(count_text(params), 8, true),
                       padded(count_text(tokens), 8, true), padded(times(over), 10, true),
                       padded(fmt::format("{:.4f}", loss.value()), 8, true),
                       padded(percent((pretraining / all).value()), 11, true), padded(life_money(all), 11, true));
  };
  const Dollars<double> budget_pretraining = e.budget * (e.budget_tokens / (e.budget_tokens + e.others)).value();
  std::string out =
      dim(style, fmt::format("  {}{}{}{}{}{}{}", padded("", 22), padded("N", 8, true), padded("tokens", 8, true),
                             padded("over law", 10, true), padded("loss", 8, true), padded("pre-train", 11, true),
                             padded("cost", 11, true))) +
      "\n";
  out +=
      row("this model", answer.resolved.numbers.params, e.pretraining, e.over_law, e.loss, e.cost_pretraining, e.cost);
  out += row("same loss, least cost", e.best_params, e.best_tokens, e.best_over_law, e.loss, e.best_pretraining,
             e.best_cost);
  out += row(answer.resolved.numbers.plan.has_budget ? "budget, least loss" : "same cost, least loss", e.budget_params,
             e.budget_tokens, e.budget_over_law, e.budget_loss, budget_pretraining, e.budget);
  out += wrapped(fmt::format("  {} {} of the cost; there p = {} against q = 1, so that p x pre-training = q x the "
                             "others. Equal costs would be p = 2",
                             padded("saves", 15), percent(e.saving.value()), significant(e.best_excess.value(), 3)),
                 style.columns, 18) +
         "\n";
  std::string flat;
  for (const FlatRange& range : answer.flat) {
    flat += fmt::format("{}{} to {} params cost at most {} more", flat.empty() ? "" : "; ", count_text(range.smallest),
                        count_text(range.largest), percent(range.within));
  }
  return out + wrapped(fmt::format("  {} {}", padded("optimum is flat", 15), flat), style.columns, 18) + "\n";
}

std::string allocation_text(const LifecycleAnswer& answer, const Style& style) {
  const LifecycleEstimate<double>& e = answer.estimate;
  std::string out =
      dim(style, fmt::format("  {}{}{}", padded("cost at the optimum", 24), padded("cost", 12, true), "  share")) +
      "\n";
  const auto row = [&](std::string_view name, const Dollars<double>& cost) {
    const double share = (cost / e.best_cost).value();
    out += fmt::format("  {}{}  {} {}\n", padded(name, 24), padded(life_money(cost), 12, true),
                       bar(style, share, kCostBarWidth), padded(percent(share), 5, true));
  };
  row("pre-training", e.best_pretraining);
  row("RL", e.best_rollouts);
  row("serving", e.best_serving);
  return out;
}

std::string what_if_text(const LifecycleAnswer& answer, const Style& style) {
  std::string out = dim(style, fmt::format("  {}{}{}{}{}{}", padded("what if (same loss)", 28), padded("N", 8, true),
                                           padded("tokens", 8, true), padded("over law", 10, true),
                                           padded("cost", 11, true), padded("equal costs", 12, true))) +
                    "\n";
  const auto row = [&](std::string_view name, const LifecycleEstimate<double>& e) {
    out += fmt::format("  {}{}{}{}{}{}\n", padded(name, 28), padded(count_text(e.best_params), 8, true),
                       padded(count_text(e.best_tokens), 8, true), padded(times(e.best_over_law), 10, true),
                       padded(life_money(e.best_cost), 11, true), padded(count_text(e.equal_pretraining), 12, true));
  };
  row("as given", answer.estimate);
  for (const WhatIf& one : answer.what_ifs) row(one.name, one.estimate);
  return out;
}

std::string notes_text(const LifecycleAnswer& answer, const Style& style) {
  std::string out;
  std::vector<std::string> assumed;
  for (std::size_t i = 0; i < kLifecycleInputs; ++i) {
    const std::string key(lifecycle_input_info(i).key);
    if (!is_present(answer.resolved.numbers.plan, key)) continue;
    if (answer.resolved.from[i].kind == Kind::assumed) assumed.push_back(key);
  }
  for (const std::string& note : answer.resolved.notes) out += wrapped("note: " + note, style.columns, 6) + "\n";
  if (!assumed.empty())
    out +=
        wrapped(fmt::format("assumed: {} (ridge lifecycle --derive cost --depth 0 shows each)", joined(assumed, ", ")),
                style.columns, 9) +
        "\n";
  return out;
}

}  // namespace

std::string lifecycle_text(const LifecycleAnswer& answer, const Style& style) {
  return heading(answer, style) + "\n" + plan_text(answer, style) + "\n" + best_text(answer, style) + "\n" +
         allocation_text(answer, style) + "\n" + what_if_text(answer, style) + "\n" + notes_text(answer, style);
}

std::string lifecycle_sensitivity_text(const std::vector<LifecycleElasticity>& all, const Style& style) {
  constexpr std::array<std::string_view, 5> kColumns = {"equal_tokens", "cost", "best_params", "best_cost",
                                                        "best_over_law"};
  std::string out = "elasticity: percent change of each figure for one percent more of an input\n";
  const auto width = [](std::string_view column) { return std::max(9, static_cast<int>(column.size()) + 1); };
  std::string head = "  " + padded("", 18);
  for (const auto column : kColumns) head += padded(column, width(column), true);
  out += dim(style, head) + "\n";
  for (const LifecycleElasticity& one : all) {
    out += "  " + padded(lifecycle_input_info(one.input).key, 18);
    for (const auto column : kColumns) {
      const double value = one.elasticity[lifecycle_output(column, "").value()];
      out += padded(std::fabs(value) < 5e-4 ? "." : fmt::format("{:+.3f}", value), width(column), true);
    }
    out += "\n";
  }
  return out;
}

std::string lifecycle_range_text(const FigureBounds& bounds, const LifecycleEstimate<double>& estimate,
                                 const Style& style) {
  return ranges_text(ranged_figures(estimate, bounds), style, [](double value, Dimension dimension) {
    const bool counted = dimension == kToken || dimension == kParam;
    if (counted && std::isfinite(value)) return count_text(value);
    return dimension == kDollar ? life_money(Dollars<double>(value)) : show(value, dimension);
  });
}

Chart lifecycle_chart(const LifecycleAnswer& answer) {
  constexpr int kPoints = 160;
  constexpr double kAway = 12.0;  // of the best size, on both sides
  const LifecycleCase<double>& c = answer.resolved.numbers;
  const LifecycleEstimate<double>& e = answer.estimate;
  Series all{.label = "total", .bold = true}, training{.label = "pre-training"}, others{.label = "RL and serving"};
  const double from = std::min(e.best_params.value(), c.params.value()) / kAway;
  const double to = std::max(e.best_params.value(), c.params.value()) * kAway;
  const Dollars<double> others_each = e.best_rollouts + e.best_serving;  // of the best size; they grow with it
  for (int i = 0; i < kPoints; ++i) {
    const double size = from * std::pow(to / from, static_cast<double>(i) / (kPoints - 1));
    const double whole = cost_at_size(c, Params<double>(size)).value();
    const double rest = others_each.value() * size / e.best_params.value();
    // where data run out the cost has no bound: the axis ends at a few times the least
    if (!std::isfinite(whole) || whole > 30 * e.best_cost.value()) continue;
    all.x.push_back(size);
    all.y.push_back(whole);
    training.x.push_back(size);
    training.y.push_back(whole - rest);
    others.x.push_back(size);
    others.y.push_back(rest);
  }
  Chart chart;
  chart.title = life_finding(e);
  chart.subtitle =
      fmt::format("all sizes reach the same loss, {} under {}; {} tok/s served for {}", significant(e.loss.value(), 4),
                  answer.resolved.law, count_text(c.served.value()), time_text(c.life));
  chart.footer =
      fmt::format("{} in {} and {} per chip; MFU {} training, {} decode", show(c.peak), answer.resolved.format,
                  show(c.price), percent(c.mfu_training.value()), percent(c.mfu_decode.value()));
  chart.x = {.label = "active parameters", .unit = "params", .scale = Scale::logarithmic};
  chart.y = {.label = "lifecycle cost, $", .unit = "$", .scale = Scale::logarithmic};
  chart.series = {std::move(training), std::move(others), std::move(all)};
  chart.markers = {{.x = e.best_params.value(),
                    .y = e.best_cost.value(),
                    .label = fmt::format("cheapest: {} on {}", count_text(e.best_params), count_text(e.best_tokens))},
                   {.x = c.params.value(),
                    .y = e.cost.value(),
                    .label = fmt::format("this model: {} on {}", count_text(c.params), count_text(e.pretraining))}};
  chart.lines = {{.vertical = true,
                  .at = e.least_params.value(),
                  .label = fmt::format("compute-optimal, {}", count_text(e.least_params))}};
  return chart;
}

}  // namespace ridge::report
