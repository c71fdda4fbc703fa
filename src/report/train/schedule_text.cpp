#include "report/train/schedule_text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "report/train/timeline.hpp"

namespace ridge::report {

namespace {

using train::Nanoseconds;
using train::PipelineAsked;
using train::RankFigures;
using train::Schedule;
using train::ScheduleAnswer;
using train::ScheduleFigures;
using train::ScheduleKind;
using train::ScheduleRow;

constexpr int kMostRankRows = 32;
constexpr int kLabel = 5;  // columns before a rank's line

std::string live_text(double microbatches) { return significant(microbatches, 4); }

std::string share_text(double share) { return fmt::format("{:.1f}%", 100 * share); }

std::string share_of(Nanoseconds part, Nanoseconds whole) {
  return share_text(whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0);
}

/// "1 ms", or "1 ms to 3 ms".
template <class Field>
std::string stage_times_text(const PipelineAsked& asked, const Field& of) {
  Nanoseconds least = of(asked.stages.front()), most = least;
  for (const train::StageTime& time : asked.stages) {
    least = std::min(least, of(time));
    most = std::max(most, of(time));
  }
  return least == most ? duration_text(least) : duration_text(least) + " to " + duration_text(most);
}

std::string rank_rows(const ScheduleFigures& figures, const Style& style) {
  std::string out = dim(style, fmt::format("  {}{}{}{}{}{}", padded("rank", 6, true), padded("from", 11, true),
                                           padded("to", 11, true), padded("busy", 11, true),
                                           padded("idle in own span", 20, true), padded("live, peak", 13, true))) +
                    "\n";
  for (const int rank : shown_ranks(figures.shape.ranks, kMostRankRows)) {
    const RankFigures& one = figures.ranks[static_cast<std::size_t>(rank)];
    out += fmt::format("  {}{}{}{}{}{}\n", padded(std::to_string(rank), 6, true),
                       padded(duration_text(one.start), 11, true), padded(duration_text(one.end), 11, true),
                       padded(duration_text(one.busy), 11, true),
                       padded(fmt::format("{}{}", duration_text(one.own_bubble()),
                                          padded(share_of(one.own_bubble(), one.end - one.start), 7, true)),
                              20, true),
                       padded(live_text(figures.peak_live_microbatches(rank)), 13, true));
  }
  return out;
}

std::string_view cell_text(CellWork work, bool unicode) {
  switch (work) {
    case CellWork::idle:
      return unicode ? "·" : ".";
    case CellWork::forward:
      return "F";
    case CellWork::input_gradient:
      return "I";
    case CellWork::weight_gradient:
      return "W";
    case CellWork::backward:
      return "B";
    case CellWork::pair:
      return "&";
    case CellWork::mixed:
      return "=";
  }
  return " ";
}

std::string timeline_row(const Schedule& schedule, int rank, int columns, const Style& style) {
  std::string out, run;
  CellWork last = CellWork::idle;
  const auto flush = [&] {
    out += last == CellWork::idle ? dim(style, run) : run;
    run.clear();
  };
  for (const CellWork cell : timeline_cells(schedule, rank, columns)) {
    if ((cell == CellWork::idle) != (last == CellWork::idle) && !run.empty()) flush();
    last = cell;
    run += cell_text(cell, style.unicode);
  }
  if (!run.empty()) flush();
  return out;
}

/// What is live over time on one rank, as a line of blocks: full ones are the peak.
std::string live_row(const Schedule& schedule, int rank, int columns, const Style& style) {
  static constexpr std::string_view kBlocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const int peak = std::max(1, schedule.figures.ranks[static_cast<std::size_t>(rank)].peak_live);
  std::string out;
  for (const int live : live_cells(schedule, rank, columns)) {
    if (style.unicode) {
      out += kBlocks[live == 0 ? 0 : std::max(1, live * 8 / peak)];
    } else {
      out += live == 0 ? ' ' : static_cast<char>('0' + std::max(1, live * 9 / peak));
    }
  }
  return out;
}

std::string drawn_timeline(const ScheduleAnswer& answer, const Style& style) {
  const Schedule& schedule = answer.schedule;
  const int ranks = answer.question.shape.ranks;
  const int columns = timeline_columns(schedule, std::max(20, style.columns - kLabel));
  const auto labeled = [](int rank) { return padded(std::to_string(rank), kLabel - 1, true) + " "; };
  const std::string end = duration_text(schedule.figures.makespan);
  std::string out = dim(style, "rank " + padded("0 s", columns - shown_width(end)) + end) + "\n";
  for (const int rank : shown_ranks(ranks, kMostRankRows))
    out += labeled(rank) + timeline_row(schedule, rank, columns, style) + "\n";
  out += dim(style, "live") + "\n";
  const std::vector<int> lines = ranks > 1 ? std::vector<int>{0, ranks - 1} : std::vector<int>{0};
  for (const int rank : lines) out += labeled(rank) + live_row(schedule, rank, columns, style) + "\n";
  const bool split = train::splits_backward(answer.question.shape.kind);
  const bool pairs =
      answer.question.shape.kind == ScheduleKind::dualpipe || answer.question.shape.kind == ScheduleKind::dualpipev;
  std::string legend = "F forward";
  if (split) legend += ", I input gradient, W weight gradient";
  if (answer.question.shape.kind != ScheduleKind::inference && (!split || pairs)) legend += ", B backward";
  if (pairs) legend += ", & F and B together";
  if (out.find('=') != std::string::npos) legend += ", = several in turn";
  legend += std::string(", ") + (style.unicode ? "·" : ".") + " bubble; live: micro-batches held, of the rank's peak";
  if (ranks > kMostRankRows) legend += fmt::format("; {} of {} ranks shown", kMostRankRows, ranks);
  return out + dim(style, wrapped(legend, style.columns, 0)) + "\n";
}

std::string closed_text(const ScheduleAnswer& answer) {
  const train::ClosedFormText text = closed_form_text(answer.question.shape.kind);
  const ScheduleFigures& figures = answer.schedule.figures;
  std::string formula = fmt::format("bubble {}", text.own_span);
  if (text.of_makespan != text.own_span)
    formula += fmt::format(" in a rank's own span, {} of the step", text.of_makespan);
  if (answer.closed.outside.empty())
    return fmt::format("Closed form: {}; exact here: {} = {}.", formula, show(answer.closed.bubble.of_makespan, 4),
                       duration_text(figures.bubble_of_makespan()));
  const double closed = answer.closed.makespan.value() * 1e9, simulated = static_cast<double>(figures.makespan);
  return fmt::format(
      "Closed form: {}; not exact here: {} (it needs {}). It gives a step of {}, the simulation {}{}.", formula,
      answer.closed.outside, text.domain, show(answer.closed.makespan, 4), duration_text(figures.makespan),
      closed > 0 ? fmt::format(", {}{}", simulated >= closed ? "+" : "-", share_text(std::abs(simulated / closed - 1)))
                 : "");
}

std::string schedule_headline(const ScheduleAnswer& answer) {
  const ScheduleFigures& figures = answer.schedule.figures;
  const int last = figures.shape.ranks - 1;
  const double first_live = figures.peak_live_microbatches(0), last_live = figures.peak_live_microbatches(last);
  const bool trains = figures.shape.kind != ScheduleKind::inference;
  std::string out = fmt::format(
      "A {} takes {}. Bubble: {} of it ({} of all ranks' time); inside a rank's own span {} at most ({} of all).",
      trains ? "step" : "run", duration_text(figures.makespan), duration_text(figures.bubble_of_makespan()),
      share_text(figures.idle_share()), duration_text(figures.bubble_in_own_span()),
      share_text(figures.own_idle_share()));
  if (trains) {
    out += first_live == last_live
               ? fmt::format(" Live micro-batches: {} on every rank at its peak.", live_text(first_live))
               : fmt::format(" Live micro-batches at the peak: {} on rank 0, {} on rank {}.", live_text(first_live),
                             live_text(last_live), last);
  } else {
    out += fmt::format(" Every rank keeps the KV cache of all {} micro-batches.", figures.shape.microbatches);
  }
  if (train::parameter_copies(figures.shape.kind) == 2) out += " Parameters are kept twice.";
  return out;
}

/// The shortest step, and the shortest that keeps no more alive than 1F1B does.
std::string comparison_headline(const std::vector<ScheduleRow>& rows) {
  const ScheduleRow* best = nullptr;
  const ScheduleRow* lean = nullptr;
  double lean_live = 0;
  for (const ScheduleRow& row : rows) {
    if (row.kind == ScheduleKind::one_f_one_b && row.figures) lean_live = row.figures->peak_live_microbatches();
  }
  for (const ScheduleRow& row : rows) {
    if (!row.figures) continue;
    if (best == nullptr || row.figures->makespan < best->figures->makespan) best = &row;
    if (row.figures->peak_live_microbatches() > lean_live || train::parameter_copies(row.kind) > 1) continue;
    if (lean == nullptr || row.figures->makespan < lean->figures->makespan) lean = &row;
  }
  if (best == nullptr) return "No schedule takes this pipeline.";
  std::string out = fmt::format("The shortest step is {}'s: {}, {} of it idle.", name_of(best->kind),
                                duration_text(best->figures->makespan), share_text(best->figures->idle_share()));
  if (lean != nullptr && lean != best && lean->figures->makespan > best->figures->makespan) {
    out += fmt::format(" With no more live than 1F1B, {}'s: {}, {} idle.", name_of(lean->kind),
                       duration_text(lean->figures->makespan), share_text(lean->figures->idle_share()));
  } else if (lean == best) {
    out += " It keeps no more micro-batches alive than 1F1B.";
  }
  return out;
}

std::string comparison_row(const ScheduleRow& row, int columns) {
  const std::string name = padded(name_of(row.kind), 18);
  if (!row.figures) return wrapped(fmt::format("  {}no: {}", name, row.refused.front().hint), columns, 20) + "\n";
  const ScheduleFigures& figures = *row.figures;
  const auto bubble = [](Nanoseconds time, double share) {
    return padded(fmt::format("{}{}", duration_text(time), padded(share_text(share), 7, true)), 18, true);
  };
  return fmt::format("  {}{}{}{}{}{}\n", name, padded(duration_text(figures.makespan), 11, true),
                     bubble(figures.bubble_of_makespan(), figures.idle_share()),
                     bubble(figures.bubble_in_own_span(), figures.own_idle_share()),
                     padded(live_text(figures.peak_live_microbatches()), 6, true),
                     padded(fmt::format("{}x", train::parameter_copies(row.kind)), 6, true));
}

/// Simulated steps over those of the closed forms, by the reason why these do not hold.
std::string closed_forms_text(const std::vector<ScheduleRow>& rows) {
  std::vector<std::pair<std::string, std::string>> by_reason;
  for (const ScheduleRow& row : rows) {
    if (!row.figures || row.closed.outside.empty()) continue;
    const double closed = row.closed.makespan.value() * 1e9;
    const double ratio = closed > 0 ? static_cast<double>(row.figures->makespan) / closed - 1 : 0;
    const std::string text =
        fmt::format("{} {}{}", name_of(row.kind), ratio >= 0 ? "+" : "-", share_text(std::abs(ratio)));
    const auto same = std::find_if(by_reason.begin(), by_reason.end(),
                                   [&](const auto& one) { return one.first == row.closed.outside; });
    if (same == by_reason.end()) {
      by_reason.emplace_back(row.closed.outside, text);
    } else {
      same->second += ", " + text;
    }
  }
  if (by_reason.empty()) return "Closed forms are exact here.";
  std::string out = "Steps simulated, over closed forms that do not hold:";
  for (std::size_t i = 0; i < by_reason.size(); ++i)
    out += fmt::format("{} {} ({})", i == 0 ? "" : ";", by_reason[i].second, by_reason[i].first);
  return out + ".";
}

}  // namespace

std::string duration_text(Nanoseconds time) {
  return time == 0 ? "0 s" : show(static_cast<double>(time) * 1e-9, kSecond, 4);
}

std::string pipeline_words(const PipelineAsked& asked) {
  std::string out =
      fmt::format("{} stages, {} micro-batches; F {}, I {}, W {} a stage", asked.ranks, asked.microbatches,
                  stage_times_text(asked, [](const auto& time) { return time.forward; }),
                  stage_times_text(asked, [](const auto& time) { return time.input_gradient; }),
                  stage_times_text(asked, [](const auto& time) { return time.weight_gradient; }));
  if (asked.hop > 0) out += ", hop " + duration_text(asked.hop);
  if (asked.pair != 1) out += fmt::format(", F&B {} of F + B", percent(asked.pair));
  if (asked.jitter > 0) out += fmt::format(", jitter {} (seed {})", percent(asked.jitter), asked.seed);
  return out;
}

std::string schedule_text(const ScheduleAnswer& answer, const Style& style) {
  const train::PipelineShape& shape = answer.question.shape;
  std::string title = fmt::format("{}: ", name_of(shape.kind));
  if (shape.kind == ScheduleKind::inference) {
    title += fmt::format("{} stages, {} micro-batches, {} token{} each; F {} a stage", shape.ranks, shape.microbatches,
                         answer.question.tokens, answer.question.tokens == 1 ? "" : "s",
                         stage_times_text(answer.asked, [](const auto& time) { return time.forward; }));
    if (answer.asked.hop > 0) title += ", hop " + duration_text(answer.asked.hop);
  } else {
    title += pipeline_words(answer.asked);
    if (shape.kind == ScheduleKind::interleaved) title += fmt::format(", in {} chunks", shape.chunks);
  }
  return bold(style, wrapped(title, style.columns, 2)) + "\n" + wrapped(schedule_headline(answer), style.columns, 0) +
         "\n\n" + drawn_timeline(answer, style) + "\n" + rank_rows(answer.schedule.figures, style) + "\n" +
         wrapped(closed_text(answer), style.columns, 2) + "\n";
}

std::string schedules_text(const PipelineAsked& asked, const std::vector<ScheduleRow>& rows, const Style& style) {
  std::string out = bold(style, wrapped("Pipeline schedules: " + pipeline_words(asked), style.columns, 2)) + "\n" +
                    wrapped(comparison_headline(rows), style.columns, 0) + "\n\n";
  out += dim(style, fmt::format("  {}{}{}{}{}{}", padded("schedule", 18), padded("step", 11, true),
                                padded("bubble of step", 18, true), padded("in own span", 18, true),
                                padded("live", 6, true), padded("params", 7, true))) +
         "\n";
  for (const ScheduleRow& row : rows) out += comparison_row(row, style.columns);
  out += "\n" +
         wrapped(
             "bubble of step: idle time of the busiest rank until all have ended, as an optimizer step that "
             "synchronizes waits for; in own span: between a rank's own first and last operation, at most; "
             "shares: of all ranks' time; live: micro-batches kept for the backward pass, at most, in "
             "those of a whole rank; params: copies of the model over all ranks",
             style.columns, 0) +
         "\n";
  return out + wrapped(closed_forms_text(rows), style.columns, 2) + "\n";
}

}  // namespace ridge::report
