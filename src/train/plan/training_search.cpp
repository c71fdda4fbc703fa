#include "train/plan/training_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "layout/layout.hpp"
#include "train/schedule/closed_form.hpp"
#include "train/step/scheduled_times.hpp"
#include "train/step/training_step.ipp"

namespace ridge {

namespace {

using train::ScheduleKind;

/// What the time of a layer depends on.
struct SearchCell {
  TrainingLayout layout;               // tensor, context, expert, expert_tensor, micro_batch; the rest one
  std::vector<double> bound;           // s, by policy: no layout with these takes less, whatever its stages
  std::vector<double> bound_in_pairs;  // the same of schedules whose pairs of passes hide each other's exchange
  double least() const { return *std::min_element(bound.begin(), bound.end()); }
};

/// The same with everything that its layouts share.
struct CellTimes {
  TrainingOperations operations;
  std::vector<TrainingLayerTimes<double>> layers;
};

std::vector<double> degrees(const std::optional<double>& given, std::vector<double> all) {
  if (given) return {*given};
  return all;
}

bool divides_evenly(double part, double whole) { return std::fmod(whole, part) == 0; }

std::vector<double> divisors_up_to(double of, double most) {
  std::vector<double> out;
  for (double i = 1; i <= std::min(of, most); ++i) {
    if (divides_evenly(i, of)) out.push_back(i);
  }
  return out;
}

std::vector<double> context_degrees(double sequence) {
  constexpr double kLeastTokens = 1024;  // of a part: shorter ones are never worth a ring
  std::vector<double> out = {1};
  for (double degree = 2; degree <= 64 && sequence / (2 * degree) >= kLeastTokens; degree *= 2) {
    if (divides_evenly(2 * degree, sequence)) out.push_back(degree);
  }
  return out;
}

CellTimes cell_times(const TrainingGround& ground, const TrainingLayout& layout, const TrainingRates<double>& rates) {
  CellTimes out{training_operations(ground.shape, layout, ground.fabric), {}};
  for (std::size_t kind = 0; kind < out.operations.kinds.size(); ++kind)
    out.layers.push_back(layer_times(out.operations, kind, rates, ground.load));
  return out;
}

std::vector<RecomputePolicy> policies_for(const TrainingGround& ground, const AskedLayout& asked) {
  if (asked.recompute) return {*asked.recompute};
  std::vector<RecomputePolicy> out(1);
  const auto add = [&](const char* words) { out.push_back(*parse_recompute(words, "recompute")); };
  bool latent = false, dense = false;
  for (const Layer& kind : ground.model->kinds) {
    latent = latent || is_latent(kind);
    dense = dense || kind.dense;
  }
  const bool experts = ground.model->experts() != nullptr;
  if (latent) add("mla_up_proj");
  if (dense && !experts) add("mlp");
  if (experts) add("moe_act");
  if (latent && experts) add("mla_up_proj+moe_act");
  if (experts) add(latent ? "mla_up_proj+moe" : "moe");
  add("full");
  return out;
}

/// Every layer once, forward and backward, without bubble, hops or anything between copies: all of it is in every step.
/// By policy, in seconds of a step.
void set_bounds(const TrainingGround& ground, const std::vector<RecomputePolicy>& policies,
                const TrainingRates<double>& rates, SearchCell& cell) {
  const TrainingLayout& layout = cell.layout;
  CellTimes times = cell_times(ground, layout, rates);
  times.operations.layout.sharding = Sharding::weights;  // the others add up gradients as well
  const auto whole = stages_of(ground.shape, 1);
  // m passes of pp stages: batch / (dp micro) x pass / pp, and dp pp = chips / (tp cp)
  const double passes = ground.load.batch * layout.tensor * layout.context / (layout.micro_batch * ground.chips);
  for (const RecomputePolicy& policy : policies) {
    times.operations.layout.recompute = policy;
    const auto pass = training::stage_pass(times.operations, whole.front(), times.layers, rates, ground.load);
    cell.bound.push_back(pass.total().value() * passes);
    cell.bound_in_pairs.push_back(training::least_paired(pass).value() * passes);
  }
}

std::vector<double> expert_shares(const Experts* experts, double tensor) {
  std::vector<double> out = {1};
  if (experts == nullptr) return out;
  for (const double share : divisors_up_to(tensor, tensor)) {
    if (share > 1 && divides_evenly(share, experts->size)) out.push_back(share);
  }
  return out;
}

std::vector<SearchCell> cells_of(const TrainingGround& ground, const AskedLayout& asked,
                                 const std::vector<RecomputePolicy>& policies, const TrainingRates<double>& rates) {
  std::vector<SearchCell> cells;
  const Experts* experts = ground.model->experts();
  const double most_tensor = std::max(1.0, std::min(ground.chips, ground.fabric.domain));
  const auto expert_degrees =
      experts == nullptr ? std::vector<double>{1} : divisors_up_to(experts->count, ground.chips);
  for (const double tensor : degrees(asked.tensor, valid_tensor(*ground.model, most_tensor))) {
    if (!divides_evenly(tensor, ground.chips)) continue;
    for (const double context : degrees(asked.context, context_degrees(ground.load.sequence))) {
      if (!divides_evenly(tensor * context, ground.chips)) continue;
      for (const double expert : degrees(asked.expert, expert_degrees)) {
        for (const double expert_tensor : degrees(asked.expert_tensor, expert_shares(experts, tensor))) {
          for (const double micro : degrees(asked.micro_batch, {1, 2, 4, 8, 16})) {
            if (micro * ground.load.sequence > 131072 && micro > 1 && !asked.micro_batch) continue;
            if (micro > ground.load.batch) continue;
            SearchCell cell;
            cell.layout.tensor = tensor;
            cell.layout.context = context;
            cell.layout.expert = expert;
            cell.layout.expert_tensor = expert_tensor;
            cell.layout.micro_batch = micro;
            cell.layout.sequence_parallel = tensor > 1;
            cell.layout.data = ground.chips / (tensor * context);
            if (!divides_evenly(expert * expert_tensor, cell.layout.stage_chips())) continue;
            set_bounds(ground, policies, rates, cell);
            cells.push_back(std::move(cell));
          }
        }
      }
    }
  }
  std::stable_sort(cells.begin(), cells.end(),
                   [](const SearchCell& a, const SearchCell& b) { return a.least() < b.least(); });
  return cells;
}

/// A schedule with its chunks.
struct Interleaving {
  ScheduleKind schedule = ScheduleKind::one_f_one_b;
  double chunks = 1;
};

/// Those that a pipeline of so many stages can have: `simulated` those that put off weight gradients, or the others.
std::vector<Interleaving> interleavings(double pipeline, double layers, const AskedLayout& asked, bool simulated) {
  std::vector<Interleaving> out;
  const auto wanted = [&](ScheduleKind kind) { return !asked.schedule || *asked.schedule == kind; };
  if (simulated) {
    if (pipeline == 1 || asked.virtual_stages.value_or(1) > 1) return out;
    for (const ScheduleKind kind : {ScheduleKind::gpipe, ScheduleKind::zb_h1, ScheduleKind::zb_h2, ScheduleKind::zb_v,
                                    ScheduleKind::dualpipe, ScheduleKind::dualpipev}) {
      const bool turns = kind == ScheduleKind::zb_v || kind == ScheduleKind::dualpipev;
      if (turns && 2 * pipeline > layers) continue;
      // GPipe has 1F1B's bubble and keeps more: only where somebody asks for it
      if (kind == ScheduleKind::gpipe ? asked.schedule == kind : wanted(kind)) out.push_back({kind, 1});
    }
    return out;
  }
  std::vector<double> chunks = {1};
  if (pipeline > 1) {
    for (const double v : {2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 12.0}) {
      // the embedding and the head may count as layers of the ends
      if (divides_evenly(pipeline * v, layers) || divides_evenly(pipeline * v, layers + 2)) chunks.push_back(v);
    }
  }
  for (const double v : degrees(asked.virtual_stages, chunks)) {
    if (pipeline == 1 || wanted(v > 1 ? ScheduleKind::interleaved : ScheduleKind::one_f_one_b))
      out.push_back({ScheduleKind::one_f_one_b, v});
  }
  return out;
}

/// ZeRO, and over how many of the copies.
struct ShardChoice {
  Sharding sharding = Sharding::optimizer;
  double group = 0;
};

std::vector<ShardChoice> shard_choices(const TrainingGround& ground, const AskedLayout& asked,
                                       const TrainingLayout& layout) {
  std::vector<ShardChoice> out;
  const double copies = layout.dense_copies();
  const auto possible = [&](double group) {
    return divides_evenly(group, copies) && divides_evenly(copies / group, layout.expert_copies());
  };
  std::vector<double> stages = {1};
  if (layout.pipeline == 1) stages.push_back(3);
  for (const double zero : degrees(asked.zero, stages)) {
    const auto sharding = static_cast<Sharding>(static_cast<int>(zero));
    if (asked.shard_group) {
      if (possible(*asked.shard_group)) out.push_back({sharding, *asked.shard_group});
      continue;
    }
    out.push_back({sharding, 0});
    if (sharding != Sharding::weights) continue;
    // groups that weights are gathered in: the copies in a scale-up domain, and four times as many, and so on
    const double inside = std::max(1.0, std::floor(ground.fabric.domain / layout.tensor));
    double group = 1;
    for (const double one : divisors_up_to(copies, inside)) group = one;
    for (; group < copies; group *= 4) {
      if (group > 1 && possible(group)) out.push_back({sharding, group});
    }
  }
  return out;
}

bool same_degrees(const TrainingLayout& a, const TrainingLayout& b) {
  return a.tensor == b.tensor && a.pipeline == b.pipeline && a.context == b.context && a.expert == b.expert &&
         a.sharding == b.sharding;
}

/// A layout by its figure: the step, or what it needs.
struct Found {
  TrainingLayout layout;
  double figure = INFINITY;
};

struct SearchState {
  Found best, runner_up, least;
  double considered = 0, evaluated = 0, simulated = 0, too_large = 0;

