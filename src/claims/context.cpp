// Claims about long contexts: what they do to the balance, what sparse attention reads, where attention's compute
// shows.

#include <limits>

#include "base/number/dual.hpp"
#include "claims/computations.hpp"
#include "model/grouped_attention.hpp"
#include "model/square_root_attention.hpp"

namespace ridge {

namespace {

Ratio<double> ridge_at(const DecodeCase<double>& c, const Tokens<double>& context) {
  return estimate_decode(with_load(c, 1.0, context)).ridge;
}

/// As the lecture draws it: attention's own compute left out.
DecodeCase<double> without_attention_compute(DecodeCase<double> c) {
  c.attention_flops = {};
  return c;
}

bool is_finite(const Ratio<double>& ridge) { return ridge < Ratio<double>(std::numeric_limits<double>::infinity()); }

/// The shortest context, up to `longest`, in which no batch makes compute catch up with memory.
Tokens<double> diverging_context(const DecodeCase<double>& c, const Tokens<double>& longest) {
  Tokens<double> low, high = longest;
  for (int halving = 0; halving < 60; ++halving) {
    const Tokens<double> middle = (low + high) / 2.0;
    (is_finite(ridge_at(c, middle)) ? low : high) = middle;
  }
  return high;
}

/// Share of the steps to a longer context, below `longest`, at which the ridge rises.
Ratio<double> rising_share(const DecodeCase<double>& c, const Tokens<double>& longest) {
  constexpr int kSteps = 32;
  int rising = 0;
  for (int i = 1; i < kSteps; ++i) {
    const Tokens<double> before = longest * (i - 1.0) / kSteps, after = longest * double(i) / kSteps;
    if (ridge_at(c, after) > ridge_at(c, before)) ++rising;
  }
  return rising / (kSteps - 1.0);
}

/// d ln read / d ln context, from a read computed with the context as the seeded input.
template <Dimension D>
Ratio<double> exponent(const Quantity<D, Dual>& read, const Tokens<double>& context) {
  return read.value().slope * context.value() / read.value().value;
}

template <Dimension D>
Quantity<D, Dual> constant(const Quantity<D, double>& quantity) {
  return Quantity<D, Dual>(Dual(quantity.value()));
}

template <Dimension D>
Quantity<D, double> value_of(const Quantity<D, Dual>& quantity) {
  return Quantity<D, double>(quantity.value().value);
}

/// Where attention's FLOPs equal the weights': the context at which their times do at one common matrix peak.
Tokens<double> equal_flops_context(DecodeCase<double> c) {
  c.matmul_experts = c.matmul_attention = c.matmul_weights;
  c.context = Tokens<double>(1.0);
  const auto e = estimate_decode(c);
  return c.context * ((e.dense_time + e.experts_time) / e.attention_time);
}

/// Attention's compute time over the time to read its context: above 1 attention is bound by compute.
Ratio<double> attention_slope(DecodeCase<double> c) {
  c.context = Tokens<double>(1.0);
  const auto e = estimate_decode(c);
  return e.attention_time / e.context_time;
}

}  // namespace

std::vector<Figure> c08(Inputs& in) {
  const DecodeCase<double> full = in.decode({kModel, kHopper});
  const DecodeCase<double> c = without_attention_compute(full);
  const DecodeCase<double> ampere = in.decode({kModel, "hgx-a100"});
  const Tokens<double> balance = estimate_decode(c).balance_context, none;
  const Tokens<double> half = balance / 2.0;
  return {figure("rising", "share of steps to a longer context at which the ridge rises", rising_share(c, balance)),
          figure("growth_half_way", "ridge half way to the balanced context, over the one without context",
                 ridge_at(c, half) / ridge_at(c, none)),
          figure("divergence", "context where the ridge becomes unbounded, over the balanced context",
                 diverging_context(c, 2.0 * balance) / balance),
          figure("balance_context", "balanced context of DeepSeek-V3 on H100", balance),
          figure("with_attention", "growth half way with attention's compute counted",
                 ridge_at(full, half) / ridge_at(full, none)),
          figure("with_attention_a100", "the same context and count on A100",
                 ridge_at(ampere, half) / ridge_at(ampere, none))};
}

std::vector<Figure> c16(Inputs& in) {
  constexpr double kAmortized = 1e4;  // ridge batches: the weights' share of memory time vanishes
  const auto optimal = in.given<Tokens<double>>("optimal");
  const auto longer = in.given<Tokens<double>>("longer");
  DecodeCase<double> c = in.decode({kModel, kBlackwell});
  const auto base = estimate_decode(c);
  const Ratio<double> heavier = base.balance_context / optimal;  // cache that balances at the speaker's context
  c.kv_read = heavier * c.kv_read;
  const DecodeCase<double> plain = without_attention_compute(c);
  const Ratio<double> many = kAmortized * base.ridge_weights;
  const auto mfu = [](const DecodeCase<double>& of, const Ratio<double>& batch, const Tokens<double>& context) {
    return estimate_decode(with_load(of, batch, context)).mfu;
  };
  return {
      figure("mfu_longer", "share of peak compute at the longer context, weights amortized", mfu(plain, many, longer)),
      figure("mfu_optimal", "share of peak compute at the optimal context, weights amortized",
             mfu(plain, many, optimal)),
      figure("mfu_ridge_batch", "at the longer context with only the ridge batch",
             mfu(plain, base.ridge_weights, longer)),
      figure("balance_context", "balanced context of DeepSeek-V3 on GB200 as it is", base.balance_context)};
}

std::vector<Figure> c17(Inputs& in) {
  const Model model = in.model(kModel);
  const Tokens<double> context(model.context_limit);
  const Tokens<Dual> seeded(Dual(context.value(), 1.0));
  const auto blocks = in.given<Ratio<double>>("nsa_blocks");
  const BytesPerToken<double> entry = in.decode({kModel, kBlackwell}).kv_read / model.layers();
  const auto ideal = two_level_read(seeded, best_block(seeded, constant(blocks)), constant(blocks));
  const auto nsa = compressed_read(seeded, constant(in.given<Ratio<double>>("nsa_stride")),
                                   constant(blocks * in.given<Tokens<double>>("nsa_block")),
                                   constant(in.given<Tokens<double>>("nsa_window")));
  const auto dsa = indexed_read(seeded, constant(in.given<BytesPerToken<double>>("dsa_index_key")),
                                constant(in.given<Tokens<double>>("dsa_top")), constant(entry));
  return {figure("ideal", "exponent of the context in the read, ideal two-level selection", exponent(ideal, context)),
          figure("nsa", "the same for native sparse attention", exponent(nsa, context)),
          figure("dsa", "the same for DeepSeek-V3.2's sparse attention", exponent(dsa, context)),
          figure("context", "at this context", context),
          figure("ideal_share", "read by the ideal scheme, share of dense", value_of(ideal) / context),
          figure("nsa_share", "read by native sparse attention, share of dense", value_of(nsa) / context),
          figure("dsa_share", "read by DeepSeek-V3.2's, share of dense", value_of(dsa) / (context * entry))};
}

std::vector<Figure> c53(Inputs& in) {
  const DecodeCase<double> latent = in.decode({kModel, kHopper});
  // the model whose cache the speaker infers: grouped attention to the whole context in so many layers, none elsewhere
  GroupedAttention attention;
  attention.query_heads = in.given<Ratio<double>>("query_heads").value();
  attention.head_dim = attention.value_dim = in.given<Ratio<double>>("head_dim").value();
  DecodeCase<double> said = in.decode({kDense, kHopper});
  said.params_dense = in.given<Params<double>>("active");
  said.params_routed = {};
  said.attention_flops = in.given<Ratio<double>>("layers") * FlopsPerToken<double>(attention.context().front().flops);
  return {figure("lecture", "context where attention's FLOPs equal the weights', the lecture's own model",
                 equal_flops_context(said)),
          figure("llama_3_70b", "context where attention's FLOPs equal the weights', Llama 3 70B",
                 equal_flops_context(in.decode({kDense, kHopper}))),
          figure("deepseek_v3", "the same for DeepSeek-V3, absorbed latent attention", equal_flops_context(latent)),
          figure("deepseek_v3_table", "DeepSeek-V3 with the embedding table counted as active",
                 equal_flops_context(with_table_read(latent)))};
}

std::vector<Figure> c54(Inputs& in) {
  const DecodeCase<double> grouped =
      in.decode({.model = kDense, .machine = kHopper, .weights = "fp8", .attention = "fp8", .kv = "fp8"});
  const DecodeCase<double> latent = in.decode({kModel, kHopper});
  return {figure("grouped_h100", "Llama 3 70B in fp8 on H100: attention's compute time over its read time",
                 attention_slope(grouped)),
          figure("latent_h100", "DeepSeek-V3 in bf16 on H100", attention_slope(latent)),
          figure("latent_gb200", "DeepSeek-V3 in bf16 on GB200", attention_slope(in.decode({kModel, kBlackwell}))),
          figure("latent_h200", "DeepSeek-V3 in bf16 on H200", attention_slope(in.decode({kModel, "hgx-h200"}))),
          figure("grouped_intensity", "attention FLOP per byte of context, Llama 3 70B in fp8",
                 grouped.attention_flops / grouped.kv_read),
          figure("latent_intensity", "attention FLOP per byte of context, DeepSeek-V3 in bf16",
                 latent.attention_flops / latent.kv_read),
          figure("h100_fp8", "FLOP per byte of an H100 in fp8", grouped.matmul_attention / grouped.hbm_bandwidth),
          figure("h100_bf16", "FLOP per byte of an H100 in bf16", latent.matmul_attention / latent.hbm_bandwidth)};
}

}  // namespace ridge
