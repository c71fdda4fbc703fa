#pragma once
// A catalog entry that is a table of named numbers, each with its source: a scaling law, a lifecycle to start from.

#include <map>
#include <string>

#include "base/provenance.hpp"
#include "base/text/unit_text.hpp"

namespace ridge {

struct NumbersEntry {
  std::string name, title, form, note;
  std::map<std::string, std::string, std::less<>> words;  // names of other entries
  std::map<std::string, Sourced<Measure>, std::less<>> numbers;
};

}  // namespace ridge
