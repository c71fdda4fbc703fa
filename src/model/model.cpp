#include "model/model.hpp"

#include <algorithm>

namespace ridge {

namespace {

bool is_apart(Part part) { return part == Part::mtp || part == Part::vision || part == Part::audio; }

}  // namespace

const Experts* Model::experts() const {
  for (const std::size_t kind : order) {
    if (kinds[kind].experts) return &*kinds[kind].experts;
  }
  return nullptr;
}

double layers_of(const Model& model, std::size_t kind) {
  return static_cast<double>(std::count(model.order.begin(), model.order.end(), kind));
}

Weights weights_of(const Layer& layer, double hidden) {
  Weights weights;
  std::visit([&](const auto& kind) { kind.weights(hidden, weights); }, layer.mixer);
  if (layer.dense) layer.dense->weights(hidden, weights);
  if (layer.experts) layer.experts->weights(hidden, weights);
  if (layer.norms > 0) {
    weights.push_back(
        {Part::norms, "layernorm", 1, hidden * (layer.norm_bias ? 2 : 1), layer.norms, layer.norms, Use::vector});
  }
  weights.insert(weights.end(), layer.extra.begin(), layer.extra.end());
  return weights;
}

Weights outer_weights(const Model& model) {
  Weights weights;
  weights.push_back(table(Part::embedding, "embed_tokens", model.vocabulary, model.hidden));
  if (model.tied_embeddings) {
    weights.back().use = Use::matrix;  // it serves as the head
  } else {
    weights.push_back(matrix(Part::head, "lm_head", model.hidden, model.vocabulary, Split::columns));
  }
  if (model.final_norm) weights.push_back(vector(Part::norms, "norm", model.hidden * (model.final_norm_bias ? 2 : 1)));
  weights.insert(weights.end(), model.extra.begin(), model.extra.end());
  return weights;
}

double ParameterParts::total() const {
  double sum = 0;
  for (const Part part : all_parts()) sum += is_apart(part) ? 0 : (*this)[part];
  return sum;
}

double ParameterParts::stored() const {
  return total() + (*this)[Part::mtp] + (*this)[Part::vision] + (*this)[Part::audio];
}

ParameterParts count_parameters(const Model& model) {
  ParameterParts parts;
  visit_weights(model, [&](const Weight& weight, double times) {
    parts[weight.part] += weight.params() * times;
    if (is_apart(weight.part)) return;
    if (weight.use == Use::table)
      parts.not_read += weight.params() * times;
    else if (weight.part != Part::routed_experts)
      parts.not_read += (weight.params() - weight.active()) * times;
  });
  parts[Part::vision] += model.vision;
  parts[Part::audio] += model.audio;
  return parts;
}

double active_parameters(const Model& model) {
  double active = 0;
  visit_weights(model, [&](const Weight& weight, double times) {
    if (!is_apart(weight.part)) active += weight.active() * times;
  });
  return active;
}

double routed_share(const Model& model) {
  const Experts* experts = model.experts();
  return experts == nullptr ? 1.0 : experts->share();
}

double weight_flops(const Model& model) {
  double used = 0;
  visit_weights(model, [&](const Weight& weight, double times) {
    if (!is_apart(weight.part) && weight.use != Use::table) used += weight.active() * times;
  });
  return 2 * used;
}

ContextTerms context_terms(const Model& model) {
  ContextTerms all;
  for (std::size_t kind = 0; kind < model.kinds.size(); ++kind) {
    const double times = layers_of(model, kind);
    if (times == 0) continue;
    const auto terms = std::visit([](const auto& mixer) { return mixer.context(); }, model.kinds[kind].mixer);
    for (const ContextTerm& term : terms) {
      auto same = std::find_if(all.begin(), all.end(), [&](const ContextTerm& other) {
        return other.held == term.held && other.limit == term.limit;
      });
      if (same == all.end()) same = all.insert(all.end(), {.held = term.held, .limit = term.limit});
      same->stored += times * term.stored;
      same->read += times * term.read;
      same->flops += times * term.flops;
      same->prefill_flops += times * (term.prefill_flops > 0 ? term.prefill_flops : term.flops);
      same->fixed_stored += times * term.fixed_stored;
      same->fixed_read += times * term.fixed_read;
      same->fixed_flops += times * term.fixed_flops;
      same->root_read += times * term.root_read;
      same->root_flops += times * term.root_flops;
    }
  }
  return all;
}

double stored_elements(const ContextTerms& terms, Held held, double context) {
  double sum = 0;
  for (const ContextTerm& term : terms) sum += term.held == held ? stored_elements(term, context) : 0;
  return sum;
}

double read_elements(const ContextTerms& terms, Held held, double context) {
  double sum = 0;
  for (const ContextTerm& term : terms) sum += term.held == held ? read_elements(term, context) : 0;
  return sum;
}

double attention_flops(const ContextTerms& terms, double context) {
  double sum = 0;
  for (const ContextTerm& term : terms) sum += attention_flops(term, context);
  return sum;
}

double attention_equals_weights(const Model& model) {
  const ContextTerms terms = context_terms(model);
  const double wanted = weight_flops(model);
  double low = 0, high = 1e15;
  if (attention_flops(terms, high) < wanted) return kUnlimited;
  for (int i = 0; i < 200 && high - low > 1e-9 * high; ++i) {
    const double middle = low + (high - low) / 2;
    (attention_flops(terms, middle) >= wanted ? high : low) = middle;
  }
  return high;
}

}  // namespace ridge
