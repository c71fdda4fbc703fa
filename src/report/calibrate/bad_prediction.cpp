#include "report/calibrate/bad_prediction.hpp"

#include <cctype>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "report/calibrate/compare_text.hpp"

namespace ridge::report {

std::string version_word(std::string_view text) {
  constexpr std::size_t kMost = 32;
  std::string out;
  for (const char c : text) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' || c == '+' || c == '-';
    if (!plain) break;  // what follows a blank or a slash is no version
    out += c;
  }
  return out.substr(0, kMost);
}

std::string flag_word(std::string_view text) { return std::string(text.substr(0, text.find_first_of(" =\t\n"))); }

ReportedRun reported(const ComparedRun& run, std::string line) {
  const BenchmarkResult& result = run.result;
  ReportedRun out;
  out.kind = std::string(name_of(result.kind));
  out.tool = result.tool + (result.version.empty() ? "" : " " + version_word(result.version));
  if (run.answer) {
    out.engine = run.answer->question.engine;
    out.model = run.answer->ground().model->name;
    out.machine = run.answer->ground().machine->name;
    out.line = std::move(line);
  }
  if (!result.engine_version.empty()) out.engine += " " + version_word(result.engine_version);
  const auto state = [&](const char* key, const std::optional<double>& value) {
    if (value) out.load.emplace_back(key, *value);
  };
  state("chips", result.chips);
  state("tp", result.tensor);
  state("pp", result.pipeline);
  state("dp", result.attention_data);
  state("ep", result.expert);
  state("isl", result.isl);
  state("osl", result.osl);
  state("concurrency", result.concurrency);
  state("rate", result.rate);
  state("in_flight", result.in_flight);
  state("request_rate", result.request_rate);
  state("completed", result.completed);
  state("failed", result.failed);
  out.figures = run.figures;
  out.bound = roofline_of(run);
  out.faults = faults_of(result, false).size();
  return out;
}

namespace {

std::string figure_text(const ComparedFigure& figure, double value) {
  return figure.is_time ? show(Seconds<double>(value)) : fmt::format("{:.4g}/s", value);
}

std::string run_text(const ReportedRun& run, std::size_t number) {
  std::string out = fmt::format("## Run {}: {}, {}\n\n", number, run.kind, run.tool);
  out += fmt::format("- model: {}; machine: {}; engine: {}\n", run.model.empty() ? "not in the catalog" : run.model,
                     run.machine.empty() ? "not known" : run.machine, run.engine.empty() ? "not known" : run.engine);
  std::vector<std::string> load;
  for (const auto& [key, value] : run.load) load.push_back(fmt::format("{} {:g}", key, value));
  out += fmt::format("- stated: {}\n", load.empty() ? "nothing" : joined(load, ", "));
  if (run.faults > 0) out += fmt::format("- {} of our checks say that it is no steady load\n", run.faults);
  if (run.line.empty()) return out + "- not predicted: add --model, --on and a layout\n\n";
  out += fmt::format(
      "- asks again: `{}`\n\n| | measured | predicted | error | 80 % interval |\n|---|---|---|---|---|\n", run.line);
  for (const ComparedFigure& one : run.figures) {
    out +=
        fmt::format("| {} | {} | {} | {:+.1f} % | {} |\n", one.title, figure_text(one, one.measured),
                    figure_text(one, one.predicted), 100 * one.error(),
                    one.interval.high > 0 ? figure_text(one, one.interval.low) + " to " +
                                                figure_text(one, one.interval.high) + (one.inside() ? "" : ", outside")
                                          : "-");
  }
  return out + fmt::format("\nRoofline bound of the first: {}\n\n", show(Seconds<double>(run.bound)));
}

}  // namespace

std::string bad_prediction_text(const BadPrediction& report) {
  std::string out = fmt::format("# A prediction is off\n\n{}\n\n", report.version);
  for (std::size_t i = 0; i < report.runs.size(); ++i) out += run_text(report.runs[i], i + 1);
  if (!report.unread_flags.empty())
    out +=
        fmt::format("Flags of the engine's command that ridge does not read: {}\n", joined(report.unread_flags, " "));
  if (report.refused > 0) out += fmt::format("Files that could not be read: {}\n", report.refused);
  return out +
         "\nOf the files only what stands above is kept: no paths, hosts, dates, prompts or texts, and no values of "
         "unknown flags. Read it before you send it.\n";
}

}  // namespace ridge::report
