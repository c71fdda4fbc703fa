#pragma once
// A model with one dimension changed, and with it what has to follow: an architect's what-if.

#include <array>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "model/model.hpp"

namespace ridge {

enum class ShapeKind { experts, layers, kv_heads, hidden, window };
inline constexpr std::array kShapeKinds = {ShapeKind::experts, ShapeKind::layers, ShapeKind::kv_heads,
                                           ShapeKind::hidden, ShapeKind::window};
/// "experts", "layers", "kv-heads", "hidden", "window".
std::string_view name_of(ShapeKind kind);

/// What the model has: routed experts of a layer, layers, KV heads, hidden size, tokens of its windows (0: it has none). An
/// error where that kind of change means nothing to it.
Result<double> shape_value(const Model& model, ShapeKind kind);

/// Values around its own that it can have, in rising order.
std::vector<double> usual_values(const Model& model, ShapeKind kind);

/// The model with that value, under a name of its own:
/// - experts: their number; those of a token and their size stay.
/// - layers: kinds of layers in the same proportions and order.
/// - kv_heads: of every grouped attention.
/// - hidden: networks, experts and query heads grow with it; dimensions of heads and KV heads stay.
/// - window: of the layers that have one, or of all grouped attention where none has.
/// Bytes as released and published counts are another model's: they go, and formats say what a weight takes.
Result<Model> reshaped(const Model& model, ShapeKind kind, double value);

}  // namespace ridge
