#include "serve/step_shape.hpp"

#include <algorithm>
#include <cmath>

namespace ridge {

namespace {

constexpr double kValueBytes = 2;  // of an activation between kernels

StepPart step_part(Part part) {
  if (part == Part::attention) return StepPart::projections;
  if (part == Part::head) return StepPart::head;
  if (part == Part::dense_ffn || part == Part::shared_experts) return StepPart::dense_ffn;
  return part == Part::router ? StepPart::experts : StepPart::projections;
}

bool multiplied(const Weight& weight) { return weight.use == Use::matrix && weight.part != Part::routed_experts; }

double pieces_of(const Weight& weight) { return weight.split == Split::whole ? 1 : weight.pieces; }

/// Builds the shape layer kind by layer kind.
class Shaper {
 public:
  Shaper(const Model& model, const StepFormats& formats) : model_(model), formats_(formats) {}

  StepShape run() {
    shape_.hidden = model_.hidden;
    shape_.layers = model_.layers();
    shape_.vocabulary = model_.vocabulary;
    shape_.tied = model_.tied_embeddings;
    shape_.embedding = model_.hidden * model_.vocabulary * format(Part::embedding).width;
    shape_.head = format(Part::head);
    shape_.activation_width = formats_.activation_width;
    shape_.dispatch_width = formats_.dispatch_width;
    add_products(model_.extra, 1);
    for (std::size_t kind = 0; kind < model_.kinds.size(); ++kind) {
      const double times = layers_of(model_, kind);
      if (times > 0) add_layer(model_.kinds[kind], times);
    }
    return std::move(shape_);
  }

 private:
  const PartFormat& format(Part part) const { return formats_.parts[static_cast<std::size_t>(part)]; }

  void add_products(const Weights& weights, double times) {
    const Weight* before = nullptr;
    for (const Weight& weight : weights) {
      const double bytes = weight.params() * format(weight.part).width;
      if (weight.use == Use::table) shape_.looked_up.add(bytes * times, 1);
      if (!multiplied(weight)) continue;
      if (weight.used == 0) {  // held, but not for the text
        shape_.looked_up.add(bytes * times, pieces_of(weight));
        continue;
      }
      const bool fused = before != nullptr && before->part == weight.part && before->in == weight.in &&
                         before->split == weight.split && weight.split != Split::rows && weight.split != Split::count;
      if (!fused) {
        shape_.products.push_back({step_part(weight.part),
                                   format(weight.part).precision,
                                   format(weight.part).input_width,
                                   times,
                                   {},
                                   {},
                                   {}});
        shape_.products.back().inner.add(weight.in, weight.split == Split::rows ? weight.pieces : 1);
      }
      GemmShape& product = shape_.products.back();
      product.outer.add(weight.out * weight.count, weight.split == Split::rows ? 1 : pieces_of(weight));
      product.weights.add(bytes, pieces_of(weight));
      before = &weight;
    }
  }

  void add_layer(const Layer& layer, double times) {
    const Weights weights = weights_of(layer, model_.hidden);
    LayerShape own;
    own.mixes = !std::holds_alternative<NoMixer>(layer.mixer);
    own.dense = layer.dense.has_value();
    own.times = times;
    add_products(weights, times);
    add_attention(layer, weights, times);
    if (layer.experts) {
      own.experts = static_cast<int>(shape_.experts.size());
      add_experts(*layer.experts, times);
    }
    shape_.small_bytes.add(times * layer.norms * 3 * model_.hidden * kValueBytes, 1);  // read, add, write
    for (const Weight& weight : weights) {
      if (!multiplied(weight)) continue;
      if (weight.split == Split::columns) {  // rotations, activations
        shape_.small_bytes.add(times * 2 * weight.out * weight.count * kValueBytes, weight.pieces);
      }
      DividedSum& alive = weight.part == Part::attention ? own.attention : own.network;
      alive.add(weight.split == Split::rows ? weight.in : weight.out * weight.count, pieces_of(weight));
    }
    shape_.small_kernels += times * small_kernels(layer, weights);
    shape_.layers_of_kind.push_back(std::move(own));
  }

