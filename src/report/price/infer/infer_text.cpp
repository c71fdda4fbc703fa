#include "report/price/infer/infer_text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/unit_text.hpp"
#include "report/base/counts.hpp"

namespace ridge::report {

namespace {

constexpr std::array<std::size_t, 4> kDrawn = {kActive, kTotal, kKv, kBatch};

std::string price_text(const DollarsPerToken<double>& price) { return show(price, 4); }

/// How a number is written that spans decades: scaled, with what stands before and after it.
struct Written {
  std::string before, number, after;
};
Written written(double value, Dimension dimension) {
  if (dimension == kDollar / kFlop) return {"$", significant(value * 1e18, 3), "/EFLOP"};
  if (dimension == kByte / kToken / kParam) return {"", significant(value * 1e9, 3), ""};
  if (dimension == kByte / kToken)
    return value >= 9999.5 ? Written{"", significant(value / 1e3, 3), " kB"}
                           : Written{"", with_commas(std::round(value)), " B"};
  return {"", significant(value, 3), ""};
}

std::string short_number(double value, Dimension dimension) {
  if (dimension == kParam || dimension == kToken) return count_text(value);
  const Written text = written(value, dimension);
  return text.before + text.number + text.after;
}

/// "$0.05 to 1.5/EFLOP", "3B to 1T".
std::string range_text(const Interval& range, Dimension dimension) {
  if (!(range.high > range.low * (1 + 1e-6))) return short_number(range.low, dimension);
  if (dimension == kParam || dimension == kToken) return count_text(range.low) + " to " + count_text(range.high);
  const Written low = written(range.low, dimension), high = written(range.high, dimension);
  if (low.after == high.after) return low.before + low.number + " to " + high.number + high.after;
  return low.before + low.number + low.after + " to " + high.number + high.after;
}

class InferScreen {
 public:
  InferScreen(const InferReport& report, const Style& style)
      : i_(report.inference), p_(report.posterior), report_(report), style_(style) {}

  std::string text() {
    heading();
    contradictions();
    list("odd on this sheet", report_.findings);
    readings();
    unknowns();
    machines();
    list("not identifiable from a price sheet", i_.not_identifiable);
    list("not stated on this sheet", i_.silent);
    out_ +=
        wrapped(fmt::format("prior: {} ({}); {}", i_.priors.title, i_.priors.name, i_.priors.note), style_.columns, 2) +
        "\n";
    for (const std::string& note : report_.notes) out_ += wrapped("note: " + note, style_.columns, 6) + "\n";
    if (p_.accepted > 0)
      out_ += "\n" + to_text(infer_chart(report_), std::min(style_.columns, 100), 12, style_.unicode);
    return std::move(out_);
  }

 private:
  void heading() {
    const PriceSheet& sheet = i_.sheet;
    out_ += bold(style_, fmt::format("What the prices of {}{}{} reveal", sheet.provider,
                                     sheet.provider.empty() ? "" : "/", sheet.model)) +
            (sheet.date.empty() ? "" : "  (" + sheet.date + ")") + "\n";
    out_ += bold(style_, wrapped(headline(), style_.columns, 2)) + "\n";
    std::string line = fmt::format("input {}, output {}", price_text(sheet.input), price_text(sheet.output));
    if (sheet.cached) line += ", cached " + price_text(*sheet.cached);
    for (const CacheWrite& write : sheet.writes)
      line += fmt::format(", cache write for {} {}", show(write.keep), price_text(write.price));
    for (const PriceBreak& tier : sheet.tiers)
      line += fmt::format("; above {} tokens input {}, output {}", with_commas(tier.above.value()),
                          price_text(tier.input), price_text(tier.output));
    for (const SpeedMode& mode : sheet.modes)
      line += fmt::format("; {} input {}, output {}{}", mode.name, price_text(mode.input), price_text(mode.output),
                          mode.speed ? fmt::format(", {}x as fast", significant(*mode.speed, 3)) : "");
    out_ += wrapped(line, style_.columns, 0) + "\n";
    out_ += "price is not cost: only ratios are identifiable from a sheet\n\n";
  }

