#include "model/model.hpp"

namespace ridge {

ParameterParts count_parameters(const Model& model) {
  const double gated_matrices = 3;  // gate, up, down
  const double expert_layers = model.experts ? model.layers - model.experts->dense_layers : 0;
  ParameterParts parts;
  parts.embedding = model.vocabulary * model.hidden;
  parts.head = model.tied_embeddings ? 0 : model.vocabulary * model.hidden;
  parts.attention = model.layers * attention_params(model.attention, model.hidden);
  parts.dense_ffn = (model.layers - expert_layers) * gated_matrices * model.hidden * model.feed_forward_size;
  parts.norms = (2 * model.layers + 1) * model.hidden;
  if (model.experts) {
    const Experts& experts = *model.experts;
    parts.routed_experts = expert_layers * experts.count * gated_matrices * model.hidden * experts.size;
    parts.shared_experts = expert_layers * gated_matrices * model.hidden * experts.shared_size;
    parts.router = expert_layers * experts.count * (model.hidden + (experts.routing_bias ? 1 : 0));
  }
  return parts;
}

double routed_share(const Model& model) {
  return model.experts ? model.experts->per_token / model.experts->count : 1.0;
}

double active_parameters(const Model& model) {
  const ParameterParts parts = count_parameters(model);
  return parts.total() - parts.routed_experts * (1.0 - routed_share(model));
}

}  // namespace ridge
