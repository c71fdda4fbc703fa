#include "report/price/infer/infer_text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "report/base/counts.hpp"

namespace ridge::report {

namespace {

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

/// A fixed quantity as a number with its unit.
std::string fixed_text(const SheetReading& one) {
  if (one.dimension == kDollar / kToken / kSecond) return fmt::format("${}/Mtok/h", significant(one.value * 3.6e9, 3));
  if (one.dimension == kDollar / kToken / (kFlop / kParam))
    return fmt::format("${}/EFLOP at 100B", significant(one.value * 1e7, 3));
  if (one.dimension == inverse(kToken)) return significant(one.value * 1e6, 4) + "e-6/token";
  if (one.dimension == kToken) return with_commas(std::round(one.value)) + " tokens";
  return one.dimension == kNone ? significant(one.value, 3) : show(one.value, one.dimension);
}

class InferScreen {
 public:
  InferScreen(const InferReport& report, const Style& style)
      : i_(report.inference), p_(report.posterior), report_(report), style_(style) {}

  std::string text() {
    heading();
    fixed();
    likely();
    unknowable();
    contradictions();
    list("odd on this sheet", report_.findings);
    machines();
    if (!style_.details) {
      out_ += wrapped(
                  "-v: every quantity with its interval, the formulas, what is not stated; --svg: how likely "
                  "each value is",
                  style_.columns, 2) +
              "\n";
      notes();
      return std::move(out_);
    }
    out_ += "\n";
    sheet_words();
    readings();
    unknowns();
    list("not identifiable from a price sheet", i_.not_identifiable);
    list("not stated on this sheet", i_.silent);
    out_ +=
        wrapped(fmt::format("prior: {} ({}); {}", i_.priors.title, i_.priors.name, i_.priors.note), style_.columns, 2) +
        "\n";
    notes();
    if (p_.accepted > 0) {
      for (const Chart& panel : infer_panels(report_).panels)
        out_ += "\n" + to_text(panel, std::min(style_.columns, 100), 6, style_.unicode);
    }
    return std::move(out_);
  }

 private:
  void heading() {
    const PriceSheet& sheet = i_.sheet;
    out_ += bold(style_, fmt::format("What the prices of {}{}{} reveal", sheet.provider,
                                     sheet.provider.empty() ? "" : "/", sheet.model)) +
            (sheet.date.empty() ? "" : "  (" + sheet.date + ")") + "\n";
  }

  void notes() {
    for (const std::string& note : report_.notes) out_ += wrapped("note: " + note, style_.columns, 6) + "\n";
  }

