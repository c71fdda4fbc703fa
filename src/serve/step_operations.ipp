#pragma once
// From a shape and a layout to a plan; include only from files that instantiate it.

#include "serve/step_shape.hpp"

namespace ridge {

namespace step {

inline constexpr double kRowBytes = 2;  // of an activation between kernels

template <class N>
class PlanFiller {
 public:
  PlanFiller(const StepShape& shape, const LayoutNumbers<N>& layout, const Fabric& fabric, StepOperationsOf<N>& plan)
      : shape_(shape), layout_(layout), fabric_(fabric), plan_(plan) {}

  void run() {
    const N one(1.0), layers(shape_.layers);
    plan_.attention_data = layout_.attention_data;
    plan_.pipeline = layout_.pipeline;
    plan_.staged = layout_.kind.staged;
    plan_.hidden = shape_.hidden;
    plan_.layers = shape_.layers;
    plan_.unevenness = layout_.kind.staged ? ceil(layers / layout_.pipeline) * layout_.pipeline / layers : one;
    plan_.embedding = shape_.looked_up.on_one_of(layout_.tensor);
    // a tied table is the head as well
    if (!shape_.tied || layout_.kind.staged) plan_.embedding = plan_.embedding + N(shape_.embedding) / layout_.tensor;
    plan_.small_kernels = shape_.small_kernels;
    plan_.small_bytes = shape_.small_bytes.on_one_of(layout_.tensor);
    plan_.all_reduces.clear();
    plan_.all_to_alls.clear();
    fill_products();
    plan_.attention.resize(shape_.attention.size());
    for (std::size_t i = 0; i < shape_.attention.size(); ++i) fill_attention(shape_.attention[i], plan_.attention[i]);
    plan_.experts.resize(shape_.experts.size());
    for (std::size_t i = 0; i < shape_.experts.size(); ++i) fill_experts(shape_.experts[i], plan_.experts[i]);
    plan_.live_values = N(0.0);
    for (const LayerShape& layer : shape_.layers_of_kind) add_layer(layer);
    fill_hops();
  }

 private:
  void fill_products() {
    plan_.products.resize(shape_.products.size() + 1);
    for (std::size_t i = 0; i < shape_.products.size(); ++i) {
      const GemmShape& from = shape_.products[i];
      GemmOperationOf<N>& to = plan_.products[i];
      to.part = from.part;
      to.precision = from.precision;
      to.input_width = from.input_width;
      to.times = from.times;
      to.inner = from.inner.on_one_of(layout_.tensor);
      to.outer = from.outer.on_one_of(layout_.tensor);
      to.weights = from.weights.on_one_of(layout_.tensor);
    }
    GemmOperationOf<N>& head = plan_.products.back();
    head.part = StepPart::head;
    head.precision = shape_.head.precision;
    head.input_width = shape_.head.input_width;
    head.times = 1;
    head.inner = N(shape_.hidden);
    head.outer = N(shape_.vocabulary) / layout_.tensor;
    head.weights = head.inner * head.outer * N(shape_.head.width);
  }

