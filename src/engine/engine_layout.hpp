#pragma once
// Which layouts an engine runs, by its facts.

#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "layout/layout.hpp"

namespace ridge {

/// The layout as an engine runs it: where it cannot run the wanted one, the nearest, and what differs.
struct RunLayout {
  Layout layout;
  std::vector<std::string> differences;  // empty: as wanted
};
RunLayout run_layout(const Engine& engine, const Layout& wanted, bool has_experts);

/// Whether the engine runs it as it is, copies of popular experts and pipeline stages among it.
bool runs(const Engine& engine, const Layout& layout, bool has_experts);

/// Whether prefill may have chips of its own, as far as the engine's commands are known.
bool disaggregates(const Engine& engine);

}  // namespace ridge