  /// The quantity that is asked for most, and what a unit of compute brings in.
  std::string headline() const {
    const Inferred& active = i_.inferred[kActive];
    const Marginal& m = p_.marginals[kActive];
    if (p_.accepted == 0) return "No point of the prior explains this sheet.";
    return fmt::format("Active parameters: median {}, 95% credible interval {}; any of {} explains the sheet.",
                       short_number(m.median, kParam), range_text({m.low, m.high}, kParam),
                       range_text(active.interval, kParam));
  }

  void list(std::string_view title, const std::vector<std::string>& lines) {
    if (lines.empty()) return;
    out_ += fmt::format("{}\n", title);
    for (const std::string& one : lines) out_ += wrapped("  - " + one, style_.columns, 4) + "\n";
    out_ += "\n";
  }

  void contradictions() {
    if (i_.contradictions.empty()) return;
    out_ += warn(style_, "contradictions") + "\n";
    for (const std::string& one : i_.contradictions) out_ += wrapped("  - " + one, style_.columns, 4) + "\n";
    out_ += "\n";
  }

  void readings() {
    if (i_.readings.empty()) return;
    out_ += "identifiable: what the sheet fixes\n";
    for (const SheetReading& one : i_.readings) {
      const std::string value = one.dimension == kDollar / kToken / kSecond
                                    ? fmt::format("${}/Mtok/h", significant(one.value * 3.6e9, 3))
                                : one.dimension == kDollar / kToken / (kFlop / kParam)
                                    ? fmt::format("${}/EFLOP at 100B", significant(one.value * 1e7, 3))
                                : one.dimension == inverse(kToken) ? significant(one.value * 1e6, 4) + "e-6/token"
                                : one.dimension == kToken          ? with_commas(std::round(one.value)) + " tokens"
                                : one.dimension == kNone           ? significant(one.value, 3)
                                                                   : show(one.value, one.dimension);
      out_ += wrapped(fmt::format("  {} {}", padded(value, 20), one.meaning), style_.columns, 23) + "\n";
      out_ += dim(style_, wrapped(fmt::format("  {} {}", padded("", 20), one.formula), style_.columns, 23)) + "\n";
    }
    out_ += "\n";
  }

  /// A line for each machine, its formats side by side.
  void machines() {
    if (report_.machines.empty()) return;
    struct Row {
      double share = 0;
      std::string formats;
      Interval active;
    };
    std::vector<std::pair<std::string, Row>> rows;
    std::string not_these;
    for (const MachineBehind& one : report_.machines) {
      if (!one.explains || !(one.share > 0)) {
        not_these += fmt::format("{}{} {}", not_these.empty() ? "" : ", ", one.machine, one.chip.format);
        continue;
      }
      auto row = std::find_if(rows.begin(), rows.end(), [&](const auto& known) { return known.first == one.machine; });
      const Interval sampled(one.sampled.low, one.sampled.high);
      if (row == rows.end()) row = rows.insert(rows.end(), {one.machine, {0, "", sampled}});
      Row& of = row->second;
      of.share += one.share;
      of.formats +=
          fmt::format("{}{} {}", of.formats.empty() ? "" : ", ", one.chip.format, count_text(one.sampled.median));
      of.active = {std::min(of.active.low, sampled.low), std::max(of.active.high, sampled.high)};
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto& a, const auto& b) { return a.second.share > b.second.share; });
    out_ += wrapped(fmt::format("machines: posterior probability of each of {} under a flat prior, with its active "
                                "parameters (95% credible interval; medians by format)",
                                rows.size()),
                    style_.columns, 2) +
            "\n";
    for (const auto& [name, row] : rows)
      out_ += wrapped(fmt::format("  {}{}  {}{}", padded(name, 20), padded(percent(row.share), 5, true),
                                  padded(range_text(row.active, kParam), 18), row.formats),
                      style_.columns, 47) +
              "\n";
    if (!not_these.empty()) out_ += wrapped("  no explanation with: " + not_these, style_.columns, 4) + "\n";
    out_ += "\n";
  }

