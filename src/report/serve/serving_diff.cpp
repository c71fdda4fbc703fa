#include "report/serve/serving_diff.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "report/base/counts.hpp"
#include "report/base/listing_text.hpp"
#include "report/serve/interval_text.hpp"
#include "serve/slo/bought_replica.hpp"
#include "serve/step/step.hpp"

namespace ridge::report {

namespace {

constexpr double kHourSeconds = 3600, kMonthHours = 730;

/// A figure by its key, how it is read off an answer, and how it is shown.
struct ServedFigure {
  const char *key, *title;
  double (*value)(const ServingAnswer& answer);
  std::string (*shown)(double value);
};

std::string time_shown(double value) { return show(Seconds<double>(value), 4); }
std::string bytes_shown(double value) { return show(Bytes<double>(value), 3); }
std::string count_shown(double value) { return with_commas(std::floor(value)); }
std::string rate_shown_in_diff(double value) {
  return value >= 1000 ? with_commas(std::round(value)) : fmt::format("{:.4g}", value);
}
std::string million_shown(double value) { return money(value * 1e6); }
std::string dollars_shown(double value) { return money(value, 4); }

/// Whole replicas of both kinds, and the whole nodes that they take.
struct WholeReplicas {
  FleetSize size;
  double chips = 0;  // at work
  double bill = 0;   // dollars a second of those chips
};
WholeReplicas whole_replicas(const ServingAnswer& answer) {
  BoughtReplica one = bought_replica(answer);
  const double replicas = answer.layout().replicas;
  one.replica.chips /= replicas;
  WholeReplicas out;
  FleetSize& size = out.size;
  size.replicas = replicas;
  if (one.replica.prefill_replicas > 0) size.prefill_replicas = std::ceil(one.replica.prefill_replicas * (1 - 1e-9));
  take_nodes(size, one.sold, one.replica);
  const double decode = replicas * one.replica.chips, prefill = size.prefill_replicas * one.replica.prefill_chips;
  out.chips = decode + prefill;
  out.bill = decode * one.sold.node.price + prefill * one.sold.prefill.value_or(one.sold.node).price;
  return out;
}

/// Dollars an hour: a rate is served by whole nodes, a replica takes its chips.
double bill(const ServingAnswer& answer) {
  const WholeReplicas whole = whole_replicas(answer);
  return (answer.question.rate ? whole.size.bill : whole.bill) * kHourSeconds;
}

/// Bytes that one more token of context takes on each chip of its group, at the middle of a request.
double kv_of_token(const ServingAnswer& answer) {
  const double tokens = answer.question.isl + answer.question.osl / 2;
  return context_held(answer.deployment.decode.operations, tokens) / tokens;
}

constexpr ServedFigure kServedFigures[] = {
    {"tpot", "TPOT", [](const ServingAnswer& a) { return a.estimate.times.tpot.value(); }, time_shown},
    {"ttft", "TTFT", [](const ServingAnswer& a) { return a.waits ? 0 : a.estimate.times.ttft.value(); }, time_shown},
    {"roofline_step", "step bound", [](const ServingAnswer& a) { return a.estimate.step.bound().value(); }, time_shown},
    {"output_tok_s_per_chip", "out tok/s/chip",
     [](const ServingAnswer& a) { return a.estimate.output_rate.value() / a.estimate.chips.value(); },
     rate_shown_in_diff},
    {"output_cost", "output, $/Mtok", [](const ServingAnswer& a) { return a.estimate.output_cost.value(); },
     million_shown},
    {"input_cost", "input, $/Mtok", [](const ServingAnswer& a) { return a.estimate.input_cost.value(); },
     million_shown},
    {"weights", "weights, chip", [](const ServingAnswer& a) { return a.estimate.memory.weights.value(); }, bytes_shown},
    {"kv_per_token", "KV token, chip", kv_of_token, bytes_shown},
    {"sequences", "sequences fit", [](const ServingAnswer& a) { return a.estimate.memory.sequences.value(); },
     count_shown},
    {"concurrency", "concurrency", [](const ServingAnswer& a) { return a.load.concurrency; }, count_shown},
    {"replicas", "replicas", [](const ServingAnswer& a) { return a.layout().replicas; }, count_shown},
    {"prefill_replicas", "prefill repl.",
     [](const ServingAnswer& a) { return whole_replicas(a).size.prefill_replicas; }, count_shown},
    {"chips", "chips", [](const ServingAnswer& a) { return whole_replicas(a).chips; }, count_shown},
    {"nodes", "nodes", [](const ServingAnswer& a) { return a.question.rate ? whole_replicas(a).size.all_nodes() : 0; },
     count_shown},
    {"requests_per_s", "requests/s", [](const ServingAnswer& a) { return a.estimate.requests.value(); },
     rate_shown_in_diff},
    {"dollars_per_hour", "$/h", bill, dollars_shown},
    {"dollars_per_month", "$/month", [](const ServingAnswer& a) { return bill(a) * kMonthHours; }, dollars_shown}};

/// The figure with its interval, where its error is known.
std::string with_interval(const ServingAnswer& answer, const ServedFigure& figure, double value) {
  const std::string_view key = figure.key;
  const std::string text = figure.shown(value);
  if (!answer.errors.known) return text;
  if (key == "tpot" || key == "ttft") {
    const auto of = key == "tpot" ? SpreadFigure::tpot : SpreadFigure::ttft;
    const std::string ends = interval_text(answer.errors, of, Seconds<double>(value));
    return fmt::format("{} ({})", text, ends.substr(0, ends.rfind(',')));
  }
  const bool rate = key == "output_tok_s_per_chip" || key == "output_cost" || key == "input_cost";
  if (!rate) return text;
  const FigureInterval ends = answer.errors.around(value, SpreadFigure::throughput);
  return fmt::format("{} ({} to {})", text, figure.shown(ends.low), figure.shown(ends.high));
}

}  // namespace

ServingDiff serving_diff(ServedModel a, ServedModel b) {
  ServingDiff out;
  const auto layout_of = [](const ServedModel& side) {
    if (!side.answer) return std::string("does not fit");
    return fmt::format("{} ({})", short_name(side.answer->layout()), plural(side.answer->layout().chips(), "chip"));
  };
  out.figures.push_back({"layout", "layout", {}, {}, layout_of(a), layout_of(b)});
  for (const ServedFigure& figure : kServedFigures) {
    ServedDifference one{figure.key, figure.title, {}, {}, "-", "-"};
    const auto read = [&](const ServedModel& side, std::optional<double>& value, std::string& shown) {
      if (!side.answer) return;
      const double own = figure.value(*side.answer);
      if (!(own > 0)) return;
      value = own;
      shown = with_interval(*side.answer, figure, own);
    };
    read(a, one.a, one.shown_a);
    read(b, one.b, one.shown_b);
    const bool of_rate = one.key == "nodes" || one.key == "prefill_replicas";
    if (of_rate && !one.a && !one.b) continue;
    out.figures.push_back(std::move(one));
  }
  const ServedModel& known = a.answer ? a : b;
  if (known.answer)
    out.asked = fmt::format("{}, ISL {:g}, OSL {:g}, {}", known.answer->ground().machine->title,
                            known.answer->question.isl, known.answer->question.osl, known.answer->question.engine);
  for (const ServedModel* side : {&a, &b}) {
    if (!side->shortfall.empty()) out.notes.push_back(fmt::format("{}: {}", side->name, side->shortfall));
    if (!side->answer) continue;
    for (const std::string& note : side->answer->notes) out.notes.push_back(fmt::format("{}: {}", side->name, note));
  }
  out.a = std::move(a);
  out.b = std::move(b);
  return out;
}

std::string serving_diff_text(const ServingDiff& diff, const Style& style) {
  std::string out =
      wrapped(bold(style, "Served") + dim(style, diff.asked.empty() ? "" : "   on " + diff.asked), style.columns, 2) +
      "\n";
  Listing listing{{{""}, {diff.a.name}, {diff.b.name}, {""}}, {}};
  for (const std::string& line : diff.lines) out += wrapped(line, style.columns, 2) + "\n";
  for (const ServedDifference& one : diff.figures) {
    if (!one.in_table) continue;
    const double ratio = one.ratio();
    listing.rows.push_back({one.title, one.shown_a, one.shown_b,
                            ratio > 0 && fmt::format("{:.3g}", ratio) != "1" ? fmt::format("x{:.3g}", ratio) : ""});
  }
  out += listing_text(listing, style);
  if (diff.a.answer || diff.b.answer)
    out += wrapped(
               "brackets: 80 % intervals; KV token: bytes of a token of context; chips and $ are of whole "
               "replicas, with a rate of whole nodes; month: 730 h",
               style.columns, 0) +
           "\n";
  for (const std::string& note : diff.notes) out += wrapped("note: " + note, style.columns, 6) + "\n";
  return plain_text(style, out);
}

}  // namespace ridge::report
