#pragma once
// LiteLLM's price map (model_prices_and_context_window.json), which many people keep: prices of tokens by model.
// Strangers' file: what is no price of tokens is listed, and so is a model whose prices cannot be meant.

#include <optional>
#include <string_view>

#include "catalog/prices/price_file.hpp"

namespace ridge::catalog {

/// What the name of a price in the map says: cache_creation_input_token_cost_above_1hr_above_200k_tokens.
struct PriceKey {
  enum class Of { input, output, cached, write };
  Of of = Of::input;
  bool hour = false;      // _above_1hr: kept for an hour instead of five minutes
  double above = 0;       // _above_200k_tokens
  std::string_view mode;  // _batches is "batch"; "priority", "flex"
};
/// Nothing where it is no name of a price of tokens.
std::optional<PriceKey> price_key(std::string_view name);

/// All models of the map that have prices of tokens, those that cannot be meant apart. The map gives no dates.
Result<SheetFile> read_price_map(std::string_view text, std::string_view filename);

}  // namespace ridge::catalog
