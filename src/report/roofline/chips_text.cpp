#include "report/roofline/chips_text.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "report/base/counts.hpp"
#include "report/base/listing_text.hpp"
#include "report/chart/chart.hpp"

namespace ridge::report {

namespace {

constexpr double kSecondsInHour = 3600, kPeta = 1e15, kTera = 1e12;

double intensity_in(const ChipNumbers& one, std::string_view format) {
  const FormatNumbers* found = one.in(format);
  return found == nullptr ? 0 : found->intensity.value();
}

double petaflop_hour(const ChipNumbers& one) {
  return one.smallest().cost ? one.smallest().cost->value() * kPeta * kSecondsInHour : 0;
}
double bandwidth_hour(const ChipNumbers& one) {
  return one.read_cost ? one.read_cost->value() * kTera * kSecondsInHour : 0;
}

std::string or_dash(double value, const std::string& text) { return value > 0 ? text : std::string("-"); }
std::string whole_cell(double value) { return or_dash(value, with_commas(std::round(value))); }
std::string dollars_cell(double value) {
  return or_dash(value, value >= 100 ? fmt::format("${:.0f}", value) : fmt::format("${:.2f}", value));
}

std::string times(double now, double before) {
  return before > 0 && now > 0 ? fmt::format("x{}", significant(now / before, 2)) : std::string("-");
}

std::string numbers_table(const ChipsReport& report, const Style& style) {
  Listing listing{
      {{"machine"}, {"bf16"}, {"fp8"}, {"fp4"}, {"sweep"}, {"chips"}, {"ratio"}, {"batch"}, {"PF-h"}, {"TB/s"}}, {}};
  for (const ChipNumbers& one : report.numbers) {
    const double batch = one.smallest().ridge_batch.value() * report.sparsity;
    const auto paid = [&](double dollars) {
      std::string cell = dollars_cell(dollars);
      if (one.price_assumed && cell.starts_with('$')) cell.front() = '~';  // as wide as it was
      return cell;
    };
    listing.rows.push_back(
        {one.name, whole_cell(intensity_in(one, "bf16")), whole_cell(intensity_in(one, "fp8")),
         whole_cell(intensity_in(one, "fp4")), whole_cell(one.sweep.value() * 1e3), with_commas(one.domain),
         one.network_ratio ? fmt::format("{:.3g}", one.network_ratio->value()) : "-",
         or_dash(batch, count_text(batch, batch >= 1e4 ? 3 : 2)), paid(petaflop_hour(one)), paid(bandwidth_hour(one))});
  }
  return listing_text(listing, style);
}

std::string generations_table(const ChipsReport& report, const Style& style) {
  Listing listing{{{"generation"}, {"year"}, {"FLOP"}, {"HBM/s"}, {"HBM"}, {"chips"}, {"all"}, {"fills"}, {"holds"}},
                  {}};
  for (const Generation& one : report.generations) {
    if (one.before == nullptr) continue;
    const ChipNumbers &now = *one.now, &then = *one.before;
    listing.rows.push_back(
        {now.name, std::to_string(now.chip->year), times(now.smallest().peak.value(), then.smallest().peak.value()),
         times(now.chip->bandwidth.value.value(), then.chip->bandwidth.value.value()),
         times(now.chip->capacity.value.value(), then.chip->capacity.value.value()), times(now.domain, then.domain),
         times(now.domain_bandwidth.value(), then.domain_bandwidth.value()), count_text(now.largest.value(), 2),
         now.largest_known != nullptr ? now.largest_known->name : "-"});
  }
  return listing.rows.empty() ? "" : listing_text(listing, style);
}

/// The first three lines: what the numbers are, over those that are shown.
std::string headline(const ChipsReport& report) {
  const auto range = [&](auto&& value, auto&& text) {
    double least = 1e300, most = 0;
    for (const ChipNumbers& one : report.numbers) {
      const double own = value(one);
      if (own <= 0) continue;
      least = std::min(least, own);
      most = std::max(most, own);
    }
    return most == 0       ? std::string("-")
           : least == most ? text(least)
                           : fmt::format("{} to {}", text(least), text(most));
  };
  const auto whole = [](double value) { return with_commas(std::round(value)); };
  return fmt::format(
      "FLOP a byte of memory bandwidth {} (bf16); sweeping the memory takes {}; {} chips in a scale-up domain",
      range([](const ChipNumbers& one) { return intensity_in(one, "bf16"); }, whole),
      range([](const ChipNumbers& one) { return one.sweep.value(); },
            [](double value) { return show(Seconds<double>(value), 2); }),
      range([](const ChipNumbers& one) { return one.domain; }, whole));
}

}  // namespace

const std::vector<ChipsKey>& chips_keys() {
  static const std::vector<ChipsKey> kKeys = {
      {"year", "year", "", [](const ChipNumbers& one, double) { return static_cast<double>(one.chip->year); }},
      {"bf16", "FLOP a byte, bf16", "FLOP/B", [](const ChipNumbers& one, double) { return intensity_in(one, "bf16"); }},
      {"fp8", "FLOP a byte, fp8", "FLOP/B", [](const ChipNumbers& one, double) { return intensity_in(one, "fp8"); }},
      {"fp4", "FLOP a byte, fp4", "FLOP/B", [](const ChipNumbers& one, double) { return intensity_in(one, "fp4"); }},
      {"sweep", "time to sweep the memory", "s", [](const ChipNumbers& one, double) { return one.sweep.value(); }},
      {"chips", "chips in the scale-up domain", "", [](const ChipNumbers& one, double) { return one.domain; }},
      {"network", "scale-up over scale-out bandwidth", "",
       [](const ChipNumbers& one, double) { return one.network_ratio ? one.network_ratio->value() : 0; }},
      {"batch", "ridge batch times sparsity", "",
       [](const ChipNumbers& one, double sparsity) { return one.smallest().ridge_batch.value() * sparsity; }},
      {"flops", "peak of a chip in its smallest format", "FLOP/s",
       [](const ChipNumbers& one, double) { return one.smallest().peak.value(); }},
      {"memory", "memory of the domain", "B", [](const ChipNumbers& one, double) { return one.domain_memory.value(); }},
      {"bandwidth", "memory bandwidth of the domain", "B/s",
       [](const ChipNumbers& one, double) { return one.domain_bandwidth.value(); }},
      {"params", "parameters that fill the domain", "",
       [](const ChipNumbers& one, double) { return one.largest.value(); }},
      {"pflop-hour", "a PFLOP/s for an hour, smallest format", "$",
       [](const ChipNumbers& one, double) { return petaflop_hour(one); }},
      {"tbs-hour", "a TB/s of memory bandwidth for an hour", "$",
       [](const ChipNumbers& one, double) { return bandwidth_hour(one); }}};
  return kKeys;
}

std::string chips_text(const ChipsReport& report, const Style& style) {
  std::string out = bold(style, fmt::format("{} chips and racks", report.numbers.size())) + "\n" +
                    wrapped(headline(report), style.columns, 2) + "\n\n" + numbers_table(report, style);
  out += wrapped(
             fmt::format("bf16, fp8, fp4: FLOP a byte at datasheet peaks. sweep: ms, memory over bandwidth. chips: of "
                         "the scale-up domain; ratio: its bandwidth over scale-out. batch: ridge batch in the smallest "
                         "format times a sparsity of {:g} ({}). PF-h, TB/s: $ for a PFLOP/s in that format, and for a "
                         "TB/s of memory, for an hour; {}. ~: $ of an assumed price.",
                         report.sparsity, report.sparsity_from, report.basis),
             style.columns, 0) +
         "\n";
  if (const std::string table = generations_table(report, style); !table.empty())
    out +=
        "\n" + bold(style, "Generation against generation") + dim(style, "   the largest domain of a vendor and year") +
        "\n" + table +
        wrapped(
            "factors over the one before it: FLOP/s (smallest format), memory bandwidth and memory of a chip; chips in "
            "the domain, and the bandwidth of all. fills: parameters that fill its memory in that format. holds: the "
            "largest model of the catalog, as released.",
            style.columns, 0) +
        "\n";
  for (const std::string& note : report.notes) out += wrapped("note: " + note, style.columns, 6) + "\n";
  return out;
}

namespace {

/// How far the vendor with the most generations has come.
std::string chips_finding(const ChipsReport& report, const ChipsKey& key) {
  std::map<std::string, std::vector<const ChipNumbers*>> vendors;
  for (const Generation& one : report.generations) {
    if (key.value(*one.now, report.sparsity) > 0) vendors[one.now->chip->vendor].push_back(one.now);
  }
  const auto longest = std::max_element(vendors.begin(), vendors.end(),
                                        [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  if (longest == vendors.end() || longest->second.size() < 2) return fmt::format("{}, by year", key.title);
  const auto by_year = [](const ChipNumbers* a, const ChipNumbers* b) { return a->chip->year < b->chip->year; };
  const auto [first, last] = std::minmax_element(longest->second.begin(), longest->second.end(), by_year);
  return fmt::format("{}: {}x from {} ({}) to {} ({})", key.title,
                     significant(key.value(**last, report.sparsity) / key.value(**first, report.sparsity), 2),
                     (*first)->name, (*first)->chip->year, (*last)->name, (*last)->chip->year);
}

}  // namespace

std::string chips_svg(const ChipsReport& report) {
  const auto& keys = chips_keys();
  const auto found = std::find_if(
      keys.begin(), keys.end(), [&](const ChipsKey& key) { return key.key == report.sorted_by && key.key != "year"; });
  const ChipsKey& key = found == keys.end() ? keys[1] : *found;
  Chart chart;
  chart.title = chips_finding(report, key);
  chart.title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(chart.title[0])));
  chart.subtitle = "the largest scale-up domain of each vendor and year";
  chart.x = {"", "year", Scale::linear};
  chart.y = {std::string(key.title), std::string(key.unit), Scale::logarithmic};
  std::map<std::string, Series> vendors;
  for (const Generation& one : report.generations) {
    const double value = key.value(*one.now, report.sparsity);
    if (value <= 0) continue;
    const double year = one.now->chip->year;
    Series& series = vendors[one.now->chip->vendor];
    series.x.push_back(year);
    series.y.push_back(value);
    chart.markers.push_back({year, value, one.now->name});
  }
  for (auto& [vendor, series] : vendors) {
    if (series.x.size() == 1) continue;  // its dot has a name
    series.label = vendor;
    chart.series.push_back(std::move(series));
  }
  return to_svg(chart);
}

}  // namespace ridge::report
