#include <algorithm>
#include <cmath>
#include <string>

#include <doctest/doctest.h>

#include "calibrate/judge/worth.hpp"
#include "cost/calibration.hpp"
#include "report/calibrate/numbers_page.hpp"
#include "report/calibrate/validation_charts.hpp"

namespace validation_report_test {

using namespace ridge;
using namespace ridge::report;

namespace {

ValidationLine line_of(const char* group, const char* name, std::size_t rows, double mean) {
  ValidationLine line;
  line.group = group;
  line.name = name;
  line.errors = {rows, 0, mean, mean};
  return line;
}

bool says(const std::vector<std::string>& sentences, const std::string& part) {
  return std::any_of(sentences.begin(), sentences.end(),
                     [&](const std::string& one) { return one.find(part) != std::string::npos; });
}

}  // namespace

TEST_CASE("what is off by more than a fifth is a failure, a line or its worst part, once") {
  ValidationReport report;
  report.validation.lines = {line_of("TTFT", "good", 10, 0.1), line_of("TTFT", "bad", 10, 0.3)};
  report.validation.lines[0].worst = "part";
  report.validation.lines[0].worst_rows = 5;
  report.validation.lines[0].worst_error = 0.5;
  report.validation.lines[1].worst = "bad";  // a part that is a line, too
  report.validation.lines[1].worst_rows = 5;
  report.validation.lines[1].worst_error = 0.4;
  report.causes = {{"TTFT", "part", "because"}, {"TPOT", "bad", "of another group"}};
  const auto failures = failures_of(report);
  REQUIRE(failures.size() == 2);
  CHECK(failures[0].name == "part");
  CHECK(failures[0].cause == "because");
  CHECK(failures[1].name == "bad");
  CHECK(failures[1].rows == 10);
  CHECK(failures[1].cause.empty());
}

TEST_CASE("the headline says what was left out before what was fitted, and only what there is") {
  ValidationReport report;
  report.validation.lines = {line_of("TPOT", "a", 10, 0.05), line_of("TPOT", "b", 10, 0.07)};
  report.validation.bounded = 20;
  auto sentences = validation_headline(report);
  REQUIRE(sentences.size() == 2);
  CHECK(sentences[0].find("5.0 to 7.0 %") != std::string::npos);
  LeftOut left;
  left.lines = {line_of("leaving out one model", "prefill not disaggregated", 20, 0.08)};
  report.left_out = {left};
  report.validation.noise = {{"TPOT", "all", 3, 9, 0.003, 0.013, 0.03}};
  sentences = validation_headline(report);
  CHECK(sentences[0] == "TPOT is off by 8.0 % for a model that no fit has seen");
  CHECK(says(sentences, "TPOT 1.3 %"));
}

TEST_CASE("runs that were sent again are shown one by one, what was not measured as such") {
  ValidationReport report;
  SimulatedRun sent{"open-loop", false, {{"TTFT mean", 0.100, 0.125}, {"TTFT p50", 0.050, 0.040}}};
  sent.id = "stage-1";
  SimulatedRun pooled{"vllm on hgx-h100", true, {{"TTFT mean", 0.100, 0.150}}};
  pooled.id = "of-many";
  report.simulated = {sent, pooled};
  const std::string text = validation_text(report, Style{});
  // by hand: 125 / 100 - 1, 40 / 50 - 1
  CHECK(text.find("  stage-1" + std::string(30, ' ') + "   +25   -20     -     -     -     -\n") != std::string::npos);
  CHECK(text.find("of-many") == std::string::npos);
  const std::string json = validation_json(report);
  CHECK(json.find("of-many") != std::string::npos);
}

TEST_CASE("the noise of what was simulated is that of runs that no prediction can tell apart") {
  SimulatedRun one{"open-loop", false, {{"TTFT mean", 0.100, 0.125}}}, again = one, other = one;
  again.figures[0].measured = 0.110;
  one.configuration = again.configuration = "a";
  other.configuration = "b";
  const std::vector<NoiseLine> lines = simulated_noise({one, again, other});
  REQUIRE(lines.size() == 2);  // of all, and of the set
  CHECK(lines[0].runs == 2);
  CHECK(lines[0].configurations == 1);
  CHECK(lines[0].mean == doctest::Approx(std::log(1.1) / 2 * std::sqrt(2.0)));
  CHECK(lines[1].name == "open-loop");
}

TEST_CASE("charts show left-out predictions where there are some, and say so") {
  ValidationReport report;
  report.validation.points.tpot = {{"", "a", 1, 1.1}};
  CHECK(validation_charts(report).tpot.title.find("in-sample") != std::string::npos);
  LeftOut left;
  left.left_out = "model";
  left.points.tpot = {{"", "a", 1, 1.2}, {"", "a", 1, 1.0}};
  report.left_out = {left};
  const Scatter tpot = validation_charts(report).tpot;
  CHECK(tpot.title.find("each model left out") != std::string::npos);
  CHECK(tpot.subtitle == "2 runs, mean error 10.0 %");  // by hand: (0.2 + 0) / 2
}

TEST_CASE("a legend has six groups at most, the smallest joined") {
  ValidationReport report;
  for (int group = 0; group < 9; ++group) {
    for (int i = 0; i <= group; ++i) report.validation.points.tpot.push_back({"", std::to_string(group), 1, 1});
  }
  const Scatter tpot = validation_charts(report).tpot;
  REQUIRE(tpot.panels.size() == 1);
  const auto& groups = tpot.panels[0].groups;
  REQUIRE(groups.size() == kMostGroups);
  CHECK(groups.front().label == "8");
  CHECK(groups.back().label == "others");
  CHECK(groups.back().measured.size() == 1 + 2 + 3 + 4);  // groups 0 to 3
}

TEST_CASE("every fitted number has a meaning") {
  const auto check = [](const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      CAPTURE(name);
      CHECK_FALSE(meaning_of_number(name).empty());
    }
  };
  check(field_names<ChipCalibration<double>>());
  check(field_names<KernelCalibration<double>>());
  check(field_names<EngineCalibration<double>>());
  CHECK(meaning_of_number("layer_time").empty());
}

