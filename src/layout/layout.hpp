#pragma once
// How a model lies over chips. Chips = tensor x pipeline x context x attention_data x replicas; expert parallelism
// divides the same chips again and multiplies nothing.

#include <string>
#include <vector>

#include "base/result.hpp"
#include "model/model.hpp"

namespace ridge {

struct Layout {
  double tensor = 1;             // chips that share every matrix of attention and of the dense FFN
  double pipeline = 1;           // stages: consecutive layers
  double context = 1;            // chips that share the KV cache of one sequence
  double attention_data = 1;     // groups of tensor x context chips with sequences of their own, sharing the experts
  double expert = 1;             // chips over which the experts of a layer are spread
  double replicas = 1;           // independent copies
  double redundant_experts = 0;  // copies of popular experts, to balance the load (EPLB)
  bool balanced = false;         // popular experts are copied and moved so that all chips get as much (EPLB)

  double chips_per_stage() const { return tensor * context * attention_data; }
  double chips() const { return chips_per_stage() * pipeline * replicas; }
  /// Chips that share one expert's matrices.
  double moe_tensor() const { return chips_per_stage() / expert; }

  bool operator==(const Layout&) const = default;
};

/// "TP8", "TP2·PP4", "TEP8" (attention TP, experts EP), "DEP32" (attention DP), "2×TP4" with replicas: as the engines'
/// users write it.
std::string short_name(const Layout& layout);
/// The same the other way, in any case, with "·", "-", "+", commas or spaces between degrees, without replicas. Whether
/// a model allows it is another question.
Result<Layout> parse_layout(std::string_view text, std::string_view where);

/// What of the degrees is no number of chips, whatever the model.
Errors wrong_degrees(const Layout& layout);
/// The layout itself where it is possible for this model; otherwise what is wrong, with the degrees that are.
Result<Layout> checked(const Layout& layout, const Model& model);

/// Degrees of tensor parallelism that divide the heads of every layer, up to `most`.
std::vector<double> valid_tensor(const Model& model, double most);
/// Degrees that divide the experts and the chips of a stage.
std::vector<double> valid_expert(const Model& model, const Layout& layout);

/// Copies of popular experts that a degree of expert parallelism takes to balance its chips (EPLB): the fewest that leave
/// every chip as many, and one at least. 0 where nothing is spread.
double copies_to_balance(const Model& model, double expert);
/// Degrees beyond one that divide the chips of a stage, whatever the number of experts: copies make up for it.
std::vector<double> valid_balanced_expert(const Model& model, const Layout& layout);

/// How many pieces of at most `pieces` a degree makes: kv heads are copied where there are too few.
inline double divided(double degree, double pieces) { return degree < pieces ? degree : pieces; }

}  // namespace ridge
