#include "report/search/plan_text.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/unit_text.hpp"
#include "report/serve/serving_text.hpp"

namespace ridge::report {

namespace {

std::string plan_rate_text(double rate) {
  return rate >= 100 ? with_commas(std::round(rate)) : fmt::format("{:.3g}", rate);
}

std::string cost_text(double per_token) { return fmt::format("${:.3g}/Mtok", per_token * 1e6); }

std::string first_text(const PlanPoint& point) {
  return point.ttft_known ? show(Seconds<double>(point.ttft)) : std::string("not given");
}

std::string promise_text(const PlanRequest& request) {
  std::string out;
  if (request.ttft) out += "first token within " + show(*request.ttft);
  if (request.tpot) out += (out.empty() ? "" : ", ") + show(*request.tpot) + " a token";
  return out.empty() ? "no promise to users" : out;
}

std::string point_text(const PlanPoint& point) {
  std::string out;
  out += figure_row("time per token", show(Seconds<double>(point.tpot)),
                    fmt::format("{} tokens/s for a user", plan_rate_text(point.user_rate)));
  out += figure_row("first token", first_text(point));
  out += figure_row("a chip", plan_rate_text(point.chip_rate), "output tokens/s, all chips counted");
  out += figure_row("cost", cost_text(point.cost), "the whole bill over the answers' tokens");
  out +=
      figure_row("chips of a replica", fmt::format("{:.4g}", point.chips),
                 point.disaggregated ? fmt::format("{:g} decode, the rest compute prompts", point.layout.chips()) : "");
  out += figure_row("in flight", with_commas(std::round(point.concurrency)), "requests on a replica");
  if (point.energy > 0) out += figure_row("energy", fmt::format("{:.3g} J", point.energy), "for an output token");
  return out;
}

/// The largest parts of a step, by name.
std::vector<std::pair<double, std::string>> parts_of(const ServingAnswer& answer) {
  std::vector<std::pair<double, std::string>> parts;
  for (std::size_t i = 0; i < kStepParts; ++i) {
    parts.emplace_back(answer.estimate.step.part[i].value(), std::string(name_of(static_cast<StepPart>(i))));
  }
  parts.emplace_back(answer.estimate.times.around.value(), "the engine around it");
  parts.emplace_back(answer.estimate.times.prefill_share.value() * answer.estimate.times.tpot.value(),
                     "prompts of others");
  std::sort(parts.rbegin(), parts.rend());
  return parts;
}

std::string binding_text(const ServingAnswer& answer) {
  std::string out;
  const auto parts = parts_of(answer);
  for (std::size_t i = 0; i < 3; ++i) {
    if (parts[i].first <= 0) break;
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", parts[i].second,
                       percent(parts[i].first / answer.estimate.times.tpot.value()));
  }
  return out;
}

std::string hangs_on(const ServingAnswer& answer) {
  auto all = answer.sensitivity;
  std::stable_sort(all.begin(), all.end(), [](const ServingElasticity& a, const ServingElasticity& b) {
    return std::abs(a.requests) > std::abs(b.requests);
  });
  std::string out;
  std::size_t shown = 0;
  for (const ServingElasticity& one : all) {
    if (one.input.find("osl") != std::string::npos || one.input.find("isl") != std::string::npos) continue;
    if (shown++ == 4) break;
    out += fmt::format("{}{} {:+.2f} %", out.empty() ? "" : ", ", one.input, one.requests);
  }
  return out;
}

std::string why_it_lost(const PlanReport& report, const PlanPoint& best, const PlanPoint& other) {
  const Objective aim = report.plan.request.objective;
  const double more = objective_of(aim, other) / objective_of(aim, best) - 1;
  std::string out = fmt::format("{:+.1f} % {}", 100 * more, name_of(aim));
  if (!report.best || !report.runner_up) return out;
  // where its chips spend more time for each token they give
  const auto each = [](const ServingAnswer& answer) {
    std::map<std::string, double> parts;
    const double scale =
        answer.estimate.chips.value() / answer.estimate.output_rate.value() / answer.estimate.times.tpot.value();
    for (const auto& [time, name] : parts_of(answer)) parts[name] = time * scale;
    return parts;
  };
  const auto mine = each(*report.best), its = each(*report.runner_up);
  std::string worst;
  double most = 0;
  for (const auto& [name, time] : its) {
    const double apart = time - (mine.contains(name) ? mine.at(name) : 0);
    if (apart > most) {
      most = apart;
      worst = name;
    }
  }
  if (!worst.empty()) {
    out += fmt::format("; its chips spend {:.1f} us more on {} for each token", 1e6 * most, worst);
  }
  return out;
}

/// At most so many points of a frontier, evenly along it, both ends among them.
std::vector<const PlanPoint*> shown_points(const PlanFrontier& frontier, std::size_t most) {
  std::vector<const PlanPoint*> out;
  const auto& all = frontier.candidates();
  const std::size_t count = std::min(most, all.size());
  for (std::size_t i = 0; i < count; ++i) {
    out.push_back(&all[count == 1 ? 0 : i * (all.size() - 1) / (count - 1)].point);
  }
  return out;
}

std::string frontier_table(const PlanReport& report, const Style& style) {
  std::string out =
      bold(style, "Frontier") + dim(style, "   output tokens/s for a user against a chip's; --json has all") + "\n";
  out += fmt::format("  {} {} {} {} {}  {}\n", padded("a user", 9, true), padded("a chip", 9, true),
                     padded("cost", 14, true), padded("first token", 12, true), padded("in flight", 9, true),
                     "deployment");
  for (const PlanPoint* point : shown_points(report.plan.search.frontier, 12)) {
    out +=
        fmt::format("  {} {} {} {} {}  {}\n", padded(plan_rate_text(point->user_rate), 9, true),
                    padded(plan_rate_text(point->chip_rate), 9, true), padded(cost_text(point->cost), 14, true),
                    padded(first_text(*point), 12, true), padded(with_commas(std::round(point->concurrency)), 9, true),
                    deployment_name(report.plan.request, *point));
  }
  return out;
}

/// What one change would bring, the whole search done again for each.
std::string outlooks_table(const PlanReport& report, const Style& style) {
  const Objective aim = report.plan.request.objective;
  std::string out = bold(style, "One change, and the search again") +
                    dim(style, fmt::format("   {} of the best deployment", name_of(aim))) + "\n";
  auto all = report.outlooks;
  const auto figure = [&](const PlanOutlook& one) { return one.best ? objective_of(aim, *one.best) : 1e300; };
  std::stable_sort(all.begin(), all.end(),
                   [&](const PlanOutlook& a, const PlanOutlook& b) { return figure(a) < figure(b); });
  for (const PlanOutlook& one : all) {
    out += fmt::format("  {} ", padded(one.say, 32));
    if (!one.best) {
      out += "nothing keeps the promise\n";
      continue;
    }
    const std::string change =
        report.plan.search.best
            ? fmt::format("{:+.1f} %", 100 * (figure(one) / objective_of(aim, *report.plan.search.best) - 1))
            : "keeps the promise";
    out += fmt::format("{} {}  {}\n", padded(change, 18, true), padded(cost_text(one.best->cost), 14, true),
                       deployment_name(one.request, *one.best));
  }
  return out;
}

/// Each machine's own best under the same promise.
std::string machines_table(const PlanReport& report, const Style& style) {
  std::string out = bold(style, "The same promise elsewhere") + "\n";
  const PlanAnswer& plan = report.plan;
  for (std::size_t machine = 0; machine < plan.machines.size(); ++machine) {
    const auto found = plan.search.best_of_machine.find(machine);
    out += fmt::format("  {} ", padded(plan.machines[machine].name, 22));
    if (found == plan.search.best_of_machine.end()) {
      out += "nothing keeps it\n";
      continue;
    }
    const PlanPoint& point = found->second;
    out +=
        fmt::format("{} {} {}  {}\n", padded(cost_text(point.cost), 14, true),
                    padded(plan_rate_text(point.user_rate) + " tok/s", 12, true),
                    padded(fmt::format("{:.4g} chips", point.chips), 12, true), deployment_name(plan.request, point));
  }
  return out;
}

}  // namespace

