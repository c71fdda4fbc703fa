#include "report/chart/chart_axis.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace ridge::report {
namespace {

constexpr double kLargest = 1e300;
constexpr double kSlack = 1e-9;  // relative; forgives the rounding of pow and log10
constexpr int kDomainSteps = 6;

double power_of_ten(double exponent) { return std::pow(10.0, exponent); }

double decade_of(double value) { return power_of_ten(std::floor(std::log10(value) + kSlack)); }

/// The largest of 1, 2, 5 times a power of ten that is not above the value.
double nice_below(double value) {
  const double decade = decade_of(value);
  for (double mantissa : {5.0, 2.0}) {
    if (mantissa * decade <= value * (1.0 + kSlack)) return mantissa * decade;
  }
  return decade;
}

/// The smallest of 1, 2, 5 times a power of ten that is not below the value.
double nice_above(double value) {
  const double decade = decade_of(value);
  for (double mantissa : {1.0, 2.0, 5.0}) {
    if (mantissa * decade >= value * (1.0 - kSlack)) return mantissa * decade;
  }
  return 10.0 * decade;
}

Domain logarithmic_domain(double low, double high) {
  Domain nice{nice_below(low), nice_above(high), Scale::logarithmic};
  if (nice.high < 1.5 * nice.low) nice = {nice_below(0.9 * low), nice_above(1.1 * high), Scale::logarithmic};
  return nice;
}

Domain linear_domain(double low, double high) {
  const double size = std::max(std::abs(low), std::abs(high));
  if (size < 1.0 / kLargest) return {0.0, 1.0, Scale::linear};
  if (high - low <= kSlack * size) {
    low -= 0.5 * size;
    high += 0.5 * size;
  }
  if (low > 0.0 && low < high / 3.0) low = 0.0;
  if (high < 0.0 && high > low / 3.0) high = 0.0;
  const double step = nice_above((high - low) / kDomainSteps);
  return {step * std::floor(low / step + kSlack), step * std::ceil(high / step - kSlack), Scale::linear};
}

/// "2e-7" for what no prefix reaches.
std::string scientific(double value, double step) {
  const double exponent = std::floor(std::log10(std::abs(value)) + kSlack);
  const double unit = power_of_ten(exponent);
  return fmt::format("{}e{}", decimal(value / unit, step / unit), static_cast<int>(exponent));
}

struct Prefix {
  double size;
  std::string_view name;
};

std::string prefixed(double value, double step, const std::vector<Prefix>& prefixes, double most) {
  const double size = std::abs(value) * (1.0 + kSlack);
  if (size >= most || size < 1e-3) return scientific(value, step);
  for (const Prefix& prefix : prefixes) {
    if (size >= prefix.size) return decimal(value / prefix.size, step / prefix.size).append(prefix.name);
  }
  return decimal(value, step);
}

std::string plain_label(double value, double step) {
  return prefixed(value, step, {{1e18, "E"}, {1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}}, 1e21);
}

/// Parameters and dollars are counted in billions, not in giga.
std::string counted_label(double value, double step) {
  return prefixed(value, step, {{1e12, "T"}, {1e9, "B"}, {1e6, "M"}, {1e3, "k"}}, 1e15);
}

std::string time_label(double value, double step) {
  constexpr Prefix kPrefixes[] = {{1.0, " s"}, {1e-3, " ms"}, {1e-6, " µs"}, {1e-9, " ns"}};
  const double size = std::abs(value) * (1.0 + kSlack);
  if (size >= 1e7 || size < 1e-9) return scientific(value, step) + " s";
  for (const Prefix& prefix : kPrefixes) {
    if (size >= prefix.size) return decimal(value / prefix.size, step / prefix.size).append(prefix.name);
  }
  return {};
}

/// Below ten dollars, and wherever there are cents, at least two decimals: "$0.10", "$12.50", "$40", "$1k".
std::string money_label(double value, double step) {
  const std::string sign = value < 0.0 ? "-$" : "$";
  const double size = std::abs(value);
  if (size >= 1000.0 * (1.0 - kSlack) || size < 1e-6) return sign + counted_label(size, step);
  std::string text = decimal(size, step);
  const std::size_t point = text.find('.');
  if (point == std::string::npos) return size < 10.0 * (1.0 - kSlack) ? sign + text + ".00" : sign + text;
  if (text.size() - point < 3) text += '0';
  return sign + text;
}

/// A time in years as people write it: "2024", "2024-07"; never 2024.5.
std::string date_label(double years) {
  const double months = std::round(years * 12.0), year = std::floor(months / 12.0 + kSlack);
  const int month = static_cast<int>(months - 12.0 * year);
  return month == 0 ? fmt::format("{:.0f}", year) : fmt::format("{:.0f}-{:02d}", year, month + 1);
}

/// The value as read to a resolution of `step`, with its prefix and unit.
std::string value_label(double value, double step, const std::string& unit) {
  if (unit == "year") return date_label(value);
  const double rounded = step * std::round(value / step);
  const bool money = !unit.empty() && unit.front() == '$';
  if (rounded == 0.0) return money ? "$0" : unit == "s" ? "0 s" : "0";
  if (unit == "s") return time_label(rounded, step);
  if (unit == "params") return counted_label(rounded, step);
  return money ? money_label(rounded, step) : plain_label(rounded, step);
}

/// Steps of a calendar: months, quarters, half years, then years.
double calendar_step(double least) {
  for (const double months : {1.0, 3.0, 6.0}) {
    if (months / 12.0 >= least * (1.0 - kSlack)) return months / 12.0;
  }
  return std::max(1.0, nice_above(least));
}

std::vector<Tick> linear_ticks(const Domain& domain, const std::string& unit, int target) {
  const double least = (domain.high - domain.low) / target;
  const double step = unit == "year" ? calendar_step(least) : nice_above(least);
  const double first = std::ceil(domain.low / step - kSlack);
  const double last = std::floor(domain.high / step + kSlack);
  std::vector<Tick> marks;
  for (int i = 0; i <= static_cast<int>(last - first); ++i) {
    const double value = step * (first + i);
    marks.push_back({value, value_label(value, step, unit)});
  }
  return marks;
}

bool inside(const Domain& domain, double value) {
  return value >= domain.low * (1.0 - kSlack) && value <= domain.high * (1.0 + kSlack);
}

/// Every `stride`-th power of ten is labeled. Between them: the multiples 2 to 9 when no power is skipped
/// (labeled at 2 and 5 when `detailed`), the skipped powers otherwise.
std::vector<Tick> decade_ticks(const Domain& domain, const std::string& unit, int stride, bool detailed) {
  const int first = static_cast<int>(std::floor(std::log10(domain.low) + kSlack));
  const int last = static_cast<int>(std::floor(std::log10(domain.high) + kSlack));
  std::vector<Tick> marks;
  for (int exponent = first; exponent <= last; ++exponent) {
    const double decade = power_of_ten(exponent);
    for (int mantissa = 1; mantissa <= (stride == 1 ? 9 : 1); ++mantissa) {
      const double value = mantissa * decade;
      if (!inside(domain, value)) continue;
      const bool labeled = mantissa == 1 ? exponent % stride == 0 : detailed && (mantissa == 2 || mantissa == 5);
      marks.push_back({value, labeled ? value_label(value, decade, unit) : std::string()});
    }
  }
  return marks;
}

/// Round durations, for an axis that runs from seconds to months.
std::vector<Tick> clock_ticks(const Domain& domain) {
  constexpr std::pair<double, std::string_view> kClock[] = {{60.0, "1 min"},  {600.0, "10 min"}, {3600.0, "1 h"},
                                                            {86400.0, "1 d"}, {864e3, "10 d"},   {864e4, "100 d"}};
  std::vector<Tick> marks;
  for (Tick& tick : decade_ticks(domain, "s", 1, false)) {
    if (tick.value < 20.0 && !tick.label.empty()) marks.push_back(std::move(tick));
  }
  for (const auto& [value, label] : kClock) {
    if (inside(domain, value)) marks.push_back({value, std::string(label)});
  }
  return marks;
}

std::vector<Tick> logarithmic_ticks(const Domain& domain, const std::string& unit, int target) {
  if (unit == "s" && domain.high >= 600.0 && domain.high <= 1e8) {
    std::vector<Tick> marks = clock_ticks(domain);
    if (marks.size() >= 3 && marks.size() <= 2 * static_cast<std::size_t>(target)) return marks;
  }
  if (domain.high <= 4.0 * domain.low) return linear_ticks(domain, unit, target);
  const double decades = std::log10(domain.high) - std::log10(domain.low);
  const int stride = static_cast<int>(std::max(1.0, std::ceil((decades - kSlack) / target)));
  return decade_ticks(domain, unit, stride, decades < 2.0 + kSlack);
}

/// Bytes of the UTF-8 character that starts the text, 0 when it is malformed or not allowed in XML.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(text[i])); };
  if (byte(0) < 0x80) return 1;
  const std::size_t length = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : 2;
  if (byte(0) < 0xC2 || byte(0) > 0xF4 || text.size() < length) return 0;
  unsigned code = byte(0) & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
    code = code << 6U | (byte(i) & 0x3FU);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool forbidden = (code >= 0xD800 && code < 0xE000) || (code & 0xFFFEU) == 0xFFFE || code > 0x10FFFF;
  return overlong || forbidden ? 0 : length;
}

}  // namespace

