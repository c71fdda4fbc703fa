#include "library/chip_price.hpp"

#include <fmt/format.h>

#include "base/text/field_text.hpp"
#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "library/owned.hpp"
#include "library/price_said.hpp"

namespace ridge {

namespace {

constexpr std::array kContracts = {PriceBasis::on_demand, PriceBasis::reserved_1y, PriceBasis::reserved_3y};

const std::optional<Sourced<DollarsPerSecond<double>>>& listed(const Machine& machine, PriceBasis contract) {
  if (contract == PriceBasis::on_demand) return machine.on_demand;
  return contract == PriceBasis::reserved_1y ? machine.reserved_1y : machine.reserved_3y;
}

bool is_rented(const Machine& machine) {
  return machine.on_demand || machine.reserved_1y || machine.reserved_3y || machine.rental;
}

ChipPrice rented(Sourced<DollarsPerSecond<double>> price, std::string_view contract) {
  const std::string said = price.from.note.empty() ? "" : ", " + price.from.note;
  price.from.note = fmt::format("rented, {}{}", contract, said);
  return {std::move(price), {}, false};
}

/// A contract's share of the on-demand price, by the catalog's rule.
std::optional<double> share_of(PriceBasis contract, const Library& library) {
  const NumbersEntry* rule = find_named(library.contracts, "rental");
  if (rule == nullptr) return {};
  std::string key(name_of(contract));
  for (char& one : key) {
    if (one == '-') one = '_';
  }
  const auto number = rule->numbers.find(key);
  if (number == rule->numbers.end() || !(number->second.value.value > 0)) return {};
  return number->second.value.value;
}

std::optional<ChipPrice> filled(const Machine& machine, PriceBasis wanted, const Library& library) {
  const auto share = share_of(wanted, library);
  for (const PriceBasis other : kContracts) {
    const auto& known = listed(machine, other);
    const auto whole = share_of(other, library);
    if (!known || !share || !whole) continue;
    const double times = *share / *whole;
    const Provenance from{known->from.source, Kind::assumed,
                          fmt::format("rented, {}: {:.2g}x the {} price of {}", name_of(wanted), times, name_of(other),
                                      show(known->value)),
                          known->from.place};
    return ChipPrice{{known->value * Ratio<double>(times), from}, {}, true};
  }
  return {};
}

ChipPrice owners(const Ownership& owned) {
  const Provenance& capex = owned.capex.from;
  const Provenance from{capex.source, capex.kind, "owned: capex over its life, interest, energy", capex.place};
  return {{owned_price(owned_numbers(owned)).total(), from}, owned, false};
}

}  // namespace

std::string_view name_of(PriceBasis basis) {
  if (basis == PriceBasis::on_demand) return "on-demand";
  if (basis == PriceBasis::reserved_1y) return "reserved-1y";
  return basis == PriceBasis::reserved_3y ? "reserved-3y" : "owned";
}

Result<PriceBasis> parse_price_basis(std::string_view word, std::string_view where) {
  if (word == "rented" || word == "rental") return kUsualBasis;
  std::vector<std::string> words;
  for (const PriceBasis basis : kPriceBases) {
    if (word == name_of(basis)) return basis;
    words.emplace_back(name_of(basis));
  }
  return fail(
      {std::string(where), fmt::format("unknown price basis \"{}\"", shortened(word)), suggestion(word, words)});
}

std::optional<PriceBasis> basis_of(const Provenance& price) {
  for (const PriceBasis basis : kPriceBases) {
    const std::string begin = (basis == PriceBasis::owned ? "" : "rented, ") + std::string(name_of(basis));
    if (price.note.starts_with(begin)) return basis;
  }
  return {};
}

Result<ChipPrice> chip_price(const Machine& machine, const std::optional<PriceBasis>& basis, const Library& library) {
  const PriceBasis chosen = basis.value_or(!is_rented(machine) && machine.owned ? PriceBasis::owned : kUsualBasis);
  if (chosen == PriceBasis::owned) {
    if (machine.owned) return owners(*machine.owned);
  } else {
    if (const auto& price = listed(machine, chosen)) return rented(*price, name_of(chosen));
    if (machine.rental) {  // it may be another contract's: who compares has to be told
      ChipPrice price = rented(*machine.rental, "under a contract nobody says");
      price.price.from.kind = Kind::assumed;
      return price;
    }
    if (auto price = filled(machine, chosen, library)) return std::move(*price);
  }
  return fail({"price", fmt::format("{} has no {} price", machine.name, name_of(chosen)),
               fmt::format("give one, e.g. {}{}", field("price", "$2.10/h"),
                           chosen != PriceBasis::owned && machine.owned ? ", or " + field("price_basis", "owned")
                           : chosen == PriceBasis::owned && is_rented(machine)
                               ? ", or " + field("price_basis", name_of(kUsualBasis))
                               : "")});
}

}  // namespace ridge
