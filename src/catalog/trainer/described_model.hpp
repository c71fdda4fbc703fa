#pragma once
// The model that a training command itself describes, for one that no catalog has.

#include <optional>

#include "catalog/trainer/said_words.hpp"
#include "model/model.hpp"

namespace ridge::catalog {

/// Named by its shape in words; a note says so. Nothing where the command says no layers, hidden size and heads; what is
/// wrong of it stands among the errors of the words.
std::optional<Model> described_model(SaidWords& said);

}  // namespace ridge::catalog