double Domain::fraction(double value) const {
  if (scale == Scale::linear) return std::clamp((value - low) / (high - low), 0.0, 1.0);
  if (!(value > 0.0)) return 0.0;
  return std::clamp((std::log10(value) - std::log10(low)) / (std::log10(high) - std::log10(low)), 0.0, 1.0);
}

bool drawable(double value, Scale scale) {
  if (!std::isfinite(value) || std::abs(value) > kLargest) return false;
  return scale == Scale::linear || value >= 1.0 / kLargest;
}

bool drawable(const Marker& marker, const Chart& chart) {
  return drawable(marker.x, chart.x.scale) && drawable(marker.y, chart.y.scale);
}

bool whiskered(const Marker& marker) {
  return drawable(marker.low, Scale::logarithmic) && drawable(marker.high, Scale::logarithmic) &&
         marker.low < marker.high;
}

bool drawable(const Line& line, const Chart& chart) {
  return drawable(line.at, (line.vertical ? chart.x : chart.y).scale);
}

std::vector<Run> drawable_runs(const Series& series, const Chart& chart) {
  std::vector<Run> runs;
  bool broken = true;
  for (std::size_t i = 0; i < std::min(series.x.size(), series.y.size()); ++i) {
    const bool shown = drawable(series.x[i], chart.x.scale) && drawable(series.y[i], chart.y.scale);
    if (shown && (broken || series.shape == Shape::measured)) runs.emplace_back();
    if (shown && series.shape == Shape::steps && !runs.back().empty())
      runs.back().push_back({series.x[i], runs.back().back().y});
    if (shown) runs.back().push_back({series.x[i], series.y[i]});
    broken = !shown;
  }
  return runs;
}

