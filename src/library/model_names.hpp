#pragma once
// A model by the name of its checkpoint: its repository, another of the same architecture, or the folder it is in. What
// people type is read by model_named() of names.hpp, which asks here for such names.

#include <optional>
#include <string>
#include <string_view>

#include "library/library.hpp"

namespace ridge {

struct ModelMatch {
  const Model* model = nullptr;
  std::optional<std::string> weights;  // the format its name speaks of, where the catalog's entry has another
  std::string note;                    // what was taken for what; empty where the name is the model's own
};

/// Whether a word is a model's name or repository, in any case.
bool is_called(const Model& model, std::string_view word);

/// "meta-llama/Llama-3.1-70B-Instruct", "/models/DeepSeek-R1-0528", "RedHatAI/Qwen3-32B-FP8-dynamic": instruct and base
/// variants, dates and quantized copies have their model's architecture. Nothing where no model is left by that.
std::optional<ModelMatch> find_model(const Library& library, std::string_view name);

}  // namespace ridge
