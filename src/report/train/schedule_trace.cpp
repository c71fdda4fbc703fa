#include <fmt/format.h>

#include "report/base/trace_events.hpp"
#include "report/train/schedule_text.hpp"

namespace ridge::report {

std::string schedule_trace(const train::ScheduleAnswer& answer) {
  using train::Event;
  const train::PipelineShape& shape = answer.question.shape;
  std::string out(kTraceBeginning);
  for (int rank = 0; rank < shape.ranks; ++rank) out += trace_process_name(rank, fmt::format("rank {}", rank));
  for (const Event& event : answer.schedule.events) {
    static constexpr std::string_view kWorks[] = {"forward", "input gradient", "weight gradient", "backward"};
    const auto work = static_cast<std::size_t>(event.work);
    const std::string name = fmt::format("{}{}", "FIWB"[work], event.microbatch);
    std::string arguments = fmt::format("\"microbatch\":{},\"chunk\":{},\"stage\":{}", event.microbatch, event.chunk,
                                        shape.stage_of(event.rank, event.chunk));
    if (shape.kind == train::ScheduleKind::inference) arguments += fmt::format(",\"token\":{}", event.token);
    // the backward of a pair runs beside its forward
    out += trace_span({.name = name,
                       .category = kWorks[work],
                       .process = event.rank,
                       .thread = event.paired && event.work == train::Work::backward ? 1 : 0,
                       .from = event.start,
                       .to = event.end,
                       .arguments = std::move(arguments)});
  }
  for (int rank = 0; rank < shape.ranks; ++rank) {
    for (const train::LiveStep& step : live_over_time(answer.schedule, rank))
      out += trace_counter("live chunks", rank, step.at, fmt::format("\"live\":{}", step.chunks));
  }
  return out + trace_file_end(0, answer.schedule.figures.makespan);
}

}  // namespace ridge::report
