#include "report/train/goodput_text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "report/base/counts.hpp"

namespace ridge::report {

namespace {

using train::GoodputAnswer;
using train::GoodputRow;
using train::name_of;

std::string one_decimal(const Ratio<double>& share) { return fmt::format("{:.1f}%", 100 * share.value()); }

/// "2.8 s", "4.36 min", "3.09 h", "57.2 days".
std::string span_text(const Seconds<double>& time) {
  const double seconds = time.value();
  if (!std::isfinite(seconds)) return "never";
  if (seconds >= 2 * 86400) return significant(seconds / 86400, 4) + " days";
  if (seconds >= 3600) return significant(seconds / 3600, 3) + " h";
  if (seconds >= 60) return significant(seconds / 60, 3) + " min";
  return show(seconds, kSecond, 3);
}

std::string run_line(const GoodputRow& row, const train::GoodputQuestion& question) {
  if (!std::isfinite(row.elapsed.value()))
    return fmt::format("{} of work never end: failures come faster than restarts.", span_text(question.numbers.work));
  std::string out =
      fmt::format("{} of work take {} with {} checkpoints every {}: goodput {}", span_text(question.numbers.work),
                  span_text(row.elapsed), name_of(row.kind), span_text(row.interval), one_decimal(row.closed.useful));
  if (!row.simulated) return out + ". So little work is done between failures that no run was simulated.";
  out += fmt::format(" ({} simulated; four of five runs take {} to {}).", one_decimal(row.simulated->shares.useful),
                     span_text(row.simulated->elapsed_10), span_text(row.simulated->elapsed_90));
  return out;
}

std::string interval_rows(const GoodputAnswer& answer, const Style& style) {
  std::string out = dim(style, fmt::format("  {}{}{}{}{}{}", padded("checkpoints", 13), padded("stall", 9, true),
                                           padded("Young", 10, true), padded("Daly", 10, true),
                                           padded("simulated", 11, true), padded("flat from .. to", 24, true))) +
                    "\n";
  for (const GoodputRow& row : answer.rows) {
    const auto simulated = [&](auto of) {
      return row.simulated ? span_text(of(row.simulated->best)) : std::string("-");
    };
    out += fmt::format("  {}{}{}{}{}{}\n", padded(name_of(row.kind), 13), padded(span_text(row.times.stall), 9, true),
                       padded(span_text(row.young), 10, true),
                       padded(row.daly_holds ? span_text(row.daly) : "-", 10, true),
                       padded(simulated([](const auto& best) { return best.interval; }), 11, true),
                       padded(row.simulated ? simulated([](const auto& best) { return best.flat_from; }) + " .. " +
                                                  simulated([](const auto& best) { return best.flat_to; })
                                            : "-",
                              24, true));
  }
  return out;
}

std::string loss_rows(const GoodputAnswer& answer, const Style& style) {
  std::string out =
      dim(style, fmt::format("  {}{}{}{}{}{}{}", padded("checkpoints", 14), padded("goodput", 10, true),
                             padded("simulated", 11, true), padded("stalls", 9, true), padded("rework", 9, true),
                             padded("restarts", 10, true), padded("takes", 13, true))) +
      "\n";
  for (const GoodputRow& row : answer.rows) {
    out += fmt::format(
        "  {}{}{}{}{}{}{}\n", padded(name_of(row.kind), 14), padded(one_decimal(row.closed.useful), 10, true),
        padded(row.simulated ? one_decimal(row.simulated->shares.useful) : "-", 11, true),
        padded(one_decimal(row.closed.checkpoints), 9, true), padded(one_decimal(row.closed.rework), 9, true),
        padded(one_decimal(row.closed.restarts), 10, true), padded(span_text(row.elapsed), 13, true));
  }
  return out;
}

/// The restart that a published goodput leaves room for.
std::string published_text(const train::PublishedRun& run, const GoodputAnswer& answer) {
  const GoodputRow& plain = answer.rows.front();
  const double least = *run.goodput_least;
  // useful = e^(-restore / M) x what checkpoints leave
  const double without = plain.closed.useful.value() * std::exp((plain.times.restore / answer.mtbf).value());
  const double longest = without > least ? answer.mtbf.value() * std::log(without / least) : 0;
  return fmt::format("Published of this run: goodput over {}, as here ({} to {}). That leaves up to {} for a restart.",
                     percent(least), one_decimal(answer.rows.front().closed.useful),
                     one_decimal(answer.best().closed.useful), span_text(Seconds<double>(longest)));
}

}  // namespace

std::string goodput_text(const GoodputAnswer& answer, const std::optional<train::PublishedRun>& published,
                         const std::vector<std::string>& guesses, const Style& style) {
  const train::GoodputQuestion& question = answer.question;
  std::string out =
      bold(style, wrapped(fmt::format("Goodput of {} chips, MTBF {} h each: a failure every {}",
                                      with_commas(question.numbers.chips.value()),
                                      with_commas(question.numbers.chip_mtbf.value() / 3600), span_text(answer.mtbf)),
                          style.columns, 2)) +
      "\n" + wrapped(run_line(answer.best(), question), style.columns, 0) + "\n\n";
  out += interval_rows(answer, style) + "\n" + loss_rows(answer, style) + "\n";
  out +=
      wrapped(fmt::format(
                  "{} checkpoint, storage {}, snapshot {} a chip, restart {}, {} of failures leave a copy in memory. "
                  "Intervals are of work between checkpoints; flat: loses less than 0.1% of the time.",
                  show(question.numbers.checkpoint), show(question.numbers.storage), show(question.numbers.snapshot),
                  span_text(question.numbers.restart), percent(question.numbers.survives.value())),
              style.columns, 0) +
      "\n";
  out += wrapped(
             fmt::format(
                 "Spare nodes: {} ({} chips) are enough for 99% of the time; {} are in repair on average, for {} each.",
                 with_commas(answer.spares.needed), with_commas(answer.spares.needed * question.node_chips.value()),
                 significant(answer.spares.in_repair, 3), span_text(question.repair)),
             style.columns, 0) +
         "\n";
  if (published && published->goodput_least)
    out += wrapped(published_text(*published, answer), style.columns, 0) + "\n";
  if (!guesses.empty())
    out += wrapped("Assumed, as nobody published them: " + joined(guesses, ", ") + ".", style.columns, 0) + "\n";
  return out;
}

Chart goodput_chart(const GoodputAnswer& answer) {
  const GoodputRow& best = answer.best();
  Chart chart{.title = fmt::format("{} checkpoints every {} keep {} of the time for training", name_of(best.kind),
                                   span_text(best.interval), percent(best.closed.useful.value())),
              .subtitle = fmt::format("{} chips, MTBF {} h each, restart {}",
                                      with_commas(answer.question.numbers.chips.value()),
                                      with_commas(answer.question.numbers.chip_mtbf.value() / 3600),
                                      span_text(answer.question.numbers.restart))};
  chart.x = {"useful work between two checkpoints", "s", Scale::logarithmic};
  chart.y = {"goodput, %", "", Scale::linear};
  double from = answer.rows.front().interval.value(), to = from;
  for (const GoodputRow& row : answer.rows) {
    from = std::min(from, row.interval.value());
    to = std::max(to, row.interval.value());
  }
  constexpr int kCurvePoints = 161;
  for (const GoodputRow& row : answer.rows) {
    Series series{.label = std::string(name_of(row.kind)), .bold = row.kind == answer.best().kind};
    for (int i = 0; i < kCurvePoints; ++i) {
      const Seconds<double> interval(from / 4 * std::pow(16 * to / from, static_cast<double>(i) / (kCurvePoints - 1)));
      series.x.push_back(interval.value());
      series.y.push_back(100 * goodput(row.times, answer.mtbf, interval).useful.value());
    }
    chart.series.push_back(std::move(series));
    chart.markers.push_back({row.interval.value(), 100 * row.closed.useful.value(),
                             fmt::format("{} {}", name_of(row.kind), span_text(row.interval))});
  }
  if (!chart.title.empty() && chart.title[0] >= 'a' && chart.title[0] <= 'z')
    chart.title[0] = static_cast<char>(chart.title[0] - 'a' + 'A');
  chart.footer = "dots: the interval with the highest goodput, or the one given; closed form (docs/theory/goodput.md)";
  return chart;
}

}  // namespace ridge::report
