#include "train/activations.ipp"

#include <algorithm>
#include <type_traits>
#include <variant>

#include "base/number/dual.hpp"
#include "base/number/interval.hpp"
#include "base/number/traced.hpp"
#include "model/activation.hpp"
#include "train/memory/kept_modules.hpp"

namespace ridge {

template ActivationCost<double> activation_cost(const ActivationCase<double>&, ActivationPolicy);
template ActivationCost<Dual> activation_cost(const ActivationCase<Dual>&, ActivationPolicy);
template ActivationCost<Interval> activation_cost(const ActivationCase<Interval>&, ActivationPolicy);
template ActivationCost<Traced> activation_cost(const ActivationCase<Traced>&, ActivationPolicy);

namespace {

/// Heads with a softmax over the context, and how far they look.
void count_scores(const Mixer& mixer, LayerActivations& out) {
  std::visit(
      [&]<class Kind>(const Kind& kind) {
        if constexpr (std::is_same_v<Kind, LightningAttention>) return;  // heads without a softmax
        Kind::visit_fields(kind, [&](std::string_view name, const auto& field) {
          if constexpr (std::is_same_v<std::decay_t<decltype(field)>, double>) {
            if (name == "query_heads") out.score_heads = field;
            if (name == "window") out.window = field;
          }
        });
      },
      mixer);
}

}  // namespace

LayerActivations layer_activations(const Layer& layer, double hidden, double element_bytes, bool dropout) {
  LayerActivations out{.hidden = hidden, .window = kUnlimited};
  out.elements = kept_modules(layer, hidden).total();
  if (dropout) out.masks = 2 * hidden;
  count_scores(layer.mixer, out);
  out.score_bytes = dropout ? 2 * element_bytes + 1 : element_bytes;
  return out;
}

CacheTrade cache_trade(const Model& model, Ratio<double> batch, Tokens<double> sequence) {
  const ContextTerms terms = context_terms(model);
  const double tokens = sequence.value(), weights = weight_flops(model);
  double elements = 0;
  for (const Held held : {Held::kv, Held::index, Held::state}) elements += stored_elements(terms, held, tokens);
  return {batch * Bytes<double>(kActivationBytes * elements),
          batch * Flops<double>(weights + attention_flops(terms, tokens)),
          batch * Flops<double>(tokens * (weights + attention_flops(terms, tokens / 2)))};
}

ActivationCase<double> activation_case(const Model& model, Ratio<double> batch, Tokens<double> sequence, bool dropout) {
  ActivationCase<double> c;
  c.layers = std::max(1.0, model.layers());
  c.hidden = model.hidden;
  for (std::size_t kind = 0; kind < model.kinds.size(); ++kind) {
    const double share = layers_of(model, kind) / c.layers;
    const LayerActivations layer = layer_activations(model.kinds[kind], model.hidden, kActivationBytes, dropout);
    c.elements += share * layer.elements;
    c.masks += share * layer.masks;
    c.score_bytes +=
        share * layer.score_heads * layer.score_bytes * std::min(sequence.value(), layer.window) / sequence.value();
  }
  c.width = BytesPerParam<double>(kActivationBytes);
  c.batch = batch;
  c.sequence = sequence;
  c.scored = sequence;
  c.weights_forward = FlopsPerToken<double>(weight_flops(model));
  // a token sees half of the sequence on average
  c.attention_forward = FlopsPerToken<double>(attention_flops(context_terms(model), sequence.value() / 2));
  return c;
}

}  // namespace ridge
