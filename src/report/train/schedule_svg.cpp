#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "report/chart/chart_svg_style.hpp"
#include "report/train/schedule_text.hpp"
#include "report/train/timeline.hpp"

namespace ridge::report {

namespace {

using svg::escaped;
using svg::kPageMargin;
using svg::kPageWidth;
using svg::px;
using train::Event;
using train::Nanoseconds;
using train::ScheduleAnswer;

constexpr int kMostRanks = 32;
constexpr double kTimelineLeft = 78.0, kTimelineTop = 96.0, kLiveHeight = 110.0;
constexpr double kPlotWidth = kPageWidth - kPageMargin - kTimelineLeft;
constexpr double kRoom = kPageWidth - 2 * kPageMargin;
constexpr double kNarrowestOperation = 1.6;  // an operation of fewer pixels is drawn as part of its neighbors

/// A picture's measures: ranks as rows, then what is live.
struct SchedulePage {
  std::vector<int> ranks;
  double row, gap;

  double row_top(std::size_t index) const { return kTimelineTop + static_cast<double>(index) * (row + gap); }
  double timeline_end() const { return row_top(ranks.size()); }
  double live_top() const { return timeline_end() + 54; }
  double height() const { return live_top() + kLiveHeight + 44; }
};

SchedulePage page_of(const ScheduleAnswer& answer) {
  SchedulePage page{shown_ranks(answer.question.shape.ranks, kMostRanks), 26, 4};
  if (page.ranks.size() > 12) page.row = 16;
  if (page.ranks.size() > 24) page.row = 12;
  return page;
}

std::string_view color_of(CellWork work) {
  switch (work) {
    case CellWork::forward:
      return "c0";
    case CellWork::input_gradient:
      return "c1";
    case CellWork::weight_gradient:
      return "c2";
    case CellWork::backward:
      return "c1";
    case CellWork::pair:
      return "c3";
    case CellWork::mixed:
      return "c4";
    case CellWork::idle:
      break;
  }
  return "hatch";
}

CellWork work_of_event(const Event& event) {
  if (event.paired) return CellWork::pair;
  constexpr CellWork kWorks[] = {CellWork::forward, CellWork::input_gradient, CellWork::weight_gradient,
                                 CellWork::backward};
  return kWorks[static_cast<std::size_t>(event.work)];
}

std::string text_line(double x, double y, std::string_view text, std::string_view attributes) {
  return fmt::format("<text x=\"{}\" y=\"{}\" {}>{}</text>\n", px(x), px(y), attributes, escaped(text));
}

std::string work_block(double x, double y, double width, double height, std::string_view color) {
  return fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"fill-{}\"/>\n", px(x), px(y),
                     px(width), px(height), color);
}

/// A chunk other than the first is paler: virtual stages and directions are told apart.
std::string event_block(const Event& event, const std::string& label, double scale, double top, double row) {
  const double x = kTimelineLeft + static_cast<double>(event.start) * scale;
  const double width = static_cast<double>(event.end - event.start) * scale;
  std::string out = fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"fill-{}\"{}/>\n", px(x),
                                px(top), px(std::max(0.4, width - 0.7)), px(row), color_of(work_of_event(event)),
                                event.chunk > 0 && !event.paired ? " opacity=\"0.62\"" : "");
  if (width > 7.0 * static_cast<double>(label.size()) && row > 14)
    out += text_line(x + 0.5 * width, top + 0.5 * row + 4, label, "text-anchor=\"middle\" class=\"small fill-paper\"");
  return out;
}

/// Where a rank did nothing, from one moment of the step to another.
std::string bubble_block(double from, double to, double top, double row, const std::string& id) {
  if (to - from < 0.05) return "";
  return fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"url(#hatch-{})\"/>\n",
                     px(kTimelineLeft + from), px(top), px(to - from), px(row), id);
}

std::string exact_row(const ScheduleAnswer& answer, int rank, double top, double row, const std::string& id) {
  const double scale = kPlotWidth / std::max(1.0, static_cast<double>(answer.schedule.figures.makespan));
  const auto events = answer.schedule.events_of(rank);
  std::string out;
  double free = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].paired && events[i].work == train::Work::backward) continue;
    const std::string label = events[i].paired ? fmt::format("{}&{}", events[i].microbatch, events[i + 1].microbatch)
                                               : std::to_string(events[i].microbatch);
    out += bubble_block(free, static_cast<double>(events[i].start) * scale, top, row, id);
    out += event_block(events[i], label, scale, top, row);
    free = static_cast<double>(events[i].end) * scale;
  }
  return out + bubble_block(free, kPlotWidth, top, row, id);
}

