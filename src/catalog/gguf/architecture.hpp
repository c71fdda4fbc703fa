#pragma once
// GGUF's names of model families, with Hugging Face's.

#include <string_view>

namespace ridge::catalog {

/// What a family's config calls its experts; empty: it has no such key.
struct GgufExpertKeys {
  std::string_view count, used, width, shared_count, shared_width, dense_layers;
};
struct GgufArchitecture {
  std::string_view name, model_type;
  GgufExpertKeys experts = {};
};

/// nullptr where it is not known.
const GgufArchitecture* find_gguf_architecture(std::string_view name);

}  // namespace ridge::catalog
