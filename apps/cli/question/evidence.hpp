#pragma once
// The measurements that ridge validate and ridge calibrate work with.

#include "calibrate/evidence/training_cases.hpp"
#include "catalog/entries/recipes.hpp"
#include "catalog/evidence/evidence_file.hpp"
#include "catalog/evidence/training_rows.hpp"
#include "cli/program.hpp"

namespace ridge::cli {

inline constexpr Option kEvidence{"--evidence", "evidence", "DIR", "folder with rows as in catalog/evidence",
                                  "those compiled in"};

/// Those of --evidence, or those compiled in; every model and chip of them is known.
inline Result<Evidence> evidence_of(const Arguments& arguments, const Library& library) {
  auto evidence = arguments.has("evidence") ? catalog::read_evidence_folder(arguments.text("evidence"))
                                            : catalog::read_evidence(catalog::embedded_evidence());
  if (!evidence) return evidence;
  if (Errors unknown = catalog::unknown_names(*evidence, library); !unknown.empty()) return fail(std::move(unknown));
  return evidence;
}

/// Runs of whole services alone; read once.
inline const Result<Evidence>& runs_compiled_in() {
  static const Result<Evidence> runs = catalog::read_evidence(catalog::embedded_runs());
  return runs;
}

/// The files that training's rows are in.
inline Result<std::vector<catalog::NamedText>> training_texts(const Arguments& arguments) {
  if (arguments.has("evidence")) return catalog::evidence_texts(arguments.text("evidence"));
  return catalog::embedded_evidence();
}

/// Training's rows, and those of them that its equations are about.
struct TrainingEvidence {
  std::vector<TrainingRow> rows;
  TrainingCases cases;
};
inline Result<TrainingEvidence> training_evidence(const Arguments& arguments, const Program& program) {
  const auto texts = training_texts(arguments);
  if (!texts) return fail(texts.error());
  auto rows = catalog::read_training(*texts);
  if (!rows) return fail(rows.error());
  const auto recipes = catalog::recipes(*program.facts);
  if (!recipes) return fail(recipes.error());
  TrainingCases cases = training_cases(*rows, program.library, *recipes);
  return TrainingEvidence{std::move(*rows), std::move(cases)};
}

}  // namespace ridge::cli
