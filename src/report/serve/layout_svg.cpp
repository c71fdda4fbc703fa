#include <algorithm>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "report/chart/chart_svg_style.hpp"
#include "report/serve/layout_text.hpp"

namespace ridge::report {

using svg::cut;
using svg::escaped;
using svg::kPageMargin;
using svg::kPageWidth;
using svg::kSeriesColors;
using svg::kTextSize;
using svg::px;
using svg::width_of;

namespace {

constexpr double kGap = 16;
constexpr double kCell = 25, kCellGap = 3, kRackTop = 30, kRackPad = 10;
constexpr double kDrawnRacks = 4, kDrawnRows = 24;
constexpr double kSmall = 11.0 / kTextSize;  // width of small text against that of the rest

std::string text_at(double x, double y, std::string_view text, std::string_view attributes) {
  return fmt::format("<text x=\"{}\" y=\"{}\" {}>{}</text>\n", px(x), px(y), attributes, escaped(text));
}

std::string rect(double x, double y, double width, double height, std::string_view attributes) {
  return fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" {}/>\n", px(x), px(y), px(width), px(height),
                     attributes);
}

std::string color(double stage) {
  return fmt::format("c{}", static_cast<std::size_t>(std::fmod(stage, static_cast<double>(kSeriesColors))));
}

/// Racks side by side, so many columns of chips in each.
struct Grid {
  double across = 1, columns = 12, rack_width = 0, rack_height = 0, shown = 1;
};

Grid grid_of(const LayoutAnswer& answer) {
  const Placement& placement = answer.placement;
  Grid grid;
  grid.shown = std::min(placement.racks(), kDrawnRacks);
  grid.across = grid.shown > 1 ? 2 : 1;
  grid.rack_width = (kPageWidth - 2 * kPageMargin - (grid.across - 1) * 3 * kGap) / grid.across;
  const double last = placement.layout.chips_per_stage() - 1;
  const double label = kSmall * width_of(chip_label(answer, seat_of(placement, last))) + 4;
  for (const double columns : {4.0, 6.0, 8.0, 9.0, 12.0}) {
    const double cell = (grid.rack_width - 2 * kRackPad - (columns - 1) * kCellGap) / columns;
    if (columns == 4 || cell >= label) grid.columns = columns;
  }
  grid.columns = std::min(grid.columns, placement.rack_chips);
  const double rows = std::min(kDrawnRows, std::ceil(placement.rack_chips / grid.columns));
  grid.rack_height = kRackTop + rows * (kCell + kCellGap) + kRackPad;
  return grid;
}

/// The chips of a replica by their place in a rack: first chip, and how many of them are in use.
double first_chip(const Placement& placement, double rack) {
  if (placement.spans_racks()) return rack * placement.stage_chips_in_rack();
  return rack * placement.stages_per_rack * placement.layout.chips_per_stage();
}

std::string rack_words(const LayoutAnswer& answer, double rack) {
  const Placement& placement = answer.placement;
  const double stage = seat_of(placement, first_chip(placement, rack)).stage;
  const bool several = !placement.spans_racks() && placement.stages_per_rack > 1 && placement.layout.pipeline > 1;
  std::string words = fmt::format("rack {:g}", rack + 1);
  if (several) {
    const double last = std::min(stage + placement.stages_per_rack, placement.layout.pipeline) - 1;
    words += fmt::format(", stages {:g}-{:g}", stage + 1, last + 1);
  } else {
    if (placement.layout.pipeline > 1) words += fmt::format(", stage {:g}", stage + 1);
    words += ", " + layers_text(layers_of_stage(placement, stage));
  }
  return words + fmt::format("; {:g} of the {:g} chips of its scale-up domain", placement.chips_used(rack),
                             placement.rack_chips);
}

std::string cell(const LayoutAnswer& answer, double chip, double x, double y, double width) {
  const Seat seat = seat_of(answer.placement, chip);
  const std::string paint = color(seat.stage), label = chip_label(answer, seat);
  std::string out = fmt::format("<g><title>{}</title>\n",
                                escaped(fmt::format("chip {:g}: {}; {}{}", chip, layers_text(seat.layers), label,
                                                    seat.copies > 0 ? " (experts and copies)" : "")));
  out += rect(x, y, width, kCell, fmt::format("rx=\"3\" class=\"fill-{0} line-{0}\" fill-opacity=\"0.16\"", paint));
  out += text_at(x + width / 2, y + kCell / 2 + 4, cut(label, (width - 2) / kSmall),
                 "text-anchor=\"middle\" class=\"small fill-ink\"");
  return out + "</g>\n";
}

std::string one_rack(const LayoutAnswer& answer, double rack, double x, double y, const Grid& grid) {
  const Placement& placement = answer.placement;
  std::string out =
      rect(x, y, grid.rack_width, grid.rack_height, "rx=\"6\" fill=\"none\" class=\"line-network\" stroke-width=\"2\"");
  out += text_at(x + kRackPad, y + 20, cut(rack_words(answer, rack), grid.rack_width - 2 * kRackPad),
                 "class=\"fill-ink strong\"");
  const double width = (grid.rack_width - 2 * kRackPad - (grid.columns - 1) * kCellGap) / grid.columns;
  const double used = placement.chips_used(rack), first = first_chip(placement, rack);
  for (double slot = 0; slot < std::min(placement.rack_chips, kDrawnRows * grid.columns); ++slot) {
    const double column = std::fmod(slot, grid.columns), row = std::floor(slot / grid.columns);
    const double left = x + kRackPad + column * (width + kCellGap), top = y + kRackTop + row * (kCell + kCellGap);
    if (slot < used) {
      out += cell(answer, first + slot, left, top, width);
    } else {
      out += rect(left, top, width, kCell, "rx=\"3\" fill=\"none\" class=\"line-grid\" stroke-dasharray=\"3 3\"");
    }
  }
  return out;
}

std::string arrow(double from_x, double from_y, double to_x, double to_y) {
  const double dx = to_x - from_x, dy = to_y - from_y, length = std::hypot(dx, dy);
  const double ux = dx / length, uy = dy / length, size = 6;
  return fmt::format("<path d=\"M{} {}L{} {}M{} {}L{} {}L{} {}\" class=\"line-ink\" stroke-width=\"1.5\"/>\n",
                     px(from_x), px(from_y), px(to_x), px(to_y), px(to_x - size * (ux + uy)),
                     px(to_y - size * (uy - ux)), px(to_x), px(to_y), px(to_x - size * (ux - uy)),
                     px(to_y - size * (uy + ux)));
}

/// From rack to rack: of a pipeline the next, of a layer that spans them both ways.
std::string arrows(const LayoutAnswer& answer, const Grid& grid, double top) {
  std::string out;
  const double step_x = grid.rack_width + 3 * kGap, step_y = grid.rack_height + 2 * kGap;
  const bool both = answer.placement.spans_racks();
  for (double rack = 0; rack + 1 < grid.shown; ++rack) {
    const double row = std::floor(rack / 2), y = top + row * step_y + grid.rack_height / 2;
    if (std::fmod(rack, 2) == 0) {
      const double from = kPageMargin + grid.rack_width + 5, to = kPageMargin + step_x - 5;
      out += arrow(from, y, to, y);
      if (both) out += arrow(to, y + 10, from, y + 10);
    } else {
      const double y0 = top + row * step_y + grid.rack_height + 4, y1 = top + (row + 1) * step_y - 4;
      out += arrow(kPageMargin + step_x + 40, y0, kPageMargin + grid.rack_width - 40, y1);
    }
  }
  return out;
}

struct Slice {
  std::string name;
  double value;
  std::string paint;
};

/// A bar of one chip's memory.
std::string memory_bar(const LayoutAnswer& answer, double y) {
  const Holding& most = answer.stages[answer.fullest];
  const std::vector<Slice> slices = {{"experts", most.experts, "hbm"},
                                     {"attention", most.attention, "c4"},
                                     {"FFN", most.networks, "c2"},
                                     {"embedding, LM head", most.embedding + most.head, "c5"},
                                     {"KV cache", answer.sequences * most.sequence, "kv"}};
  const double room = kPageWidth - 2 * kPageMargin, all = std::max(answer.usable, answer.needed);
  std::string out = text_at(kPageMargin, y,
                            fmt::format("the fullest chip needs {} of {}{}", show_gib(answer.needed),
                                        show_gib(answer.usable), answer.fits() ? "" : ": does not fit"),
                            "class=\"fill-ink\"");
  out += rect(kPageMargin, y + 8, room * answer.usable / all, 18, "fill=\"none\" class=\"line-muted\"");
  double x = kPageMargin, legend = kPageMargin;
  for (const Slice& slice : slices) {
    if (slice.value <= 0) continue;
    const double width = room * slice.value / all;
    out += rect(x, y + 8, width, 18, fmt::format("class=\"fill-{0} line-paper\" fill-opacity=\"0.75\"", slice.paint));
    x += width;
    const std::string words = fmt::format("{} {}", slice.name, show_gib(slice.value));
    out += rect(legend, y + 34, 10, 10, fmt::format("class=\"fill-{}\"", slice.paint));
    out += text_at(legend + 14, y + 43, words, "class=\"small fill-muted\"");
    legend += 26 + kSmall * width_of(words);
  }
  return out;
}

/// What a chip sends for a token, as time on its two networks: the slow one is seen to be slow.
std::string network_bars(const LayoutAnswer& answer, double y) {
  double inside = 0, outside = 0;
  for (const Traffic& one : answer.traffic) {
    inside += one.inside * one.times;
    outside += one.outside * one.times;
  }
  const double up = answer.rack.scale_up.value(), out_rate = answer.rack.scale_out.value();
  const double near = up > 0 ? inside / up : 0, far = out_rate > 0 ? outside / out_rate : 0;
  const double longest = std::max({near, far, 1e-30}), room = 300;
  std::string out = text_at(kPageMargin, y, "what a chip sends for one token through all layers", "class=\"fill-ink\"");
  const auto row = [&](double at, std::string_view name, double bytes, double time, std::string_view paint) {
    out += text_at(kPageMargin, at + 12, name, "class=\"small fill-muted\"");
    out += rect(kPageMargin + 110, at + 2, std::max(1.0, room * time / longest), 12,
                fmt::format("class=\"fill-{}\"", paint));
    out += text_at(kPageMargin + 118 + room * time / longest, at + 12,
                   fmt::format("{}, {}", show(bytes, kByte, 3), show(time, kSecond, 3)), "class=\"small fill-ink\"");
  };
  row(y + 8, "scale-up", inside, near, "network");
  row(y + 26, "scale-out", outside, far, "network");
  return out;
}

std::string identity(const std::string& text) {
  std::uint32_t hash = 2166136261U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return fmt::format("{:08x}", hash);
}

}  // namespace

