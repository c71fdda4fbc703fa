#pragma once
// Ready-to-paste commands that start a layout under a load in a serving engine, with what that engine cannot say.

#include <optional>
#include <string>
#include <vector>

#include "cost/overlap.hpp"
#include "engine/engine.hpp"
#include "layout/layout.hpp"
#include "model/model.hpp"

namespace ridge {

/// What a command is made from.
struct EngineSetup {
  const Model* model = nullptr;
  std::string checkpoint;  // its name or path; empty: the model's repository
  Layout layout;
  std::optional<std::string> weights;  // where they are not as released
  std::string kv;                      // format of the cache
  double sequences = 0;                // in flight on one replica; 0: unknown, and left to the engine
  double token_budget = 8192;
  double ubatch = 512;
  double speculative_tokens = 0;
  Overlap overlap = Overlap::none;
  bool disaggregated = false;
  bool prompts = false;              // where disaggregated: these are the chips that compute prompts
  double longest = 0;                // tokens of a request at its end: at least so long a context is set
  std::optional<ChipMemory> memory;  // where known, the engine's share is set
};

struct EngineCommand {
  std::string engine, title;  // its name in the catalog, and for people
  std::string role;           // "decode" or "prefill" where prompts have chips of their own
  std::string text;           // lines for a shell
  double copies = 1;          // to be started, where the engine has no replicas of its own
  bool exact = true;          // it is that layout; where not, a note says what differs
  std::vector<std::string> notes;
};

EngineCommand engine_command(const Engine& engine, const EngineSetup& setup);

}  // namespace ridge
