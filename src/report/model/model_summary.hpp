#pragma once
// What there is to say about a model, as numbers: behind the text, the JSON and the comparison of two.

#include <array>
#include <string>
#include <vector>

#include "machine/format.hpp"
#include "model/model.hpp"

namespace ridge::report {

/// The contexts that a model's cache is shown at.
inline constexpr std::array<double, 5> kShownContexts = {1e3, 8e3, 32e3, 128e3, 1e6};

/// One sequence at one context.
struct ContextRow {
  double context = 0;
  double stored_bytes = 0, read_bytes = 0;  // read: for the next token
  double attention_flops = 0;               // of the next token
};

struct ModelSummary {
  ParameterParts parts;
  double total = 0, active = 0, active_without_embedding = 0, stored = 0;
  PartBytes bytes{};                  // as released, or at the named formats where nobody counted
  double bytes_language = 0;          // of the language model
  double bytes_stored = 0;            // of everything
  double kv_bytes_per_token = 0;      // stored for a token of context that no window has let go
  double window_bytes_per_token = 0;  // besides, while the token is in a window
  double state_bytes = 0;             // kept for a sequence whatever its context
  double weight_flops = 0;            // of one token
  double equal_context = 0;           // where attention takes as much compute as the weights; infinite: nowhere
  double sparsity = 0;                // total over active
  std::vector<ContextRow> contexts;
};

ModelSummary summarize(const Model& model, const std::vector<Format>& formats);

}  // namespace ridge::report
