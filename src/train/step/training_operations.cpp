#include "train/step/training_operations.hpp"

#include <algorithm>
#include <cmath>

#include "serve/step/step_formats.hpp"
#include "train/step/training_flops.hpp"

namespace ridge {

namespace {

/// Matrices of the layers as the recipe multiplies them; embedding, head, router and norms in 16 bit.
StepFormats training_formats(const TrainingRecipe& recipe) {
  StepFormats formats;
  for (const Part part : {Part::attention, Part::dense_ffn, Part::routed_experts, Part::shared_experts}) {
    PartFormat& format = formats.parts[static_cast<std::size_t>(part)];
    format.precision = recipe.products;
    format.block_scaled = recipe.block_scaled;
    format.width = recipe.products == Precision::bits16 ? 2 : recipe.products == Precision::bits8 ? 1 : 0.5625;
    format.input_width = format.width;
  }
  return formats;
}

/// `size` chips, `stride` apart, on domains of so many.
Ring ring_of(double size, double stride, const Fabric& fabric) {
  const double chips = std::max(1.0, std::min(size, std::floor(fabric.domain / stride)));
  return {chips, std::ceil(size / chips)};
}

void fill_experts(const ExpertsShape& from, const TrainingLayout& layout, const Fabric& fabric, TrainingLayer& to) {
  const double size = from.size / layout.expert_tensor, group = layout.expert * layout.expert_tensor;
  to.has_experts = true;
  to.experts_kernel = {from.format.precision, from.format.block_scaled, false};
  to.local_experts = from.count / layout.expert;
  to.copies = from.per_token * layout.expert_tensor / layout.tensor;
  to.row_flops = 2 * from.matrices * from.width * size;
  to.row_bytes = (2 * from.width + from.matrices * size) * kActivationBytes;
  to.expert_bytes = from.matrices * from.width * size * from.format.width;
  const double near = std::min(group, fabric.domain), domains = std::max(1.0, group / near);
  const auto reached = [&](double places) {
    return places_reached(Ratio<double>(places), Ratio<double>(from.per_token)).value();
  };
  to.leaves = group > fabric.domain;
  const double limited = from.groups > from.groups_used ? from.groups_used : domains;
  const double own = from.width / layout.tensor;  // the tensor group shares the sending
  to.sent_inside = std::min(reached(layout.expert) * layout.expert_tensor, group) * (near - 1) / near * own;
  to.sent_outside = to.leaves ? std::min(reached(domains), limited) * (domains - 1) / domains * own : 0;
}

/// What a ring of context parallelism passes on: latent attention's keys and values of all heads, since the ranks multiply
/// the latents out before they exchange them (TransformerEngine's AttnFuncWithCPAndKVP2P). A recurrent layer needs whole
/// sequences: its heads are exchanged for them and back (Megatron-LM's MambaContextParallel).
void fill_ring(TrainingLayer& to) {
  for (const AttentionOperation& attention : to.step.attention) {
    if (attention.score_flops == 0) {
      to.mixed += attention.row_bytes * attention.times;
      continue;
    }
    const double own = attention.latent ? attention.row_bytes / 2 : attention.written;
    to.keys_values += own * attention.times;
    to.queries += (attention.row_bytes - own) / 2 * attention.times;
  }
}

}  // namespace

TrainingShape training_shape(const Model& model, const TrainingRecipe& recipe) {
  TrainingShape out;
  out.hidden = model.hidden;
  out.gradient_bytes = recipe.gradient_bytes;
  out.dispatch_bytes = recipe.dispatch_bytes;
  out.vocabulary = model.vocabulary;
  out.order = model.order;
  out.mtp_order = model.mtp_order;
  const StepFormats formats = training_formats(recipe);
  Model one;
  one.hidden = model.hidden;
  one.vocabulary = model.vocabulary;
  one.tied_embeddings = model.tied_embeddings;
  for (const Layer& kind : model.kinds) {
    one.kinds = {kind};
    one.order = {0};
    const double norms = kind.norms * 3 * model.hidden * kActivationBytes;
    double work = 0;
    for (const Weight& weight : weights_of(kind, model.hidden)) work += weight.use == Use::matrix ? weight.active() : 0;
    out.kinds.push_back({shape_of(one, formats), &kind, norms, work});
  }
  out.modules = static_cast<double>(model.mtp_order.size());
  for (const Weight& weight : model.mtp_extra) {
    if (weight.use != Use::matrix || weight.count == 0 || is_shared_in_training(weight, model)) continue;
    GemmOperation product;
    product.inner = weight.in;
    product.outer = weight.out * weight.count / std::max(1.0, out.modules);
    out.module_products.push_back(product);
  }
  return out;
}

void set_rings(TrainingOperations& operations, const Fabric& fabric) {
  const TrainingLayout& layout = operations.layout;
  const double group = layout.expert * layout.expert_tensor;
  operations.dense_shards = ring_of(layout.dense_shards(), layout.tensor, fabric);
  operations.expert_shards = ring_of(layout.expert_shards(), group, fabric);
  operations.dense_replicas =
      ring_of(layout.dense_copies() / layout.dense_shards(), layout.tensor * layout.dense_shards(), fabric);
  operations.expert_replicas =
      ring_of(layout.expert_copies() / layout.expert_shards(), group * layout.expert_shards(), fabric);
  operations.hops_inside = layout.stage_chips() * 2 <= fabric.domain;
}

double params_on_chip(const Weight& weight, const TrainingLayout& layout) {
  if (weight.part == Part::routed_experts)
    return weight.params() / (layout.expert * (weight.use == Use::matrix ? layout.expert_tensor : 1));
  const double ways = weight.split == Split::whole ? 1 : std::min(layout.tensor, weight.pieces);
  return weight.params() / ways;
}

TrainingOperations training_operations(const TrainingShape& shape, const TrainingLayout& layout, const Fabric& fabric) {
  TrainingOperations out;
  out.layout = layout;
  out.hidden = shape.hidden;
  out.layers = static_cast<double>(shape.order.size());
  out.vocabulary = shape.vocabulary;
  out.gradient_bytes = shape.gradient_bytes;
  out.dispatch_bytes = shape.dispatch_bytes;
  out.modules = shape.modules;
  out.module_products = shape.module_products;
  for (GemmOperation& product : out.module_products) {
    product.outer /= layout.tensor;
    product.weights = product.inner * product.outer * kActivationBytes;
  }
  out.tensor = ring_of(layout.tensor, 1, fabric);
  out.context = ring_of(layout.context, layout.tensor, fabric);
  out.expert = ring_of(layout.expert * layout.expert_tensor, 1, fabric);
  set_rings(out, fabric);
  Layout dense;
  dense.tensor = layout.tensor;
  for (const TrainingShape::Kind& kind : shape.kinds) {
    TrainingLayer to;
    lay_out_step(kind.shape, dense, fabric, 0, to.step);
    to.small_bytes = to.step.small_bytes;
    if (layout.sequence_parallel) to.small_bytes -= kind.norm_bytes * (1 - 1 / layout.tensor);
    if (!kind.shape.experts.empty()) fill_experts(kind.shape.experts.front(), layout, fabric, to);
    const bool mixes = !std::holds_alternative<NoMixer>(kind.layer->mixer);
    const bool shared = kind.layer->experts && kind.layer->experts->shared_size > 0;
    to.halves = (mixes ? 1 : 0) + (kind.layer->dense || shared ? 1 : 0);
    fill_ring(to);
    for (const Weight& weight : weights_of(*kind.layer, shape.hidden)) {
      if (weight.use == Use::matrix) to.params += params_on_chip(weight, layout);
      if (is_up_projection(weight)) to.mla_up += 2 * weight.active() / layout.tensor;
    }
    out.kinds.push_back(std::move(to));
  }
  return out;
}

namespace {

std::vector<StageLayers> stages_by_work(const TrainingShape& shape, std::size_t stages) {
  double all = shape.vocabulary * shape.hidden;
  for (const std::size_t kind : shape.order) all += shape.kinds[kind].work;
  StageLayers empty;
  empty.of_kind.assign(shape.kinds.size(), 0);
  std::vector<StageLayers> out(stages, empty);
  out.front().first = true;
  std::size_t stage = 0;
  double so_far = 0;
  for (const std::size_t kind : shape.order) {
    out[stage].of_kind[kind] += 1;
    out[stage].layers += 1;
    so_far += shape.kinds[kind].work;
    if (so_far > all * static_cast<double>(stage + 1) / static_cast<double>(stages) && stage + 1 < stages) ++stage;
  }
  out[stage].last = true;
  for (const std::size_t kind : shape.mtp_order) out[stage].of_kind[kind] += 1;
  return out;
}

}  // namespace

std::vector<StageLayers> stages_of(const TrainingShape& shape, double pipeline) {
  const auto stages = static_cast<std::size_t>(pipeline);
  if (shape.stages_by_work) return stages_by_work(shape, stages);
  const std::size_t layers = shape.order.size();
  std::vector<std::size_t> count(stages, layers / stages);
  if (layers % stages != 0) {
    const std::size_t at_end = 1 + shape.mtp_order.size(), units = layers + at_end, extra = units % stages;
    count.assign(stages, units / stages);
    for (std::size_t i = 0; i < extra; ++i) ++count[i];  // the last ones have the head
    std::size_t left_over = 0;                           // of what the ends cannot give
    const auto give = [&](std::size_t& own, std::size_t wanted) {
      const std::size_t given = std::min(own, wanted);
      own -= given;
      left_over += wanted - given;
    };
    give(count.back(), at_end);
    for (std::size_t i = stages; i-- > 0 && left_over > 0;) {
      const std::size_t given = std::min(count[i], left_over);
      count[i] -= given;
      left_over -= given;
    }
  }
  std::vector<StageLayers> out;
  std::size_t next = 0;
  for (std::size_t stage = 0; stage < stages; ++stage) {
    StageLayers one;
    one.of_kind.assign(shape.kinds.size(), 0);
    one.first = stage == 0;
    one.last = stage + 1 == stages;
    one.layers = static_cast<double>(count[stage]);
    for (std::size_t i = 0; i < count[stage]; ++i) one.of_kind[shape.order[next++]] += 1;
    if (one.last) {
      for (const std::size_t kind : shape.mtp_order) one.of_kind[kind] += 1;
    }
    out.push_back(std::move(one));
  }
  return out;
}

std::vector<StageLayers> model_stages(const TrainingShape& shape, const TrainingLayout& layout) {
  using train::ScheduleKind;
  const bool turns = layout.schedule == ScheduleKind::zb_v || layout.schedule == ScheduleKind::dualpipev;
  return stages_of(shape, layout.pipeline * (turns ? 2 : 1));
}

std::vector<StageLayers> rank_stages(const std::vector<StageLayers>& model, const TrainingLayout& layout) {
  const train::PipelineShape shape = pipeline_shape(layout, 1);
  if (train::fixed_chunks(shape.kind) < 2) return model;
  std::vector<StageLayers> out;
  for (int rank = 0; rank < shape.ranks; ++rank) {
    StageLayers own;
    for (int chunk = 0; chunk < shape.chunks; ++chunk) {
      const StageLayers& stage = model[static_cast<std::size_t>(shape.stage_of(rank, chunk))];
      own.of_kind.resize(stage.of_kind.size());
      for (std::size_t kind = 0; kind < stage.of_kind.size(); ++kind) own.of_kind[kind] += stage.of_kind[kind];
      own.layers += stage.layers;
      own.first = own.first || stage.first;
      own.last = own.last || stage.last;
    }
    out.push_back(std::move(own));
  }
  return out;
}

}  // namespace ridge
