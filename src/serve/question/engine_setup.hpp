#pragma once
// What a command of an engine needs to know of an answer.

#include "engine/engine_commands.hpp"
#include "serve/serving.hpp"

namespace ridge {

EngineSetup engine_setup(const ServingAnswer& answer, const Library& library);

/// As many as were planned, the spare ones too; 0: as the answer has them, and for prefill as many as keep up.
struct StartedReplicas {
  double decode = 0, prefill = 0;
};

/// For every engine whose commands are known, in its order; where prompts have chips of their own, one for each pool.
std::vector<EngineCommand> engine_commands(const ServingAnswer& answer, const Library& library,
                                           const StartedReplicas& started = {});

}  // namespace ridge
