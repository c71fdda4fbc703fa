#include "price/make/prefill_work.hpp"

#include <algorithm>
#include <cmath>

namespace ridge {

namespace {

/// Mean of min(i, limit) over the positions 0..prompt.
double mean_seen(double prompt, double limit) {
  return prompt <= limit ? prompt / 2 : limit - limit * limit / (2 * prompt);
}

/// Mean of the square root of the position.
double mean_root(double prompt) { return 2.0 / 3.0 * std::sqrt(prompt); }

}  // namespace

FlopsPerToken<double> prefill_attention(const Model& model, const Tokens<double>& prompt) {
  const double tokens = prompt.value();
  double sum = 0;
  for (std::size_t kind = 0; kind < model.kinds.size(); ++kind) {
    const double times = layers_of(model, kind);
    const auto terms = std::visit([](const auto& mixer) { return mixer.context(); }, model.kinds[kind].mixer);
    for (const ContextTerm& term : terms) {
      const double flops = term.prefill_flops > 0 ? term.prefill_flops : term.flops;
      sum += times * (flops * mean_seen(tokens, term.limit) + term.fixed_flops + term.root_flops * mean_root(tokens));
    }
  }
  return FlopsPerToken<double>(sum);
}

FlopsPerToken<double> prefill_attention(const DecodeCase<double>& c, const Tokens<double>& prompt) {
  const double tokens = prompt.value();
  return FlopsPerToken<double>(c.attention_flops.value() * tokens / 2 +
                               c.window_flops.value() * mean_seen(tokens, c.window.value()) +
                               c.selected_flops.value() * mean_seen(tokens, c.selected.value()) +
                               c.root_flops.value() * mean_root(tokens) + c.state_flops.value());
}

}  // namespace ridge
