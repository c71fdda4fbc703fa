#include "report/calibrate/compare_text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "report/base/listing_text.hpp"
#include "report/calibrate/result_words.hpp"
#include "serve/serving_bound.hpp"

namespace ridge::report {

namespace {

// From here on a trend is told: a constant as a share of the shortest TPOT, and a slope away from one.
constexpr double kTellingConstant = 0.15, kTellingSlope = 0.15;

std::string run_name(const ComparedRun& run, bool one_file) {
  const auto [file, part] = file_and_part(run.result.place);
  const std::string name = file.substr(file.rfind('/') + 1);  // npos + 1 is 0
  if (part.empty()) return name;
  return one_file ? part : name + ": " + part;
}

bool of_one_file(const std::vector<ComparedRun>& runs) {
  return std::all_of(runs.begin(), runs.end(), [&](const ComparedRun& run) {
    return file_and_part(run.result.place).first == file_and_part(runs.front().result.place).first;
  });
}

std::string compared_value(const ComparedFigure& figure, double value) {
  if (figure.is_time) return show(Seconds<double>(value), 3);
  return value >= 1000 ? with_commas(std::round(value)) : fmt::format("{:.3g}", value);
}

std::string error_cell(double error) { return fmt::format("{:+.0f} %", 100 * error); }

const ComparedFigure* figure_of(const ComparedRun& run, std::string_view key) {
  for (const ComparedFigure& figure : run.figures) {
    if (figure.key == key) return &figure;
  }
  return nullptr;
}

/// Every metric of one run.
std::string figures_table(const ComparedRun& run, const Style& style) {
  Listing listing{{{"metric"}, {"measured"}, {"predicted"}, {"80 % interval"}, {"error"}, {""}}, {}};
  for (const ComparedFigure& figure : run.figures) {
    const bool known = figure.interval.high > 0;
    listing.rows.push_back({figure.title, compared_value(figure, figure.measured),
                            compared_value(figure, figure.predicted),
                            known ? fmt::format("{} to {}", compared_value(figure, figure.interval.low),
                                                compared_value(figure, figure.interval.high))
                                  : std::string(kNotStated),
                            error_cell(figure.error()),
                            !known            ? ""
                            : figure.inside() ? "inside"
                                              : "outside"});
  }
  return listing_text(listing, style);
}

/// The metrics that decide, a line for each run.
std::string runs_table(const std::vector<const ComparedRun*>& runs, bool one_file, const Style& style) {
  Listing listing{{{"run"},
                   {"load"},
                   {"TPOT ms"},
                   {"pred."},
                   {"error"},
                   {"TTFT ms"},
                   {"pred."},
                   {"error"},
                   {"tok/s error"},
                   {"x bound"}},
                  {}};
  for (const ComparedRun* run : runs) {
    const ComparedFigure *main = &run->figures.front(), *first = figure_of(*run, "ttft"),
                         *rate = figure_of(*run, "output_tok_s");
    const auto ms = [](double seconds) { return significant(seconds * 1e3, 3); };
    const std::string none(kNotStated);
    listing.rows.push_back({run_name(*run, one_file), load_cell(run->result), ms(main->measured), ms(main->predicted),
                            error_cell(main->error()), first ? ms(first->measured) : none,
                            first ? ms(first->predicted) : none, first ? error_cell(first->error()) : none,
                            rate ? error_cell(rate->error()) : none,
                            fmt::format("{:.1f}", main->measured / roofline_of(*run))});
  }
  return listing_text(listing, style);
}

std::string shares_table(const std::vector<const ComparedRun*>& runs, bool one_file, const Style& style) {
  Listing listing{{{"run"}}, {}};
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < runs.front()->shares.size(); ++i) {
    const bool any = std::any_of(runs.begin(), runs.end(), [&](const ComparedRun* run) {
      return std::abs(run->shares[i].seconds) > 0.005 * run->figures.front().measured;
    });
    if (!any) continue;
    shown.push_back(i);
    const std::string& title = runs.front()->shares[i].title;
    listing.columns.push_back({title == "unexplained" ? "not explained" : title});  // two lines: all fit on a screen
  }
  for (const ComparedRun* run : runs) {
    std::vector<std::string> cells = {run_name(*run, one_file)};
    for (const std::size_t i : shown)
      cells.push_back(fmt::format("{:.0f} %", 100 * run->shares[i].seconds / run->figures.front().measured));
    listing.rows.push_back(std::move(cells));
  }
  return listing_text(listing, style);
}

/// The run whose changes are told: the one with the most throughput.
const ComparedRun* fullest_run(const std::vector<ComparedRun>& runs) {
  const ComparedRun* best = nullptr;
  for (const ComparedRun& run : runs) {
    if (run.changes.empty()) continue;
    if (best == nullptr || run.result.output_rate.value_or(0) > best->result.output_rate.value_or(0)) best = &run;
  }
  return best;
}

std::string changes_table(const ComparedRun& run, const Style& style) {
  constexpr std::size_t kShownChanges = 6;
  Listing listing{{{"change"}, {"TPOT"}, {"output tok/s/chip"}}, {}};
  for (std::size_t i = 0; i < std::min(kShownChanges, run.changes.size()); ++i) {
    const ComparedChange& one = run.changes[i];
    listing.rows.push_back({one.what, error_cell(one.tpot - 1), error_cell(one.chip_rate - 1)});
  }
  return listing_text(listing, style);
}

std::string trend_words(const ComparedTrend& trend, double shortest) {
  const bool constant = std::abs(trend.constant) > kTellingConstant * shortest;
  const bool slope = std::abs(trend.slope - 1) > kTellingSlope;
  const std::string line = fmt::format("over {} runs measured TPOT is {} {} {:.2f} x predicted", trend.runs,
                                       show(Seconds<double>(std::abs(trend.constant)), 3),
                                       trend.constant < 0 ? "less than" : "+", trend.slope);
  if (constant && trend.constant > 0 && !slope)
    return line + ": the same time too much in every step, whatever the load: the CPU side (graphs off, a slow host)";
  if (constant && trend.constant > 0)
    return line + ": a part of every step that is not predicted, and kernels off by the rest";
  if (slope && trend.slope > 1)
    return line + ": kernels take longer at every load: clocks, power, another format or kernel than predicted";
  if (slope) return line + ": kernels are faster than predicted, or the load is less than it says";
  return line;
}

std::string sentences_of_runs(const CompareReport& report, bool one_file, const Style& style) {
  const std::size_t all = report.runs.size();
  Sentences faults(all), bounds(all), notes(all), missing(all), unpredicted(all), settings(all);
  for (const ComparedRun& run : report.runs) {
    const std::string name = run_name(run, one_file);
    for (const std::string& text : run.result.faults) faults.add(text, name);
    for (const std::string& text : run.result.notes) notes.add(text, name);
    for (const std::string& text : run.notes) notes.add(text, name);
    if (!run.result.missing.empty()) missing.add(joined(run.result.missing, ", "), name);
    if (run.beats_bound())
      bounds.add(
          fmt::format("{} is faster than the bound of {}", show(Seconds<double>(run.figures.front().measured), 3),
                      show(Seconds<double>(run.bound), 3)),
          name);
    if (!run.setting.empty()) settings.add(run.setting, name);
    if (!run.unpredicted.empty()) unpredicted.add(run.unpredicted, name);
  }
  for (const std::string& note : report.notes) notes.add(note, "");
  return settings.text("predicted for ", style) + warn(style, bounds.text("impossible: ", style)) +
         warn(style, faults.text("odd: ", style)) + missing.text("not stated: ", style) +
         unpredicted.text("not compared: ", style) + notes.text("note: ", style);
}

}  // namespace

