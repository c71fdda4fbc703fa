#pragma once
// What failures cost a training run, for people and programs.

#include <optional>
#include <string>

#include "report/base/style.hpp"
#include "report/chart/chart.hpp"
#include "train/failure/goodput_answer.hpp"

namespace ridge::report {

/// `guesses` are inputs that the answer leans on and nobody measured.
std::string goodput_text(const train::GoodputAnswer& answer, const std::optional<train::PublishedRun>& published,
                         const std::vector<std::string>& guesses, const Style& style);
std::string goodput_json(const train::GoodputAnswer& answer, const std::optional<train::PublishedRun>& published,
                         const std::vector<std::string>& guesses);
/// Goodput over the interval between checkpoints, by kind.
Chart goodput_chart(const train::GoodputAnswer& answer);

}  // namespace ridge::report
