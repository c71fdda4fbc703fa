#pragma once
// Pipeline schedules for people and programs: one drawn, or all compared.

#include <string>
#include <vector>

#include "report/base/style.hpp"
#include "train/schedule/compare.hpp"

namespace ridge::report {

std::string schedule_text(const train::ScheduleAnswer& answer, const Style& style);
std::string schedule_json(const train::ScheduleAnswer& answer);
/// Operations of every rank, the bubble hatched, and what is live under it.
std::string schedule_svg(const train::ScheduleAnswer& answer);
/// For ui.perfetto.dev: a process for each rank.
std::string schedule_trace(const train::ScheduleAnswer& answer);

std::string schedules_text(const train::PipelineAsked& asked, const std::vector<train::ScheduleRow>& rows,
                           const Style& style);
std::string schedules_json(const train::PipelineAsked& asked, const std::vector<train::ScheduleRow>& rows);

/// "8 stages, 32 micro-batches; F 1 ms, I 1 ms, W 1 ms a stage".
std::string pipeline_words(const train::PipelineAsked& asked);
std::string duration_text(train::Nanoseconds time);

}  // namespace ridge::report
