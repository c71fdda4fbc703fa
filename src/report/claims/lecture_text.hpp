#pragma once
// The lecture's steps for a terminal and as JSON.

#include <string>
#include <vector>

#include "claims/lecture.hpp"
#include "report/base/style.hpp"

namespace ridge::report {

/// A table of contents.
std::string lecture_text(const std::vector<LectureStep>& steps, const Style& style);
/// What stands above the figure of a step, and below it; `number` counts from 1.
std::string lecture_step_text(const LectureStep& step, std::size_t number, std::size_t of, const Style& style);
std::string lecture_end_text(const LectureStep& step, std::size_t number, std::size_t of, const Style& style);
std::string lecture_json(const std::vector<LectureStep>& steps);

}  // namespace ridge::report