std::string layout_svg(const LayoutAnswer& answer) {
  const Grid grid = grid_of(answer);
  const double top = 70, rows = std::ceil(grid.shown / grid.across);
  const double below = top + rows * grid.rack_height + (rows - 1) * 2 * kGap + 26;
  const double height = below + 150;
  const std::string title = layout_title(answer), id = identity(title + short_name(answer.placement.layout));
  std::string subtitle = label_legend(answer);
  if (grid.shown < answer.placement.racks()) {
    subtitle += fmt::format("; {:g} more racks are not drawn", answer.placement.racks() - grid.shown);
  }
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" role=\"img\" class=\"ridge-chart\" "
      "aria-labelledby=\"title-{2} desc-{2}\">\n<title id=\"title-{2}\">{3}</title>\n<desc id=\"desc-{2}\">{4}</desc>\n"
      "{5}<rect width=\"{0}\" height=\"{1}\" class=\"fill-paper\"/>\n",
      px(kPageWidth), px(height), id, escaped(title), escaped(subtitle), svg::stylesheet());
  const double room = kPageWidth - 2 * kPageMargin;
  svg += text_at(kPageMargin, 32, cut(title, room * kTextSize / 19.0), "class=\"title fill-ink\"");
  svg += text_at(kPageMargin, 53, cut(subtitle, room), "class=\"fill-muted\"");
  for (double rack = 0; rack < grid.shown; ++rack) {
    const double column = std::fmod(rack, grid.across), row = std::floor(rack / grid.across);
    svg += one_rack(answer, rack, kPageMargin + column * (grid.rack_width + 3 * kGap),
                    top + row * (grid.rack_height + 2 * kGap), grid);
  }
  svg += arrows(answer, grid, top) + memory_bar(answer, below) + network_bars(answer, below + 72);
  svg += text_at(
      kPageMargin, height - 10,
      cut(fmt::format(
              "batch {}, context {}; roofline bound: datasheet peaks, uniform routing; plum: the scale-up domain",
              with_commas(answer.question.batch), with_commas(answer.question.context)),
          room / kSmall),
      "class=\"small fill-muted\"");
  return svg + "</svg>\n";
}

}  // namespace ridge::report