std::string coarse_row(const ScheduleAnswer& answer, int rank, double top, double row, const std::string& id) {
  const std::vector<CellWork> cells = timeline_cells(answer.schedule, rank, static_cast<int>(kPlotWidth));
  const double width = kPlotWidth / static_cast<double>(cells.size());
  std::string out;
  for (std::size_t from = 0, to = 0; from < cells.size(); from = to) {
    while (to < cells.size() && cells[to] == cells[from]) ++to;
    const double left = static_cast<double>(from) * width, right = static_cast<double>(to) * width;
    out += cells[from] == CellWork::idle
               ? bubble_block(left, right, top, row, id)
               : work_block(kTimelineLeft + left, top, right - left, row, color_of(cells[from]));
  }
  return out;
}

bool drawn_exactly(const ScheduleAnswer& answer) {
  const double makespan = std::max(1.0, static_cast<double>(answer.schedule.figures.makespan));
  double least = makespan;
  for (const train::StageTime& time : answer.question.times.stages)
    least = std::min(least, static_cast<double>(time.forward));
  return least / makespan * kPlotWidth >= kNarrowestOperation && answer.schedule.events.size() <= 20'000;
}

std::string work_legend(const ScheduleAnswer& answer, double y, const std::string& id) {
  const train::ScheduleKind kind = answer.question.shape.kind;
  const bool pairs = kind == train::ScheduleKind::dualpipe || kind == train::ScheduleKind::dualpipev;
  std::vector<std::pair<CellWork, std::string_view>> entries = {{CellWork::forward, "F forward"}};
  if (train::splits_backward(kind)) {
    entries.emplace_back(CellWork::input_gradient, pairs ? "I input gradient, B backward" : "I input gradient");
    entries.emplace_back(CellWork::weight_gradient, "W weight gradient");
  } else if (kind != train::ScheduleKind::inference) {
    entries.emplace_back(CellWork::backward, "B backward");
  }
  if (pairs) entries.emplace_back(CellWork::pair, "F&B together");
  if (!drawn_exactly(answer)) entries.emplace_back(CellWork::mixed, "several in turn");
  entries.emplace_back(CellWork::idle, "bubble");
  std::string out;
  double x = kTimelineLeft;
  for (const auto& [work, words] : entries) {
    out += work == CellWork::idle
               ? fmt::format("<rect x=\"{}\" y=\"{}\" width=\"14\" height=\"12\" fill=\"url(#hatch-{})\"/>\n", px(x),
                             px(y - 10), id)
               : work_block(x, y - 10, 14, 12, color_of(work));
    out += text_line(x + 19, y, words, "class=\"fill-ink\"");
    x += 19 + svg::width_of(words) + 18;
  }
  return out;
}

/// Live micro-batches of the first, a middle and the last rank, as steps.
std::string live_panel(const ScheduleAnswer& answer, const SchedulePage& page) {
  const train::ScheduleFigures& figures = answer.schedule.figures;
  const double share = figures.shape.chunk_share(), most = std::max(1.0, figures.peak_live_microbatches());
  const double scale = kPlotWidth / std::max(1.0, static_cast<double>(figures.makespan));
  const double bottom = page.live_top() + kLiveHeight;
  const auto y_of = [&](double live) { return bottom - live / most * kLiveHeight; };
  std::string out =
      text_line(kTimelineLeft, page.live_top() - 12,
                figures.shape.kind == train::ScheduleKind::inference ? "micro-batches whose KV cache a rank holds"
                                                                     : "live micro-batches",
                "class=\"fill-muted\"");
  for (const double tick : {0.0, most}) {
    out += fmt::format("<path d=\"M{} {}H{}\" class=\"line-grid\"/>\n", px(kTimelineLeft), px(y_of(tick)),
                       px(kTimelineLeft + kPlotWidth));
    out +=
        text_line(kTimelineLeft - 8, y_of(tick) + 4, significant(tick, 4), "text-anchor=\"end\" class=\"fill-muted\"");
  }
  std::vector<int> ranks = {0};
  for (const int rank : {figures.shape.ranks / 2, figures.shape.ranks - 1}) {
    if (rank > ranks.back()) ranks.push_back(rank);
  }
  constexpr std::string_view kRankPens[] = {"ink", "c3", "c5"};
  constexpr std::string_view kRankDashes[] = {"", " stroke-dasharray=\"7 3\"", " stroke-dasharray=\"2 3\""};
  double words = kTimelineLeft + kPlotWidth;
  for (std::size_t i = ranks.size(); i-- > 0;) {
    const auto steps = live_over_time(answer.schedule, ranks[i]);
    std::string path = fmt::format("M{} {}", px(kTimelineLeft), px(bottom));
    for (const train::LiveStep& step : steps)
      path += fmt::format("H{}V{}", px(kTimelineLeft + static_cast<double>(step.at) * scale),
                          px(y_of(step.chunks * share)));
    path += fmt::format("H{}", px(kTimelineLeft + kPlotWidth));
    out +=
        fmt::format("<path d=\"{}\" class=\"line-{}\" stroke-width=\"1.8\"{}/>\n", path, kRankPens[i], kRankDashes[i]);
    const std::string name = fmt::format("rank {}", ranks[i]);
    words -= svg::width_of(name);
    out += text_line(words, page.live_top() - 12, name, fmt::format("class=\"fill-{}\"", kRankPens[i]));
    words -= 30;
    out += fmt::format("<path d=\"M{} {}h22\" class=\"line-{}\" stroke-width=\"1.8\"{}/>\n", px(words + 4),
                       px(page.live_top() - 16), kRankPens[i], kRankDashes[i]);
    words -= 14;
  }
  return out;
}

}  // namespace

