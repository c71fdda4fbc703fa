#include "report/derive/derivation_json.hpp"

#include "base/text/unit_text.hpp"

namespace ridge::report {

Json input_json(const DerivationInput& input) {
  const Provenance& from = input.from;
  return JsonMembers(8)
      .add("value", json_number(input.value))
      .add("unit", unit_name(input.dimension))
      .add("symbol", input.symbol)
      .add("meaning", input.meaning)
      .add("kind", name_of(from.kind))
      .add("source", from.source)
      .add("place", from.place)
      .add("note", from.note)
      .take();
}

Json derivation_json(std::span<const Traced> figures) {
  std::vector<DerivationLine> derived = derive_all(figures);  // each symbol once, as each operand of a line
  JsonMembers lines(derived.size());
  for (DerivationLine& line : derived) {
    JsonMembers operands(line.operands.size());
    for (const auto& [symbol, value] : line.operands) operands.add(symbol, json_number(value));
    lines.add(line.symbol, JsonMembers(6)
                               .add("formula", std::move(line.formula))
                               .add("numbers", std::move(line.numbers))
                               .add("shown", std::move(line.shown))
                               .add("operands", operands.take())
                               .add("value", json_number(line.value))
                               .add("unit", unit_name(line.dimension))
                               .take());
  }
  return lines.take();
}

}  // namespace ridge::report
