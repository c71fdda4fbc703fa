#include "price/money/chip_cost.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "library/names.hpp"

namespace ridge {

namespace {

/// The case from what is given and what the catalog has; what is in neither is named.
class Owner {
 public:
  Owner(const OwnershipChanges& changes, const std::optional<Ownership>& known) : changes_(changes), known_(known) {}

  std::optional<OwnershipCase<double>> numbers() {
    const OwnershipCase<double> out{
        .capex = take(changes_.capex, &Ownership::capex, "--capex"),
        .life = take(changes_.life, &Ownership::life, "--life"),
        .power = take(changes_.power, &Ownership::power, "--power"),
        .pue = take(changes_.pue, &Ownership::pue, "--pue"),
        .electricity = take(changes_.electricity, &Ownership::electricity, "--electricity"),
        .cost_of_capital = take(changes_.cost_of_capital, &Ownership::cost_of_capital, "--cost-of-capital")};
    return missing.empty() ? std::optional(out) : std::nullopt;
  }

  std::vector<std::string> missing, assumed;
  bool any = false;

 private:
  template <class Q>
  Q take(const std::optional<Q>& given, Sourced<Q> Ownership::*field, const char* flag) {
    any = any || given.has_value();
    if (given) return *given;
    if (known_) {
      const Sourced<Q>& fact = (*known_).*field;
      if (fact.from.kind == Kind::assumed) assumed.emplace_back(flag + 2);
      return fact.value;
    }
    missing.emplace_back(flag);
    return Q{};
  }

  const OwnershipChanges& changes_;
  const std::optional<Ownership>& known_;
};

Errors checked(const CostQuestion& question) {
  Errors errors;
  const auto share = [&](const char* where, double value, bool zero) {
    if ((zero ? value >= 0 : value > 0) && value <= 1) return;
    errors.push_back({where, fmt::format("{:g} is no share", value), zero ? "from 0 to 1" : "above 0, at most 1"});
  };
  share("--utilization", question.utilization, false);
  share("--memory-share", question.memory_utilization, true);
  const auto positive = [&](const char* where, const auto& quantity) {
    if (quantity && !(quantity->value() > 0))
      errors.push_back({where, "must be above zero", "leave it out for the catalog's"});
  };
  positive("--capex", question.changes.capex);
  positive("--life", question.changes.life);
  positive("--power", question.changes.power);
  positive("--pue", question.changes.pue);
  positive("--electricity", question.changes.electricity);
  if (question.changes.pue && question.changes.pue->value() < 1)
    errors.push_back({"--pue", "a building takes no less than the machines in it", "at least 1, e.g. 1.2"});
  if (question.changes.cost_of_capital && question.changes.cost_of_capital->value() > 1)
    errors.push_back({"--cost-of-capital", "more than all of the capital each year", "write the yearly rate, e.g. 8%"});
  if (question.changes.cost_of_capital && !(question.changes.cost_of_capital->value() >= 0))
    errors.push_back({"--cost-of-capital", "is negative", "write the yearly rate, e.g. 8%"});
  return errors;
}

}  // namespace

std::optional<Error> free_chip(const DollarsPerSecond<double>& price) {
  if (price.value() > 0) return std::nullopt;
  return Error{"--price", "a chip costs nothing", "give a price above zero, or leave it out for the catalog's"};
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
  if (out.machine->rental) out.rental = out.machine->rental->value;
  Owner owner(question.changes, out.machine->owned);
  out.numbers = owner.numbers();
  out.assumed = owner.assumed;
  if (!out.numbers && owner.any) {
    return fail({"cost", fmt::format("the catalog has no owner's costs of {}", question.machine),
                 "give these, too: " + joined(owner.missing, ", ")});
  }
  if (!out.numbers && !out.rental) {
    return fail({"MACHINE", fmt::format("the catalog has neither a rent nor an owner's costs of {}", question.machine),
                 "give --capex, --life, --power, --pue, --electricity and --cost-of-capital"});
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
