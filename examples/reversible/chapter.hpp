#pragma once
// What the program has to say: chapters of tables and claims, told as text or as JSON.

#include <string>
#include <vector>

namespace reversible {

struct Column {
  std::string key, heading;
  const char* form;  // as printf has it, for one double
};

struct Row {
  std::string label;
  std::vector<double> values;
};

struct Table {
  std::string key, label;  // the label is the heading of the rows' labels
  std::vector<Column> columns;
  std::vector<Row> rows;
};

/// A sentence that can be false, and the number that decides it.
struct Claim {
  std::string key, sentence;
  double measured = 0, low = 0, high = 0;

  bool holds() const { return measured >= low && measured <= high; }  // false for a NaN
};

struct Chapter {
  std::string key, title, text;
  std::vector<Table> tables = {};
  std::vector<Claim> claims = {};
};

std::string as_text(const Chapter& chapter);
std::string as_json(const std::vector<Chapter>& chapters, unsigned long long seed);

/// The claims that do not hold, one a line, with what was measured and what was promised; empty when all do.
std::string failures(const std::vector<Chapter>& chapters);

}  // namespace reversible
