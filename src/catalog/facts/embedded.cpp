#include <cstddef>

#include "catalog/facts/fact.hpp"

namespace ridge::catalog {

// in the file that tools/embed_catalog.cpp writes at build time
extern const EmbeddedFact kEmbeddedFacts[];
extern const std::size_t kEmbeddedFactCount;

std::vector<Fact> embedded_facts() {
  std::vector<Fact> facts;
  facts.reserve(kEmbeddedFactCount);
  for (std::size_t i = 0; i < kEmbeddedFactCount; ++i) {
    const EmbeddedFact& fact = kEmbeddedFacts[i];
    facts.push_back({fact.category, fact.entry, fact.key, fact.text, fact.source, fact.kind, fact.note, fact.place});
  }
  return facts;
}

}  // namespace ridge::catalog