double roofline_of(const ComparedRun& run) {
  if (!run.answer || run.figure == AnchorFigure::prefill) return run.bound;
  const Seconds<double> step = run.answer->estimate.step.bound();
  return run.figure == AnchorFigure::tpot ? bound_of(*run.answer).tpot.value() : step.value();
}

std::vector<std::string> compare_headline(const CompareReport& report) {
  std::vector<std::string> out;
  std::size_t runs = 0, inside = 0, known = 0;
  double least = 1e300, most = 0, shortest = 1e300, bias = 0, size = 0;
  for (const ComparedRun& run : report.runs) {
    if (run.figures.empty()) continue;
    const ComparedFigure& main = run.figures.front();
    ++runs;
    bias += main.error();
    size += std::abs(main.error());
    known += main.interval.high > 0 ? 1 : 0;
    inside += main.interval.high > 0 && main.inside() ? 1 : 0;
    least = std::min(least, main.measured / roofline_of(run));
    most = std::max(most, main.measured / roofline_of(run));
    shortest = std::min(shortest, main.measured);
  }
  if (runs == 0) {
    std::vector<std::string> reasons;
    for (const ComparedRun& run : report.runs) {
      if (!run.unpredicted.empty()) add_once(reasons, run.unpredicted);
    }
    return {reasons.empty() ? "nothing could be predicted"
                            : fmt::format("nothing could be predicted ({}): say it beside the {}",
                                          joined(reasons, "; "), report.runs.size() == 1 ? "file" : "files")};
  }
  const double count = static_cast<double>(runs);
  const std::string_view what = report.runs.size() == 1 ? name_of(report.runs.front().figure) : "TPOT";
  out.push_back(fmt::format("{} is predicted {:.0f} % off{}; {} of {} in their 80 % interval", what, 100 * size / count,
                            runs == 1 ? fmt::format(" ({})", error_cell(bias))
                                      : fmt::format(" on average (bias {})", error_cell(bias / count)),
                            inside, known));
  if (report.trend) out.push_back(trend_words(*report.trend, shortest));
  out.push_back(runs == 1 ? fmt::format("measured, it is {:.1f} times the roofline bound", least)
                          : fmt::format("measured, it is {:.1f} to {:.1f} times the roofline bound", least, most));
  return out;
}