std::string deployment_name(const PlanRequest& request, const PlanPoint& point) {
  std::string out = short_name(point.layout);
  if (request.weights.size() > 1) out += " " + request.weights[point.weights].value_or("as released");
  if (request.kv.size() > 1) out += ", cache in " + request.kv[point.kv].value_or("the usual format");
  if (request.speculative_tokens.size() > 1)
    out += fmt::format(", {:g} guessed", request.speculative_tokens[point.speculative_tokens]);
  if (request.token_budgets.size() > 1)
    out += fmt::format(", chunks of {:g}", request.token_budgets[point.token_budget]);
  if (point.disaggregated) {
    out += ", prompts apart";
    if (!(point.prefill_layout == point.layout)) out += " on " + short_name(point.prefill_layout);
  }
  if (request.machines.size() > 1) out += ", " + request.machines[point.machine];
  return out;
}

std::string plan_text(const PlanReport& report, const Style& style) {
  const PlanAnswer& plan = report.plan;
  const PlanRequest& request = plan.request;
  const ServingQuestion& q = request.question;
  std::string out =
      bold(style, fmt::format("{} on {}", plan.model_title,
                              plan.machines.size() == 1 ? plan.machines[0].title
                                                        : fmt::format("{} machines", plan.machines.size()))) +
      "\n";
  out += fmt::format("{:g} tokens in, {:g} out, {}; {}; least {}\n", q.isl, q.osl, q.engine, promise_text(request),
                     name_of(request.objective));
  out +=
      dim(style, fmt::format("{} layouts, {} hold the model; {} deployments evaluated{}; class: calibrated",
                             with_commas(static_cast<double>(plan.search.layouts)),
                             with_commas(static_cast<double>(plan.search.fitting)),
                             with_commas(static_cast<double>(plan.search.evaluated)),
                             report.seconds > 0 ? fmt::format(" in {}", show(Seconds<double>(report.seconds))) : "")) +
      "\n\n";
  if (plan.search.best) {
    out += bold(style, "Choose " + deployment_name(plan.request, *plan.search.best)) + "\n";
    out += point_text(*plan.search.best);
    if (report.best) {
      out += wrapped("  a token's time goes to: " + binding_text(*report.best), style.columns, 4) + "\n";
      if (!report.best->sensitivity.empty()) {
        out += wrapped("  requests a second for 1 % more of: " + hangs_on(*report.best), style.columns, 4) + "\n";
      }
    }
    if (plan.search.runner_up) {
      out += wrapped(fmt::format("  runner-up {}: {}", deployment_name(plan.request, *plan.search.runner_up),
                                 why_it_lost(report, *plan.search.best, *plan.search.runner_up)),
                     style.columns, 4) +
             "\n";
    }
    out += "\n";
  } else if (plan.search.fitting == 0) {
    out += bold(style, "Nothing holds the model") +
           "\n  none of the layouts has room for one request: more chips "
           "(--max-chips), a narrower format (--weights), or another machine (--on all)\n\n";
  } else {
    out += bold(style, "Nothing keeps the promise") + "\n  nearest:\n";
    for (const PlanRelaxation& way : plan.relaxations) {
      out += fmt::format("    {}  ({:.2f} times as long): {}, {}\n", padded(way.say, 34), way.factor,
                         deployment_name(plan.request, way.point), cost_text(way.point.cost));
    }
    out += "\n";
  }
  constexpr int kRows = 14;
  if (plan.search.fitting > 0) {
    out += to_text(plan_chart(report), style.columns, kRows, style.unicode) + "\n" + frontier_table(report, style);
  }
  if (plan.machines.size() > 1 && plan.search.fitting > 0) out += "\n" + machines_table(report, style);
  if (!report.outlooks.empty()) out += "\n" + outlooks_table(report, style);
  if (!report.commands.empty()) out += "\n" + commands_text(report.commands, style);
  for (const std::string& note : plan.notes) out += wrapped("note: " + note, style.columns, 2) + "\n";
  return out;
}

