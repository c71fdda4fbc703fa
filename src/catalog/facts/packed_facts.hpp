#pragma once
// Facts as one text: a table of pointers would be relocated at every start, though a command asks for few of them.

#include <string>
#include <string_view>
#include <vector>

#include "catalog/facts/fact.hpp"

namespace ridge::catalog {

std::string packed(const std::vector<Fact>& facts);
std::vector<Fact> unpacked(std::string_view text);
/// The same, after those that are there.
void unpack(std::string_view text, std::vector<Fact>& facts);

}  // namespace ridge::catalog
