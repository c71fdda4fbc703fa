#include "cli/version.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "catalog/facts/fact.hpp"
#include "catalog/prices/price_file.hpp"

namespace ridge::cli {

std::string version_text() {
  std::string newest;
  const auto look = [&](const std::vector<catalog::Fact>& facts) {
    for (const catalog::Fact& fact : facts) {
      if (fact.category == "source" && fact.key == "date") newest = std::max(newest, fact.text);
    }
  };
  look(catalog::embedded_facts());
  look(catalog::embedded_price_facts());
  return fmt::format("ridge {}, catalog of {}", RIDGE_VERSION, newest);
}

}  // namespace ridge::cli
