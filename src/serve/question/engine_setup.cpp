#include "serve/question/engine_setup.hpp"

#include <algorithm>
#include <cmath>

#include "library/model_names.hpp"

namespace ridge {

namespace {

/// The chips that compute prompts, where those have chips of their own.
EngineSetup prefill_setup(EngineSetup setup, const ServingAnswer& answer, double prefill_replicas) {
  const double replicas = setup.layout.replicas;
  setup.prompts = true;
  setup.layout = answer.deployment.prefill.layout;
  setup.layout.replicas = prefill_replicas > 0
                              ? prefill_replicas
                              : std::max(1.0, std::ceil(answer.estimate.prefill_replicas.value() * replicas));
  setup.sequences = 0;  // as many prompts wait there as come
  setup.speculative_tokens = 0;
  setup.memory = answer.estimate.prefill_memory;
  return setup;
}

}  // namespace

EngineSetup engine_setup(const ServingAnswer& answer, const Library& library) {
  const ServingQuestion& question = answer.question;
  EngineSetup setup;
  setup.model = answer.ground().model;
  setup.layout = answer.layout();
  setup.weights = question.scenario.weights;
  setup.checkpoint = question.checkpoint;
  if (const std::string& word = question.scenario.model;
      setup.checkpoint.empty() && word.find('/') != std::string::npos)
    setup.checkpoint = word;
  const auto match = find_model(library, setup.checkpoint);
  if (match && match->weights == setup.weights) setup.weights.reset();  // the checkpoint has them so
  setup.kv = answer.ground().kv;
  // under a rate the concurrency is a mean, and an engine held to it lets requests queue; slots have to be told
  const bool slots = answer.ground().engine.memory_rule == MemoryRule::up_front;
  setup.sequences = question.rate && !slots ? 0 : answer.load.concurrency;
  setup.longest = answer.load.isl + answer.load.osl;
  setup.token_budget = answer.ground().engine.token_budget;
  setup.ubatch = answer.ground().engine.ubatch;
  setup.speculative_tokens = question.speculative_tokens;
  setup.overlap = question.overlap.value_or(Overlap::none);
  setup.disaggregated = question.disaggregated;
  setup.memory = answer.estimate.memory;
  return setup;
}

std::vector<EngineCommand> engine_commands(const ServingAnswer& answer, const Library& library,
                                           const StartedReplicas& started) {
  EngineSetup setup = engine_setup(answer, library);
  if (started.decode > 0) setup.layout.replicas = started.decode;
  std::vector<EngineCommand> commands;
  if (setup.model == nullptr) return commands;
  const EngineSetup prompts = prefill_setup(setup, answer, started.prefill);
  for (const Engine* engine : ordered_engines(library)) {
    // kernels of another kind: what was computed for these says nothing of that engine
    if (!engine->is_written() || engine->kernels != answer.ground().engine.kernels) continue;
    commands.push_back(engine_command(*engine, setup));
    if (setup.disaggregated) commands.push_back(engine_command(*engine, prompts));
    if (!answer.deployment.prefill_elsewhere) continue;
    commands[commands.size() - 2].notes.push_back("on nodes of " + answer.ground().machine->title);
    commands.back().notes.push_back("on nodes of " + answer.deployment.prefill_elsewhere->machine->title);
  }
  return commands;
}

}  // namespace ridge