std::optional<Domain> domain(const std::vector<double>& values, Scale scale) {
  std::vector<double> shown;
  std::copy_if(values.begin(), values.end(), std::back_inserter(shown), [&](double v) { return drawable(v, scale); });
  if (shown.empty()) return std::nullopt;
  const auto [low, high] = std::minmax_element(shown.begin(), shown.end());
  return scale == Scale::linear ? linear_domain(*low, *high) : logarithmic_domain(*low, *high);
}

std::optional<Frame> frame(const Chart& chart) {
  std::vector<double> xs, ys;
  for (const Series& series : chart.series) {
    for (const Run& run : drawable_runs(series, chart)) {
      for (const Point& point : run) {
        xs.push_back(point.x);
        ys.push_back(point.y);
      }
    }
  }
  for (const Marker& marker : chart.markers) {
    if (!drawable(marker, chart)) continue;
    xs.push_back(marker.x);
    ys.push_back(marker.y);
    if (whiskered(marker)) ys.insert(ys.end(), {marker.low, marker.high});
  }
  for (const Line& line : chart.lines) (line.vertical ? xs : ys).push_back(line.at);
  const std::optional<Domain> x = domain(xs, chart.x.scale), y = domain(ys, chart.y.scale);
  if (!x || !y) return std::nullopt;
  return Frame{*x, *y};
}

