#pragma once
// The built-in catalog, read once for a test file.

#include "catalog/fact.hpp"
#include "catalog/library.hpp"

namespace ridge::testing {

inline const Library& library() {
  static const Library built = catalog::build_library(catalog::embedded_facts()).value();
  return built;
}

}  // namespace ridge::testing
