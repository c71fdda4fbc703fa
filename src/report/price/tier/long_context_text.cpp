#include "report/price/tier/long_context_text.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "report/base/counts.hpp"
#include "report/price/tier/tier_text.hpp"
#include "report/roofline/why_text.hpp"

namespace ridge::report {

namespace {

constexpr int kColumn = 15, kRowName = 22;

/// "1k", "100M": tokens as people say them.
std::string tokens_text(const Tokens<double>& tokens) {
  if (!std::isfinite(tokens.value())) return "never";
  const double value = tokens.value();
  if (value == 0) return "at once";  // a state alone takes longer to read
  if (value >= 999500) return significant(value / 1e6, 3) + "M";
  if (value >= 1000) return significant(value / 1e3, 3) + "k";
  return significant(value, 3);
}

std::string name_of_model(const LongContextModel& model) { return model.resolved.model; }

int column_of(const LongContextModel& model) { return std::max(kColumn, shown_width(name_of_model(model)) + 2); }

std::string row(const LongContextAnswer& answer, std::string_view name, const auto& cell) {
  std::string out = "  " + padded(name, kRowName);
  for (const LongContextModel& model : answer.models) out += padded(cell(model), column_of(model), true);
  return out + "\n";
}

/// The models in blocks that a line holds side by side.
std::vector<LongContextAnswer> blocks_of(const LongContextAnswer& answer, int width) {
  std::vector<LongContextAnswer> blocks;
  int used = 0;
  for (const LongContextModel& model : answer.models) {
    if (blocks.empty() || used + column_of(model) > width) {
      blocks.push_back(answer);
      blocks.back().models.clear();
      used = kRowName + 2;
    }
    blocks.back().models.push_back(model);
    used += column_of(model);
  }
  return blocks;
}

std::string points_text(const LongContextAnswer& answer, const Style& style) {
  std::string out = dim(style, row(answer, "context", name_of_model));
  out += row(answer, "attention",
             [](const LongContextModel& model) { return model.kind.substr(0, model.kind.find(", some")); });
  out += row(answer, "KV cache", [](const LongContextModel& model) { return model.resolved.precision.kv; });
  const std::size_t count = answer.models.front().points.size();
  const std::size_t every = static_cast<std::size_t>(answer.question.per_decade);
  for (std::size_t i = 0; i < count; ++i) {
    if (i % every != 0 && i + 1 != count) continue;
    out += row(answer, tokens_text(answer.models.front().points[i].context),
               [&](const LongContextModel& model) { return show(model.points[i].cost, 3); });
  }
  out += row(answer, "KV reads = compute", [](const LongContextModel& model) { return tokens_text(model.balance); });
  out += row(answer, "cost doubles at", [](const LongContextModel& model) { return tokens_text(model.doubles); });
  return out;
}

std::string session_text(const LongContextAnswer& answer, const Style& style) {
  std::string out =
      dim(style, row(answer, fmt::format("session of {} tokens", tokens_text(answer.question.session)), name_of_model));
  const auto line = [&](const char* name, const auto& cell) {
    out += row(answer, name, [&](const LongContextModel& model) { return cell(model.session); });
  };
  line("KV cache", [](const LongSession& s) { return show(s.stored, 3); });
  line("KV read per token", [](const LongSession& s) { return show(s.read, 3); });
  line("chips to hold it", [](const LongSession& s) { return with_commas(std::ceil(s.chips_needed.value())); });
  line("machines, chips", [](const LongSession& s) {
    return fmt::format("{}, {}", with_commas(s.machines.value()), with_commas(s.chips.value()));
  });
  line("prefill time", [](const LongSession& s) { return period_text(s.prefill_time); });
  line("prefill cost", [](const LongSession& s) { return money(s.prefill_cost.value()); });
  line("TPOT", [](const LongSession& s) { return show(s.token_time, 3); });
  line("output cost", [](const LongSession& s) { return show(s.token_cost, 3); });
  line("its memory, per hour", [](const LongSession& s) { return money(s.hold_cost.value() * 3600); });
  return out;
}

std::string caveat_text(const LongContextAnswer& answer, const Style& style) {
  return wrapped(fmt::format("A session runs alone on the machines that hold it. Prefill at {} MFU (assumed). Roofline "
                             "bound: no network, which such sessions depend on more than others. Models are trained "
                             "for less: this is what it would cost, not whether it would work.",
                             percent(answer.mfu.value())),
                 style.columns, 0) +
         "\n";
}

/// The cheapest and the most expensive model at the longest context that all were asked for.
std::string context_finding(const LongContextAnswer& answer) {
  const auto cost = [](const LongContextModel& model) { return model.points.back().cost.value(); };
  const auto [least, most] = std::minmax_element(answer.models.begin(), answer.models.end(),
                                                 [&](const auto& a, const auto& b) { return cost(a) < cost(b); });
  const std::string at = tokens_text(least->points.back().context);
  if (answer.models.size() == 1 || !(cost(*least) > 0) || !std::isfinite(cost(*most)))
    return fmt::format("{} at {} tokens of context: {} output", name_of_model(*least), at,
                       show(least->points.back().cost, 3));
  return fmt::format("At {} tokens of context a token of {} costs {}x one of {}", at, name_of_model(*most),
                     significant(cost(*most) / cost(*least), 2), name_of_model(*least));
}

}  // namespace

std::string long_context_text(const LongContextAnswer& answer, const Style& style) {
  const ResolvedCase& first = answer.models.front().resolved;
  std::string out = bold(style, "Cost of output tokens against context length") + "\n" +
                    wrapped(context_finding(answer) + ".", style.columns, 2) + "\n";
  out += wrapped(fmt::format("on {}, as many as one sequence needs, at the largest batch; {} per {}{}; roofline bound: "
                             "datasheet peaks, perfect sharding and overlap, no network",
                             first.machine_title, show(first.numbers.price), chip_word(first.machine_title),
                             price_basis(first.from[input_index("price")])),
                 style.columns, 0) +
         "\n\n";
  for (const LongContextAnswer& block : blocks_of(answer, std::max(style.columns, 80)))
    out += points_text(block, style) + "\n" + session_text(block, style) + "\n";
  out += caveat_text(answer, style);
  for (const std::string& note : answer.notes) out += wrapped("note: " + note, style.columns, 6) + "\n";
  return out;
}

Chart long_context_chart(const LongContextAnswer& answer) {
  constexpr double kMillion = 1e6;
  Chart chart;
  chart.title = context_finding(answer);
  chart.subtitle = fmt::format("{}: as many as one sequence needs, at the largest batch",
                               answer.models.front().resolved.machine_title);
  chart.footer = "roofline bound: datasheet peaks, perfect sharding and overlap, no network";
  if (answer.models.size() > kMostLines)
    chart.footer += fmt::format("; the first {} of {} models", kMostLines, answer.models.size());
  chart.x = {.label = "context (tokens in each sequence)", .unit = "", .scale = Scale::logarithmic};
  chart.y = {.label = "cost of output, $/Mtok", .unit = "$/Mtok", .scale = Scale::logarithmic};
  for (const LongContextModel& model : answer.models) {
    Series one{.label = fmt::format("{}, {}", name_of_model(model), model.kind.substr(0, model.kind.find(", some"))),
               .x = {},
               .y = {},
               .bold = false,
               .dashed = false};
    for (const LongContextPoint& point : model.points) {
      one.x.push_back(point.context.value());
      one.y.push_back(kMillion * point.cost.value());
    }
    chart.series.push_back(std::move(one));
    if (chart.series.size() == kMostLines) break;
  }
  return chart;
}

}  // namespace ridge::report