std::optional<Stretch> stretch(const Region& region, const Domain& x) {
  if (std::isnan(region.from_x) || std::isnan(region.to_x)) return std::nullopt;
  const Stretch covered{x.fraction(region.from_x), x.fraction(region.to_x)};
  if (!(covered.from < covered.to)) return std::nullopt;
  return covered;
}

std::vector<Tick> ticks(const Domain& domain, const std::string& unit, int target) {
  target = std::max(target, 1);
  return domain.scale == Scale::linear ? linear_ticks(domain, unit, target) : logarithmic_ticks(domain, unit, target);
}

std::string decimal(double value, double step) {
  const double digits = std::clamp(std::ceil(-std::log10(step) - kSlack), 0.0, 15.0);
  std::string text = fmt::format("{:.{}f}", value, static_cast<int>(digits));
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text == "-0" ? "0" : text;
}

std::string quantity(double value, const std::string& unit) {
  if (!drawable(value, Scale::linear)) return fmt::format("{}", value);
  if (std::abs(value) < 1.0 / kLargest) return value_label(0.0, 1.0, unit);
  return value_label(value, decade_of(std::abs(value)) / 100.0, unit);
}

std::string axis_title(const Axis& axis) {
  const bool in_ticks = axis.unit == "s" || axis.unit == "year" || axis.unit == "params";
  const bool said = !axis.unit.empty() && axis.label.find(axis.unit) != std::string::npos;
  if (axis.unit.empty() || in_ticks || said) return axis.label;
  if (axis.label.empty()) return axis.unit;
  const bool nested = axis.unit.find('(') != std::string::npos;
  return nested ? fmt::format("{}, {}", axis.label, axis.unit) : fmt::format("{} ({})", axis.label, axis.unit);
}

std::string region_reach(const Region& region, const Axis& axis) {
  const bool from_start = std::isinf(region.from_x);
  const double edge = from_start ? region.to_x : region.from_x;
  if (std::isinf(edge)) return "all over";
  return (from_start ? "up to " : "from ") + quantity(edge, axis.unit);
}

std::string description(const Chart& chart) {
  const std::optional<Frame> axes = frame(chart);
  if (!axes) return "Nothing to draw: no value is finite, and positive where the axis is logarithmic.";
  const auto span = [](const Axis& axis, const Domain& d) {
    return fmt::format("{} from {} to {}{}.", axis_title(axis), quantity(d.low, axis.unit), quantity(d.high, axis.unit),
                       d.scale == Scale::logarithmic ? ", logarithmic" : "");
  };
  std::string text = fmt::format("Across: {} Up: {}", span(chart.x, axes->x), span(chart.y, axes->y));
  for (const Series& series : chart.series)
    text += fmt::format(" {}: {}.", series.shape == Shape::measured ? "Measured" : "Curve", series.label);
  for (const Marker& marker : chart.markers) {
    if (!drawable(marker, chart)) continue;
    text += fmt::format(" Point: {} at {}, {}.", marker.label, quantity(marker.x, chart.x.unit),
                        quantity(marker.y, chart.y.unit));
  }
  for (const Line& line : chart.lines) {
    if (!drawable(line, chart)) continue;
    text += fmt::format(" Line: {} at {}.", line.label, quantity(line.at, (line.vertical ? chart.x : chart.y).unit));
  }
  for (const Region& region : chart.regions) {
    if (!stretch(region, axes->x)) continue;
    text += fmt::format(" Hatched {}: {}.", region_reach(region, chart.x), region.label);
  }
  for (const std::string& note : {chart.subtitle, chart.footer}) {
    if (!note.empty()) text += " " + note + ".";
  }
  return text;
}

