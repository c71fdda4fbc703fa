#include "report/search/fleet_text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "report/base/counts.hpp"
#include "report/search/plan_text.hpp"
#include "report/serve/interval_text.hpp"
#include "report/serve/serving_text.hpp"
#include "report/simulate/class_table.hpp"
#include "serve/question/serving_inputs.hpp"
#include "serve/slo/slo_margins.hpp"

namespace ridge::report {

namespace {

constexpr std::string_view kExtrapolated = "extrapolated", kExtrapolatedInPart = "extrapolated in part";

std::string whole_dollars(double dollars) {
  return dollars < 100 ? money(dollars) : "$" + with_commas(std::round(dollars));
}

const PlanMachine& machine_of(const FleetAnswer& answer, const PlannedFleet& fleet) {
  return answer.plan.machines[fleet.point.machine];
}

const PlanMachine* prefill_machine(const FleetAnswer& answer, const PlannedFleet& fleet) {
  return prefill_machine_of(answer.plan, fleet.point);
}

/// "12 nodes, 96 GPUs"; of two machines "4 nodes of hgx-h100 and 12 nodes of hgx-h200, 128 GPUs"
std::string nodes_text(const FleetAnswer& answer, const PlannedFleet& fleet) {
  const PlanMachine& machine = machine_of(answer, fleet);
  const FleetSize& size = fleet.point.fleet;
  const PlanMachine* prefill = prefill_machine(answer, fleet);
  if (prefill == nullptr)
    return fmt::format("{}, {}", plural(size.nodes, "node"), chips_text(size.nodes * machine.node, machine.title));
  const double chips = chips_in(answer, fleet);
  const bool gpus = chip_word(machine.title) == chip_word(prefill->title);
  return fmt::format("{} of {} and {} of {}, {}", plural(size.prefill_nodes, "node"), prefill->name,
                     plural(size.nodes, "node"), machine.name,
                     gpus ? chips_text(chips, machine.title) : plural(chips, "chip"));
}

/// "$10.40/h a GPU", or what each machine costs.
std::string prices_text(const FleetAnswer& answer, const PlannedFleet& fleet) {
  const PlanMachine& machine = machine_of(answer, fleet);
  const auto of = [](const PlanMachine& one) {
    return fmt::format("{}/h a {}{}", money(one.idle_price * kBilledHour), chip_word(one.title),
                       one.assumed_price ? ", assumed" : "");
  };
  const PlanMachine* prefill = prefill_machine(answer, fleet);
  if (prefill == nullptr) return of(machine);
  return fmt::format("{} of {}, {} of {}", of(*prefill), prefill->name, of(machine), machine.name);
}

std::string racks_row(const std::string& name, const FleetRacks& racks) {
  return figure_row(
      name, with_commas(racks.count),
      fmt::format("at most {} to a rack: {:.4g} of {:.4g} kW{}", plural(racks.nodes_each, "node"), racks.drawn / 1e3,
                  racks.limit / 1e3, racks.within ? "" : "; more than it can be fed and cooled with"));
}

std::string odds_text(double odds) {
  return odds >= 0.995 ? ">99%" : odds < 0.005 ? "<1%" : fmt::format("{:.0f}%", 100 * odds);
}

std::string promised_rows(const PlannedFleet& fleet) {
  std::string out;
  for (const PromisedFigure& one : fleet.promised) {
    const std::string name =
        fmt::format("{} {}", name_of(one.target.metric), fleet.simulated ? name_of(one.target.statistic) : "mean");
    if (!(one.value > 0)) {
      out += figure_row(name, "n/a", "");
      continue;
    }
    const Seconds<double> value(one.value);
    const std::string interval = interval_text(fleet.closed.errors, figure_of(one.target.metric), value);
    out += figure_row(name, show(value),
                      fmt::format("{}{}SLO {}: {}", interval, interval.empty() ? "" : "; ", show(one.target.limit),
                                  fleet.odds_unknown ? "n/a" : odds_text(one.odds)));
  }
  return out;
}

/// "TTFT p99 508 ms (324 to 798, 80 %), TPOT p99 28.63 ms (25.8 to 31.7, 80 %)"
std::string promised_text(const PlannedFleet& fleet) {
  std::vector<std::string> all;
  for (const PromisedFigure& one : fleet.promised) {
    if (!(one.value > 0)) continue;
    const Seconds<double> value(one.value);
    all.push_back(fmt::format("{} {} {}{}", name_of(one.target.metric),
                              fleet.simulated ? name_of(one.target.statistic) : "mean", show(value),
                              in_brackets(interval_text(fleet.closed.errors, figure_of(one.target.metric), value))));
  }
  return joined(all, ", ");
}

/// "; expected 19.8/s (16.4 to 24, 80 %)": what it may turn out to serve.
std::string range_text(const FleetAnswer& answer, const PlannedFleet& fleet) {
  if (!answer.range || &fleet != &answer.fleets.front()) return "";
  const RateRange& range = *answer.range;
  return fmt::format("; expected {}/s ({} to {}, {:.0f} %)", significant(range.expected, 3),
                     significant(range.interval.low, 3), significant(range.interval.high, 3),
                     100 * kLevels[kShownLevel]);
}

std::string fleet_rows(const FleetReport& report, const PlannedFleet& fleet) {
  const FleetAnswer& answer = report.answer;
  const FleetAim& aim = *answer.plan.request.fleet;
  const FleetSize& size = fleet.point.fleet;
  std::string out = promised_rows(fleet);
  if (!fleet.promised.empty())
    out += figure_row("SLO holds", odds_text(fleet.odds), "by the errors of runs that were left out of the fit");
  const std::string each = significant(fleet.rate / fleet.at_work, 3) + " requests/s each";
  out += figure_row("rate", significant(fleet.rate / (1 + aim.headroom), 4) + "/s",
                    (aim.headroom > 0 ? fmt::format("{}, with {} of headroom", each, percent(aim.headroom)) : each) +
                        range_text(answer, fleet));
  out += figure_row("replicas", with_commas(size.replicas),
                    aim.spare > 0               ? fmt::format("{:g} of them spare{}", aim.spare,
                                                size.prefill_replicas > 0 ? ", as in each pool" : "")
                    : fleet.point.disaggregated ? "that decode"
                                                : "");
  if (size.prefill_replicas > 0) out += figure_row("prefill replicas", with_commas(size.prefill_replicas), "");
  const double concurrency = fleet.closed.load.concurrency;
  out += figure_row("concurrency",
                    concurrency < 10 ? fmt::format("{:.2g}", concurrency) : with_commas(std::round(concurrency)),
                    "requests per replica");
  if (fleet.simulated) {
    const bool apart = fleet.point.disaggregated;
    out += figure_row("utilization", percent(fleet.simulated->busy),
                      fmt::format("of the time in steps{}; {} of the KV cache held",
                                  apart ? ", of those that decode" : "", percent(fleet.simulated->cache_used)));
    if (apart) out += figure_row("prefill utilization", percent(fleet.simulated->prefill_busy), "of the time in steps");
  }
  out +=
      figure_row("bill", whole_dollars(fleet.bill() * kBilledHour) + "/h",
                 fmt::format("{} a month; {}", whole_dollars(fleet.bill() * kBilledMonth), prices_text(answer, fleet)));
  out += figure_row("cost", money(cost_of(answer, fleet) * 1e6) + "/Mtok",
                    answer.day ? "all costs over a day's output tokens" : "all costs over output tokens, at this rate");
  if (report.power.watts > 0)
    out += figure_row("power", significant(report.power.watts / 1e3, 4) + " kW",
                      fmt::format("{} output tok/s/MW", with_commas(std::round(1e6 * report.power.tokens_per_joule))));
  if (const auto& racks = report.power.racks) out += racks_row("racks", *racks);
  if (const auto& racks = report.power.prefill_racks) out += racks_row("prefill racks", *racks);
  return out;
}

/// "simulated: 12 of 84 replicas, under their share of the requests"
std::string slice_text(const PlannedFleet& fleet) {
  if (!fleet.simulated || fleet.simulated->slice.replicas == fleet.at_work) return "";
  const FleetSlice& slice = fleet.simulated->slice;
  const std::string prefill = slice.prefill_replicas > 0 ? fmt::format(" and {:g} of {:g} for prefill",
                                                                       slice.prefill_replicas, fleet.prefill_at_work)
                                                         : "";
  return fmt::format("simulated: {:g} of {:g} replicas{}, under their share of the requests: {}/s", slice.replicas,
                     fleet.at_work, prefill, significant(slice.rate, 4));
}

std::string day_text(const FleetAnswer& answer, const PlannedFleet& fleet, const Style& style) {
  if (!answer.day) return "";
  const FleetDay& day = *answer.day;
  const auto [least, most] = std::minmax_element(day.nodes.begin(), day.nodes.end());
  return wrapped(
             fmt::format("  the mean over the day is {} requests/s; {} to {} are at work, and if the others can be "
                         "given back by the hour it is {} a month instead of {}",
                         significant(day.mean_rate, 4), with_commas(*least), plural(*most, "node"),
                         whole_dollars(day.elastic_bill * kBilledMonth), whole_dollars(fleet.bill() * kBilledMonth)),
             style.columns, 4) +
         "\n";
}

/// " (chip borrowed, assumed price)": what a machine that was named stands on, where the best does not.
std::string beside_best(const FleetAnswer& answer, const PlannedFleet& fleet) {
  const PlannedFleet& best = answer.fleets.front();
  std::vector<std::string> said;
  const Situation &own = fleet.closed.errors.situation, &first = best.closed.errors.situation;
  if (fleet.closed.errors.known && own.chip != first.chip) {
    if (own.chip == ChipKnown::borrowed) said.emplace_back("chip borrowed");
    if (own.chip == ChipKnown::kernels) said.emplace_back("chip with measured kernels alone");
  }
  if (assumes_price(answer.plan, fleet.point) && !assumes_price(answer.plan, best.point))
    said.emplace_back("assumed price");
  const auto basis = price_basis_of(fleet);
  if (basis && basis != price_basis_of(best)) said.emplace_back(name_of(*basis));
  return said.empty() ? "" : fmt::format(" ({})", joined(said, ", "));
}

/// What the others cost, and whether that is more than the errors say.
std::string others_table(const FleetAnswer& answer, const Style& style) {
  if (answer.fleets.size() < 2) return "";
  std::string out = bold(style, "Others") + "\n";
  const PlannedFleet& best = answer.fleets.front();
  const bool by_rate = !answer.plan.request.fleet->rate;
  constexpr std::size_t kShown = 10;
  for (std::size_t i = 1; i < std::min(answer.fleets.size(), kShown + 1); ++i) {
    const PlannedFleet& fleet = answer.fleets[i];
    const double apart = by_rate ? fleet.point.fleet.rate / best.point.fleet.rate - 1 : fleet.bill() / best.bill() - 1;
    std::string row =
        fmt::format("  {} {} ",
                    padded(fleet.holds        ? fmt::format("{:+.1f}%", 100 * apart)
                           : fleet.given_up() ? fmt::format("over {:+.0f}%", 100 * (fleet.next_bill / best.bill() - 1))
                                              : "SLO missed",
                           10, true),
                    padded(by_rate ? significant(fleet.point.fleet.rate, 4) + "/s"
                                   : whole_dollars(fleet.bill() * kBilledHour) + "/h",
                           10, true));
    row += fmt::format("{} {}  {}", padded(plural(fleet.point.fleet.all_nodes(), "node"), 9, true),
                       padded(fleet.odds_unknown ? "n/a" : odds_text(fleet.odds), 5, true),
                       fleet_name(answer, fleet) + beside_best(answer, fleet));
    out += wrapped(row, style.columns, 40) + "\n";
  }
  if (answer.fleets.size() > kShown + 1)
    out += fmt::format("  and {} more (--json)\n", answer.fleets.size() - kShown - 1);
  if (best.holds && answer.fleets[1].holds) {
    if (const auto lead = lead_of(answer))
      out += wrapped(fmt::format("  the first is ahead by {:.1f}%, {} the error of its throughput ({:.0f}%, 80 %)",
                                 100 * lead->ahead, lead->is_clear() ? "more than" : "less than", 100 * lead->error),
                     style.columns, 4) +
             "\n";
  }
  return out;
}

/// " (reserved-3y, assumed price)"
std::string basis_text(const FleetAnswer& answer, const PlannedFleet& fleet) {
  std::vector<std::string> said;
  if (const auto basis = price_basis_of(fleet)) said.emplace_back(name_of(*basis));
  if (assumes_price(answer.plan, fleet.point)) said.emplace_back("assumed price");
  return said.empty() ? "" : fmt::format(" ({})", joined(said, ", "));
}

std::string headline(const FleetAnswer& answer, const PlannedFleet& fleet) {
  const std::string bill =
      fmt::format("{} a month{}", whole_dollars(fleet.bill() * kBilledMonth), basis_text(answer, fleet));
  const auto basis = price_basis_of(fleet);
  if (answer.plan.request.fleet->rate)
    return fmt::format("{} {}, {}: {}",
                       !basis                        ? "Take"
                       : *basis == PriceBasis::owned ? "Buy"
                                                     : "Rent",
                       nodes_text(answer, fleet), bill, fleet_name(answer, fleet));
  return fmt::format("{} requests/s on {}, {}: {}", significant(fleet.point.fleet.rate, 4), nodes_text(answer, fleet),
                     bill, fleet_name(answer, fleet));
}

/// What was asked of it, and how likely that is; what nobody measured.
std::string odds_lines(const FleetAnswer& answer, const PlannedFleet& fleet, const Style& style) {
  std::string out = wrapped(fmt::format("{} holds with {}, {} asked for", show(answer.question.slo),
                                        odds_text(fleet.odds), percent(answer.plan.request.confidence)),
                            style.columns, 2) +
                    "\n";
  if (const std::string unmeasured = situation_text(fleet.closed.errors); !unmeasured.empty())
    out += warn(style, wrapped(unmeasured, style.columns, 2)) + "\n";
  return out;
}

/// Why there is no fleet.
std::string refusal(const FleetAnswer& answer) {
  const PlanAnswer& plan = answer.plan;
  const FleetAim& aim = *plan.request.fleet;
  if (plan.search.fitting == 0) return "Nothing fits";
  if (aim.budget && plan.prefill_machines.empty()) {
    const auto cheapest =
        std::min_element(plan.machines.begin(), plan.machines.end(),
                         [](const auto& a, const auto& b) { return a.node * a.idle_price < b.node * b.idle_price; });
    const double node = cheapest->node * cheapest->idle_price;
    if (node > *aim.budget)
      return fmt::format("{} a month buys no node: one of {} costs {}", whole_dollars(*aim.budget * kBilledMonth),
                         cheapest->name, whole_dollars(node * kBilledMonth));
  }
  return "Nothing keeps the SLO";
}

std::string asked_text(const FleetAnswer& answer) {
  const FleetAim& aim = *answer.plan.request.fleet;
  const std::size_t hours = answer.question.by_hour.size();
  if (aim.rate)
    return fmt::format("{} requests/s{}", significant(*aim.rate, 6),
                       hours > 0 ? fmt::format(" at the peak of {}", plural(static_cast<double>(hours), "hour")) : "");
  if (aim.nodes) return plural(*aim.nodes, "node");
  return whole_dollars(*aim.budget * kBilledMonth) + " a month";
}

}  // namespace

std::optional<PriceBasis> price_basis_of(const PlannedFleet& fleet) {
  return basis_of(fleet.closed.ground().from[serving_input_index("price")]);
}

std::string fleet_name(const FleetAnswer& answer, const PlannedFleet& fleet) {
  const FleetSize& size = fleet.point.fleet;
  PlanPoint alone = fleet.point;
  alone.disaggregated = false;
  PlanRequest request = answer.plan.request;
  const bool several = request.machines.size() > 1;
  if (several) request.machines = {machine_of(answer, fleet).name};  // said at the end
  if (several) alone.machine = 0;
  const std::string at_end = several ? " on " + machine_of(answer, fleet).name : "";
  const std::string decode = fmt::format("{:g} x {}", size.replicas, deployment_name(request, alone));
  if (!fleet.point.disaggregated) return decode + at_end;
  const std::string prefill = fmt::format("{:g} x {} prefill", size.prefill_replicas, short_name(alone.prefill_layout));
  if (answer.plan.prefill_machines.empty()) return fmt::format("{} + {} decode{}", prefill, decode, at_end);
  return fmt::format("{} on {} + {} decode on {}", prefill,
                     answer.plan.prefill_machines[fleet.point.prefill_machine].name, decode,
                     machine_of(answer, fleet).name);
}

double chips_in(const FleetAnswer& answer, const PlannedFleet& fleet) {
  const FleetSize& size = fleet.point.fleet;
  const PlanMachine* prefill = prefill_machine(answer, fleet);
  return size.nodes * machine_of(answer, fleet).node + (prefill != nullptr ? size.prefill_nodes * prefill->node : 0);
}

std::string bought_text(const FleetAnswer& answer) {
  const PlannedFleet& fleet = answer.fleets.front();
  const PlanMachine& machine = machine_of(answer, fleet);
  const std::string nodes = prefill_machine(answer, fleet) != nullptr
                                ? nodes_text(answer, fleet)
                                : plural(fleet.point.fleet.nodes, "node") + " of " + machine_kind(machine.title);
  return fmt::format("{}: {}", nodes, fleet_name(answer, fleet));
}

std::string bought_lines(const FleetAnswer& answer, const Style& style) {
  const PlannedFleet& fleet = answer.fleets.front();
  const FleetAim& aim = *answer.plan.request.fleet;
  std::string out = wrapped(headline(answer, fleet), style.columns, 2) + "\n" + odds_lines(answer, fleet, style);
  if (const std::string seen = promised_text(fleet); !seen.empty()) out += wrapped(seen, style.columns, 2) + "\n";
  out += wrapped(fmt::format("{}/h at {} requests/s{}{}: {}/Mtok, all costs over output tokens",
                             whole_dollars(fleet.bill() * kBilledHour), significant(fleet.rate / (1 + aim.headroom), 4),
                             aim.headroom > 0 ? fmt::format(" and {} of headroom", percent(aim.headroom)) : "",
                             aim.spare > 0 ? fmt::format(" with {:g} spare", aim.spare) : "",
                             money(cost_of(answer, fleet) * 1e6)),
                 style.columns, 2) +
         "\n";
  return out;
}

std::string_view class_of(const FleetReport& report) {
  const FleetAnswer& answer = report.answer;
  const bool holds = !answer.fleets.empty() && answer.fleets.front().holds;
  const std::optional<PlanPoint>& best = answer.plan.search.best;
  if (holds ? answer.fleets.front().point.extrapolated : best && best->extrapolated) return kExtrapolated;
  return report.nearest && !report.nearest->outside.empty() ? kExtrapolatedInPart : "calibrated";
}

std::string fleet_text(const FleetReport& report, const Style& style) {
  const FleetAnswer& answer = report.answer;
  const PlanAnswer& plan = answer.plan;
  const ServingQuestion& q = plan.request.question;
  std::string out =
      wrapped(bold(style, fmt::format("{} on {}: {}", plan.model_title, machines_text(plan), asked_text(answer))),
              style.columns, 2) +
      "\n";
  const bool holds = !answer.fleets.empty() && answer.fleets.front().holds;
  const std::string_view sort = class_of(report);
  const std::string asked =
      wrapped(fmt::format(
                  "ISL {:g}, OSL {:g}{}, {}{}{}", q.isl, q.osl,
                  answer.question.mix || answer.question.trace ? " on average" : "",
                  holds ? formats_text(answer.fleets.front().closed) + ", " : "", q.engine,
                  holds ? ""
                        : fmt::format("; {}; {}", show(answer.question.slo), confidence_text(plan.request.confidence))),
              style.columns, 2) +
      "\n";
  const std::string searched =
      dim(style,
          wrapped(fmt::format("{} layouts, {} deployments screened, {}{}; {}",
                              with_commas(static_cast<double>(plan.search.layouts)),
                              with_commas(static_cast<double>(plan.search.evaluated)),
                              answer.simulations > 0
                                  ? plural(static_cast<double>(answer.simulations), "fleet") + " simulated"
                                  : "none simulated",
                              report.seconds > 0 ? fmt::format(" in {}", show(Seconds<double>(report.seconds))) : "",
                              sort == kExtrapolated         ? "extrapolated, see the notes"
                              : sort == kExtrapolatedInPart ? "calibrated, extrapolated in part"
                                                            : "calibrated"),
                  style.columns, 2)) +
      "\n";
  if (!holds) {
    out += wrapped(bold(style, refusal(answer)), style.columns, 2) + "\n";
    if (plan.search.fitting == 0)
      out += wrapped(
                 "  No layout has room for one request. Allow more chips (--max-chips), a lower precision "
                 "(--weights), or another machine (--on all).",
                 style.columns, 2) +
             "\n";
    out += asked + searched;
    for (const PlanRelaxation& way : plan.relaxations) {
      out += wrapped(fmt::format("  would hold: {}  ({:.2f}x the SLO): {}", way.say, way.factor,
                                 deployment_name(plan.request, way.point)),
                     style.columns, 4) +
             "\n";
    }
    if (!answer.fleets.empty()) {
      const PlannedFleet& nearest = answer.fleets.front();
      out += wrapped(fmt::format("  nearest: {}, {}; {}", nodes_text(answer, nearest), fleet_name(answer, nearest),
                                 nearest.odds_unknown ? "simulated, it misses the SLO"
                                                      : "all promises hold with " + odds_text(nearest.odds)),
                     style.columns, 4) +
             "\n" + promised_rows(nearest);
    }
  } else {
    const PlannedFleet& best = answer.fleets.front();
    out += wrapped(bold(style, headline(answer, best)), style.columns, 2) + "\n";
    out += odds_lines(answer, best, style);
    for (const std::string& one : report.cautions) out += warn(style, wrapped(one, style.columns, 2)) + "\n";
    out += asked + searched + "\n";
    out += fleet_rows(report, best);
    out += day_text(answer, best, style);
    if (best.simulated && answer.question.mix)
      out += "\n" + classes_table(*answer.question.mix, best.simulated->classes, style);
    if (answer.fleets.size() > 1) out += "\n" + others_table(answer, style);
    if (!report.line.empty()) out += "\n" + wrapped("again: " + report.line, style.columns, 2) + "\n";
    if (!report.host_line.empty()) out += wrapped("against buying: " + report.host_line, style.columns, 2) + "\n";
    for (const auto& [what, line] : {std::pair{"as a price sheet: ", report.price_line},
                                     {"in users: ", report.demand_line},
                                     {"KV cache between uses: ", report.tier_line}}) {
      if (!line.empty()) out += wrapped(what + line, style.columns, 2) + "\n";
    }
    if (const std::string part = slice_text(best); !part.empty()) out += wrapped(part, style.columns, 2) + "\n";
    if (report.nearest) out += nearest_text(*report.nearest, style);
    if (!report.commands.empty()) out += "\n" + commands_text(report.commands, style);
  }
  for (const std::string& note : report.notes) out += wrapped("note: " + note, style.columns, 6) + "\n";
  return plain_text(style, out);
}

}  // namespace ridge::report