  /// What the sheet asks for.
  void sheet_words() {
    const PriceSheet& sheet = i_.sheet;
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

  /// The first of what the sheet fixes, without the formulas.
  void fixed() {
    if (i_.readings.empty()) {
      out_ += "Fixed by the sheet: nothing beyond its prices.\n";
      return;
    }
    constexpr std::size_t kFirst = 3;
    std::vector<std::string> all;
    for (std::size_t k = 0; k < std::min(kFirst, i_.readings.size()); ++k)
      all.push_back(fmt::format("{}: {}", i_.readings[k].meaning, fixed_text(i_.readings[k])));
    const std::size_t more = i_.readings.size() - all.size();
    out_ += wrapped(fmt::format("Fixed by the sheet - {}{}.", joined(all, "; "),
                                more > 0 ? fmt::format("; {} more", more) : ""),
                    style_.columns, 2) +
            "\n";
  }

  /// What is likely under the prior, and what the sheet alone allows. Margin is profit over revenue: one less the inverse
  /// of the markup.
  void likely() {
    if (p_.accepted == 0) {
      out_ += "No point of the prior explains this sheet.\n";
      return;
    }
    const Marginal &active = p_.marginals[kActive], &markup = p_.marginals[kOverCost];
    const auto kept = [](double over_cost) { return percent(1 - 1 / over_cost); };
    out_ +=
        bold(style_,
             wrapped(fmt::format("Margin under the prior ({}): {}, 95% credible {} to {}; active parameters "
                                 "{}, {}. The sheet alone allows {} to {} and {}.",
                                 i_.priors.title, kept(markup.median), kept(markup.low), kept(markup.high),
                                 short_number(active.median, kParam), range_text({active.low, active.high}, kParam),
                                 kept(i_.inferred[kOverCost].interval.low), kept(i_.inferred[kOverCost].interval.high),
                                 range_text(i_.inferred[kActive].interval, kParam)),
                     style_.columns, 2)) +
        "\n";
  }

  /// What no sheet tells, in the first words of each.
  void unknowable() {
    std::vector<std::string> all;
    for (const std::string& one : i_.not_identifiable) {
      std::string words = one.substr(0, one.find(':'));
      constexpr std::string_view kEach = ", one by one";
      if (words.ends_with(kEach)) words.resize(words.size() - kEach.size());
      if (!one.starts_with("no value of the prior")) all.push_back(std::move(words));
    }
    if (!all.empty())
      out_ += wrapped("No price tells, one by one: " + joined(all, "; ") + ".", style_.columns, 2) + "\n";
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
      const std::string value = fixed_text(one);
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

namespace {

/// A quantity as people name it, and its unit on an axis.
struct DrawnQuantity {
  std::size_t which;
  const char *title, *unit;
};
constexpr DrawnQuantity kDrawnPanels[] = {{kActive, "Active parameters", "params"},
                                          {kTotal, "Total parameters", "params"},
                                          {kKv, "KV bytes/token", ""},
                                          {kBatch, "Sequences in a decode batch", ""}};

/// How likely each value is, per factor of e; where `inside` only within the 95% credible interval.
Series density(const Marginal& m, bool inside) {
  constexpr std::size_t kTogether = 8;  // bins drawn as one: what is left of chance does not matter
  const double span = std::log(m.range.high / m.range.low), bins = static_cast<double>(m.bins.size());
  double sum = 0;
  for (const double bin : m.bins) sum += bin;
  Series series{.bold = !inside, .hue = inside ? Hue::hbm : Hue::next, .filled = inside};
  for (std::size_t i = 0; i + kTogether <= m.bins.size() && sum > 0; i += kTogether) {
    double here = 0;
    for (std::size_t k = 0; k < kTogether; ++k) here += m.bins[i + k];
    const double place = (static_cast<double>(i) + kTogether / 2.0) / bins;
    const double x = m.range.low * std::exp(span * place);
    if (inside && (x < m.low || x > m.high)) continue;
    series.x.push_back(x);
    series.y.push_back(here / sum / (span * kTogether / bins));
  }
  return series;
}

}  // namespace

ChartPanels infer_panels(const InferReport& report) {
  constexpr double kFixed = 1.05;  // high over low: a line straight up says nothing
  std::string fixed;
  ChartPanels all;
  const Marginal& active = report.posterior.marginals[kActive];
  all.title = fmt::format("The prices of {} leave active parameters between {} and {}", report.inference.sheet.model,
                          count_text(active.low), count_text(active.high));
  all.subtitle =
      fmt::format("how likely each value is, from {} posterior samples; blue: 95% credible, of what explains the sheet",
                  with_commas(static_cast<double>(report.posterior.accepted)));
  for (const DrawnQuantity& drawn : kDrawnPanels) {
    const Marginal& m = report.posterior.marginals[drawn.which];
    const Inferred& one = report.inference.inferred[drawn.which];
    const std::string median = short_number(m.median, one.dimension);
    if (!(m.high > m.low * kFixed)) {
      fixed += fmt::format("; {}: {}", one.key, median);
      continue;
    }
    Chart panel;
    panel.title = fmt::format("{}: median {}", drawn.title, median);
    panel.subtitle = fmt::format("95%: {}, of {}", range_text({m.low, m.high}, one.dimension),
                                 range_text(one.interval, one.dimension));
    panel.x = {.label = "", .unit = drawn.unit, .scale = Scale::logarithmic};
    panel.y = {.label = "", .unit = "", .scale = Scale::linear, .quiet = true};
    panel.series = {density(m, true), density(m, false)};
    panel.lines = {{.vertical = true, .at = m.median, .label = "median"}};
    all.panels.push_back(std::move(panel));
  }
  all.footer = "prior: " + report.inference.priors.title + fixed;
  return all;
}

}  // namespace ridge::report
