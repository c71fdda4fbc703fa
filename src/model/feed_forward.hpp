#pragma once
// The other half of a layer: one feed-forward network, or many experts of which a router picks a few.

#include <string>

#include "model/weight.hpp"

namespace ridge {

/// Pushes the matrices of one network (or of `count` equal ones): gate, up and down; up and down where it is plain.
inline void push_network(Weights& out, Part part, const std::string& prefix, double hidden, double size, bool gated,
                         bool bias, double count = 1, double used = 1) {
  const auto push = [&](const char* name, double in, double width, Split split) {
    out.push_back({part, prefix + name, in, width, count, used, Use::matrix, split});
    if (bias) out.push_back({part, prefix + name + ".bias", 1, width, count, used, Use::vector});
  };
  if (gated) push("gate_proj", hidden, size, Split::columns);
  push("up_proj", hidden, size, Split::columns);
  push("down_proj", size, hidden, Split::rows);
}

struct DenseFeedForward {
  double size = 0;
  bool gated = true;  // three matrices; otherwise two
  bool bias = false;

  template <class Self, class Visit>
  static void visit_fields(Self& self, Visit&& visit) {
    visit("size", self.size);
    visit("gated", self.gated);
    visit("bias", self.bias);
  }

  void weights(double hidden, Weights& out) const {
    push_network(out, Part::dense_ffn, "mlp.", hidden, size, gated, bias);
  }
};

struct Experts {
  double count = 0, per_token = 0;
  double size = 0;            // intermediate size of one expert
  bool gated = true;          // three matrices an expert; otherwise two
  bool bias = false;          // in the experts
  double latent = 0;          // experts work in this width, between two shared projections; 0: in the hidden size
  double shared = 0;          // experts every token uses
  double shared_size = 0;     // of all shared experts together
  bool shared_gate = false;   // a learned gate on the shared experts
  bool routing_bias = false;  // one correction for each expert, which training moves until all are used alike
  bool router_bias = false;   // in the router's projection
  double scales = 0;          // other learned numbers of the router: scales of inputs or experts
  double hash_rows = 0;       // a table that names the experts of each vocabulary entry instead of a router's choice
  double groups = 1, groups_used = 1;  // routing limited to some groups of experts

  template <class Self, class Visit>
  static void visit_fields(Self& self, Visit&& visit) {
    visit("count", self.count);
    visit("per_token", self.per_token);
    visit("size", self.size);
    visit("gated", self.gated);
    visit("bias", self.bias);
    visit("latent", self.latent);
    visit("shared", self.shared);
    visit("shared_size", self.shared_size);
    visit("shared_gate", self.shared_gate);
    visit("routing_bias", self.routing_bias);
    visit("router_bias", self.router_bias);
    visit("scales", self.scales);
    visit("hash_rows", self.hash_rows);
    visit("groups", self.groups);
    visit("groups_used", self.groups_used);
  }

  double share() const { return per_token / count; }

  void weights(double hidden, Weights& out) const {
    const double width = latent > 0 ? latent : hidden;
    push_network(out, Part::routed_experts, "mlp.experts.", width, size, gated, bias, count, per_token);
    if (latent > 0) {
      out.push_back(matrix(Part::shared_experts, "mlp.fc1_latent_proj", hidden, latent));
      out.push_back(matrix(Part::shared_experts, "mlp.fc2_latent_proj", latent, hidden));
    }
    if (shared_size > 0) {
      push_network(out, Part::shared_experts, "mlp.shared_experts.", hidden, shared_size, gated, false);
      if (shared_gate) out.push_back(matrix(Part::shared_experts, "mlp.shared_expert_gate", hidden, 1));
    }
    out.push_back(matrix(Part::router, "mlp.gate", hidden, count));
    if (routing_bias || router_bias) out.push_back(vector(Part::router, "mlp.gate.bias", count));
    if (scales > 0) out.push_back(vector(Part::router, "mlp.gate.scale", scales));
    if (hash_rows > 0) out.push_back(table(Part::router, "mlp.gate.tid2eid", hash_rows, per_token));
  }
};

}  // namespace ridge
