#pragma once
// What a command of an engine needs to know of an answer.

#include "engine/engine_commands.hpp"
#include "serve/serving.hpp"

namespace ridge {

EngineSetup engine_setup(const ServingAnswer& answer, const Library& library);

/// For every engine whose commands are known, in its order; where prompts have chips of their own, one for each pool.
/// `prefill_replicas`: as many as were planned; 0: as many as keep up.
std::vector<EngineCommand> engine_commands(const ServingAnswer& answer, const Library& library,
                                           double prefill_replicas = 0);

}  // namespace ridge