  /// Keeps the best, and the best of other degrees.
  void keep(const TrainingLayout& layout, double step) {
    if (step < best.figure) {
      if (best.figure < INFINITY && !same_degrees(best.layout, layout)) runner_up = best;
      best = {layout, step};
    } else if (!same_degrees(best.layout, layout) && step < runner_up.figure) {
      runner_up = {layout, step};
    }
  }
  /// What takes this long cannot become one of them.
  bool hopeless(double step) const { return step >= runner_up.figure; }
};

/// What is searched, and by what.
struct SearchSpace {
  const TrainingGround& ground;
  const AskedLayout& asked;
  const std::vector<RecomputePolicy>& policies;
  const TrainingRates<double>& rates;
  std::vector<OffloadPolicy> offloads;
  bool simulated = false;  // schedules that put off weight gradients, or the others
};

/// One layout: does it fit, and if nothing forbids that it wins, what does it take?
void look_at(const SearchSpace& space, CellTimes& times, const TrainingLayout& layout,
             const std::vector<StageLayers>& model, const std::vector<StageLayers>& ranks, SearchState& state) {
  const TrainingGround& ground = space.ground;
  ++state.evaluated;
  const TrainingMemory memory = laid_out_memory(ground, layout, ranks);
  if (!memory.fits()) {
    ++state.too_large;
    if (memory.needed().value() < state.least.figure) state.least = {layout, memory.needed().value()};
    return;
  }
  times.operations.layout = layout;
  set_rings(times.operations, ground.fabric);
  const PipelinePasses passes =
      pipeline_passes(ground, times.operations, times.layers, model, ranks, memory, space.rates);
  TrainingTimes<double> step = unsimulated_times(passes, ground, times.operations, memory, space.rates);
  if (state.hopeless(step.step.value())) return;
  if (is_simulated(layout)) {
    ++state.simulated;
    step = simulated_times(passes, std::move(step), times.operations, space.rates, ground.load);
  }
  state.keep(layout, step.step.value());
}

/// All layouts of a cell with these stages and this schedule.
void look_at_all(const SearchSpace& space, const SearchCell& cell, std::optional<CellTimes>& times,
                 TrainingLayout layout, double count, SearchState& state) {
  const TrainingGround& ground = space.ground;
  // 1F1B and its chunks cannot beat (pp - 1) / (m vp) passes of a stage beside the bound; of the others only that is known
  const double bubble = is_simulated(layout) ? 0 : (layout.pipeline - 1) / layout.virtual_stages / count;
  const std::vector<double>& bound = train::has_pairs(layout.schedule) ? cell.bound_in_pairs : cell.bound;
  constexpr double kRounding = 1 - 1e-9;
  std::vector<StageLayers> model, ranks;
  for (const ShardChoice& shard : shard_choices(ground, space.asked, layout)) {
    layout.sharding = shard.sharding;
    layout.shard_group = shard.group;
    for (std::size_t i = 0; i < space.policies.size(); ++i) {
      for (const OffloadPolicy& offload : space.offloads) {
        ++state.considered;
        if (state.hopeless(bound[i] * (1 + bubble) * kRounding)) continue;
        if (!times) times = cell_times(ground, cell.layout, space.rates);
        if (model.empty()) {
          model = model_stages(ground.shape, layout);
          ranks = rank_stages(model, layout);
        }
        layout.recompute = space.policies[i];
        layout.offload = offload;
        look_at(space, *times, layout, model, ranks, state);
      }
    }
  }
}

void search_space(const SearchSpace& space, const std::vector<SearchCell>& cells, SearchState& state) {
  const TrainingGround& ground = space.ground;
  const double layers = ground.model->layers();
  for (const SearchCell& cell : cells) {
    const double left = ground.chips / (cell.layout.tensor * cell.layout.context);
    std::optional<CellTimes> times;  // made where the first of the cell's layouts is looked at
    for (const double pipeline : degrees(space.asked.pipeline, divisors_up_to(left, layers))) {
      if (pipeline > left || pipeline > layers || !divides_evenly(pipeline, left)) continue;
      TrainingLayout layout = cell.layout;
      layout.pipeline = pipeline;
      layout.data = left / pipeline;
      const double count = ground.load.batch / (layout.data * layout.micro_batch);
      if (count < 1 || count != std::floor(count)) continue;
      if (layout.expert * layout.expert_tensor > layout.stage_chips() ||
          !divides_evenly(layout.expert * layout.expert_tensor, layout.stage_chips()))
        continue;
      for (const Interleaving& one : interleavings(pipeline, layers, space.asked, space.simulated)) {
        if (one.chunks > 1 && !divides_evenly(pipeline, count)) continue;
        layout.schedule = one.schedule;
        layout.virtual_stages = one.chunks;
        if (space.simulated && !train::check(pipeline_shape(layout, count)).empty()) continue;
        look_at_all(space, cell, times, layout, count, state);
      }
    }
  }
}

}  // namespace

TrainingSearch search_training(const TrainingGround& ground, const AskedLayout& asked) {
  const TrainingRates<double> rates = training_rates(ground);
  const std::vector<RecomputePolicy> policies = policies_for(ground, asked);
  const std::vector<SearchCell> cells = cells_of(ground, asked, policies, rates);
  SearchState state;
  SearchSpace space{ground, asked, policies, rates, {asked.offload.value_or(OffloadPolicy{})}};
  const auto search = [&] {
    // closed forms first: what they find excludes most of what would have to be simulated
    for (const bool simulated : {false, true}) {
      space.simulated = simulated;
      search_space(space, cells, state);
    }
  };
  search();
  // the host's memory only where the chips' is too small: whatever lies there costs time
  if (state.best.figure == INFINITY && state.considered > 0 && !asked.offload && ground.host.capacity.value() > 0) {
    space.offloads = {{.optimizer = true}, {.activations = true}, {.optimizer = true, .activations = true}};
    search();
  }
  TrainingSearch out;
  out.considered = state.considered;
  out.evaluated = state.evaluated;
  out.simulated = state.simulated;
  out.too_large = state.too_large;
  const auto found = [&](const Found& one) {
    return one.figure < INFINITY ? std::optional(training_estimate(ground, one.layout)) : std::nullopt;
  };
  out.best = found(state.best);
  out.runner_up = found(state.runner_up);
  if (!out.best) out.least = found(state.least);
  return out;
}

}  // namespace ridge
