#include <algorithm>
#include <cmath>

#include "serve/step.hpp"

namespace ridge {

namespace {

constexpr double kValueBytes = 2;  // of an activation between kernels

StepPart step_part(Part part) {
  if (part == Part::attention) return StepPart::projections;
  if (part == Part::head) return StepPart::head;
  if (part == Part::dense_ffn || part == Part::shared_experts) return StepPart::dense_ffn;
  return part == Part::router ? StepPart::experts : StepPart::projections;
}

/// Builds the plan layer kind by layer kind.
class Planner {
 public:
  Planner(const Model& model, const Layout& layout, const StepFormats& formats, const Fabric& fabric)
      : model_(model), layout_(layout), formats_(formats), fabric_(fabric) {}

  StepPlan run() {
    plan_.attention_data = layout_.attention_data;
    plan_.pipeline = layout_.pipeline;
    plan_.hidden = model_.hidden;
    plan_.layers = model_.layers();
    plan_.unevenness = std::ceil(plan_.layers / layout_.pipeline) * layout_.pipeline / plan_.layers;
    // a tied table is the head as well
    if (!model_.tied_embeddings || layout_.pipeline > 1) {
      plan_.embedding = model_.hidden * model_.vocabulary / layout_.tensor * format(Part::embedding).width;
    }
    add_products(model_.extra, 1);
    for (std::size_t kind = 0; kind < model_.kinds.size(); ++kind) {
      const double times = layers_of(model_, kind);
      if (times > 0) add_layer(model_.kinds[kind], times);
    }
    add_head();
    add_hops();
    return std::move(plan_);
  }

 private:
  const PartFormat& format(Part part) const { return formats_.parts[static_cast<std::size_t>(part)]; }

  /// The share of a weight on this chip, as a product.
  ProductPlan product(const Weight& weight, double times) const {
    const double pieces = divided(layout_.tensor, weight.pieces);
    const double ways = weight.split == Split::whole ? 1 : pieces;
    ProductPlan plan{step_part(weight.part),
                     format(weight.part).precision,
                     weight.in,
                     weight.out * weight.count,
                     0,
                     format(weight.part).input_width,
                     times};
    (weight.split == Split::rows ? plan.inner : plan.outer) /= ways;
    plan.weights = weight.params() / ways * format(weight.part).width;
    return plan;
  }

  /// Matrices that take the same input are one kernel: queries, keys and values; gate and up.
  void add_products(const Weights& weights, double times) {
    const Weight* before = nullptr;
    for (const Weight& weight : weights) {
      if (weight.use == Use::table) plan_.embedding += weight.params() * format(weight.part).width * times;
      if (weight.use != Use::matrix || weight.part == Part::routed_experts) continue;
      if (weight.used == 0) {  // held, but not for the text
        plan_.embedding += product(weight, times).weights * times;
        continue;
      }
      const ProductPlan own = product(weight, times);
      const bool fused = before != nullptr && before->part == weight.part && before->in == weight.in &&
                         before->split == weight.split && weight.split != Split::rows && weight.split != Split::count;
      if (fused) {
        plan_.products.back().outer += own.outer;
        plan_.products.back().weights += own.weights;
      } else {
        plan_.products.push_back(own);
      }
      before = &weight;
    }
  }

  void add_layer(const Layer& layer, double times) {
    const Weights weights = weights_of(layer, model_.hidden);
    add_products(weights, times);
    add_attention(layer, times);
    if (layer.experts) add_experts(*layer.experts, times);
    plan_.live_values = std::max(plan_.live_values, live_values(layer, weights));
    const bool mixes = !std::holds_alternative<NoMixer>(layer.mixer);
    const bool exchanged = layer.experts && layout_.attention_data > 1;
    if (mixes) add_reduce(times, layout_.tensor);
    // experts are divided over all chips of the stage
    if ((layer.dense || layer.experts) && !exchanged) {
      add_reduce(times, layer.experts ? layout_.chips_per_stage() : layout_.tensor);
    }
    if (exchanged) add_exchange(*layer.experts, times);
    double values = layer.norms * 3 * model_.hidden;  // read, add, write
    for (const Weight& weight : weights) {
      if (weight.use != Use::matrix || weight.part == Part::routed_experts) continue;
      const double ways = weight.split == Split::columns ? divided(layout_.tensor, weight.pieces) : 1;
      if (weight.split == Split::columns) values += 2 * weight.out * weight.count / ways;  // rotations, activations
    }
    plan_.small_bytes += times * values * kValueBytes;
    plan_.small_kernels += times * small_kernels(layer, weights);
  }

