#include "simulate/setup.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "library/calibrations.hpp"
#include "library/engines.hpp"
#include "serve/estimate.hpp"

namespace ridge::simulate {

namespace {

std::int64_t whole(double value) { return static_cast<std::int64_t>(std::floor(value)); }

/// Mean lengths of what a client sends.
RequestLoad mean_load(const ClientRules& client) {
  RequestLoad load;
  if (const auto* replay = std::get_if<Replay>(&client.arrivals)) {
    const MeanTokens mean = mean_tokens(*replay->trace);
    load.isl = mean.prompt;
    load.osl = mean.output;
    return load;
  }
  load.isl = client.prompt.mean();
  load.osl = client.output.mean();
  if (const auto* sessions = std::get_if<Sessions>(&client.arrivals)) {
    load.isl = client.system_tokens + load.isl + (load.isl + load.osl) * (sessions->turns - 1) / 2;
  }
  return load;
}

/// Chips for prefill: as many replicas as the closed form takes to keep up, or as asked for.
PrefillPoolSetup prefill_setup(const std::shared_ptr<const Deployment>& deployment, const SimulatedDeployment& made,
                               const ServingEstimate& estimate, const SimulationQuestion& question,
                               const Engine& engine) {
  const Layout& layout = deployment->prefill.layout;
  PrefillPoolSetup pool;
  pool.replica = made.setup.replica;
  SchedulerFlags flags = question.scheduler;
  if (!flags.composed_early) flags.composed_early = engine.scheduler.prefill_composed_early;
  if (question.prefill_sequences) flags.max_sequences = question.prefill_sequences;
  if (question.prefill_token_budget) flags.token_budget = question.prefill_token_budget;
  pool.replica.rules = rules_of(engine, deployment->prefill_ground(), flags);
  pool.replica.groups = static_cast<std::int32_t>(layout.attention_data);
  pool.replica.stages = static_cast<std::int32_t>(layout.pipeline);
  pool.replica.limits.blocks = whole(estimate.prefill_memory.cache_tokens.value() / pool.replica.rules.block_tokens);
  pool.replica.time = step_time_of(deployment, PoolRole::prefill);
  const double needed = std::ceil(estimate.prefill_replicas.value() * deployment->layout().replicas);
  pool.replicas = static_cast<std::int32_t>(question.prefill_replicas.value_or(std::max(1.0, needed)));
  pool.link_time = estimate.transfer_time.value() * 1e9 / made.load.isl;
  return pool;
}

Errors wrong_tiers(const SimulationQuestion& question, const Library& library) {
  Errors errors;
  for (const AskedTier& asked : question.tiers) {
    const Tier* tier = find_named(library.tiers, asked.name);
    if (tier == nullptr) {
      errors.push_back({"kv_tiers", fmt::format("no tier is called \"{}\"", shortened(asked.name)),
                        suggestion(asked.name, names_of(library.tiers))});
    } else if (tier->of != Tier::Of::device || !tier->reach) {
      errors.push_back(
          {"kv_tiers", fmt::format("{} is no place below the chip's own memory", tier->title), "dram or flash, say"});
    }
  }
  return errors;
}

/// What a replica's chips draw from tiers, for one rank.
std::vector<TierLimits> tiers_for(const SimulationQuestion& question, const Library& library, const Layout& layout,
                                  const ChipMemory& memory) {
  std::vector<TierLimits> tiers;
  const double held = memory.cache_tokens.value();
  if (held <= 0) return tiers;
  const double token_bytes = memory.cache.value() / held;  // on each chip
  const double chips = layout.chips() / layout.replicas;
  for (const AskedTier& asked : question.tiers) {
    const Tier* tier = find_named(library.tiers, asked.name);
    if (tier == nullptr || !tier->reach) continue;  // refused before
    TierLimits limits;
    limits.tokens = whole(std::min(1e15, asked.capacity / (token_bytes * chips)));
    limits.latency = tier->latency ? nanoseconds(tier->latency->value.value()) : 0;
    limits.token_time = token_bytes / tier->reach->value.value() * 1e9;
    tiers.push_back(limits);
  }
  return tiers;
}

/// A token of a prompt in a step of its own, by the same equations.
double recompute_time(const ReplicaSetup& replica) {
  StepWork work;
  const std::int64_t tokens = std::min<std::int64_t>(replica.rules.token_budget, 2048);
  work.add_prompt(tokens, 0);
  const std::vector<StepWork> alone(1, work);
  return static_cast<double>(replica.time(alone)) / static_cast<double>(tokens);
}

/// Weights from a drive beside each chip, and what the engine takes to compile and warm up where that is known.
Nanoseconds cold_start_of(const Engine& engine, const Library& library, const ChipMemory& memory,
                          std::vector<std::string>& notes) {
  const Tier* drive = find_named(library.tiers, "flash");
  double reading = 0;
  if (drive != nullptr && drive->reach) reading = memory.weights.value() / drive->reach->value.value();
  const double startup = engine.scheduler.startup.value_or(0);
  notes.push_back(fmt::format(
      "a cold start takes {}: weights from a drive at {} a chip in {}, {}", show(Seconds<double>(reading + startup)),
      drive != nullptr && drive->reach ? show(drive->reach->value) : "no rate", show(Seconds<double>(reading)),
      engine.scheduler.startup
          ? fmt::format("{} compiles and captures graphs in {}", engine.title, show(Seconds<double>(startup)))
          : fmt::format("what {} takes to start is not known and not counted", engine.title)));
  return nanoseconds(reading + startup);
}

}  // namespace

SchedulerRules rules_of(const Engine& engine, const ServingGround& ground, const SchedulerFlags& flags) {
  const EngineScheduler& facts = engine.scheduler;
  SchedulerRules rules;
  rules.batching = facts.batching;
  rules.admission = facts.admission;
  rules.output_estimate = facts.output_estimate;
  rules.order = flags.order;
  rules.token_budget = whole(flags.token_budget.value_or(ground.engine.token_budget));
  constexpr double kNoLimit = 1 << 20;
  const double most = facts.max_sequences ? facts.max_sequences->at(ground.chip->usable_capacity().value) : kNoLimit;
  rules.max_sequences = whole(flags.max_sequences.value_or(most));
  rules.chunked_prefill = flags.chunked_prefill.value_or(facts.chunked_prefill.value_or(true));
  rules.composed_early = flags.composed_early.value_or(facts.composed_early);
  rules.prefix_cache = flags.prefix_cache.value_or(facts.prefix_cache);
  rules.block_tokens = static_cast<std::int32_t>(whole(facts.block_tokens));
  rules.poll_steps = static_cast<std::int32_t>(whole(flags.poll_steps.value_or(1)));
  rules.prefill_budget = std::max(rules.token_budget, whole(facts.prefill_budget.value_or(0)));
  rules.balance_wait = static_cast<std::int32_t>(whole(flags.balance_wait.value_or(0)));
  rules.balance_timeout = static_cast<std::int32_t>(whole(flags.balance_timeout.value_or(0)));
  return rules;
}

SimulatedDeployment simulated(std::shared_ptr<const Deployment> deployment, const SimulationQuestion& question,
                              const Library& library) {
  const ServingGround& ground = deployment->ground;
  const Layout& layout = deployment->layout();
  SimulatedDeployment out;
  out.load = mean_load(question.client);
  const Engine& engine = *find_engine(library, ground.engine.name).facts;
  const ServingEstimate estimate = evaluate(*deployment, out.load);
  out.memory = estimate.memory;
  SimulationSetup& setup = out.setup;
  setup.client = question.client;
  setup.routing = question.routing;
  setup.seed = question.seed;
  setup.replicas = static_cast<std::int32_t>(layout.replicas);
  ReplicaSetup& replica = setup.replica;
  replica.rules = rules_of(engine, ground, question.scheduler);
  replica.groups = static_cast<std::int32_t>(layout.attention_data);
  replica.stages = static_cast<std::int32_t>(layout.pipeline);
  replica.limits.blocks = whole(out.memory.cache_tokens.value() / replica.rules.block_tokens);
  replica.limits.speculation = {static_cast<std::int32_t>(ground.engine.speculative_tokens),
                                ground.numbers.acceptance_rate.value()};
  const EngineCalibration<double>& calibration = ground.numbers.engine;
  (replica.rules.sends_in_turn() ? replica.front.back : replica.front.latency) =
      nanoseconds(calibration.first_time.value());
  replica.front.token_picoseconds = nanoseconds(calibration.first_token_time.value() * 1e3);
  replica.time = step_time_of(deployment, PoolRole::decode);
  if (question.fresh) {
    const std::string kernels = fresh_kernels(ground);
    replica.fresh.time = nanoseconds(fresh_time(library, ground.engine.name, kernels).value());
    replica.fresh.token_picoseconds = nanoseconds(fresh_token_time(library, ground.engine.name, kernels).value() * 1e3);
  }
  replica.limits.tiers = tiers_for(question, library, layout, out.memory);
  if (!replica.limits.tiers.empty()) replica.limits.recompute_time = recompute_time(replica);
  if (question.cold_start) replica.cold_start = cold_start_of(engine, library, out.memory, out.notes);
  setup.failures = question.failures;
  if (ground.engine.disaggregated) setup.prefill = prefill_setup(deployment, out, estimate, question, engine);
  out.deployment = std::move(deployment);
  return out;
}

Result<SimulatedDeployment> resolve(const SimulationQuestion& question, const Library& library) {
  if (Errors errors = wrong_tiers(question, library); !errors.empty()) return fail(std::move(errors));
  SimulationQuestion asked = question;
  const RequestLoad load = mean_load(question.client);
  asked.serving.isl = load.isl;
  asked.serving.osl = load.osl;
  auto deployment = ridge::resolve(asked.serving, library);
  if (!deployment) return fail(deployment.error());
  return simulated(std::make_shared<const Deployment>(std::move(*deployment)), asked, library);
}

}  // namespace ridge::simulate