Chart plan_chart(const PlanReport& report) {
  const PlanAnswer& plan = report.plan;
  Chart chart;
  chart.title = plan.model_title + ": what one more token a second for a user costs the house";
  chart.subtitle = fmt::format("{:g} tokens in, {:g} out, {}; calibrated", plan.request.question.isl,
                               plan.request.question.osl, plan.request.question.engine);
  chart.x = {"tokens/s for a user (output)", "", Scale::logarithmic};
  chart.y = {"tokens/s for a chip (output)", "", Scale::logarithmic};
  for (std::size_t machine = 0; machine < plan.machines.size(); ++machine) {
    const auto found = plan.search.of_machine.find(machine);
    if (found == plan.search.of_machine.end()) continue;
    Series series;
    series.label = plan.machines[machine].name;
    series.bold = plan.machines.size() == 1;
    for (const auto& entry : found->second.candidates()) {
      series.x.push_back(entry.point.user_rate);
      series.y.push_back(entry.point.chip_rate);
    }
    chart.series.push_back(std::move(series));
  }
  if (plan.search.best) {
    chart.markers.push_back(
        {plan.search.best->user_rate, plan.search.best->chip_rate, deployment_name(plan.request, *plan.search.best)});
  }
  if (plan.request.tpot) {
    chart.lines.push_back({true, 1 / plan.request.tpot->value(), show(*plan.request.tpot) + " a token"});
  }
  return chart;
}

}  // namespace ridge::report
