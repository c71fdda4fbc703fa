#pragma once
// catalog/engine/*.toml: one serving engine a file.

#include "catalog/facts/entry.hpp"
#include "engine/engine.hpp"

namespace ridge::catalog {

Engine read_engine(Entry& entry);

}  // namespace ridge::catalog
