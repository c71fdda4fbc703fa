#include "serve/question/serving_inputs.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include <fmt/format.h>

#include "base/text/text.hpp"

namespace ridge {

namespace {

constexpr auto kServingInputRows = field_rows<ServingCase>();
constexpr auto kServingFigureRows = field_rows<ServingEstimateOf>();

/// Short words that people use, as the roofline's inputs have them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kShortWords = {{
    {"hbm", "hbm.bandwidth"},
    {"bandwidth", "hbm.bandwidth"},
    {"capacity", "hbm.capacity"},
    {"process", "memory.process"},
}};

/// Words that a question has fields of its own for.
constexpr std::array<std::string_view, 5> kOfTheLoad = {"isl", "osl", "cached", "concurrency", "acceptance_rate"};

}  // namespace

std::size_t serving_input_index(std::string_view key) {
  const std::size_t index = find_field(kServingInputRows, key);
  assert(index < kServingInputs && "an input that is not in visit_serving_inputs");
  return index;
}

Result<std::size_t> find_serving_input(std::string_view word, std::string_view where) {
  for (const auto& [alias, key] : kShortWords) {
    if (alias == word) return serving_input_index(key);
  }
  const std::size_t index = find_field(kServingInputRows, word);
  if (index < kServingInputs) return index;
  if (find_input(word) >= 0) {
    return fail(
        {std::string(where),
         fmt::format("{} is a number of the roofline bound: a calibrated answer has the layers themselves", word),
         "leave the layout and the load out, or describe a model with that dimension (docs/how_to_add.md)"});
  }
  return fail({std::string(where), fmt::format("\"{}\" is no input of a calibrated answer", shortened(word)),
               suggestion(word, keys_of(kServingInputRows)) + " (ridge list serving-inputs)"});
}

InputInfo serving_input_info(std::size_t index) { return kServingInputRows[index].info; }
Dimension serving_input_dimension(std::size_t index) { return kServingInputRows[index].dimension; }

Result<std::size_t> find_serving_figure(std::string_view word, std::string_view where) {
  if (word == "step") word = "decode_step";
  const std::size_t index = find_field(kServingFigureRows, word);
  if (index < kServingOutputs) return index;
  return fail({std::string(where), fmt::format("unknown figure \"{}\" of a calibrated answer", shortened(word)),
               suggestion(word, keys_of(kServingFigureRows)) + " (ridge list serving-figures)"});
}

OutputInfo serving_figure_info(std::size_t index) { return kServingFigureRows[index].info; }
Dimension serving_figure_dimension(std::size_t index) { return kServingFigureRows[index].dimension; }

Result<bool> set_serving_input(ServingGround& ground, const GivenInput& given) {
  const auto index = find_serving_input(given.key, given.from.source);
  if (!index) return fail(index.error());
  const auto& row = kServingInputRows[*index];
  if (std::find(kOfTheLoad.begin(), kOfTheLoad.end(), row.info.key) != kOfTheLoad.end()) {
    return fail({given.from.source, fmt::format("{} is of the load", row.info.key), "give it as an option of its own"});
  }
  if (const auto checked = checked_value(row.info, row.dimension, given.value, given.from.source); !checked)
    return fail(checked.error());
  std::size_t i = 0;
  visit_serving_inputs(ground.numbers, [&]<Dimension D>(const InputInfo&, Quantity<D, double>& field) {
    if (i++ == *index) field = Quantity<D, double>(given.value);
  });
  ground.from[*index] = given.from;
  return true;
}

}  // namespace ridge
