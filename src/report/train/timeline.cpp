#include "report/train/timeline.hpp"

#include <algorithm>
#include <array>

namespace ridge::report {

namespace {

using train::Event;
using train::Nanoseconds;
using train::Work;

constexpr double kMostly = 0.75;  // of a cell's work is what the cell is called

CellWork cell_work(const Event& event) {
  if (event.paired) return CellWork::pair;
  switch (event.work) {
    case Work::forward:
      return CellWork::forward;
    case Work::input_gradient:
      return CellWork::input_gradient;
    case Work::weight_gradient:
      return CellWork::weight_gradient;
    default:
      return CellWork::backward;
  }
}

Nanoseconds shortest_operation(std::span<const Event> events, Nanoseconds otherwise) {
  for (const Event& event : events) {
    if (event.end > event.start) otherwise = std::min(otherwise, event.end - event.start);
  }
  return otherwise;
}

/// Where cells are longer than operations, some fall on a single one by chance: beside mixed cells they are mixed, too.
void smooth(std::vector<CellWork>& cells) {
  const auto mixed_at = [&](std::size_t at) { return at < cells.size() && cells[at] == CellWork::mixed; };
  for (std::size_t from = 0, to = 0; from < cells.size(); from = to) {
    for (to = from; to < cells.size() && cells[to] == cells[from];) ++to;
    const bool beside = (from > 0 && mixed_at(from - 1)) || mixed_at(to);
    if (to - from > 2 || cells[from] == CellWork::idle || !beside) continue;
    std::fill(cells.begin() + static_cast<std::ptrdiff_t>(from), cells.begin() + static_cast<std::ptrdiff_t>(to),
              CellWork::mixed);
  }
}

}  // namespace

int timeline_columns(const train::Schedule& schedule, int most) {
  const Nanoseconds makespan = schedule.figures.makespan, unit = shortest_operation(schedule.events, makespan);
  if (unit <= 0 || makespan % unit != 0 || makespan / unit > most) return most;
  const auto units = static_cast<int>(makespan / unit);
  return most / units * units;
}

std::vector<CellWork> timeline_cells(const train::Schedule& schedule, int rank, int columns) {
  using Times = std::array<double, 6>;
  const auto count = static_cast<std::size_t>(columns);
  std::vector<CellWork> cells(count, CellWork::idle);
  if (schedule.figures.makespan <= 0) return cells;
  const double width = static_cast<double>(schedule.figures.makespan) / columns;
  std::vector<Times> times(count, Times{});
  const bool coarse =
      width > static_cast<double>(shortest_operation(schedule.events_of(rank), schedule.figures.makespan));
  for (const Event& event : schedule.events_of(rank)) {
    if (event.paired && event.work == Work::backward) continue;  // its forward stands for both
    const auto work = static_cast<std::size_t>(cell_work(event));
    const double start = static_cast<double>(event.start), end = static_cast<double>(event.end);
    for (auto cell = static_cast<std::size_t>(start / width); cell < count; ++cell) {
      const double from = static_cast<double>(cell) * width;
      if (from >= end) break;
      times[cell][work] += std::min(end, from + width) - std::max(start, from);
    }
  }
  for (std::size_t cell = 0; cell < count; ++cell) {
    double busy = 0;
    for (const double time : times[cell]) busy += time;
    const auto most = std::max_element(times[cell].begin(), times[cell].end());
    if (busy < 0.5 * width) continue;
    cells[cell] = static_cast<CellWork>(most - times[cell].begin());
    if (coarse && *most < kMostly * busy) cells[cell] = CellWork::mixed;
  }
  if (coarse) smooth(cells);
  return cells;
}

std::vector<int> live_cells(const train::Schedule& schedule, int rank, int columns) {
  const auto count = static_cast<std::size_t>(columns);
  std::vector<int> cells(count, 0);
  if (schedule.figures.makespan <= 0) return cells;
  const double width = static_cast<double>(schedule.figures.makespan) / columns;
  const auto steps = live_over_time(schedule, rank);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double from = static_cast<double>(steps[i].at);
    const double to = static_cast<double>(i + 1 < steps.size() ? steps[i + 1].at : schedule.figures.makespan);
    for (auto cell = static_cast<std::size_t>(from / width); cell < count && static_cast<double>(cell) * width < to;
         ++cell)
      cells[cell] = std::max(cells[cell], steps[i].chunks);
  }
  return cells;
}

std::vector<int> shown_ranks(int ranks, int most) {
  std::vector<int> shown;
  if (ranks <= most) {
    for (int rank = 0; rank < ranks; ++rank) shown.push_back(rank);
    return shown;
  }
  for (int i = 0; i < most; ++i) {
    shown.push_back(static_cast<int>(static_cast<std::int64_t>(i) * (ranks - 1) / (most - 1)));
  }
  return shown;
}

}  // namespace ridge::report
