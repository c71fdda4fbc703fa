#pragma once
// The built-in catalog, read once for a test file.

#include <string>

#include <doctest/doctest.h>

#include "catalog/entries/library.hpp"
#include "catalog/facts/fact.hpp"

namespace ridge::testing {

inline const Library& library() {
  static const Library built = catalog::build_library(catalog::embedded_facts()).value();
  return built;
}

/// What the catalog knows of the words in models' files.
inline const ConfigWords& config_words() {
  static const ConfigWords words = catalog::config_words(library());
  return words;
}

/// A model of the catalog; a test that names another fails.
inline const Model& model(const std::string& name) {
  const Model* found = find_named(library().models, name);
  if (found == nullptr) FAIL("no model ", name);
  return *found;
}

}  // namespace ridge::testing