TEST_CASE("what numbers bought is read back as it was written") {
  const Worth worth{{0.15, 0.07, 0.6},
                    {{"chip", "memory", {0.2, 0.08, 0.61}}, {"engine", "step_time", {0.15, 0.09, 0.7}}}};
  Library library;
  library.calibrations.push_back(worth_entry(worth));
  const auto read = worth_in(library);
  REQUIRE(read.has_value());
  CHECK(read->fitted.tpot == 0.07);
  REQUIRE(read->numbers.size() == 2);
  CHECK(read->numbers[1].of == "engine");
  CHECK(read->numbers[1].name == "step_time");
  CHECK(read->numbers[1].held.ttft == 0.7);
  CHECK_FALSE(worth_in(Library{}).has_value());
}

TEST_CASE("a number that is held is at its prior alone and firm inside a step") {
  Library library;
  CalibrationEntry prior, chip, kernels;
  prior.name = prior.of = "prior";
  prior.numbers = {{"chip.memory", {0.8, 0.2}}, {"kernel.depth_8bit", {5e-7, 1}}, {"engine.step_time", {3e-4, 1}}};
  chip.name = "x";
  chip.of = "chip";
  chip.numbers = {{"memory", {0.9, 0.01}}, {"link", {0.5, 0.01}}};
  kernels.name = kernels.of = "kernels";
  kernels.numbers = {{"depth_8bit", {6e-7, 0.01}}};
  for (const CalibrationEntry& entry : {prior, chip, kernels}) library.calibrations.push_back(entry);
  const auto number = [](const Library& in, const std::string& of, const std::string& name) {
    for (const CalibrationEntry& entry : in.calibrations) {
      if (entry.of == of && entry.numbers.contains(name)) return entry.numbers.at(name);
    }
    return FittedNumber{};
  };
  const Library memory = holding(library, "chip", "memory");
  CHECK(number(memory, "chip", "memory").value == 0.8);
  CHECK(number(memory, "chip", "link").value == 0.5);
  CHECK(number(memory, "prior", "step.memory").value == 1);
  CHECK(number(memory, "prior", "step.memory").spread < 0.01);
  CHECK(number(memory, "kernels", "depth_8bit").value == 6e-7);
  const Library depth = holding(library, "kernel", "depth_8bit");
  CHECK(number(depth, "kernels", "depth_8bit").value == 5e-7);
  CHECK(number(depth, "prior", "step.kernel.depth_8bit").spread < 0.01);
  CHECK(number(holding(library, "engine", "step_time"), "prior", "engine.step_time").spread < 0.01);
}

}  // namespace validation_report_test
