#pragma once
// A model: its shape, and the exact number of parameters in each part.

#include <optional>
#include <string>

#include "base/provenance.hpp"
#include "base/units.hpp"
#include "model/attention.hpp"

namespace ridge {

struct Experts {
  double count = 0;
  double per_token = 0;
  double shared = 0;        // experts every token uses
  double size = 0;          // intermediate size of one expert
  double shared_size = 0;   // of all shared experts together
  double dense_layers = 0;  // first layers that have a plain feed-forward instead
  bool routing_bias = false;
};

/// Number formats of the parts, by name (catalog/format.toml).
struct Precisions {
  std::string weights, experts, attention, kv;
};

struct Model {
  std::string name, title, family, repository, note;
  double layers = 0, hidden = 0, vocabulary = 0, context_limit = 0;
  bool tied_embeddings = false;
  Attention attention;
  double feed_forward_size = 0;  // of dense layers
  std::optional<Experts> experts;
  Sourced<Precisions> precision;
  Provenance architecture, experts_from;  // where the shape comes from
  std::optional<Sourced<Params<double>>> published_total, published_active;
};

/// Parameters by part. Vision towers and multi-token-prediction modules are not counted.
struct ParameterParts {
  double embedding = 0, head = 0, attention = 0, dense_ffn = 0, shared_experts = 0, routed_experts = 0, router = 0,
         norms = 0;

  double total() const {
    return embedding + head + attention + dense_ffn + shared_experts + routed_experts + router + norms;
  }
  /// Read by every token whatever the router says: all but the routed experts and a table that is only looked up.
  /// A tied embedding serves as the output head, so it is read.
  double always_read(bool tied) const { return total() - routed_experts - looked_up(tied); }
  /// Stored, but a token reads one row of it only.
  double looked_up(bool tied) const { return tied ? 0.0 : embedding; }
};

ParameterParts count_parameters(const Model& model);

/// Parameters that take part in making one token: everything stored, less the routed experts not chosen.
double active_parameters(const Model& model);

double routed_share(const Model& model);  // per_token / count; 1 for a dense model

}  // namespace ridge
