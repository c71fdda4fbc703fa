#include <cstddef>
#include <cstdint>

#include "catalog/facts/fact.hpp"
#include "catalog/facts/packed_facts.hpp"

namespace ridge::catalog {

// In the file that tools/embed_catalog.cpp writes at build time. Places in a text instead of pointers: nothing is
// relocated at a start, and only the pages that somebody reads are touched.
extern const char kEmbeddedText[];
extern const std::uint32_t kEmbeddedPlaces[][5];  // of each entry: category, name, its end, facts, their end
extern const std::size_t kEmbeddedCount;

std::vector<PackedEntry> embedded_entries() {
  std::vector<PackedEntry> entries(kEmbeddedCount);
  for (std::size_t i = 0; i < kEmbeddedCount; ++i) {
    const auto& [category, name, name_end, facts, facts_end] = kEmbeddedPlaces[i];
    entries[i] = {{kEmbeddedText + category, name - category},
                  {kEmbeddedText + name, name_end - name},
                  {kEmbeddedText + facts, facts_end - facts}};
  }
  return entries;
}

std::vector<Fact> embedded_facts() {
  std::vector<Fact> facts;
  for (const PackedEntry& entry : embedded_entries()) unpack(entry.facts, facts);
  return facts;
}

}  // namespace ridge::catalog