  void fill_attention(const AttentionShape& from, AttentionOperationOf<N>& to) {
    to.times = from.times;
    to.latent = from.latent;
    to.reach = from.reach;
    to.score_flops = from.score_flops;
    to.kv_heads = to.heads = to.written = N(0.0);
    to.terms.resize(from.terms.size());
    for (std::size_t i = 0; i < from.terms.size(); ++i) {
      const ContextTerm& term = from.terms[i];
      const N kv_ways = min(layout_.tensor, N(term.kv_pieces)), ways = min(layout_.tensor, N(term.query_pieces));
      const N kept = N(from.widths[i]) / kv_ways / layout_.context, done = N(1.0) / ways / layout_.context;
      auto& out = to.terms[i];
      out.limit = term.limit;
      out.index = term.held == Held::index;
      out.rooted = term.root_read > 0 || term.root_flops > 0;
      out.read = N(term.read) * kept;
      out.flops = N(term.flops) * done;
      out.prefill_flops = N(term.prefill_flops > 0 ? term.prefill_flops : term.flops) * done;
      out.fixed_read = N(term.fixed_read) * kept;
      out.fixed_flops = N(term.fixed_flops) * done;
      out.root_read = N(term.root_read) * kept;
      out.root_flops = N(term.root_flops) * done;
      out.stored = N(term.stored) * kept;
      out.fixed_stored = N(term.fixed_stored) * kept;
      to.written = to.written + out.stored;
      to.kv_heads = max(to.kv_heads, N(term.kv_pieces) / kv_ways);
      to.heads = max(to.heads, N(term.query_pieces) / ways);
    }
    to.group = to.heads / to.kv_heads;
    // queries, keys, values and results of one token of a prompt, on their way in and out
    to.row_bytes = from.latent_row > 0
                       ? to.heads * N(from.latent_row)
                       : to.written / N(from.kv_width) * N(kRowBytes) + from.rows.on_one_of(layout_.tensor);
    if (layout_.kind.shared) {  // chips that share a context add up their parts of the result
      plan_.all_reduces.push_back({to.row_bytes / N(2.0), span(layout_.context, layout_.kind.context_far), from.times});
    }
  }

  void fill_experts(const ExpertsShape& from, ExpertsOperationOf<N>& to) {
    const N held = N(from.count) + layout_.redundant_experts, per_token(from.per_token);
    const N size = N(from.size) * layout_.expert / layout_.chips_per_stage();
    to.precision = from.format.precision;
    to.block_scaled = from.format.block_scaled;
    to.groups = layout_.expert;
    to.deviations = layout_.deviations;
    to.balanced = layout_.kind.balanced;
    to.local = held / layout_.expert;
    to.share = per_token / held;
    to.rows = per_token / layout_.expert;
    to.per_token = from.per_token;
    to.row_flops = N(2 * from.matrices * from.width) * size;
    to.weights = N(from.matrices * from.width * from.format.width) * size;
    to.row_bytes = (N(2 * from.width) + N(from.matrices) * size) * N(kRowBytes);
    to.times = from.times;
  }

  /// What a layer sends, and what of it is alive at once: what the products of one part give, and what its last one
  /// takes.
  void add_layer(const LayerShape& layer) {
    const bool routed = layer.experts >= 0;
    if (layer.mixes) add_reduce(layout_.tensor, layout_.kind.divided, layout_.kind.tensor_far, layer.times);
    // experts are divided over all chips of the stage
    if (routed && layout_.kind.grouped) {
      add_exchange(shape_.experts[static_cast<std::size_t>(layer.experts)], layer.times);
    } else if (routed) {
      add_reduce(layout_.chips_per_stage(), layout_.kind.divided || layout_.kind.shared, layout_.kind.stage_far,
                 layer.times);
    } else if (layer.dense) {
      add_reduce(layout_.tensor, layout_.kind.divided, layout_.kind.tensor_far, layer.times);
    }
    plan_.live_values =
        max(plan_.live_values, max(layer.attention.on_one_of(layout_.tensor), layer.network.on_one_of(layout_.tensor)));
    if (!routed) return;
    const ExpertsShape& experts = shape_.experts[static_cast<std::size_t>(layer.experts)];
    const N inner = N(experts.matrices * experts.size) * layout_.expert / layout_.chips_per_stage();
    plan_.live_values = max(plan_.live_values, N(experts.per_token) / layout_.expert * (N(experts.width) + inner));
  }

  bool is_torus() const { return fabric_.topology == Topology::torus; }

  Span<N> span(const N& over, bool across) const {
    const N chips = min(over, N(fabric_.domain));
    return {chips, across ? ceil(over / chips) : N(1.0), fabric_.domain > 1, across, is_torus()};
  }

