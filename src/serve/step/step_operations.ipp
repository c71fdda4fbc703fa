#pragma once
// From a shape and a layout to a plan; include only from files that instantiate it.

#include "layout/routing.hpp"
#include "serve/step/step_shape.hpp"

namespace ridge {

namespace step {

/// The products of a step, the head last.
template <class N>
void fill_products(const StepShape& shape, const LayoutNumbers<N>& layout, std::vector<GemmOperationOf<N>>& products) {
  products.resize(shape.products.size() + 1);
  for (std::size_t i = 0; i < shape.products.size(); ++i) {
    const GemmShape& from = shape.products[i];
    GemmOperationOf<N>& to = products[i];
    to.part = from.part;
    to.precision = from.precision;
    to.input_width = from.input_width;
    to.times = from.times;
    to.inner = from.inner.on_one_of(layout.tensor);
    to.outer = from.outer.on_one_of(layout.tensor);
    to.weights = from.weights.on_one_of(layout.tensor);
  }
  GemmOperationOf<N>& head = products.back();
  head.part = StepPart::head;
  head.precision = shape.head.precision;
  head.input_width = shape.head.input_width;
  head.times = 1;
  head.inner = N(shape.hidden);
  head.outer = N(shape.vocabulary) / layout.tensor;
  head.weights = head.inner * head.outer * N(shape.head.width);
}

template <class N>
void fill_attention(const AttentionShape& from, const LayoutNumbers<N>& layout, AttentionOperationOf<N>& to) {
  to.times = from.times;
  to.latent = from.latent;
  to.reach = from.reach;
  to.score_flops = from.score_flops;
  to.kv_heads = to.heads = to.written = N(0.0);
  to.terms.resize(from.terms.size());
  for (std::size_t i = 0; i < from.terms.size(); ++i) {
    const ContextTerm& term = from.terms[i];
    const N kv_ways = min(layout.tensor, N(term.kv_pieces)), ways = min(layout.tensor, N(term.query_pieces));
    const N kept = N(from.widths[i]) / kv_ways / layout.context, done = N(1.0) / ways / layout.context;
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
                     : to.written / N(from.kv_width) * N(kActivationBytes) + from.rows.on_one_of(layout.tensor);
}

/// What one chip has of the inner width of an expert: a group's experts are divided over its chips.
template <class N>
N expert_size(const ExpertsShape& experts, const LayoutNumbers<N>& layout) {
  return N(experts.size) * layout.expert / layout.chips_per_stage();
}

template <class N>
void fill_experts(const ExpertsShape& from, const LayoutNumbers<N>& layout, ExpertsOperationOf<N>& to) {
  const N held = N(from.count) + layout.redundant_experts, per_token(from.per_token);
  const N size = expert_size(from, layout);
  to.precision = from.format.precision;
  to.block_scaled = from.format.block_scaled;
  to.groups = layout.expert;
  to.deviations = layout.deviations;
  to.balanced = layout.kind.balanced;
  to.local = held / layout.expert;
  to.share = per_token / held;
  to.rows = per_token / layout.expert;
  to.per_token = from.per_token;
  to.row_flops = N(2 * from.matrices * from.width) * size;
  to.weights = N(from.matrices * from.width * from.format.width) * size;
  to.row_bytes = (N(2 * from.width) + N(from.matrices) * size) * N(kActivationBytes);
  to.times = from.times;
}

/// Values of a token that are alive at once in a layer: what the products of one part give, and what its last one
/// takes.
template <class N>
N live_values(const StepShape& shape, const LayoutNumbers<N>& layout, const LayerShape& layer) {
  const N dense = max(layer.attention.on_one_of(layout.tensor), layer.network.on_one_of(layout.tensor));
  if (layer.experts < 0) return dense;
  const ExpertsShape& experts = shape.experts[static_cast<std::size_t>(layer.experts)];
  const N inner = N(experts.matrices) * expert_size(experts, layout);
  return max(dense, N(experts.per_token) / layout.expert * (N(experts.width) + inner));
}

template <class N>
Span<N> span_over(const Fabric& fabric, const N& over, bool across) {
  const N chips = min(over, N(fabric.domain));
  return {chips, across ? ceil(over / chips) : N(1.0), fabric.domain > 1, across, fabric.topology == Topology::torus};
}

/// A token to its experts: once to every chip that holds a part of one of them, and across domains once to each of
/// those. And the results back.
template <class N>
std::array<AllToAllOperationOf<N>, 2> exchange(const StepShape& shape, const LayoutNumbers<N>& layout,
                                               const Fabric& fabric, const LayerShape& layer) {
  const ExpertsShape& experts = shape.experts[static_cast<std::size_t>(layer.experts)];
  const N one(1.0), chips = layout.chips_per_stage(), near = min(chips, N(fabric.domain));
  const N domains = max(one, chips / near);
  const N limited = experts.groups > experts.groups_used ? N(experts.groups_used) : domains;
  const auto reached = [&](const N& places) {
    return places_reached(Ratio<N>(places), Ratio<N>(N(experts.per_token))).value();
  };
  const N other_domains = layout.kind.stage_far ? min(reached(domains), limited) * (domains - one) / domains : N(0.0);
  const N slices = chips / layout.expert;
  const N other_chips = min(reached(layout.expert) * slices, chips) * (near - one) / near;
  // with tensor parallelism inside a group, its chips share the sending
  const N sharing = layout.tensor * layout.context;
  const bool torus = fabric.topology == Topology::torus;
  const N traveled = torus ? torus_distance(near) : one;  // links that a byte crosses
  const auto sent = [&](double width) -> AllToAllOperationOf<N> {
    const N copy = N(experts.width * width) / sharing;
    return {
        other_chips * copy * traveled, other_domains * copy, layout.kind.stage_far, copy * traveled, near, layer.times};
  };
  return {sent(shape.dispatch_width), sent(shape.activation_width)};
}

/// What all layers send: sums over the chips that share a context, a layer's weights or its experts, and the exchange
/// of tokens between expert groups.
template <class N>
void fill_network(const StepShape& shape, const LayoutNumbers<N>& layout, const Fabric& fabric,
                  StepOperationsOf<N>& plan) {
  plan.all_reduces.clear();
  plan.all_to_alls.clear();
  const LayoutKind& kind = layout.kind;
  if (kind.shared) {  // chips that share a context add up their parts of the result
    for (const auto& attention : plan.attention)
      plan.all_reduces.push_back(
          {attention.row_bytes / N(2.0), span_over(fabric, layout.context, kind.context_far), attention.times});
  }
  // the sum over so many chips, which may reach over several domains
  const auto add_reduce = [&](const N& over, bool several, bool across, double times) {
    if (!several) return;
    plan.all_reduces.push_back({N(shape.hidden * shape.activation_width), span_over(fabric, over, across), times});
  };
  const auto add_in_group = [&](double times) { add_reduce(layout.tensor, kind.divided, kind.tensor_far, times); };
  for (const LayerShape& layer : shape.layers_of_kind) {
    if (layer.mixes) add_in_group(layer.times);
    // experts are divided over all chips of the stage
    if (layer.experts >= 0 && kind.grouped) {
      for (const auto& one_way : exchange(shape, layout, fabric, layer)) plan.all_to_alls.push_back(one_way);
      if (shape.experts[static_cast<std::size_t>(layer.experts)].shared) add_in_group(layer.times);
    } else if (layer.experts >= 0) {
      add_reduce(layout.chips_per_stage(), kind.divided || kind.shared, kind.stage_far, layer.times);
    } else if (layer.dense) {
      add_in_group(layer.times);
    }
  }
  plan.hops = layout.pipeline - N(1.0);
  plan.hop_bytes = N(shape.hidden * shape.activation_width) / layout.tensor;
  plan.hops_inside = kind.hops_inside;
}

}  // namespace step

template <class N>
void lay_out_step(const StepShape& shape, const LayoutNumbers<N>& layout, const Fabric& fabric,
                  StepOperationsOf<N>& plan) {
  const N one(1.0), layers(shape.layers);
  plan.attention_data = layout.attention_data;
  plan.pipeline = layout.pipeline;
  plan.staged = layout.kind.staged;
  plan.hidden = shape.hidden;
  plan.layers = shape.layers;
  plan.unevenness = layout.kind.staged ? ceil(layers / layout.pipeline) * layout.pipeline / layers : one;
  plan.embedding = shape.looked_up.on_one_of(layout.tensor);
  // a tied table is the head as well
  if (!shape.tied || layout.kind.staged) plan.embedding = plan.embedding + N(shape.embedding) / layout.tensor;
  plan.small_kernels = shape.small_kernels;
  plan.small_bytes = shape.small_bytes.on_one_of(layout.tensor);
  step::fill_products(shape, layout, plan.products);
  plan.attention.resize(shape.attention.size());
  for (std::size_t i = 0; i < shape.attention.size(); ++i)
    step::fill_attention(shape.attention[i], layout, plan.attention[i]);
  plan.experts.resize(shape.experts.size());
  for (std::size_t i = 0; i < shape.experts.size(); ++i) step::fill_experts(shape.experts[i], layout, plan.experts[i]);
  plan.live_values = N(0.0);
  for (const LayerShape& layer : shape.layers_of_kind)
    plan.live_values = max(plan.live_values, step::live_values(shape, layout, layer));
  step::fill_network(shape, layout, fabric, plan);
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
  return tokens * N(kActivationBytes) * (N(2 * plan.hidden) + plan.live_values);
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
