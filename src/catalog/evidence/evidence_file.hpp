#pragma once
// Measurements from CSV texts: the files of catalog/evidence, or a user's folder of the same. What the columns mean:
// catalog/evidence/README.md.

#include <string>
#include <vector>

#include "base/result.hpp"
#include "calibrate/evidence/evidence.hpp"
#include "library/library.hpp"

namespace ridge::catalog {

/// A file that somebody else has read.
struct NamedText {
  std::string name;  // "gemm.csv"
  std::string text;
};

/// All rows of all files, or everything that is wrong with them. sets.csv is needed; the others may be missing.
Result<Evidence> read_evidence(const std::vector<NamedText>& files);

/// Chips, models and machines of the evidence that the library does not have, each named once.
Errors unknown_names(const Evidence& evidence, const Library& library);

/// The CSV files of a folder, by name.
Result<std::vector<NamedText>> evidence_texts(const std::string& folder);
Result<Evidence> read_evidence_folder(const std::string& folder);

/// The files of catalog/evidence, compiled in. Nothing is read before this is called.
std::vector<NamedText> embedded_evidence();
/// Those of runs of whole services alone: kernels are two thirds of the evidence, and no run is among them. A program that
/// asks for no others does not carry them.
std::vector<NamedText> embedded_runs();

}  // namespace ridge::catalog