  /// Values of one token that are alive at once: what the products of one part give, and what its last one takes.
  double live_values(const Layer& layer, const Weights& weights) const {
    double attention = 0, network = 0, experts = 0;
    for (const Weight& weight : weights) {
      if (weight.use != Use::matrix || weight.part == Part::routed_experts) continue;
      const double ways = weight.split == Split::whole ? 1 : divided(layout_.tensor, weight.pieces);
      double& sum = weight.part == Part::attention ? attention : network;
      sum += (weight.split == Split::rows ? weight.in : weight.out * weight.count) / ways;
    }
    if (layer.experts) {
      const double width = layer.experts->latent > 0 ? layer.experts->latent : model_.hidden;
      const double inner = (layer.experts->gated ? 3 : 2) * layer.experts->size / layout_.moe_tensor();
      experts = layer.experts->per_token / layout_.expert * (width + inner);
    }
    return std::max({attention, network, experts});
  }

  /// Norms; rotation with the write into the cache, and joining the parts of a divided attention; the choice of experts;
  /// activations; adding shared experts. Latent attention also joins its two kinds of queries, and its up-projection is
  /// two products in decoding. Quantisers are counted with the products.
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

  void add_attention(const Layer& layer, double times) {
    const ContextTerms terms = std::visit([](const auto& mixer) { return mixer.context(); }, layer.mixer);
    if (terms.empty()) return;
    AttentionPlan plan;
    plan.times = times;
    plan.kv_heads = 0;
    for (const ContextTerm& term : terms) {
      const double width = term.held == Held::kv      ? formats_.kv_width
                           : term.held == Held::index ? formats_.index_width
                                                      : formats_.state_width;
      const double kept = width / divided(layout_.tensor, term.kv_pieces) / layout_.context;
      const double done = 1 / divided(layout_.tensor, term.query_pieces) / layout_.context;
      const double prefill = term.prefill_flops > 0 ? term.prefill_flops : term.flops;
      plan.terms.push_back({term.limit, term.read * kept, term.flops * done, prefill * done, term.fixed_read * kept,
                            term.fixed_flops * done, term.root_read * kept, term.root_flops * done,
                            term.held == Held::index, term.stored * kept, term.fixed_stored * kept});
      plan.written += term.stored * kept;
      if (term.read > 0) plan.reach = std::max(plan.reach, term.limit);
      plan.kv_heads = std::max(plan.kv_heads, term.kv_pieces / divided(layout_.tensor, term.kv_pieces));
      plan.heads = std::max(plan.heads, term.query_pieces / divided(layout_.tensor, term.query_pieces));
    }
    plan.group = plan.heads / plan.kv_heads;
    plan.latent = is_latent(layer);
    plan.row_bytes = row_bytes(layer, plan);
    if (layout_.context > 1) add_merge(plan, times);
    plan_.attention.push_back(std::move(plan));
  }

  /// Queries, keys, values and results of one token of a prompt, on their way in and out. Latent attention makes keys and
  /// values for every head first.
  double row_bytes(const Layer& layer, const AttentionPlan& plan) const {
    if (const auto* latent = std::get_if<LatentAttention>(&layer.mixer)) {
      return plan.heads * 2 * (latent->nope_dim + latent->rope_dim + latent->value_dim) * kValueBytes;
    }
    double bytes = plan.written / formats_.kv_width * kValueBytes;  // new keys and values
    for (const Weight& weight : weights_of(layer, model_.hidden)) {
      if (weight.part == Part::attention && weight.split == Split::rows) {
        bytes += 2 * weight.in / divided(layout_.tensor, weight.pieces) * kValueBytes;
      }
    }
    return bytes;
  }

  /// Chips that share a context add up their parts of the result.
  void add_merge(const AttentionPlan& plan, double times) {
    const double chips = std::min(layout_.context, fabric_.domain);
    plan_.reduces.push_back({plan.row_bytes / 2, chips, std::ceil(layout_.context / chips), is_torus(), times});
  }