  /// Norms; rotation with the write into the cache, and joining the parts of a divided attention; the choice of experts;
  /// activations; adding shared experts. Latent attention also joins its two kinds of queries, and its up-projection is
  /// two products in decoding. Quantisers are part of the kernel before them.
  double small_kernels(const Layer& layer, const Weights& weights) const {
    double count = layer.norms;
    bool up = false;
    for (const Weight& weight : weights) {
      const bool inner = weight.use == Use::vector && weight.part == Part::attention;
      if (inner && weight.name.find("norm") != std::string::npos) count += 1;
      const bool network = weight.part == Part::dense_ffn || weight.part == Part::shared_experts;
      up = up || (network && weight.split == Split::columns);
    }
    if (up) count += 1;
    if (!std::holds_alternative<NoMixer>(layer.mixer)) count += 2;
    if (is_latent(layer)) count += 2;
    if (layer.experts) count += 1 + (layer.experts->groups > 1 ? 1 : 0) + (layer.experts->shared_size > 0 ? 1 : 0);
    return count;
  }

  void add_attention(const Layer& layer, const Weights& weights, double times) {
    AttentionShape own;
    own.terms = std::visit([](const auto& mixer) { return mixer.context(); }, layer.mixer);
    if (own.terms.empty()) return;
    own.times = times;
    own.latent = is_latent(layer);
    own.kv_width = formats_.kv_width;
    for (const ContextTerm& term : own.terms) {
      own.widths.push_back(term.held == Held::kv      ? formats_.kv_width
                           : term.held == Held::index ? formats_.index_width
                                                      : formats_.state_width);
      if (term.read > 0) own.reach = std::max(own.reach, term.limit);
      const double flops = term.prefill_flops > 0 ? term.prefill_flops : term.flops;
      if (term.held != Held::index) own.score_flops = std::max(own.score_flops, flops / term.query_pieces);
    }
    // latent attention makes keys and values for every head before a prompt meets itself
    if (const auto* latent = std::get_if<LatentAttention>(&layer.mixer)) {
      own.latent_row = 2 * (latent->nope_dim + latent->rope_dim + latent->value_dim) * kValueBytes;
    }
    for (const Weight& weight : weights) {
      if (weight.part != Part::attention || weight.split != Split::rows) continue;
      own.rows.add(2 * weight.in * kValueBytes, weight.pieces);
    }
    shape_.attention.push_back(std::move(own));
  }

  void add_experts(const Experts& experts, double times) {
    ExpertsShape own;
    own.count = experts.count;
    own.per_token = experts.per_token;
    own.size = experts.size;
    own.matrices = experts.gated ? 3 : 2;
    own.width = experts.latent > 0 ? experts.latent : model_.hidden;
    own.groups = experts.groups;
    own.groups_used = experts.groups_used;
    own.shared = experts.shared_size > 0;
    own.format = format(Part::routed_experts);
    own.times = times;
    shape_.experts.push_back(own);
  }

  const Model& model_;
  const StepFormats& formats_;
  StepShape shape_;
};

}  // namespace

void DividedSum::add(double amount, double pieces) {
  for (Share& share : shares) {
    if (share.pieces != pieces) continue;
    share.amount += amount;
    return;
  }
  shares.push_back({amount, pieces});
}

bool is_latent(const Layer& layer) {
  return std::holds_alternative<LatentAttention>(layer.mixer) || std::holds_alternative<IndexedAttention>(layer.mixer);
}

StepShape shape_of(const Model& model, const StepFormats& formats) { return Shaper(model, formats).run(); }

LayoutNumbers<double> numbers_of(const Layout& layout, const Fabric& fabric) {
  LayoutNumbers<double> out;
  out.tensor = layout.tensor;
  out.pipeline = layout.pipeline;
  out.context = layout.context;
  out.attention_data = layout.attention_data;
  out.expert = layout.expert;
  out.redundant_experts = layout.redundant_experts;
  out.deviations = expected_largest(layout.expert);
  out.kind.balanced = layout.balanced;
  out.kind.divided = layout.tensor > 1;
  out.kind.grouped = layout.attention_data > 1;
  out.kind.shared = layout.context > 1;
  out.kind.staged = layout.pipeline > 1;
  out.kind.tensor_far = layout.tensor > fabric.domain;
  out.kind.context_far = layout.context > fabric.domain;
  out.kind.stage_far = layout.chips_per_stage() > fabric.domain;
  out.kind.hops_inside = layout.chips_per_stage() * layout.pipeline <= fabric.domain;
  return out;
}

}  // namespace ridge
