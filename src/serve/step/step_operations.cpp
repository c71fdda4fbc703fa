#include "layout/routing.hpp"
#include "serve/step/step_formats.hpp"
#include "serve/step/step_shape.hpp"

namespace ridge {

namespace {

/// The products of a step, the head last.
void fill_products(const StepShape& shape, const Layout& layout, std::vector<GemmOperation>& products) {
  products.resize(shape.products.size() + 1);
  for (std::size_t i = 0; i < shape.products.size(); ++i) {
    const GemmShape& from = shape.products[i];
    GemmOperation& to = products[i];
    to.part = from.part;
    to.precision = from.precision;
    to.input_width = from.input_width;
    to.times = from.times;
    to.pace = from.pace;
    to.tensors = from.tensors;
    to.sums_rows = from.sums_rows;
    to.inner = from.inner.on_one_of(layout.tensor);
    to.outer = from.outer.on_one_of(layout.tensor);
    to.weights = from.weights.on_one_of(layout.tensor);
  }
  GemmOperation& head = products.back();
  head.part = StepPart::head;
  head.precision = shape.head.precision;
  head.input_width = shape.head.input_width;
  head.times = 1;
  head.pace = shape.head.pace;
  head.inner = shape.hidden;
  head.outer = shape.vocabulary / layout.tensor;
  head.weights = head.inner * head.outer * shape.head.width;
}

void fill_attention(const AttentionShape& from, const Layout& layout, AttentionOperation& to) {
  to.times = from.times;
  to.latent = from.latent;
  to.before = from.before;
  to.reach = from.reach;
  to.score_flops = from.score_flops;
  to.decode_score_flops = from.decode_score_flops;
  to.kv_heads = to.heads = to.written = 0;
  to.terms.resize(from.terms.size());
  for (std::size_t i = 0; i < from.terms.size(); ++i) {
    const ContextTerm& term = from.terms[i];
    const double kv_ways = min(layout.tensor, term.kv_pieces), ways = min(layout.tensor, term.query_pieces);
    const double kept = from.widths[i] / kv_ways / layout.context, done = 1.0 / ways / layout.context;
    auto& out = to.terms[i];
    out.limit = term.limit;
    out.index = term.held == Held::index;
    out.rooted = term.root_read > 0 || term.root_flops > 0;
    out.read = term.read * kept;
    out.flops = term.flops * done;
    out.prefill_flops = (term.prefill_flops > 0 ? term.prefill_flops : term.flops) * done;
    out.fixed_read = term.fixed_read * kept;
    out.fixed_flops = term.fixed_flops * done;
    out.root_read = term.root_read * kept;
    out.root_flops = term.root_flops * done;
    out.stored = term.stored * kept;
    out.fixed_stored = term.fixed_stored * kept;
    to.written += out.stored;
    to.kv_heads = max(to.kv_heads, term.kv_pieces / kv_ways);
    to.heads = max(to.heads, term.query_pieces / ways);
  }
  to.group = to.heads / to.kv_heads;
  // queries, keys, values and results of one token of a prompt, on their way in and out
  to.row_bytes = from.latent_row > 0
                     ? to.heads * from.latent_row
                     : to.written / from.kv_width * kActivationBytes + from.rows.on_one_of(layout.tensor);
}

/// What one chip has of the inner width of an expert: a group's experts are divided over its chips.
double expert_size(const ExpertsShape& experts, const Layout& layout) {
  return experts.size * layout.expert / layout.chips_per_stage();
}

void fill_experts(const ExpertsShape& from, const Layout& layout, double deviations, ExpertsOperation& to) {
  const double held = from.count + layout.redundant_experts, per_token = from.per_token;
  const double size = expert_size(from, layout);
  const PartFormat& format = from.format;
  to.kernel = grouped_kernel(format.precision, format.block_scaled, format.width);
  to.balanced_router = from.balanced_router;
  to.groups = layout.expert;
  to.deviations = deviations;
  to.balanced = layout.balanced;
  to.local = held / layout.expert;
  to.share = per_token / held;
  to.rows = per_token / layout.expert;
  to.per_token = from.per_token;
  to.row_flops = 2 * from.matrices * from.width * size * from.format.pace;
  to.weights = from.matrices * from.width * from.format.width * size;
  to.params = from.matrices * from.width * size;
  to.row_bytes = (2 * from.width + from.matrices * size) * kActivationBytes;
  to.times = from.times;
}

/// Values of a token that are alive at once in a layer: what the products of one part give, and what its last one
/// takes.
double live_values(const StepShape& shape, const Layout& layout, const LayerShape& layer) {
  const double dense = max(layer.attention.on_one_of(layout.tensor), layer.network.on_one_of(layout.tensor));
  if (layer.experts < 0) return dense;
  const ExpertsShape& experts = shape.experts[static_cast<std::size_t>(layer.experts)];
  const double inner = experts.matrices * expert_size(experts, layout);
  return max(dense, experts.per_token / layout.expert * (experts.width + inner));
}

Span span_over(const Fabric& fabric, double over) {
  const double chips = min(over, fabric.domain);
  const bool across = over > fabric.domain;
  return {chips, across ? ceil(over / chips) : 1, fabric.domain > 1, across, fabric.topology == Topology::torus};
}

/// A token to its experts: once to every chip that holds a part of one of them, and across domains once to each of
/// those. And the results back.
std::array<AllToAllOperation, 2> exchange_of(const StepShape& shape, const Layout& layout, const Fabric& fabric,
                                             const LayerShape& layer) {
  const ExpertsShape& experts = shape.experts[static_cast<std::size_t>(layer.experts)];
  const double chips = layout.chips_per_stage(), near = min(chips, fabric.domain);
  const bool leaves = chips > fabric.domain;
  const double domains = max(1.0, chips / near);
  const double limited = experts.groups > experts.groups_used ? experts.groups_used : domains;
  const auto reached = [&](double places) {
    return places_reached(Ratio<double>(places), Ratio<double>(experts.per_token)).value();
  };
  const double other_domains = leaves ? min(reached(domains), limited) * (domains - 1) / domains : 0;
  const double slices = chips / layout.expert;
  const double other_chips = min(reached(layout.expert) * slices, chips) * (near - 1) / near;
  // with tensor parallelism inside a group, its chips share the sending
  const double sharing = layout.tensor * layout.context;
  const bool torus = fabric.topology == Topology::torus;
  const double traveled = torus ? torus_distance(near) : 1;  // links that a byte crosses
  const auto sent = [&](double width) -> AllToAllOperation {
    const double copy = experts.width * width / sharing;
    return {other_chips * copy * traveled, other_domains * copy, leaves, copy * traveled, near, layer.times};
  };
  return {sent(shape.dispatch_width), sent(shape.activation_width)};
}

/// What all layers send: sums over the chips that share a context, a layer's weights or its experts, and the exchange
/// of tokens between expert groups.
void fill_network(const StepShape& shape, const Layout& layout, const Fabric& fabric, StepOperations& plan) {
  plan.all_reduces.clear();
  plan.all_to_alls.clear();
  if (layout.context > 1) {  // chips that share a context add up their parts of the result
    for (const auto& attention : plan.attention)
      plan.all_reduces.push_back({attention.row_bytes / 2, span_over(fabric, layout.context), attention.times});
  }
  // the sum over so many chips, which may reach over several domains
  const auto add_reduce = [&](double over, double times) {
    if (over <= 1) return;
    plan.all_reduces.push_back({shape.hidden * shape.activation_width, span_over(fabric, over), times});
  };
  const auto add_in_group = [&](double times) { add_reduce(layout.tensor, times); };
  for (const LayerShape& layer : shape.layers_of_kind) {
    if (layer.mixes) add_in_group(layer.times);
    if (layer.wide_norms && layout.tensor > 1) {  // sums of squares over heads that other chips have
      constexpr double kSums = 2 * 4;             // bytes: of queries and of keys, in 32 bit
      plan.all_reduces.push_back({kSums, span_over(fabric, layout.tensor), layer.times});
    }
    // experts are divided over all chips of the stage
    if (layer.experts >= 0 && layout.attention_data > 1) {
      for (const auto& one_way : exchange_of(shape, layout, fabric, layer)) plan.all_to_alls.push_back(one_way);
      if (shape.experts[static_cast<std::size_t>(layer.experts)].shared) add_in_group(layer.times);
    } else if (layer.experts >= 0) {
      add_reduce(layout.chips_per_stage(), layer.times);
    } else if (layer.dense) {
      add_in_group(layer.times);
    }
  }
  plan.hops = layout.pipeline - 1;
  plan.hop_bytes = shape.hidden * shape.activation_width / layout.tensor;
  plan.hops_inside = layout.chips_per_stage() * layout.pipeline <= fabric.domain;
}

/// Kernels of a step, as a host launches them where no captured graph does.
double launches_of(const StepOperations& plan) {
  constexpr double kOfExperts = 5;  // sorting tokens, two grouped products, the activation between them, adding up
  double count = plan.small_kernels + plan.hops + plan.tuned_launches;
  for (const auto& product : plan.products) count += product.times;
  for (const auto& attention : plan.attention) count += attention.times * (1 + attention.before);
  for (const auto& experts : plan.experts) count += experts.times * kOfExperts;
  for (const auto& reduce : plan.all_reduces) count += reduce.times;
  for (const auto& exchange : plan.all_to_alls) count += exchange.times;
  return count;
}

}  // namespace

void lay_out_step(const StepShape& shape, const Layout& layout, const Fabric& fabric, StepOperations& plan) {
  lay_out_step(shape, layout, fabric, expected_largest(layout.expert), plan);
}

void lay_out_step(const StepShape& shape, const Layout& layout, const Fabric& fabric, double deviations,
                  StepOperations& plan) {
  const bool staged = layout.pipeline > 1;
  plan.attention_data = layout.attention_data;
  plan.pipeline = layout.pipeline;
  plan.staged = staged;
  plan.hidden = shape.hidden;
  plan.layers = shape.layers;
  plan.unevenness = staged ? ceil(shape.layers / layout.pipeline) * layout.pipeline / shape.layers : 1;
  plan.embedding = shape.looked_up.on_one_of(layout.tensor);
  // a tied table is the head as well
  const bool on_host = shape.ggml && !shape.ggml->on_cpu;  // ggml looks it up on the CPU
  if ((!shape.tied || staged) && !on_host) plan.embedding += shape.embedding / layout.tensor;
  plan.vocabulary = shape.vocabulary;
  plan.ggml = shape.ggml;
  plan.small_kernels = shape.small_kernels;
  plan.tuned_launches = shape.tuned_launches;
  plan.small_bytes = shape.small_bytes.on_one_of(layout.tensor);
  fill_products(shape, layout, plan.products);
  plan.attention.resize(shape.attention.size());
  for (std::size_t i = 0; i < shape.attention.size(); ++i)
    fill_attention(shape.attention[i], layout, plan.attention[i]);
  plan.experts.resize(shape.experts.size());
  for (std::size_t i = 0; i < shape.experts.size(); ++i)
    fill_experts(shape.experts[i], layout, deviations, plan.experts[i]);
  plan.live_values = 0;
  for (const LayerShape& layer : shape.layers_of_kind)
    plan.live_values = max(plan.live_values, live_values(shape, layout, layer));
  fill_network(shape, layout, fabric, plan);
  plan.launches = launches_of(plan);
}

double weights_held(const StepOperations& plan) {
  double layers = 0, head = 0;
  for (const auto& product : plan.products) {
    double& sum = product.part == StepPart::head ? head : layers;
    sum += product.weights * product.times;
  }
  for (const auto& experts : plan.experts) layers += experts.local * experts.weights * experts.times;
  // of several stages the first has the embedding and the last the head
  return plan.staged ? layers / plan.pipeline * plan.unevenness + max(head, plan.embedding)
                     : layers + head + plan.embedding;
}

double activations_held(const StepOperations& plan, double tokens) {
  if (plan.ggml) {  // fp32: the residual stream beside the widest of what is alive, often the logits
    return plan.ggml->ubatch * GgmlSwitches::kFloatBytes * (plan.hidden + max(plan.vocabulary, plan.live_values));
  }
  return tokens * kActivationBytes * (2 * plan.hidden + plan.live_values);
}

StepOperations step_operations(const Model& model, const Layout& layout, const StepFormats& formats,
                               const Fabric& fabric) {
  StepOperations plan;
  lay_out_step(shape_of(model, formats), layout, fabric, plan);
  return plan;
}

bool lacks_link(const StepOperations& operations, const ChipPeaks<double>& peak) {
  bool inside = operations.staged && operations.hops_inside, outside = operations.staged && !operations.hops_inside;
  for (const AllReduceOperation& one : operations.all_reduces) {
    inside = inside || one.over.inside;
    outside = outside || one.over.across;
  }
  for (const AllToAllOperation& one : operations.all_to_alls) {
    inside = true;  // its time has a part inside the domain, also where that is empty
    outside = outside || one.leaves;
  }
  return (inside && !(peak.scale_up.value() > 0)) || (outside && !(peak.scale_out.value() > 0));
}

}  // namespace ridge
