#include "train/plan/training_search.hpp"

#include <algorithm>
#include <cmath>

#include "layout/layout.hpp"
#include "train/step/training_step.ipp"

namespace ridge {

namespace {

/// What the time of a layer depends on.
struct SearchCell {
  TrainingLayout layout;  // tensor, context, expert, expert_tensor, micro_batch; the rest one
  double bound = 0;       // s: no layout with these takes less, whatever its stages
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

/// Every layer once, forward and backward, without bubble, hops or anything between copies: all of it is in every step.
double pass_bound(const TrainingGround& ground, const TrainingLayout& layout, const TrainingRates<double>& rates) {
  const auto operations = training_operations(ground.shape, layout, ground.fabric);
  std::vector<TrainingLayerTimes<double>> layers;
  for (std::size_t kind = 0; kind < operations.kinds.size(); ++kind)
    layers.push_back(layer_times(operations, kind, rates, ground.load));
  const auto whole = stages_of(ground.shape, 1);
  const auto pass = training::stage_pass(operations, whole.front(), layers, rates, ground.load);
  return pass.total().value();
}

std::vector<SearchCell> cells_of(const TrainingGround& ground, const AskedLayout& asked) {
  std::vector<SearchCell> cells;
  const auto rates = training_rates(ground);
  const Experts* experts = ground.model->experts();
  const double most_tensor = std::max(1.0, std::min(ground.chips, ground.fabric.domain));
  for (const double tensor : degrees(asked.tensor, valid_tensor(*ground.model, most_tensor))) {
    if (!divides_evenly(tensor, ground.chips)) continue;
    for (const double context : degrees(asked.context, context_degrees(ground.load.sequence))) {
      if (!divides_evenly(tensor * context, ground.chips)) continue;
      const double most_expert = ground.chips;
      const auto expert_degrees =
          experts == nullptr ? std::vector<double>{1} : divisors_up_to(experts->count, most_expert);
      for (const double expert : degrees(asked.expert, expert_degrees)) {
        std::vector<double> shares = {1};
        if (experts != nullptr && tensor > 1 && divides_evenly(tensor, experts->size)) shares.push_back(tensor);
        for (const double expert_tensor : degrees(asked.expert_tensor, shares)) {
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
            if (!divides_evenly(expert * expert_tensor, cell.layout.stage_chips()) &&
                expert * expert_tensor > cell.layout.stage_chips())
              continue;
            // m passes of pp stages: batch / (dp micro) x pass / pp, and dp pp = chips / (tp cp)
            const double passes = ground.load.batch * tensor * context / (micro * ground.chips);
            cell.bound = pass_bound(ground, cell.layout, rates) * passes;
            cells.push_back(cell);
          }
        }
      }
    }
  }
  std::stable_sort(cells.begin(), cells.end(),
                   [](const SearchCell& a, const SearchCell& b) { return a.bound < b.bound; });
  return cells;
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

bool same_degrees(const TrainingLayout& a, const TrainingLayout& b) {
  return a.tensor == b.tensor && a.pipeline == b.pipeline && a.context == b.context && a.expert == b.expert &&
         a.sharding == b.sharding;
}

/// Keeps the best, and the best of other degrees.
void keep(TrainingSearch& search, TrainingEstimate&& one) {
  const auto quicker = [](const TrainingEstimate& a, const TrainingEstimate& b) { return a.times.step < b.times.step; };
  if (!search.best || quicker(one, *search.best)) {
    if (search.best && !same_degrees(search.best->layout, one.layout)) search.runner_up = std::move(search.best);
    search.best = std::move(one);
  } else if (!same_degrees(search.best->layout, one.layout) && (!search.runner_up || quicker(one, *search.runner_up))) {
    search.runner_up = std::move(one);
  }
}

}  // namespace

TrainingSearch search_training(const TrainingGround& ground, const AskedLayout& asked) {
  TrainingSearch search;
  const std::vector<SearchCell> cells = cells_of(ground, asked);
  const std::vector<RecomputePolicy> policies = policies_for(ground, asked);
  const double layers = ground.model->layers();
  for (const SearchCell& cell : cells) {
    const double left = ground.chips / (cell.layout.tensor * cell.layout.context);
    for (const double pipeline : degrees(asked.pipeline, divisors_up_to(left, layers))) {
      if (pipeline > left || !divides_evenly(pipeline, left)) continue;
      std::vector<double> chunks = {1};
      if (pipeline > 1) {
        for (const double v : {2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 12.0}) {
          // the embedding and the head may count as layers of the ends
          if (divides_evenly(pipeline * v, layers) || divides_evenly(pipeline * v, layers + 2)) chunks.push_back(v);
        }
      }
      for (const double virtual_stages : degrees(asked.virtual_stages, chunks)) {
        TrainingLayout layout = cell.layout;
        layout.pipeline = pipeline;
        layout.data = left / pipeline;
        layout.virtual_stages = virtual_stages;
        const double count = ground.load.batch / (layout.data * layout.micro_batch);
        if (count < 1 || count != std::floor(count)) continue;
        if (virtual_stages > 1 && !divides_evenly(pipeline, count)) continue;
        if (layout.expert * layout.expert_tensor > layout.stage_chips() ||
            !divides_evenly(layout.expert * layout.expert_tensor, layout.stage_chips()))
          continue;
        // interleaving cannot beat (pp - 1) / vp passes of a stage beside the bound
        const double bubble = cell.bound / count * (pipeline - 1) / virtual_stages;
        std::vector<double> shards = {1};
        if (pipeline == 1) shards.push_back(3);
        for (const double zero : degrees(asked.zero, shards)) {
          layout.sharding = static_cast<Sharding>(static_cast<int>(zero));
          for (const RecomputePolicy& policy : policies) {
            ++search.considered;
            const TrainingEstimate* last = search.runner_up ? &*search.runner_up : nullptr;
            if (last != nullptr && cell.bound + bubble * 0.999 >= last->times.step.value()) continue;
            layout.recompute = policy;
            ++search.evaluated;
            TrainingEstimate one = training_estimate(ground, layout);
            if (!one.memory.fits()) {
              ++search.too_large;
              if (!search.least || one.memory.needed() < search.least->memory.needed()) search.least = std::move(one);
              continue;
            }
            keep(search, std::move(one));
          }
        }
      }
    }
  }
  return search;
}

}  // namespace ridge
