#pragma once
// The catalog as a flat list of facts: what remains of a TOML file once its syntax is gone. Facts are read natively at
// build time and compiled in; a user's files become the same facts at run time. Everything after this is pure.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace ridge::catalog {

struct Fact {
  std::string
      category;  // "chip", "machine", "model", "format", "source", "claim", "calibration", "rack", "scaling_law", "lifecycle", ...
  std::string entry;   // "h200-sxm"
  std::string key;     // "hbm.bandwidth"
  std::string text;    // "4.8 TB/s"; numbers and booleans as TOML writes them
  std::string source;  // id, empty where the file gives none
  std::string kind;    // overrides the source's kind, mostly empty
  std::string note;
  std::string place;  // "chip/h200-sxm.toml:12"
};

/// An entry whose facts are packed (packed_facts.hpp) and stay so until somebody asks for them.
struct PackedEntry {
  std::string_view category, name, facts;
};

/// What is compiled into the program (see tools/embed_catalog.cpp), as views of its own text.
std::vector<PackedEntry> embedded_entries();
/// The same, all unpacked.
std::vector<Fact> embedded_facts();

/// Facts of `over` replace those of `base` entry by entry: an entry that appears in both is taken from `over` whole.
std::vector<Fact> overlaid(std::vector<Fact> base, const std::vector<Fact>& over);

}  // namespace ridge::catalog
