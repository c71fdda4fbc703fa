#pragma once
// Facts grouped into entries, each read by one function.

#include <algorithm>
#include <string_view>
#include <vector>

#include "catalog/facts/entry.hpp"

namespace ridge::catalog {

Source read_source(Entry& entry);
/// sources.toml, which every other entry refers to, by id.
Sources read_sources(const std::vector<Fact>& facts, Errors& errors);

/// The facts of one category, entry by entry, in file order.
std::vector<std::vector<const Fact*>> grouped(const std::vector<Fact>& facts, std::string_view category);

template <class T, class Read>
std::vector<T> read_all(const std::vector<Fact>& facts, std::string_view category, const Sources& sources,
                        Errors& errors, Read&& read) {
  std::vector<T> all;
  for (auto& group : grouped(facts, category)) {
    Entry entry(std::move(group), sources, errors);
    all.push_back(read(entry));
    entry.finish();
  }
  return all;
}

}  // namespace ridge::catalog
