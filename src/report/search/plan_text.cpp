#include "report/search/plan_text.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "report/base/counts.hpp"
#include "report/serve/interval_text.hpp"
#include "report/serve/serving_text.hpp"
#include "serve/slo/slo_margins.hpp"

namespace ridge::report {

namespace {

std::string plan_rate_text(double rate) {
  return rate >= 100 ? with_commas(std::round(rate)) : fmt::format("{:.3g}", rate);
}

std::string cost_text(double per_token) { return money(per_token * 1e6) + "/Mtok"; }

std::string ttft_text(const PlanPoint& point) {
  return point.ttft_known ? show(Seconds<double>(point.ttft)) : std::string("not given");
}

std::string user_rate_text(const PlanPoint& point) {
  return point.user_rate > 0 ? plan_rate_text(point.user_rate) : std::string("n/a");
}

std::string slo_text(const PlanRequest& request) {
  std::string out;
  if (request.ttft) out += "TTFT <= " + show(*request.ttft);
  if (request.tpot) out += (out.empty() ? "" : ", ") + ("TPOT <= " + show(*request.tpot));
  if (request.e2e) out += (out.empty() ? "" : ", ") + ("E2E <= " + show(*request.e2e));
  return out.empty() ? "no SLO" : fmt::format("SLO {}, {}", out, confidence_text(request.confidence));
}

/// `errors`: how far off the point may be.
std::string point_text(const PlanPoint& point, const std::string& chip, const AnswerErrors& errors) {
  std::string out;
  const auto then = [](const std::string& interval, const std::string& rest) {
    return interval + (interval.empty() || rest.empty() ? "" : "; ") + rest;
  };
  const Seconds<double> tpot(point.tpot), ttft(point.ttft);
  out += point.tpot > 0 ? figure_row("TPOT", show(tpot),
                                     then(interval_text(errors, SpreadFigure::tpot, tpot),
                                          fmt::format("{} tok/s/user", plan_rate_text(point.user_rate))))
                        : figure_row("TPOT", "n/a", "one output token: prefill gives it");
  out += figure_row("TTFT", ttft_text(point),
                    point.ttft_known ? interval_text(errors, SpreadFigure::ttft, ttft) : std::string());
  out += figure_row("output tok/s/" + chip, plan_rate_text(point.chip_rate),
                    then(rate_interval_text(errors, point.chip_rate),
                         point.disaggregated ? fmt::format("prefill and decode {}s counted", chip) : ""));
  out += figure_row("cost", cost_text(point.cost),
                    then(money_interval_text(errors, point.cost * 1e6), "all costs over output tokens"));
  const double decode = point.layout.chips(), prefill = point.prefill_layout.chips();
  out +=
      figure_row(chip + "s per replica", fmt::format("{:.4g}", point.disaggregated ? decode : point.chips),
                 point.disaggregated
                     ? fmt::format("that decode; {} x {} prefill for them on average (--rate: whole nodes)",
                                   significant((point.chips - decode) / prefill, 3), short_name(point.prefill_layout))
                     : "");
  out += figure_row("concurrency", with_commas(std::round(point.concurrency)), "requests per replica");
  if (point.energy > 0) out += figure_row("energy", fmt::format("{:.3g} J", point.energy), "per output token");
  return out;
}

/// How near the choice comes to what no deployment of its machine exceeds at its speed.
std::string plan_bound_text(const PlanReport& report, const PlanPoint& best) {
  for (const FrontierBound& bound : report.bounds) {
    const double most = bound.machine == best.machine ? chip_rate_at(bound, best.user_rate) : 0;
    if (most > 0)
      return figure_row("roofline bound", plan_rate_text(most),
                        fmt::format("output tok/s/{} at this speed, prefill counted; {} reached", chip_of(report.plan),
                                    percent(best.chip_rate / most)));
  }
  return "";
}

/// "all_reduce" as people write it.
std::string part_text(StepPart part) {
  std::string name(name_of(part));
  std::replace(name.begin(), name.end(), '_', part == StepPart::reduce || part == StepPart::exchange ? '-' : ' ');
  return part == StepPart::projections ? "QKV and output projections"
         : part == StepPart::dense_ffn ? "dense FFN"
         : part == StepPart::head      ? "LM head"
                                       : name;
}

/// Where the time of a token goes, by name, the largest first.
std::vector<std::pair<double, std::string>> parts_of(const ServingAnswer& answer) {
  std::vector<std::pair<double, std::string>> parts;
  for (std::size_t i = 0; i < kStepParts; ++i) {
    parts.emplace_back(answer.estimate.step.part[i].value(), part_text(static_cast<StepPart>(i)));
  }
  const ServingTimes<double>& times = answer.estimate.times;
  parts.emplace_back(times.around.value(), "CPU/engine overhead");
  parts.emplace_back(times.drafting.value(), "drafting");
  for (auto& part : parts) part.first /= times.emitted.value();  // a step with draft tokens gives more than one
  if (answer.load.decodes())
    parts.emplace_back(times.prefill_share.value() * times.tpot.value(), "prefill interference");
  std::sort(parts.rbegin(), parts.rend());
  return parts;
}

/// What the parts are parts of: the time of a token, or of a prompt's step where nothing is decoded.
double parted_time(const ServingAnswer& answer) {
  return answer.load.decodes() ? answer.estimate.times.tpot.value() : step_time(answer.estimate.times, false).value();
}

std::string binding_text(const ServingAnswer& answer) {
  std::string out;
  const auto parts = parts_of(answer);
  double all = 0;  // what overlaps counts in each, so that they may be more than TPOT
  for (const auto& part : parts) all += part.first;
  for (std::size_t i = 0; i < 3; ++i) {
    if (parts[i].first <= 0) break;
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", parts[i].second, percent(parts[i].first / all));
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
    out += fmt::format("{}{} {:+.2f}%", out.empty() ? "" : ", ", one.input, one.requests);
  }
  return out;
}

std::string why_it_lost(const PlanReport& report, const PlanPoint& best, const PlanPoint& other) {
  const Objective aim = report.plan.request.objective;
  const double more = objective_of(aim, other) / objective_of(aim, best) - 1;
  std::string out = fmt::format("{:+.1f}% {}", 100 * more, name_of(aim));
  if (!report.best || !report.runner_up) return out;
  // where its chips spend more time for each token they give
  const auto each = [](const ServingAnswer& answer) {
    std::map<std::string, double> parts;
    const double scale = answer.estimate.chips.value() / answer.estimate.output_rate.value() / parted_time(answer);
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
    out += fmt::format("; it spends {:.1f} us more per token on {}", 1e6 * most, worst);
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

/// "TEP2·PP2 + DEP32" where a column says which is which.
std::string short_deployment(const PlanRequest& request, const PlanPoint& point) {
  std::string name = deployment_name(request, point);
  const std::string_view prefill = " prefill + ", decode = " decode";
  if (const std::size_t at = name.find(prefill); at != std::string::npos) name.replace(at, prefill.size(), " + ");
  if (const std::size_t at = name.find(decode); at != std::string::npos) name.erase(at, decode.size());
  return name;
}

std::string frontier_table(const PlanReport& report, const Style& style) {
  std::string out =
      bold(style, "Frontier") +
      dim(style, "   output tok/s/user against output tok/s/" + chip_of(report.plan) + "; --json has all") + "\n";
  out += fmt::format("  {} {} {} {} {}  {}\n", padded("tok/s/user", 10, true),
                     padded("tok/s/" + chip_of(report.plan), 10, true), padded("$/Mtok", 7, true),
                     padded("TTFT", 9, true), padded("conc.", 6, true), "(prefill +) decode layout");
  for (const PlanPoint* point : shown_points(report.plan.search.frontier, 12)) {
    out += wrapped(fmt::format("  {} {} {} {} {}  {}", padded(user_rate_text(*point), 10, true),
                               padded(plan_rate_text(point->chip_rate), 10, true),
                               padded(money(point->cost * 1e6), 7, true), padded(ttft_text(*point), 9, true),
                               padded(with_commas(std::round(point->concurrency)), 6, true),
                               short_deployment(report.plan.request, *point)),
                   80, 52) +
           "\n";
  }
  return out;
}

/// What one change would bring, the whole search done again for each.
std::string outlooks_table(const PlanReport& report, const Style& style) {
  const Objective aim = report.plan.request.objective;
  std::string out = bold(style, "What if") +
                    dim(style, fmt::format("   one change, searched again: {} of the best", name_of(aim))) + "\n";
  auto all = report.outlooks;
  const auto figure = [&](const PlanOutlook& one) { return one.best ? objective_of(aim, *one.best) : 1e300; };
  std::stable_sort(all.begin(), all.end(),
                   [&](const PlanOutlook& a, const PlanOutlook& b) { return figure(a) < figure(b); });
  for (const PlanOutlook& one : all) {
    std::string row = fmt::format("  {} ", padded(one.say, 28));
    if (!one.best) {
      out += row + "nothing meets the SLO\n";
      continue;
    }
    const std::string change =
        report.plan.search.best
            ? fmt::format("{:+.1f}%", 100 * (figure(one) / objective_of(aim, *report.plan.search.best) - 1))
            : "meets the SLO";
    row += fmt::format("{} {}  {}", padded(change, 8, true), padded(cost_text(one.best->cost), 12, true),
                       short_deployment(one.request, *one.best));
    out += wrapped(row, 80, 54) + "\n";
  }
  return out;
}

/// Each machine's own best under the same SLO.
std::string machines_table(const PlanReport& report, const Style& style) {
  std::string out = bold(style, "Same SLO on each machine") + "\n";
  const PlanAnswer& plan = report.plan;
  for (std::size_t machine = 0; machine < plan.machines.size(); ++machine) {
    const auto found = plan.search.best_of_machine.find(machine);
    std::string row = fmt::format("  {} ", padded(plan.machines[machine].name, 16));
    if (found == plan.search.best_of_machine.end()) {
      out += row + "nothing meets it\n";
      continue;
    }
    const PlanPoint& point = found->second;
    row += fmt::format("{} {} {}  {}", padded(cost_text(point.cost), 12, true),
                       padded(user_rate_text(point) + (point.user_rate > 0 ? " tok/s/user" : ""), 16, true),
                       padded(chips_text(point.chips, plan.machines[machine].title), 10, true),
                       short_deployment(plan.request, point));
    out += wrapped(row, 80, 61) + "\n";
  }
  return out;
}

}  // namespace

std::string chip_of(const PlanAnswer& plan) {
  for (const auto* machines : {&plan.machines, &plan.prefill_machines}) {
    for (const PlanMachine& machine : *machines) {
      if (chip_word(machine.title) != "GPU") return "chip";
    }
  }
  return "GPU";
}

std::string machines_text(const PlanAnswer& plan) {
  const auto of = [](const std::vector<PlanMachine>& machines) {
    return machines.size() == 1 ? machines[0].title : fmt::format("{} machines", machines.size());
  };
  if (plan.prefill_machines.empty()) return of(plan.machines);
  return fmt::format("{} (prefill) and {} (decode)", of(plan.prefill_machines), of(plan.machines));
}

std::string_view evidence_class(const PlanAnswer& plan) {
  return plan.search.best && plan.search.best->extrapolated ? "extrapolated, see the notes" : "calibrated";
}

std::string deployment_name(const PlanRequest& request, const PlanPoint& point) {
  std::string out = short_name(point.layout);
  if (point.disaggregated) out = fmt::format("{} prefill + {} decode", short_name(point.prefill_layout), out);
  if (request.overlaps.size() > 1 && request.overlaps[point.overlap] != Overlap::none)
    out += fmt::format(", {} overlap", name_of(request.overlaps[point.overlap]));
  if (point.layout.redundant_experts > 0)
    out += fmt::format(", {:g} redundant expert{}", point.layout.redundant_experts,
                       point.layout.redundant_experts == 1 ? "" : "s");
  if (request.weights.size() > 1) out += " " + request.weights[point.weights].value_or("as released");
  if (request.kv.size() > 1) out += ", KV " + request.kv[point.kv].value_or("default");
  if (request.speculative_tokens.size() > 1)
    out += fmt::format(", {:g} draft tokens", request.speculative_tokens[point.speculative_tokens]);
  if (request.token_budgets.size() > 1)
    out += fmt::format(", token budget {:g}", request.token_budgets[point.token_budget]);
  if (!request.prefill_machines.empty() && point.disaggregated)
    return fmt::format("{}, {} + {}", out, request.prefill_machines[point.prefill_machine],
                       request.machines[point.machine]);
  if (request.machines.size() > 1) out += ", " + request.machines[point.machine];
  return out;
}

std::string plan_text(const PlanReport& report, const Style& style) {
  const PlanAnswer& plan = report.plan;
  const PlanRequest& request = plan.request;
  const ServingQuestion& q = request.question;
  std::string out =
      wrapped(bold(style, fmt::format("{} on {}", plan.model_title, machines_text(plan))), style.columns, 2) + "\n";
  out += wrapped(fmt::format("ISL {:g}, OSL {:g}, {}; {}; least {}", q.isl, q.osl, q.engine, slo_text(request),
                             name_of(request.objective)),
                 style.columns, 2) +
         "\n";
  const std::string searched =
      dim(style, fmt::format("{} layouts, {} fit; {} deployments evaluated{}; {}",
                             with_commas(static_cast<double>(plan.search.layouts)),
                             with_commas(static_cast<double>(plan.search.fitting)),
                             with_commas(static_cast<double>(plan.search.evaluated)),
                             report.seconds > 0 ? fmt::format(" in {}", show(Seconds<double>(report.seconds))) : "",
                             evidence_class(plan))) +
      "\n";
  if (plan.search.best) {
    out += bold(style, wrapped(fmt::format("Best: {}: {} output{}", deployment_name(plan.request, *plan.search.best),
                                           cost_text(plan.search.best->cost),
                                           assumes_price(plan, *plan.search.best) ? " (assumed price)" : ""),
                               style.columns, 2)) +
           "\n" + searched + "\n";
    out += point_text(*plan.search.best, chip_of(plan), report.best ? report.best->errors : AnswerErrors{});
    out += plan_bound_text(report, *plan.search.best);
    if (report.best) {
      if (const std::string unmeasured = situation_text(report.best->errors); !unmeasured.empty())
        out += wrapped("  " + unmeasured, style.columns, 4) + "\n";
      out += wrapped("  TPOT goes to: " + binding_text(*report.best), style.columns, 4) + "\n";
      if (!report.best->sensitivity.empty()) {
        out += wrapped("  requests/s for 1% more of: " + hangs_on(*report.best), style.columns, 4) + "\n";
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
    out += bold(style, "Nothing fits") + "\n" +
           wrapped(
               "  No layout has room for one request. Allow more chips (--max-chips), a lower precision "
               "(--weights), or another machine (--on all).",
               style.columns, 2) +
           "\n" + searched + "\n";
  } else {
    out += bold(style, "Nothing meets the SLO") + "\n  nearest:\n";
    for (const PlanRelaxation& way : plan.relaxations) {
      out += wrapped(fmt::format("    {}  ({:.2f}x the SLO): {}, {}", padded(way.say, 32), way.factor,
                                 deployment_name(plan.request, way.point), cost_text(way.point.cost)),
                     style.columns, 8) +
             "\n";
    }
    out += searched + "\n";
  }
  constexpr int kRows = 14;
  if (plan.search.fitting > 0) {
    out += to_text(plan_chart(report), style.columns, kRows, style.unicode) + "\n" + frontier_table(report, style);
  }
  if (plan.machines.size() > 1 && plan.search.fitting > 0) out += "\n" + machines_table(report, style);
  if (!report.outlooks.empty()) out += "\n" + outlooks_table(report, style);
  if (!report.commands.empty()) out += "\n" + commands_text(report.commands, style);
  for (const std::string& note : plan.notes) out += wrapped("note: " + note, style.columns, 6) + "\n";
  return plain_text(style, out);
}

}  // namespace ridge::report
