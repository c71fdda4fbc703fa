#pragma once
// Words that results of benchmarks have in several reports.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "calibrate/evidence/benchmark_result.hpp"
#include "report/base/style.hpp"

namespace ridge::report {

inline constexpr std::string_view kNotStated = "-";

/// Requests at once, a rate, or a batch.
std::string load_cell(const BenchmarkResult& result);

/// "run.jsonl: line 3" -> "run.jsonl" and "line 3".
std::pair<std::string, std::string> file_and_part(const std::string& place);

/// Sentences, each once, with the runs it is said of where those are not all.
class Sentences {
 public:
  explicit Sentences(std::size_t all) : all_(all) {}
  void add(const std::string& text, const std::string& run);
  std::string text(std::string_view mark, const Style& style) const;

 private:
  std::size_t all_;
  std::vector<std::string> order_;
  std::map<std::string, std::vector<std::string>> runs_;
};

}  // namespace ridge::report