std::vector<double> pushed_apart(const std::vector<double>& wanted, double gap, double low, double high) {
  // With u[i] = wanted[i] - i gap this is isotonic regression, solved by pooling neighbors that are out of order.
  struct Pool {
    double mean;
    std::size_t count;
  };
  std::vector<Pool> pools;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    pools.push_back({wanted[i] - gap * static_cast<double>(i), 1});
    while (pools.size() > 1 && pools[pools.size() - 2].mean > pools.back().mean) {
      const Pool last = pools.back();
      pools.pop_back();
      Pool& pool = pools.back();
      const double a = static_cast<double>(pool.count), b = static_cast<double>(last.count);
      pool = {(a * pool.mean + b * last.mean) / (a + b), pool.count + last.count};
    }
  }
  std::vector<double> placed;
  const double room = std::max(low, high - gap * static_cast<double>(wanted.size() - 1));
  for (const Pool& pool : pools) {
    for (std::size_t i = 0; i < pool.count; ++i) {
      placed.push_back(std::clamp(pool.mean, low, room) + gap * static_cast<double>(placed.size()));
    }
  }
  return placed;
}

std::vector<std::string> characters(std::string_view text) {
  std::vector<std::string> result;
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    const unsigned first = static_cast<unsigned char>(text.front());
    const bool control = first < 0x20 || first == 0x7F || (first == 0xC2 && length == 2 && text[1] < '\xA0');
    result.push_back(control ? " " : length == 0 ? "?" : std::string(text.substr(0, length)));
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

double text_width(std::string_view text, Measure measure) {
  double width = 0.0;
  for (const std::string& character : characters(text)) width += measure(character);
  return width;
}

std::string fitted(std::string_view text, double width, Measure measure, std::string_view ellipsis) {
  const bool fits = text_width(text, measure) <= width;
  double left = fits ? width : width - text_width(ellipsis, measure);
  if (left < 0.0) return {};
  std::string kept;
  for (const std::string& character : characters(text)) {
    left -= measure(character);
    if (left < 0.0 && !fits) break;
    kept += character;
  }
  return fits ? kept : kept.append(ellipsis);
}

std::vector<std::string> wrapped(std::string_view text, double width, Measure measure) {
  std::vector<std::string> lines{""}, word;
  const auto measured = [&](const std::vector<std::string>& parts) {
    double total = 0.0;
    for (const std::string& part : parts) total += measure(part);
    return total;
  };
  const auto finish_word = [&] {
    if (word.empty()) return;
    const double gap = lines.back().empty() ? 0.0 : measure(" ");
    if (text_width(lines.back(), measure) + gap + measured(word) > width && gap > 0.0) lines.emplace_back();
    if (!lines.back().empty()) lines.back() += ' ';
    for (const std::string& character : word) {
      if (!lines.back().empty() && text_width(lines.back(), measure) + measure(character) > width) lines.emplace_back();
      lines.back() += character;
    }
    word.clear();
  };
  for (const std::string& character : characters(text)) {
    if (character == " ")
      finish_word();
    else
      word.push_back(character);
  }
  finish_word();
  if (lines.size() == 1 && lines.front().empty()) lines.clear();
  return lines;
}

}  // namespace ridge::report