  /// The sum over so many chips, which may reach over several domains.
  void add_reduce(const N& over, bool several, bool across, double times) {
    if (several) plan_.all_reduces.push_back({N(shape_.hidden * shape_.activation_width), span(over, across), times});
  }

  /// A token goes once to every chip that holds a part of one of its experts; across domains once to each of those.
  void add_exchange(const ExpertsShape& experts, double times) {
    const N one(1.0), chips = layout_.chips_per_stage(), near = min(chips, N(fabric_.domain));
    const N domains = max(one, chips / near);
    const N limited = experts.groups > experts.groups_used ? N(experts.groups_used) : domains;
    const auto reached = [&](const N& places) {
      return places * (one - pow(one - one / places, N(experts.per_token)));
    };
    const N other_domains =
        layout_.kind.stage_far ? min(reached(domains), limited) * (domains - one) / domains : N(0.0);
    const N slices = chips / layout_.expert;
    const N other_chips = min(reached(layout_.expert) * slices, chips) * (near - one) / near;
    // with tensor parallelism inside a group, its chips share the sending
    const N sharing = layout_.tensor * layout_.context;
    const N traveled = is_torus() ? torus_distance(near) : one;  // links that a byte crosses
    for (const double bytes : {shape_.dispatch_width, shape_.activation_width}) {
      const N copy = N(experts.width * bytes) / sharing;
      plan_.all_to_alls.push_back(
          {other_chips * copy * traveled, other_domains * copy, layout_.kind.stage_far, copy * traveled, near, times});
    }
    if (experts.shared) add_reduce(layout_.tensor, layout_.kind.divided, layout_.kind.tensor_far, times);
  }

  void fill_hops() {
    plan_.hops = layout_.pipeline - N(1.0);
    plan_.hop_bytes = N(shape_.hidden * shape_.activation_width) / layout_.tensor;
    plan_.hops_inside = layout_.kind.hops_inside;
  }

  const StepShape& shape_;
  const LayoutNumbers<N>& layout_;
  const Fabric& fabric_;
  StepOperationsOf<N>& plan_;
};

}  // namespace step

template <class N>
void lay_out_step(const StepShape& shape, const LayoutNumbers<N>& layout, const Fabric& fabric,
                  StepOperationsOf<N>& plan) {
  step::PlanFiller<N>(shape, layout, fabric, plan).run();
}

template <class N>
N weights_held(const StepOperationsOf<N>& plan) {
  N layers(0.0), head(0.0);
  for (const auto& product : plan.products) {
    N& sum = product.part == StepPart::head ? head : layers;
    sum = sum + product.weights * N(product.times);
  }
  for (const auto& experts : plan.experts) layers = layers + experts.local * experts.weights * N(experts.times);
  // of several stages the first has the embedding and the last the head
  return plan.staged ? layers / plan.pipeline * plan.unevenness + max(head, plan.embedding)
                     : layers + head + plan.embedding;
}

template <class N>
N activations_held(const StepOperationsOf<N>& plan, const std::type_identity_t<N>& tokens) {
  return tokens * N(step::kRowBytes) * (N(2 * plan.hidden) + plan.live_values);
}

template <class S, class N>
Bytes<S> kv_cache_held(const StepOperationsOf<N>& plan, const Tokens<S>& context) {
  Bytes<S> bytes = literal<Bytes<S>>(0.0);
  for (const auto& attention : plan.attention) {
    for (const auto& term : attention.terms) {
      const Tokens<S> reached = term.limit == kUnlimited ? context : min(context, literal<Tokens<S>>(term.limit));
      const Bytes<S> one = amount<BytesPerToken<S>>(term.stored) * reached + amount<Bytes<S>>(term.fixed_stored);
      bytes = bytes + one * attention.times;
    }
  }
  return bytes / amount<Ratio<S>>(plan.pipeline) * amount<Ratio<S>>(plan.unevenness);
}

}  // namespace ridge
