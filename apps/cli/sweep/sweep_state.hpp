#pragma once
// How far a sweep's file is: a few lines beside it (FILE.state), so that --resume can go on and ridge merge can check.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "search/plan/frontier.hpp"

namespace ridge::cli {

struct SweepState {
  std::string sweep;             // hash of everything the rows depend on
  std::string format = "csv";    // csv, jsonl, sqlite
  std::string summary = "rows";  // or which rows were kept: "best 1", "pareto"
  std::uint64_t cases = 0;       // of the whole sweep
  std::uint64_t part = 1, parts = 1;
  std::uint64_t done = 0;             // cases of this part that the file covers
  std::uint64_t size = 0;             // of the file then: bytes, or rows of a database
  std::string hash;                   // of these bytes or rows; empty: from a ridge that did not write it
  bool complete = false;              // the part is finished
  std::vector<Candidate> candidates;  // of a summary, one for each row
};

std::string state_path(const std::string& file);
Result<SweepState> read_state(const std::string& file);
/// The state of `file` from its text.
Result<SweepState> parse_state(std::string_view text, const std::string& file);
/// A state's text with the last line, which says that nothing of it is missing.
std::string sealed(std::string text);
/// Whether a file that is there has one.
bool has_state(const std::string& file);
/// The text of a state: what write_state writes.
std::string state_text(const SweepState& state);
/// Written under a temporary name first, so that there is always a whole one.
Result<bool> write_state(const std::string& file, const SweepState& state);

}  // namespace ridge::cli