  void add_experts(const Experts& experts, double times) {
    const PartFormat& own = format(Part::routed_experts);
    const double width = experts.latent > 0 ? experts.latent : model_.hidden;
    const double size = experts.size / layout_.moe_tensor();
    const double matrices = experts.gated ? 3 : 2;
    ExpertsPlan plan;
    plan.precision = own.precision;
    plan.block_scaled = own.block_scaled;
    plan.groups = layout_.expert;
    plan.deviations = expected_largest(layout_.expert);
    plan.balanced = layout_.balanced;
    plan.local = (experts.count + layout_.redundant) / layout_.expert;
    plan.share = experts.per_token / (experts.count + layout_.redundant);
    plan.rows = experts.per_token / layout_.expert;
    plan.per_token = experts.per_token;
    plan.row_flops = 2 * matrices * width * size;
    plan.weights = matrices * width * size * own.width;
    plan.row_bytes = (2 * width + matrices * size) * kValueBytes;
    plan.times = times;
    plan_.experts.push_back(plan);
  }

  /// The sum over so many chips, which may reach over several domains.
  void add_reduce(double times, double over) {
    if (over <= 1) return;
    const double chips = std::min(over, fabric_.domain);
    plan_.reduces.push_back(
        {model_.hidden * formats_.activation_width, chips, std::ceil(over / chips), is_torus(), times});
  }

  bool is_torus() const { return fabric_.topology == Topology::torus; }

  /// A token goes once to every chip that holds a part of one of its experts; across domains once to each of those.
  void add_exchange(const Experts& experts, double times) {
    const double width = experts.latent > 0 ? experts.latent : model_.hidden;
    const double chips = layout_.chips_per_stage(), near = std::min(chips, fabric_.domain);
    const double domains = std::max(1.0, chips / near);
    const double limited = experts.groups > experts.groups_used ? experts.groups_used : domains;
    const auto reached = [&](double places) { return places * (1 - std::pow(1 - 1 / places, experts.per_token)); };
    const double other_domains = std::min(reached(domains), limited) * (domains - 1) / domains;
    const double other_chips = std::min(reached(layout_.expert) * layout_.moe_tensor(), chips) * (near - 1) / near;
    // with tensor parallelism inside a group, its chips share the sending
    const double sharing = layout_.tensor * layout_.context;
    const double travelled = is_torus() ? torus_distance(near) : 1;  // links that a byte crosses
    for (const double bytes : {formats_.dispatch_width, formats_.activation_width}) {
      plan_.exchanges.push_back({other_chips * width * bytes / sharing * travelled,
                                 other_domains * width * bytes / sharing, width * bytes / sharing * travelled, near,
                                 times});
    }
    if (experts.shared_size > 0) add_reduce(times, layout_.tensor);
  }

  void add_head() {
    const PartFormat& own = format(Part::head);
    ProductPlan plan{
        StepPart::head, own.precision, model_.hidden, model_.vocabulary / layout_.tensor, 0, own.input_width, 1};
    plan.weights = plan.inner * plan.outer * own.width;
    plan_.products.push_back(plan);
  }

  void add_hops() {
    plan_.hops = layout_.pipeline - 1;
    plan_.hop_bytes = model_.hidden * formats_.activation_width / layout_.tensor;
    plan_.hops_inside = layout_.chips_per_stage() * layout_.pipeline <= fabric_.domain;
  }

  const Model& model_;
  const Layout& layout_;
  const StepFormats& formats_;
  const Fabric& fabric_;
  StepPlan plan_;
};

}  // namespace

bool is_latent(const Layer& layer) {
  return std::holds_alternative<LatentAttention>(layer.mixer) || std::holds_alternative<IndexedAttention>(layer.mixer);
}

double weights_held(const StepPlan& plan) {
  double layers = 0, head = 0;
  for (const ProductPlan& product : plan.products) {
    (product.part == StepPart::head ? head : layers) += product.weights * product.times;
  }
  for (const ExpertsPlan& experts : plan.experts) layers += experts.local * experts.weights * experts.times;
  // of several stages the first has the embedding and the last the head
  return plan.pipeline > 1 ? layers / plan.pipeline * plan.unevenness + std::max(head, plan.embedding)
                           : layers + head + plan.embedding;
}

double activations_held(const StepPlan& plan, double tokens) {
  return tokens * kValueBytes * (2 * plan.hidden + plan.live_values);
}

double context_held(const StepPlan& plan, double context) {
  double bytes = 0;
  for (const AttentionPlan& attention : plan.attention) {
    for (const AttentionPlan::Term& term : attention.terms) {
      bytes += (term.stored * std::min(context, term.limit) + term.fixed_stored) * attention.times;
    }
  }
  return bytes / plan.pipeline * plan.unevenness;
}

StepPlan plan_step(const Model& model, const Layout& layout, const StepFormats& formats, const Fabric& fabric) {
  return Planner(model, layout, formats, fabric).run();
}

}  // namespace ridge
