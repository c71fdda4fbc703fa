#pragma once
// Facts as one text, for those that only some commands ask for: a table of pointers would be relocated at every start.

#include <string>
#include <string_view>
#include <vector>

#include "catalog/facts/fact.hpp"

namespace ridge::catalog {

std::string packed(const std::vector<Fact>& facts);
std::vector<Fact> unpacked(std::string_view text);

}  // namespace ridge::catalog
