#include "report/derive/derivation_json.hpp"

#include "base/unit_text.hpp"

namespace ridge::report {

Json input_json(const DerivationInput& input) {
  const Provenance& from = input.from;
  return {{"value", json_number(input.value)},
          {"unit", unit_name(input.dimension)},
          {"symbol", input.symbol},
          {"meaning", input.meaning},
          {"kind", name_of(from.kind)},
          {"source", from.source},
          {"place", from.place},
          {"note", from.note}};
}

Json derivation_json(std::span<const Traced> figures) {
  Json lines = Json::object();
  for (const DerivationLine& line : derive_all(figures)) {
    Json operands = Json::object();
    for (const auto& [symbol, value] : line.operands) operands[symbol] = json_number(value);
    lines[line.symbol] = {
        {"formula", line.formula},         {"numbers", line.numbers},          {"shown", line.shown},
        {"operands", std::move(operands)}, {"value", json_number(line.value)}, {"unit", unit_name(line.dimension)}};
  }
  return lines;
}

}  // namespace ridge::report
