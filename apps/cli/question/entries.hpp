#pragma once
// Entries of the catalog by name, for the commands that show and compare them.

#include <string>
#include <vector>

#include "catalog/facts/fact.hpp"
#include "cli/program.hpp"

namespace ridge::cli {

/// The facts of an entry, in any case, by name or by a model's repository; empty where there is none. An empty category
/// means the first that has the name.
std::vector<const catalog::Fact*> facts_of(const Program& program, const std::string& name,
                                           const std::string& category = "");

std::string facts_text(const std::vector<const catalog::Fact*>& facts, const report::Style& style);

Error unknown_entry(const Program& program, const std::string& name, const std::string& category,
                    std::string_view where);

}  // namespace ridge::cli
