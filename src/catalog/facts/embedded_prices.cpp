#include <cstddef>
#include <string>

#include "catalog/facts/packed_facts.hpp"
#include "catalog/prices/price_file.hpp"

namespace ridge::catalog {

// in the file that tools/embed_catalog.cpp writes at build time
extern const char* const kEmbeddedPrices[];
extern const std::size_t kEmbeddedPricePieces;

std::vector<Fact> embedded_price_facts() {
  std::string text;
  for (std::size_t i = 0; i < kEmbeddedPricePieces; ++i) text += kEmbeddedPrices[i];
  return unpacked(text);
}

}  // namespace ridge::catalog