std::string compare_text(const CompareReport& report, const Style& style) {
  const bool one_file = report.runs.empty() || of_one_file(report.runs);
  std::vector<const ComparedRun*> compared, shared;
  for (const ComparedRun& run : report.runs) {
    if (run.figures.empty()) continue;
    compared.push_back(&run);
    if (!run.shares.empty() && (shared.empty() || run.shares.size() == shared.front()->shares.size()))
      shared.push_back(&run);
  }
  std::string out;
  if (!report.runs.empty()) {
    const std::string of = one_file ? file_and_part(report.runs.front().result.place).first : "several files";
    out += bold(style, clipped("Predicted against measured: " + of, style.columns)) + "\n";
    for (const std::string& sentence : compare_headline(report)) out += wrapped(sentence, style.columns, 2) + "\n";
  }
  if (compared.size() == 1)
    out += "\n" + figures_table(*compared.front(), style);
  else if (!compared.empty())
    out += "\n" + runs_table(compared, one_file, style);
  if (!shared.empty())
    out += "\n" + bold(style, "Where TPOT goes") + dim(style, "   shares of what was measured") + "\n" +
           shares_table(shared, one_file, style);
  if (const ComparedRun* fullest = fullest_run(report.runs)) {
    const std::string head = "What one change would bring";
    const std::string of = fmt::format("   by the prediction, at {}", run_name(*fullest, one_file));
    out += "\n" + bold(style, head) + dim(style, clipped(of, style.columns - static_cast<int>(head.size()))) + "\n" +
           changes_table(*fullest, style);
  }
  const std::string said = sentences_of_runs(report, one_file, style);
  if (!said.empty()) out += "\n" + said;
  for (const Error& error : report.refused) {
    out += "\n" + bold(style, clipped(error.where, style.columns)) + "\n" +
           wrapped("refused: " + error.what + (error.hint.empty() ? "" : "; " + error.hint), style.columns, 2) + "\n";
  }
  return plain_text(style, out);
}

}  // namespace ridge::report
