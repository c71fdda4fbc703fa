#include "train/step/recipe.hpp"

#include <fmt/format.h>

#include "base/text/text.hpp"

namespace ridge {

Result<TrainingRecipe> find_recipe(const std::vector<NumbersEntry>& recipes, std::string_view name,
                                   std::string_view where) {
  const NumbersEntry* entry = nullptr;
  std::vector<std::string> names;
  for (const NumbersEntry& one : recipes) {
    names.push_back(one.name);
    if (lower_case(one.name) == lower_case(name)) entry = &one;
  }
  if (entry == nullptr)
    return fail({std::string(where), fmt::format("unknown recipe \"{}\"", shortened(name)), suggestion(name, names)});
  TrainingRecipe recipe{.name = entry->name, .title = entry->title, .note = entry->note};
  const auto number = [&](const char* key, double& into) {
    if (const auto found = entry->numbers.find(key); found != entry->numbers.end()) into = found->second.value.value;
  };
  double bits = 16, blocks = 0, on_chip = 0;
  number("product_bits", bits);
  number("block_scaled", blocks);
  number("sizes_on_chip", on_chip);
  number("weight_bytes", recipe.weight_bytes);
  number("gradient_bytes", recipe.gradient_bytes);
  number("reduce_bytes", recipe.reduce_bytes);
  number("gather_bytes", recipe.gather_bytes);
  number("master_bytes", recipe.master_bytes);
  number("state_bytes", recipe.state_bytes);
  number("kept_input_bytes", recipe.kept_input_bytes);
  number("dispatch_bytes", recipe.dispatch_bytes);
  number("optimizer_flops", recipe.optimizer_flops);
  recipe.products = bits <= 4 ? Precision::bits4 : bits <= 8 ? Precision::bits8 : Precision::bits16;
  recipe.block_scaled = blocks > 0;
  recipe.sizes_on_chip = on_chip > 0;
  return recipe;
}

}  // namespace ridge
