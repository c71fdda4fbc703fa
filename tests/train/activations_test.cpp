// Do the activation counts match the published formula, and do the policies trade as they must?

#include "train/activations.hpp"

#include <cmath>

#include "base/number/dual.hpp"
#include "base/number/interval.hpp"
#include "catalog_library.hpp"

using namespace ridge;
using doctest::Approx;

namespace {

/// A model shaped like GPT: attention as wide as the hidden size, a plain network four times as wide.
Model gpt(double layers, double hidden, double heads) {
  Model model;
  model.hidden = hidden;
  model.vocabulary = 50257;
  Layer layer;
  GroupedAttention attention;
  attention.query_heads = attention.kv_heads = heads;
  attention.head_dim = attention.value_dim = hidden / heads;
  layer.mixer = attention;
  DenseFeedForward network;
  network.size = 4 * hidden;
  network.gated = false;
  layer.dense = network;
  model.kinds = {layer};
  model.order.assign(static_cast<std::size_t>(layers), 0);
  return model;
}

ActivationCost<double> cost(const Model& model, ActivationPolicy policy, bool dropout = true, double sequence = 2048,
                            double batch = 4) {
  return activation_cost(activation_case(model, Ratio<double>(batch), Tokens<double>(sequence), dropout), policy);
}

}  // namespace

TEST_CASE("GPT-3's layer keeps s b h (34 + 5 a s / h) bytes") {
  // activation_memory.csv, Korthikanti 2022 eq 1; GPT-3: h = 12288, a = 96, s = 2048: 34 + 5 x 96 x 2048/12288 = 114
  const double layers = 96, hidden = 12288, heads = 96, s = 2048, b = 4;
  const Model model = gpt(layers, hidden, heads);
  CHECK(cost(model, ActivationPolicy::keep_all).total.value() ==
        Approx(layers * s * b * hidden * (34 + 5 * heads * s / hidden)).epsilon(1e-12));
  // without the scores: 34 s b h a layer
  CHECK(cost(model, ActivationPolicy::selective).kept.value() == Approx(layers * s * b * hidden * 34).epsilon(1e-12));
  // full recomputation: the input of every layer, 2 s b h
  CHECK(cost(model, ActivationPolicy::full).kept.value() == Approx(layers * s * b * hidden * 2).epsilon(1e-12));
  // reversible: one pair of streams for the whole stack, 2 x 2 s b h
  CHECK(cost(model, ActivationPolicy::reversible).kept.value() == Approx(2 * 2 * s * b * hidden).epsilon(1e-12));
}

TEST_CASE("recomputing everything costs a third more, the scores alone little") {
  const Model model = gpt(96, 12288, 96);
  CHECK(cost(model, ActivationPolicy::keep_all).compute.value() == 1.0);
  for (const auto policy : {ActivationPolicy::full, ActivationPolicy::every_root, ActivationPolicy::reversible})
    CHECK(cost(model, policy).compute.value() == Approx(4.0 / 3));
  // by hand, causal: attention 4 h s/2 L = 4.83e9 FLOP a token beside 2 x (12 h^2 L + 50257 h) = 3.49e11, over three
  // passes: 4.83e9 / (3 x 3.54e11) = 0.455 %
  CHECK(cost(model, ActivationPolicy::selective).compute.value() == Approx(1.00455).epsilon(1e-5));
}

TEST_CASE("kept memory grows with depth, reversible memory does not, sqrt(L) lies between") {
  for (const auto policy : kActivationPolicies) {
    CAPTURE(name_of(policy));
    const double once = cost(gpt(64, 4096, 32), policy).total.value();
    const double deeper = cost(gpt(256, 4096, 32), policy).total.value();
    if (policy == ActivationPolicy::reversible)
      CHECK(deeper == once);
    else if (policy == ActivationPolicy::every_root)
      CHECK(deeper / once == Approx(2.0));  // sqrt(256) / sqrt(64)
    else
      CHECK(deeper > 1.9 * once);
  }
}

TEST_CASE("every policy that recomputes takes less memory than keeping all, for every model of the catalog") {
  for (const Model& model : ridge::testing::library().models) {
    CAPTURE(model.name);
    const double all = cost(model, ActivationPolicy::keep_all, false, 4096, 1).total.value();
    REQUIRE(std::isfinite(all));
    CHECK(all > 0);
    for (const auto policy : {ActivationPolicy::full, ActivationPolicy::reversible})
      CHECK(cost(model, policy, false, 4096, 1).total.value() < all);
  }
}

TEST_CASE("the readings of the activation costs agree") {
  const ActivationCase<double> c = activation_case(gpt(32, 4096, 32), Ratio<double>(2), Tokens<double>(8192), false);
  const auto as = [&]<class S>(S*) {
    ActivationCase<S> to;
    to.layers = c.layers;
    to.hidden = c.hidden;
    to.elements = c.elements;
    to.masks = c.masks;
    to.score_bytes = c.score_bytes;
    to.width = BytesPerParam<S>(S(c.width.value()));
    to.batch = Ratio<S>(S(c.batch.value()));
    to.sequence = Tokens<S>(S(c.sequence.value()));
    to.scored = Tokens<S>(S(c.scored.value()));
    to.weights_forward = FlopsPerToken<S>(S(c.weights_forward.value()));
    to.attention_forward = FlopsPerToken<S>(S(c.attention_forward.value()));
    return to;
  };
  for (const auto policy : kActivationPolicies) {
    const auto expected = activation_cost(c, policy);
    CHECK(activation_cost(as(static_cast<Dual*>(nullptr)), policy).total.value().value == expected.total.value());
    CHECK(activation_cost(as(static_cast<Interval*>(nullptr)), policy).total.value().contains(expected.total.value()));
  }
}

TEST_CASE("the KV cache spends memory to save compute, reversible layers the reverse") {
  const Model& model = ridge::testing::model("llama-3-70b");
  const CacheTrade trade = cache_trade(model, Ratio<double>(1), Tokens<double>(8192));
  // by hand: 80 layers x 8 heads x 128 x 2 x 2 B = 327,680 B a token; x 8192 = 2.5 GiB
  CHECK(trade.cache.value() == Approx(327680.0 * 8192));
  CHECK(trade.without > trade.with_cache);
  const auto all = cost(model, ActivationPolicy::keep_all, false, 8192, 1);
  const auto reversible = cost(model, ActivationPolicy::reversible, false, 8192, 1);
  CHECK(reversible.total < all.total);
  CHECK(reversible.extra > all.extra);
}
