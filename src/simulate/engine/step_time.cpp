#include "simulate/engine/step_time.hpp"

#include <algorithm>

#include "serve/step/known_times.hpp"
#include "serve/step/steady.hpp"

namespace ridge::simulate {

namespace {

/// The busiest rank's load, with all ranks' tokens at the experts.
StepLoad<double> load_of(std::span<const StepWork> ranks, double attention_data) {
  StepWork most;
  double all_prompt_tokens = 0;
  for (const StepWork& rank : ranks) {
    most.decodes = std::max(most.decodes, rank.decodes);
    most.decode_context = std::max(most.decode_context, rank.decode_context);
    if (rank.prompt_tokens > most.prompt_tokens) {
      most.prompts = rank.prompts;
      most.prompt_tokens = rank.prompt_tokens;
    }
    most.prompt_pairs = std::max(most.prompt_pairs, rank.prompt_pairs);
    all_prompt_tokens += static_cast<double>(rank.prompt_tokens);
  }
  StepLoad<double> load;
  load.decodes = most.decodes > 0;
  load.prefills = most.prompts > 0;
  load.new_tokens = Ratio<double>(1.0);
  if (load.decodes) {
    const auto sequences = static_cast<double>(most.decodes);
    load.sequences = Ratio<double>(sequences);
    load.context = Tokens<double>(static_cast<double>(most.decode_context) / sequences);
  }
  if (load.prefills) {
    const auto prompts = static_cast<double>(most.prompts), tokens = static_cast<double>(most.prompt_tokens);
    const double each = tokens / prompts;
    load.prompts = Ratio<double>(prompts);
    load.prompt_tokens = Ratio<double>(each);
    // n (2 c + n) of equal prompts has to give the pairs of those that are there
    load.prompt_context = Tokens<double>(std::max(0.0, (static_cast<double>(most.prompt_pairs) / tokens - each) / 2));
    const double ranks_there = static_cast<double>(ranks.size());
    load.prefills_in_group = Ratio<double>(all_prompt_tokens / each * (attention_data / ranks_there));
  }
  return load;
}

}  // namespace

StepTime step_time_of(std::shared_ptr<const Deployment> deployment, PoolRole role) {
  const auto ground_of = [role](const Deployment& of) -> const ServingGround& {
    return role == PoolRole::decode ? of.ground : of.prefill_ground();
  };
  const ChipPaces<double> paces = ground_of(*deployment).numbers.rates();
  return [paces, role, ground_of, known = KnownTimes(),
          held = std::move(deployment)](std::span<const StepWork> ranks) mutable {
    const ServingGround& ground = ground_of(*held);
    const StepOperations& operations = (role == PoolRole::decode ? held->decode : held->prefill).operations;
    const EngineSettings& engine = ground.engine;
    const EngineCalibration<double>& calibration = ground.numbers.engine;
    StepLoad<double> load = load_of(ranks, operations.attention_data);
    const Ratio<double> unevenness(operations.unevenness);
    const auto kernels = [&](const StepLoad<double>& step) {
      return overlapped_step(known, operations, paces, step, engine.overlap);
    };
    const auto in_turn = [&](const StepLoad<double>& step) { return kernels(step) * unevenness; };
    Seconds<double> time(0.0);
    StepLoad<double> decodes = load;
    decodes.prefills = false;
    if (load.decodes) {
      const auto batches = static_cast<double>(ranks.front().decode_batches);
      StepLoad<double> piece = decodes;
      piece.sequences = decodes.sequences / Ratio<double>(batches);
      time = in_turn(piece) * batches;
      if (engine.speculative_tokens > 0) {
        const Seconds<double> drafting = time * (engine.speculative_tokens * engine.draft_layers / operations.layers);
        load.new_tokens = decodes.new_tokens = Ratio<double>(1 + engine.speculative_tokens);
        time = in_turn(decodes) + drafting;
      }
    }
    if (load.prefills) {
      load = padded(load, calibration, engine.captured_tokens);  // when its tokens are known, speculative ones as well
      const Seconds<double> all =
          launched(operations, calibration, kernels(load), load, engine.captured_tokens) * unevenness;
      const Seconds<double> added = load.decodes ? all - in_turn(decodes) : all;
      time = time + (engine.disaggregated ? added : calibration.prefill_factor * added);
    }
    const double sequences =
        (load.decodes ? load.sequences.value() : 0.0) + (load.prefills ? load.prompts.value() : 0.0);
    time = time + (load.prefills ? prefill_engine_time(calibration, operations, Ratio<double>(sequences), load.prompts,
                                                       uncaptured(load, engine.captured_tokens))
                                 : engine_time(calibration, operations, Ratio<double>(sequences)));
    return nanoseconds(time.value());
  };
}

}  // namespace ridge::simulate
