#pragma once
// Further views of a training run: its phases, the argument on pipelines, reinforcement learning on one cluster.

#include <string>

#include "report/base/style.hpp"
#include "train/plan/pipelining.hpp"
#include "train/plan/rl_cluster.hpp"
#include "train/plan/training_phases.hpp"
#include "train/plan/training_readings.hpp"

namespace ridge::report {

std::string phases_text(const PhasedAnswer& answer, const Style& style);
std::string phases_json(const PhasedAnswer& answer);

std::string pipelining_text(const PipeliningArgument& argument, const TrainingGround& ground, const Style& style);
std::string pipelining_json(const PipeliningArgument& argument, const TrainingGround& ground);

std::string training_sensitivity_text(const std::vector<TrainingElasticity>& all, const Style& style);
std::string training_sensitivity_json(const std::vector<TrainingElasticity>& all);
std::string training_range_text(const std::array<Interval, 6>& bounds, const TrainingEstimate& here,
                                const Style& style);
std::string training_range_json(const std::array<Interval, 6>& bounds, const TrainingEstimate& here);
std::string training_derivation_text(const std::vector<StepLine>& lines, const Style& style);
std::string training_derivation_json(const std::vector<StepLine>& lines);

std::string rl_text(const RlStep& step, const Style& style);
std::string rl_json(const RlStep& step);

}  // namespace ridge::report