std::string schedule_svg(const ScheduleAnswer& answer) {
  const train::ScheduleFigures& figures = answer.schedule.figures;
  const SchedulePage page = page_of(answer);
  const bool exact = drawn_exactly(answer);
  const std::string id =
      fmt::format("{}-{}-{}", word_of(figures.shape.kind), figures.shape.ranks, figures.shape.microbatches);
  const std::string title =
      fmt::format("{}, {} stages, {} micro-batches: {} of the step is bubble", name_of(figures.shape.kind),
                  figures.shape.ranks, figures.shape.microbatches, percent(figures.idle_share()));
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" role=\"img\" class=\"ridge-chart\" "
      "aria-labelledby=\"title-{2}\">\n<title id=\"title-{2}\">{3}</title>\n{4}"
      "<defs><pattern id=\"hatch-{2}\" width=\"7\" height=\"7\" patternUnits=\"userSpaceOnUse\" "
      "patternTransform=\"rotate(45)\"><path d=\"M0 0V7\" class=\"line-hatch\" "
      "stroke-width=\"2.5\"/></pattern></defs>\n"
      "<rect width=\"{0}\" height=\"{1}\" class=\"fill-paper\"/>\n",
      px(kPageWidth), px(page.height()), id, escaped(title), svg::stylesheet());
  out += text_line(kPageMargin, 32, svg::cut(title, kRoom * svg::kTextSize / 19.0), "class=\"title fill-ink\"");
  out += text_line(kPageMargin, 52, svg::cut(pipeline_words(answer.asked), kRoom), "class=\"fill-muted\"");
  out += work_legend(answer, 80, id);
  for (std::size_t i = 0; i < page.ranks.size(); ++i) {
    const double top = page.row_top(i);
    out += text_line(kTimelineLeft - 8, top + 0.5 * page.row + 4, fmt::format("rank {}", page.ranks[i]),
                     "text-anchor=\"end\" class=\"fill-muted\"");
    out += (exact ? exact_row : coarse_row)(answer, page.ranks[i], top, page.row, id);
  }
  out += text_line(kTimelineLeft, page.timeline_end() + 14, "0", "class=\"fill-muted\"");
  out += text_line(kTimelineLeft + kPlotWidth, page.timeline_end() + 14, duration_text(figures.makespan),
                   "text-anchor=\"end\" class=\"fill-muted\"");
  out += live_panel(answer, page);
  std::string footer = fmt::format("bubble in ranks' own spans {}", percent(figures.own_idle_share()));
  footer += exact ? "; numbers are micro-batches" : "; operations narrower than a pixel are drawn together";
  if (exact && figures.shape.chunks > 1) footer += "; paler: the second chunk or direction and later ones";
  if (static_cast<int>(page.ranks.size()) < figures.shape.ranks)
    footer += fmt::format("; {} of {} ranks shown", page.ranks.size(), figures.shape.ranks);
  out +=
      text_line(kPageMargin, page.height() - 14,
                svg::cut(footer + "; simulated by ridge", kRoom * svg::kTextSize / 11.0), "class=\"small fill-muted\"");
  return out + "</svg>\n";
}

}  // namespace ridge::report
