// What a validation comes to in a few sentences, and where it fails: for the screen, the page and JSON.

#include <algorithm>

#include <fmt/format.h>

#include "report/calibrate/decisions_text.hpp"
#include "report/calibrate/validation_text.hpp"

namespace ridge::report {

namespace {

const ValidationLine* line_named(const std::vector<LeftOut>& left_out, std::string_view group, std::string_view name) {
  for (const LeftOut& left : left_out) {
    for (const ValidationLine& line : left.lines) {
      if (line.group == group && line.name == name) return &line;
    }
  }
  return nullptr;
}

/// Least and most mean error of a group's lines, in percent: "4.7 to 7.1".
std::string error_range(const std::vector<ValidationLine>& lines, std::string_view group) {
  double least = 1e9, most = -1;
  for (const ValidationLine& line : lines) {
    if (line.group != group) continue;
    least = std::min(least, 100 * line.errors.mean);
    most = std::max(most, 100 * line.errors.mean);
  }
  if (most < 0) return {};
  const std::string low = fmt::format("{:.1f}", least), high = fmt::format("{:.1f}", most);
  return low == high ? low : low + " to " + high;
}

std::string left_out_sentence(const ValidationReport& report) {
  std::string out;
  const auto add = [&](std::string_view group, const char* what) {
    const ValidationLine* all = line_named(report.left_out, group, kAggregated);
    if (all == nullptr) return;
    out += fmt::format("{} {:.1f} % for a {} that no fit has seen", out.empty() ? "TPOT is off by" : ", by",
                       100 * all->errors.mean, what);
    const ValidationLine* dense = line_named(report.left_out, group, "dense");
    const ValidationLine* experts = line_named(report.left_out, group, "mixture of experts");
    if (dense != nullptr && experts != nullptr)
      out += fmt::format(" ({:.1f} % dense, {:.1f} % mixture of experts)", 100 * dense->errors.mean,
                         100 * experts->errors.mean);
  };
  add("leaving out one model", "model");
  add("leaving out one chip's runs and kernels", "chip");
  return out;
}

std::string first_token_sentence(const ValidationReport& report) {
  const std::string fitted = error_range(report.validation.lines, "TTFT");
  if (fitted.empty()) return {};
  const ValidationLine* left = line_named(report.left_out, "TTFT, leaving out one model", "all");
  return fmt::format("TTFT is far less sure: off by {} %{}{}", fitted,
                     report.built_in ? " on runs that were fitted" : "",
                     left == nullptr ? "" : fmt::format(", by {:.1f} % for a new model", 100 * left->errors.mean));
}

std::string noise_sentence(const std::vector<NoiseLine>& noise) {
  std::string out;
  for (const NoiseLine& line : noise) {
    if (line.name != "all") continue;
    out += fmt::format("{} {} {:.1f} %", out.empty() ? "repeated runs differ by themselves:" : ",", line.figure,
                       100 * line.mean);
  }
  return out;
}

std::string coverage_sentence(const Coverage& coverage) {
  std::string out;
  for (const CoverageLine& line : coverage.lines) {
    if (line.group != "all") continue;
    out += fmt::format("{} {:.1f} % ({})", out.empty() ? "80 % intervals hold" : ",", 100 * line.inside[1],
                       figure_title(line.figure));
  }
  return out + " of left-out runs";
}

/// Kernels by class: of all rows, and where it was judged, of those whose other half was fitted.
std::string kernels_sentence(const ValidationReport& report) {
  constexpr std::string_view kKernels = "kernels";
  const std::vector<ValidationLine>& lines = report.validation.lines;
  const std::string all = error_range(lines, kKernels);
  if (all.empty()) return {};
  std::vector<ValidationLine> halves;
  for (const ValidationLine& line : lines) {
    const auto of_class = [&](const ValidationLine& other) {
      return other.group == kKernels && other.name == line.name;
    };
    if (line.group == kHalvesGroup && std::any_of(lines.begin(), lines.end(), of_class)) halves.push_back(line);
  }
  const std::string other = error_range(halves, kHalvesGroup);
  return fmt::format("single kernels are off by {} % by class", all) +
         (other.empty() ? "" : fmt::format(", by {} % where their other half was fitted", other));
}

}  // namespace

std::vector<std::string> validation_headline(const ValidationReport& report) {
  std::vector<std::string> out;
  const auto say = [&](std::string sentence) {
    if (!sentence.empty()) out.push_back(std::move(sentence));
  };
  say(left_out_sentence(report));
  const std::string tpot = error_range(report.validation.lines, kTpotGroup);
  if (!tpot.empty())
    say(fmt::format("TPOT is off by {} %{}", tpot,
                    report.built_in ? " on runs that were fitted: how well it remembers" : " by set"));
  say(first_token_sentence(report));
  say(kernels_sentence(report));
  if (report.coverage) say(coverage_sentence(*report.coverage));
  if (report.decisions) say(decisions_sentence(*report.decisions));
  say(noise_sentence(report.validation.noise));
  if (report.validation.bounded > 0) say(suspects_sentence(report.validation));
  return out;
}

std::vector<ValidationFailure> failures_of(const ValidationReport& report) {
  std::vector<ValidationFailure> out;
  const auto add = [&](const std::string& group, const std::string& name, std::size_t rows, double mean) {
    if (mean <= kFailureError) return;
    for (const ValidationFailure& one : out) {
      if (one.group == group && one.name == name) return;  // the worst part of a line may be a line
    }
    const auto known = std::find_if(report.causes.begin(), report.causes.end(),
                                    [&](const KnownCause& one) { return one.group == group && one.name == name; });
    out.push_back({group, name, rows, mean, known == report.causes.end() ? "" : known->cause});
  };
  const auto look = [&](const std::vector<ValidationLine>& lines) {
    for (const ValidationLine& line : lines) {
      add(line.group, line.name, line.errors.rows, line.errors.mean);
      if (line.worst_rows < line.errors.rows) add(line.group, line.worst, line.worst_rows, line.worst_error);
    }
  };
  look(report.validation.lines);
  for (const LeftOut& left : report.left_out) look(left.lines);
  return out;
}

}  // namespace ridge::report
