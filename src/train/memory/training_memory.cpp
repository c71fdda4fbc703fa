#include "train/memory/training_memory.hpp"

#include <algorithm>
#include <cmath>

#include "train/activations.hpp"
#include "train/schedule/closed_form.hpp"
#include "train/step/training_flops.hpp"

namespace ridge {

namespace {

struct Copies {
  double dense = 1, expert = 1;
};

/// Over how many chips something is divided from a stage of ZeRO on.
Copies divided_from(const TrainingLayout& layout, Sharding stage) {
  if (layout.sharding < stage) return {};
  return {layout.dense_shards(), layout.expert_shards()};
}

bool has_experts(const Model& model) {
  return std::any_of(model.kinds.begin(), model.kinds.end(),
                     [](const Layer& kind) { return kind.experts.has_value(); });
}

/// Workspaces of the libraries, and one buffer that stays (Megatron-LM's global memory buffer): for the scores of unfused
/// attention, or for the tokens of an expert group, whichever is larger. `scores` are bytes for each token, stored and read.
Bytes<double> standing_buffers(const Model& model, const TrainingLayout& layout, double tokens,
                               const std::vector<double>& scores, const MemoryHabits& habits) {
  double buffer = 0;
  if (habits.score_buffer && !scores.empty()) buffer = tokens * *std::max_element(scores.begin(), scores.end()) / 2;
  if (!has_experts(model)) return habits.workspace + Bytes<double>(buffer);
  const double own = tokens / (layout.sequence_parallel ? layout.tensor : 1);
  if (habits.gathers_tokens)
    buffer = std::max(buffer, own * layout.expert * layout.expert_tensor * model.hidden * kActivationBytes);
  return habits.workspace + habits.grouped + Bytes<double>(buffer);
}

/// Between two steps each chunk still has what it got from the stage before for the last micro-batch, and its gradient
/// (Megatron-LM: set_input_tensor stores it, and the schedules retain its gradient). While activations are at their most
/// these are among them.
Bytes<double> held_inputs(const StageLayers& stage, const TrainingLayout& layout, double input,
                          const MemoryHabits& habits) {
  if (layout.pipeline <= 1) return Bytes<double>(0.0);
  const double chunks = layout.virtual_stages - (stage.first ? 1 : 0);
  return Bytes<double>(input * chunks) * habits.held_inputs;
}

}  // namespace

Bytes<double> StageMemory::state() const {
  return (*this)[MemoryTerm::weights] + (*this)[MemoryTerm::gradients] + (*this)[MemoryTerm::optimizer];
}

Bytes<double> StageMemory::peak() const {
  Bytes<double> sum(0.0);
  for (const Bytes<double>& one : term) sum = sum + one;
  if (!frees_gradients) return sum;
  return std::max(sum - (*this)[MemoryTerm::gradients], state());
}

Bytes<double> TrainingMemory::on_host() const {
  Bytes<double> most(0.0);
  for (const StageMemory& stage : stages) most = std::max(most, stage.host);
  return most;
}

double live_micro_batches(const TrainingLayout& layout, double rank, double micro_batches) {
  const train::PipelineShape shape = pipeline_shape(layout, micro_batches);
  const double live = train::closed_peak_live(shape, static_cast<int>(rank)) * shape.chunk_share();
  // a rank of DualPipe has two stages, and a live chunk is one of them
  const double whole = shape.kind == train::ScheduleKind::dualpipe ? live / 2 : live;
  return std::min(micro_batches, whole);
}

HeldParams held_params(const Model& model, const StageLayers& stage, const TrainingLayout& layout) {
  HeldParams held;
  const auto add = [&](const Weight& weight, double times) {
    (weight.part == Part::routed_experts ? held.expert : held.dense) += params_on_chip(weight, layout) * times;
  };
  for (std::size_t kind = 0; kind < stage.of_kind.size(); ++kind) {
    if (stage.of_kind[kind] == 0) continue;
    for (const Weight& weight : weights_of(model.kinds[kind], model.hidden)) add(weight, stage.of_kind[kind]);
  }
  for (Weight weight : outer_weights(model)) {
    const bool table = weight.part == Part::embedding;
    const bool of_words = weight.name.find("position") == std::string::npos;
    // a tied table is the head as well, and prediction modules embed the tokens that follow: both ends have one
    if (table) {
      const bool again = of_words && (model.tied_embeddings || !model.mtp_order.empty());
      const double ends = (stage.first ? 1.0 : 0.0) + (again && stage.last && !stage.first ? 1.0 : 0.0);
      // tables of words are divided over the tensor group, those of positions are not (Megatron-LM's VocabParallelEmbedding)
      weight.split = of_words ? Split::columns : Split::whole;
      weight.pieces = weight.in * weight.out;
      if (ends > 0) add(weight, ends);
    } else if (stage.last) {
      add(weight, 1);
    }
  }
  if (stage.last) {
    for (const Weight& weight : model.mtp_extra)
      if (!is_shared_in_training(weight, model)) add(weight, 1);
  }
  return held;
}

TrainingMemory training_memory(const Model& model, const std::vector<StageLayers>& stages, const TrainingLayout& layout,
                               const TrainingRecipe& recipe, const TrainingLoad& load, const MemoryHabits& habits) {
  TrainingMemory out;
  const double tokens = layout.micro_batch * load.sequence / layout.context;
  const KeptSplit split{layout.tensor, layout.expert_tensor, layout.sequence_parallel};
  std::vector<std::array<double, kKeptModules>> kept, everything;
  std::vector<double> scores;
  for (const Layer& kind : model.kinds) {
    KeptModules modules = kept_modules(kind, model.hidden);
    kept.push_back(kept_on_chip(modules, split, layout.recompute));
    everything.push_back(kept_on_chip(modules, split, {}));
    const auto copy = [&](KeptModule module, double elements, bool dropped) {
      if (!dropped) kept.back()[static_cast<std::size_t>(module)] += elements;
      everything.back()[static_cast<std::size_t>(module)] += elements;
    };
    const double more = habits.activation_copies.value() - 1;
    if (kind.dense && kind.dense->gated)
      copy(KeptModule::activation, more * kind.dense->size / layout.tensor, layout.recompute.mlp);
    if (kind.experts) {
      const double rows = kind.experts->per_token * layout.expert_tensor / layout.tensor;
      const bool again = layout.recompute.moe || layout.recompute.moe_activation;
      if (kind.experts->gated)
        copy(KeptModule::expert_activation, more * rows * kind.experts->size / layout.expert_tensor, again);
      copy(KeptModule::dispatched, habits.result_copies.value() * rows * model.hidden, layout.recompute.moe);
    }
    const LayerActivations scored = layer_activations(kind, model.hidden, kActivationBytes, false);
    const double seen = std::min(load.sequence, scored.window);
    scores.push_back(habits.unfused.value() * scored.score_heads / layout.tensor * seen * 2 * kActivationBytes);
  }
  const double input = model.hidden / (layout.sequence_parallel ? layout.tensor : 1);
  // narrow recipes keep the inputs of their products in fewer bytes
  const double narrow = recipe.kept_input_bytes;
  const auto width = [&](std::size_t module) {
    const auto one = static_cast<KeptModule>(module);
    const bool read_by_product = one == KeptModule::inputs || one == KeptModule::network_inputs ||
                                 one == KeptModule::attention_result || one == KeptModule::activation ||
                                 one == KeptModule::expert_activation || one == KeptModule::dispatched;
    return read_by_product ? narrow : kActivationBytes;
  };
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const StageLayers& stage = stages[i];
    StageMemory one;
    one.stage = static_cast<double>(i);
    const HeldParams held = held_params(model, stage, layout);
    one.params = held.dense + held.expert;
    one.expert_params = held.expert;
    const auto set = [&](MemoryTerm term, double bytes) {
      one.term[static_cast<std::size_t>(term)] = Bytes<double>(bytes);
    };
    const auto divided = [&](double bytes, Sharding from) {
      const Copies copies = divided_from(layout, from);
      return bytes * (held.dense / copies.dense + held.expert / copies.expert);
    };
    set(MemoryTerm::weights, divided(recipe.weight_bytes, Sharding::weights));
    set(MemoryTerm::gradients, divided(recipe.gradient_bytes, Sharding::gradients));
    set(MemoryTerm::optimizer, divided(recipe.optimizer_bytes(), Sharding::optimizer));
    one.live = live_micro_batches(layout, one.stage, micro_batches(layout, load.batch));
    const double again =
        layout.recompute.reversible ? stage.layers : std::min(layout.recompute.full_layers, stage.layers);
    const double share = stage.layers > 0 ? again / stage.layers : 0;
    double largest = 0, kept_layers = 0;
    for (std::size_t kind = 0; kind < stage.of_kind.size(); ++kind) {
      if (stage.of_kind[kind] == 0) continue;
      double layer = tokens * scores[kind], all = layer;
      for (std::size_t module = 0; module < kKeptModules; ++module) {
        const double bytes = tokens * kept[kind][module] * width(module) * habits.kept.value();
        layer += bytes;
        all += tokens * everything[kind][module] * width(module) * habits.kept.value();
        one.kept[module] = one.kept[module] + Bytes<double>(bytes * stage.of_kind[kind] * (1 - share));
      }
      if (layout.recompute.core_attention) layer -= tokens * scores[kind];
      kept_layers += layer * stage.of_kind[kind] * (1 - share);
      largest = std::max(largest, share > 0 ? all : all - layer);
    }
    const double inputs = layout.recompute.reversible ? 2.0 : again;
    one.layer_inputs = Bytes<double>(tokens * input * kActivationBytes * inputs);
    // the last stage keeps what stands before and after the final norm
    const double end = stage.last ? 2 * tokens * input * kActivationBytes : 0;
    const double kept_bytes = kept_layers + one.layer_inputs.value() + end;
    one.kept_all = Bytes<double>(kept_bytes);
    set(MemoryTerm::activations, one.live * kept_bytes);
    set(MemoryTerm::working, largest);
    double host = 0;
    if (layout.offload.optimizer) {
      host += one[MemoryTerm::optimizer].value();
      set(MemoryTerm::optimizer, 0);
    }
    if (layout.offload.activations) {
      // on the chip the layer that computes, and the one before or behind it on its way
      const double there = std::min(one.live * kept_bytes, stage.layers > 0 ? 2 * kept_bytes / stage.layers : 0);
      host += one.live * kept_bytes - there;
      set(MemoryTerm::activations, there);
    }
    one.host = Bytes<double>(host);
    if (stage.last) {
      const double heads = 1 + static_cast<double>(model.mtp_order.size());
      set(MemoryTerm::logits, tokens * model.vocabulary / layout.tensor * habits.logits.value() * heads);
    }
    double buffers = 0;
    if (layout.sharding == Sharding::weights && stage.layers > 0) {
      // the layer that computes, the next one, and the gradients of the one before
      buffers = 2 * (held.dense + held.expert) / stage.layers * (recipe.gather_bytes + recipe.reduce_bytes / 2);
      if (held.dense + held.expert == 0) buffers = 0;
    }
    const Bytes<double> stays = standing_buffers(model, layout, tokens, scores, habits);
    one.held_buffers = stays + held_inputs(stage, layout, tokens * input * kActivationBytes, habits);
    set(MemoryTerm::buffers, buffers + stays.value());
    one.frees_gradients = habits.frees_gradients;
    one.moment = habits.frees_gradients && one.peak() == one.state() ? "after the backward pass, all gradients there"
                 : stage.last && one.live <= 1                       ? "at the loss, before the first backward pass"
                                               : "before the first backward pass, all warm-up micro-batches kept";
    out.stages.push_back(one);
    if (out.stages[i].peak() > out.stages[out.fullest].peak()) out.fullest = i;
  }
  const StageMemory& worst = out.worst();
  out.margin = (worst[MemoryTerm::activations] + worst[MemoryTerm::working] + worst[MemoryTerm::logits] +
                worst[MemoryTerm::buffers]) *
               habits.fragmentation;
  return out;
}

}  // namespace ridge
