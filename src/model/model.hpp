#pragma once
// A model: its layers one by one, and what follows from their shapes: parameters by part, and what a token of context
// costs to keep, to read and to compute.

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/number/units.hpp"
#include "base/provenance.hpp"
#include "model/feed_forward.hpp"
#include "model/mixer.hpp"

namespace ridge {

/// One kind of layer; a model repeats a few of them. Gemma 4 has a dense network and experts side by side.
struct Layer {
  std::string name;
  Mixer mixer;
  std::optional<DenseFeedForward> dense;
  std::optional<Experts> experts;
  double norms = 2;        // of the hidden width
  bool norm_bias = false;  // each with a bias beside its weight
  Weights extra;           // what no kind describes: gates, residual mixing, per-layer embeddings
};

/// Number formats of the parts, by name (catalog/format.toml).
struct Precisions {
  std::string weights, experts, attention, kv;
  std::string index, state;  // of an indexer's keys and of a recurrent state; empty: as kv
};

/// Bytes of each part as released, scales and wider tensors included; 0 where nobody counted.
using PartBytes = std::array<double, kParts>;

struct Model {
  std::string name, title, family, repository, note;
  double hidden = 0, vocabulary = 0, context_limit = 0;
  bool tied_embeddings = false;
  std::vector<Layer> kinds;
  std::vector<std::size_t> order;                   // of each layer, its kind
  std::vector<std::size_t> mtp_order;               // of the multi-token-prediction modules
  bool final_norm = true, final_norm_bias = false;  // OLMo's norms have no weights
  Weights extra;                                    // beside the layers: position tables, projections
  Weights mtp_extra;                                // of all modules together: projections, norms, copies of tables
  double vision = 0, audio = 0;                     // parameters of the towers and their projectors
  Sourced<Precisions> precision;
  PartBytes released{};                            // see released_bytes
  std::map<std::string, double> released_formats;  // the same bytes by format
  Provenance released_from;
  Provenance architecture, experts_from;  // where the shape comes from
  std::optional<Sourced<Params<double>>> published_total, published_active;
  std::vector<std::string> remarks;      // what its reader should know: defaults taken, checks made
  std::vector<std::string> assumptions;  // what the user decided where this program does not know

  double layers() const { return static_cast<double>(order.size()); }
  /// The experts of the first layer that has some; nullptr for a dense model.
  const Experts* experts() const;
};

/// How often a kind occurs among the layers.
double layers_of(const Model& model, std::size_t kind);

/// The tensors of one layer.
Weights weights_of(const Layer& layer, double hidden);
/// Those beside the layers: embedding, head, final norm, position tables.
Weights outer_weights(const Model& model);

/// Calls visit(weight, times): every tensor of the model, those of equal layers together. Towers are not among them.
template <class Visit>
void visit_weights(const Model& model, Visit&& visit) {
  for (const Weight& weight : outer_weights(model)) visit(weight, 1.0);
  for (std::size_t kind = 0; kind < model.kinds.size(); ++kind) {
    const double times = layers_of(model, kind);
    if (times == 0) continue;
    for (const Weight& weight : weights_of(model.kinds[kind], model.hidden)) visit(weight, times);
  }
  for (const std::size_t kind : model.mtp_order) {
    for (Weight weight : weights_of(model.kinds[kind], model.hidden)) {
      weight.part = Part::mtp;
      visit(weight, 1.0);
    }
  }
  for (const Weight& weight : model.mtp_extra) visit(weight, 1.0);
}

/// Parameters by part.
struct ParameterParts {
  std::array<double, kParts> count{};
  double not_read = 0;  // of the language model: tables of which a token reads a row, and tensors stored but unused

  double operator[](Part part) const { return count[static_cast<std::size_t>(part)]; }
  double& operator[](Part part) { return count[static_cast<std::size_t>(part)]; }
  /// The language model: without multi-token-prediction modules and towers.
  double total() const;
  /// Everything in the checkpoint.
  double stored() const;
  /// Read by every token whatever the router says: all but the routed experts and what is not read. A tied embedding
  /// serves as the output head, so it is read.
  double always_read() const { return total() - (*this)[Part::routed_experts] - not_read; }
};

ParameterParts count_parameters(const Model& model);

/// Parameters that take part in making one token: the language model, less the routed experts not chosen and what is
/// stored but unused. Tables that are looked up count whole.
double active_parameters(const Model& model);

double routed_share(const Model& model);  // per_token / count; 1 for a dense model

/// Multiply-adds of one token with the weights, as FLOP: two for each parameter that is always read or
/// chosen.
double weight_flops(const Model& model);

/// All layers together: terms with the same limit and format are added up.
ContextTerms context_terms(const Model& model);

double stored_elements(const ContextTerms& terms, Held held, double context);
double read_elements(const ContextTerms& terms, Held held, double context);
double attention_flops(const ContextTerms& terms, double context);

/// The context at which attention takes as much compute as the weights; infinite where it never does.
double attention_equals_weights(const Model& model);

}  // namespace ridge
