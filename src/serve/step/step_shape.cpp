#include "serve/step/step_shape.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

namespace ridge {

namespace {

StepPart step_part(Part part) {
  if (part == Part::attention) return StepPart::projections;
  if (part == Part::head) return StepPart::head;
  if (part == Part::dense_ffn || part == Part::shared_experts) return StepPart::dense_ffn;
  return part == Part::router ? StepPart::experts : StepPart::projections;
}

bool multiplied(const Weight& weight) { return weight.use == Use::matrix && weight.part != Part::routed_experts; }

double pieces_of(const Weight& weight) { return weight.split == Split::whole ? 1 : weight.pieces; }

const PartFormat& format_of(const StepFormats& formats, Part part) {
  return formats.parts[static_cast<std::size_t>(part)];
}

/// Kernels of matrices, and the bytes of what is only held.
struct Products {
  std::vector<GemmShape> kernels;
  DividedSum held;
};

Products products_of(const Weights& weights, const StepFormats& formats, double times) {
  Products out;
  const Weight* before = nullptr;
  for (const Weight& weight : weights) {
    const PartFormat& format = format_of(formats, weight.part);
    const double bytes = weight.params() * format.width;
    if (weight.use == Use::table) out.held.add(bytes * times, 1);
    if (!multiplied(weight)) continue;
    if (weight.used == 0) {  // held, but not for the text
      out.held.add(bytes * times, pieces_of(weight));
      continue;
    }
    const bool fused = before != nullptr && before->part == weight.part && before->in == weight.in &&
                       before->split == weight.split && weight.split != Split::rows && weight.split != Split::count;
    if (!fused) {
      out.kernels.push_back({step_part(weight.part),
                             format.precision,
                             format.block_scaled,
                             format.look_up,
                             format.input_width,
                             times,
                             format.pace,
                             {},
                             {},
                             {},
                             0,
                             weight.split == Split::rows});
      out.kernels.back().inner.add(weight.in, weight.split == Split::rows ? weight.pieces : 1);
    }
    GemmShape& product = out.kernels.back();
    product.outer.add(weight.out * weight.count, weight.split == Split::rows ? 1 : pieces_of(weight));
    product.weights.add(bytes, pieces_of(weight));
    product.tensors += 1;
    before = &weight;
  }
  return out;
}

/// Kernels that only move a few bytes.
struct SmallKernels {
  double count = 0;
  DividedSum bytes;
};

/// An indexer: it scores all keys and takes the top of them, two kernels before the attention itself.
bool has_indexer(const Layer& layer) {
  const auto* compressed = std::get_if<CompressedAttention>(&layer.mixer);
  return std::holds_alternative<IndexedAttention>(layer.mixer) ||
         (compressed != nullptr && compressed->index_heads > 0);
}

/// Inputs with a scale for each block are made narrow by a kernel of their own before each product; where a tensor has one
/// scale, the kernel before does it. Experts: what comes in, and what is between the two products.
double quantizers_of(const Layer& layer, const std::vector<GemmShape>& products, const StepFormats& formats) {
  double count = 0;
  for (const GemmShape& product : products) count += product.block_scaled ? 1 : 0;
  if (layer.experts && format_of(formats, Part::routed_experts).block_scaled) count += 2;
  return count;
}

/// Norms; rotation with the write into the cache, and joining the parts of a divided attention; a gate on its results;
/// the choice of experts; activations; adding shared experts. Latent attention writes apart from its rotation and joins its
/// two kinds of queries, and its up-projection is two products in decoding. An indexer rotates, quantizes and writes
/// keys of its own, and its choice becomes addresses. docs/theory/serving.md has the table.
SmallKernels small_kernels_of(const Layer& layer, const Weights& weights, double hidden, double times) {
  double count = layer.norms;
  SmallKernels out;
  out.bytes.add(times * layer.norms * 3 * hidden * kActivationBytes, 1);  // read, add, write
  bool up = false;
  for (const Weight& weight : weights) {
    const bool inner = weight.use == Use::vector && weight.part == Part::attention;
    if (inner && weight.name.find("norm") != std::string::npos) count += 1;
    const bool network = weight.part == Part::dense_ffn || weight.part == Part::shared_experts;
    up = up || (network && weight.split == Split::columns);
    if (multiplied(weight) && weight.split == Split::columns)  // rotations, activations
      out.bytes.add(times * 2 * weight.out * weight.count * kActivationBytes, weight.pieces);
  }
  if (up) count += 1;
  if (!std::holds_alternative<NoMixer>(layer.mixer)) count += 2;
  if (is_latent(layer)) count += 3;
  if (has_indexer(layer)) count += 4;
  if (const auto* grouped = std::get_if<GroupedAttention>(&layer.mixer); grouped != nullptr && grouped->gate > 0)
    count += 1;
  if (layer.experts) count += 1 + (layer.experts->groups > 1 ? 1 : 0) + (layer.experts->shared_size > 0 ? 1 : 0);
  out.count = times * count;
  return out;
}

/// None where a layer mixes nothing.
std::optional<AttentionShape> attention_of(const Layer& layer, const Weights& weights, const StepFormats& formats,
                                           double times) {
  AttentionShape out;
  out.terms = std::visit([](const auto& mixer) { return mixer.context(); }, layer.mixer);
  if (out.terms.empty()) return std::nullopt;
  out.times = times;
  out.latent = is_latent(layer);
  out.before = has_indexer(layer) ? 2 : 0;
  out.kv_width = formats.kv_width;
  for (const ContextTerm& term : out.terms) {
    out.widths.push_back(term.held == Held::kv      ? formats.kv_width
                         : term.held == Held::index ? formats.index_width
                                                    : formats.state_width);
    if (term.read > 0) out.reach = std::max(out.reach, term.limit);
    const double flops = term.prefill_flops > 0 ? term.prefill_flops : term.flops;
    if (term.held == Held::index) continue;
    out.score_flops = std::max(out.score_flops, flops / term.query_pieces);
    out.decode_score_flops = std::max(out.decode_score_flops, term.flops / term.query_pieces);
  }
  if (out.decode_score_flops == 0) out.decode_score_flops = kUsualScore;
  // latent attention makes keys and values for every head before a prompt meets itself
  if (const auto* latent = std::get_if<LatentAttention>(&layer.mixer)) {
    out.latent_row = 2 * (latent->nope_dim + latent->rope_dim + latent->value_dim) * kActivationBytes;
  }
  for (const Weight& weight : weights) {
    if (weight.part != Part::attention || weight.split != Split::rows) continue;
    out.rows.add(2 * weight.in * kActivationBytes, weight.pieces);
  }
  return out;
}

ExpertsShape experts_of(const Experts& experts, double hidden, const PartFormat& format, double times) {
  return {.count = experts.count,
          .per_token = experts.per_token,
          .size = experts.size,
          .matrices = experts.gated ? 3.0 : 2.0,
          .width = experts.latent > 0 ? experts.latent : hidden,
          .groups = experts.groups,
          .groups_used = experts.groups_used,
          .shared = experts.shared_size > 0,
          .balanced_router = experts.routing_bias,
          .format = format,
          .times = times};
}

/// `experts`: where the shape of its experts stands, -1 where it has none.
LayerShape layer_of(const Layer& layer, const Weights& weights, int experts, double times) {
  LayerShape out;
  out.mixes = !std::holds_alternative<NoMixer>(layer.mixer);
  out.dense = layer.dense.has_value();
  if (const auto* grouped = std::get_if<GroupedAttention>(&layer.mixer)) {
    out.wide_norms = grouped->query_norm > grouped->head_dim || grouped->key_norm > grouped->head_dim;
  }
  out.experts = experts;
  out.times = times;
  for (const Weight& weight : weights) {
    if (!multiplied(weight)) continue;
    DividedSum& alive = weight.part == Part::attention ? out.attention : out.network;
    alive.add(weight.split == Split::rows ? weight.in : weight.out * weight.count, pieces_of(weight));
  }
  return out;
}

void add(StepShape& shape, Products products) {
  shape.products.insert(shape.products.end(), std::make_move_iterator(products.kernels.begin()),
                        std::make_move_iterator(products.kernels.end()));
  shape.looked_up.add(products.held);
}

void add(StepShape& shape, const Layer& layer, const StepFormats& formats, double times) {
  const Weights weights = weights_of(layer, shape.hidden);
  Products products = products_of(weights, formats, times);
  shape.small_kernels += times * quantizers_of(layer, products.kernels, formats);
  for (const GemmShape& product : products.kernels) shape.tuned_launches += times * product.look_up;
  if (layer.experts) shape.tuned_launches += times * format_of(formats, Part::routed_experts).look_up;
  add(shape, std::move(products));
  if (auto attention = attention_of(layer, weights, formats, times)) shape.attention.push_back(std::move(*attention));
  const int experts = layer.experts ? static_cast<int>(shape.experts.size()) : -1;
  if (layer.experts) {
    const PartFormat& format = format_of(formats, Part::routed_experts);
    shape.experts.push_back(experts_of(*layer.experts, shape.hidden, format, times));
  }
  const SmallKernels small = small_kernels_of(layer, weights, shape.hidden, times);
  shape.small_kernels += small.count;
  shape.small_bytes.add(small.bytes);
  shape.layers_of_kind.push_back(layer_of(layer, weights, experts, times));
}

}  // namespace

void DividedSum::add(double amount, double pieces) {
  for (Share& share : shares) {
    if (share.pieces != pieces) continue;
    share.amount += amount;
    return;
  }
  shares.push_back({amount, pieces});
}

void DividedSum::add(const DividedSum& more) {
  for (const Share& share : more.shares) add(share.amount, share.pieces);
}

double DividedSum::on_one_of(double degree) const {
  double sum = 0;
  for (const Share& share : shares) sum += share.amount / min(degree, share.pieces);
  return sum;
}

bool is_latent(const Layer& layer) {
  return std::holds_alternative<LatentAttention>(layer.mixer) || std::holds_alternative<IndexedAttention>(layer.mixer);
}

StepShape shape_of(const Model& model, const StepFormats& formats) {
  StepShape shape;
  shape.hidden = model.hidden;
  shape.layers = model.layers();
  shape.vocabulary = model.vocabulary;
  shape.tied = model.tied_embeddings;
  shape.embedding = model.hidden * model.vocabulary * format_of(formats, Part::embedding).width;
  shape.head = format_of(formats, Part::head);
  shape.activation_width = formats.activation_width;
  shape.dispatch_width = formats.dispatch_width;
  add(shape, products_of(model.extra, formats, 1));
  for (std::size_t kind = 0; kind < model.kinds.size(); ++kind) {
    const double times = layers_of(model, kind);
    if (times > 0) add(shape, model.kinds[kind], formats, times);
  }
  return shape;
}

}  // namespace ridge
