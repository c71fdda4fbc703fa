#pragma once
// What a stranger sends when a prediction is off: figures, names of the catalog and the line that asks again. Nothing else of
// a benchmark's file gets here: no paths, hosts, dates, prompts or names that the catalog does not have.

#include <string>
#include <vector>

#include "calibrate/judge/compare.hpp"

namespace ridge::report {

struct ReportedRun {
  std::string kind, tool, engine;  // "serving", "vllm bench serve", "vllm 0.11.0"
  std::string model, machine;      // as the catalog has them; empty: it does not
  std::string line;                // "ridge why ...": asks for the same prediction; empty where there is none
  std::vector<std::pair<std::string, double>> load;  // "isl", ...: what the file states
  std::vector<ComparedFigure> figures;
  double bound = 0;
  std::size_t faults = 0;  // reasons why it is no measurement of one steady load
};

struct BadPrediction {
  std::string version;
  std::vector<ReportedRun> runs;
  std::vector<std::string> unread_flags;  // of the engine's command, without their values
  std::size_t refused = 0;                // files that nobody could read
};

/// Only letters, digits and . _ + - of a text, and not many: versions of programs, nothing else.
std::string version_word(std::string_view text);
/// "--served-name" of "--served-name=us-secret", or of the words "--served-name us-secret".
std::string flag_word(std::string_view text);

/// What of a run may be sent.
ReportedRun reported(const ComparedRun& run, std::string line);

/// For an issue: Markdown.
std::string bad_prediction_text(const BadPrediction& report);
std::string bad_prediction_json(const BadPrediction& report);

}  // namespace ridge::report
