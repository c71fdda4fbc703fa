#include "price/money/chip_cost.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/field_text.hpp"
#include "base/text/text.hpp"
#include "library/names.hpp"

namespace ridge {

namespace {

/// "cost-of-capital", as answers write it.
std::string spoken(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

/// An owner's numbers from what is given and what the catalog has.
struct OwnersNumbers {
  OwnershipCase<double> numbers{};
  std::vector<std::string> missing;  // fields that are in neither
  std::vector<std::string> assumed;  // what the catalog only guesses
};

OwnersNumbers owners_numbers(const OwnershipChanges& changes, const std::optional<Ownership>& known) {
  OwnersNumbers out;
  const auto take = [&]<class Q>(const std::optional<Q>& given, Sourced<Q> Ownership::*fact, const char* name) -> Q {
    if (given) return *given;
    if (!known) {
      out.missing.emplace_back(name);
      return Q{};
    }
    if (((*known).*fact).from.kind == Kind::assumed) out.assumed.push_back(spoken(name));
    return ((*known).*fact).value;
  };
  out.numbers = {.capex = take(changes.capex, &Ownership::capex, "capex"),
                 .life = take(changes.life, &Ownership::life, "life"),
                 .power = take(changes.power, &Ownership::power, "power"),
                 .pue = take(changes.pue, &Ownership::pue, "pue"),
                 .electricity = take(changes.electricity, &Ownership::electricity, "electricity"),
                 .cost_of_capital = take(changes.cost_of_capital, &Ownership::cost_of_capital, "cost_of_capital")};
  return out;
}

bool any_given(const OwnershipChanges& changes) {
  return changes.capex || changes.life || changes.power || changes.pue || changes.electricity ||
         changes.cost_of_capital;
}

std::string fields_listed(const std::vector<std::string>& names) {
  std::vector<std::string> marks;
  for (const std::string& name : names) marks.push_back(field(name));
  return joined(marks, ", ");
}

Errors checked(const CostQuestion& question) {
  Errors errors;
  const auto share = [&](const char* where, double value, bool zero) {
    if ((zero ? value >= 0 : value > 0) && value <= 1) return;
    errors.push_back({where, fmt::format("{:g} is no share", value), zero ? "from 0 to 1" : "above 0, at most 1"});
  };
  share("utilization", question.utilization, false);
  share("memory_share", question.memory_utilization, true);
  const auto positive = [&](const char* where, const auto& quantity) {
    if (quantity && !(quantity->value() > 0))
      errors.push_back({where, "must be above zero", "leave it out for the catalog's"});
  };
  positive("capex", question.changes.capex);
  positive("life", question.changes.life);
  positive("power", question.changes.power);
  positive("pue", question.changes.pue);
  positive("electricity", question.changes.electricity);
  if (question.changes.pue && question.changes.pue->value() < 1)
    errors.push_back({"pue", "a building takes no less than the machines in it", "at least 1, e.g. 1.2"});
  if (question.changes.cost_of_capital && question.changes.cost_of_capital->value() > 1)
    errors.push_back({"cost_of_capital", "more than all of the capital each year", "write the yearly rate, e.g. 8%"});
  if (question.changes.cost_of_capital && !(question.changes.cost_of_capital->value() >= 0))
    errors.push_back({"cost_of_capital", "is negative", "write the yearly rate, e.g. 8%"});
  return errors;
}

}  // namespace

std::optional<Error> free_chip(const DollarsPerSecond<double>& price) {
  if (price.value() > 0) return std::nullopt;
  return Error{"price", "a chip costs nothing", "give a price above zero, or leave it out for the catalog's"};
}

Result<ChipCost> chip_cost(const CostQuestion& question, const Library& library) {
  if (Errors errors = checked(question); !errors.empty()) return fail(std::move(errors));
  ChipCost out;
  out.question = question;
  const auto machine = whole_machine_named(library, question.machine);
  if (!machine) return fail(machine.error());
  out.machine = machine->entry;
  if (!machine->note.empty()) out.notes.push_back(machine->note);
  out.chip = find_named(library.chips, out.machine->chip);
  for (const PriceBasis basis : kPriceBases) {
    if (basis == PriceBasis::owned) continue;
    auto price = chip_price(*out.machine, basis, library);
    if (!price) continue;
    if (basis == question.rental) out.rental = price->price.value;
    out.contracts.push_back({basis, std::move(*price)});
  }
  OwnersNumbers owner = owners_numbers(question.changes, out.machine->owned);
  out.assumed = std::move(owner.assumed);
  if (owner.missing.empty()) out.numbers = owner.numbers;
  if (!out.numbers && any_given(question.changes)) {
    return fail({"cost", fmt::format("the catalog has no owner's costs of {}", question.machine),
                 "give these, too: " + fields_listed(owner.missing)});
  }
  if (!out.numbers && !out.rental) {
    return fail({"machine", fmt::format("the catalog has neither a rent nor an owner's costs of {}", question.machine),
                 "give " + fields_listed(owner.missing)});
  }
  if (out.numbers) {
    out.owned = owned_price(*out.numbers);
    out.memory = memory_price(out.owned, Ratio<double>(question.memory_utilization));
    if (out.rental && out.owned.energy < *out.rental)
      out.payback = payback(out.numbers->capex, *out.rental, out.owned.energy);
  }
  return out;
}

}  // namespace ridge
