#include "library/chip_price.hpp"

#include <fmt/format.h>

#include "base/field_text.hpp"
#include "library/owned.hpp"

namespace ridge {

Result<ChipPrice> chip_price(const Machine& machine, const std::optional<std::string>& basis) {
  const std::string chosen = basis.value_or(machine.rental ? "rental" : "owned");
  if (chosen == "rental" && machine.rental) {
    ChipPrice rented{*machine.rental, std::nullopt};
    std::string& note = rented.price.from.note;
    note = "rented" + (note.empty() ? "" : ", " + note);
    return rented;
  }
  if (chosen == "owned" && machine.owned) {
    const Provenance& capex = machine.owned->capex.from;
    const Provenance from{capex.source, capex.kind, "owned: capex over its life, interest, energy", capex.place};
    return ChipPrice{{owned_price(owned_numbers(*machine.owned)).total(), from}, machine.owned};
  }
  const bool known_word = chosen == "rental" || chosen == "owned";
  return fail({"price", fmt::format("{} has no {} price", machine.name, known_word ? chosen : "\"" + chosen + "\""),
               "give one, e.g. " + field("price", "$2.10/h") + ", or rented or owned where the catalog has it"});
}

}  // namespace ridge