  void unknowns() {
    // the priors stand beside where there is room for them; --json has them always
    const bool wide = style_.columns >= 100;
    const auto prior = [&](const std::string& text) { return wide ? padded(text, 22) : std::string(); };
    out_ +=
        wrapped(fmt::format("behind the sheet: an interval holds every explanation; 95% credible intervals are of {} "
                            "posterior samples",
                            with_commas(static_cast<double>(p_.accepted))),
                style_.columns, 2) +
        "\n";
    out_ += dim(style_, fmt::format("  {}{}{}{}{}", padded("", 18), prior("prior"), padded("interval", 23),
                                    padded("95% credible", 22), padded("median", 13))) +
            "\n";
    for (std::size_t q = 0; q < kInferred; ++q) {
      if (!i_.concerns(q)) continue;
      const Inferred& one = i_.inferred[q];
      const Marginal& m = p_.marginals[q];
      const bool sampled = p_.accepted > 0;
      out_ += fmt::format("  {}{}{}{}{}\n", padded(one.key, 18), prior(range_text(one.prior, one.dimension)),
                          padded(range_text(one.interval, one.dimension), 23),
                          padded(sampled ? range_text({m.low, m.high}, one.dimension) : "-", 22),
                          sampled ? short_number(m.median, one.dimension) : "-");
    }
    std::string words;
    for (std::size_t q = 0; q < kInferred; ++q) {
      if (i_.concerns(q))
        words += fmt::format("{}{}: {}", words.empty() ? "" : "; ", i_.inferred[q].key, i_.inferred[q].meaning);
    }
    out_ += dim(style_, wrapped("  " + words, style_.columns, 2)) + "\n";
    if (p_.accepted == 0)
      out_ +=
          wrapped("  no sample of the prior explains the sheet: widen a prior with --set", style_.columns, 2) + "\n";
    out_ += "\n";
  }

  const Inference& i_;
  const Posterior& p_;
  const InferReport& report_;
  const Style& style_;
  std::string out_;
};

}  // namespace

std::string infer_text(const InferReport& report, const Style& style) { return InferScreen(report, style).text(); }

Chart infer_chart(const InferReport& report) {
  constexpr std::size_t kTogether = 8;  // bins drawn as one: what is left of chance does not matter
  constexpr double kFixed = 1.05;       // high over low: a line straight up would hide the others
  std::string fixed;
  Chart chart;
  const PriceSheet& sheet = report.inference.sheet;
  chart.title = fmt::format("What the prices of {} leave open", sheet.model);
  chart.subtitle = fmt::format("{} posterior samples; each quantity over its median",
                               with_commas(static_cast<double>(report.posterior.accepted)));
  chart.x = {.label = "quantity over its median", .unit = "", .scale = Scale::logarithmic};
  chart.y = {.label = "posterior density (per factor of e)", .unit = "", .scale = Scale::linear};
  for (const std::size_t q : kDrawn) {
    const Marginal& m = report.posterior.marginals[q];
    const Inferred& one = report.inference.inferred[q];
    if (!(m.high > m.low * kFixed)) {
      fixed += fmt::format("; {} is {}", one.key, short_number(m.median, one.dimension));
      continue;
    }
    const double span = std::log(m.range.high / m.range.low), bins = static_cast<double>(m.bins.size());
    double sum = 0;
    for (const double bin : m.bins) sum += bin;
    Series series{.label = fmt::format("{}: {} ({} to {})", one.key, short_number(m.median, one.dimension),
                                       short_number(m.low, one.dimension), short_number(m.high, one.dimension))};
    for (std::size_t i = 0; i + kTogether <= m.bins.size() && sum > 0; i += kTogether) {
      double here = 0;
      for (std::size_t k = 0; k < kTogether; ++k) here += m.bins[i + k];
      const double place = (static_cast<double>(i) + kTogether / 2.0) / bins;
      series.x.push_back(m.range.low * std::exp(span * place) / m.median);
      series.y.push_back(here / sum / (span * kTogether / bins));
    }
    series.dashed = chart.series.size() % 2 == 1;
    series.bold = q == kActive;
    chart.series.push_back(std::move(series));
  }
  chart.footer = "prior: " + report.inference.priors.title + fixed;
  return chart;
}

}  // namespace ridge::report
