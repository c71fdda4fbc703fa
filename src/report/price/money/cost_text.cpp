#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "report/base/counts.hpp"
#include "report/price/money/money_text.hpp"

namespace ridge::report {

namespace {

constexpr int kBarWidth = 16;

std::string price_row(const Style& style, std::string_view name, const DollarsPerSecond<double>& price,
                      const DollarsPerSecond<double>& all, const std::string& remark) {
  const double share = (price / all).value();
  return fmt::format("  {}{}  {} {}  {}\n", padded(name, 13), padded(show(price, 4), 10, true),
                     bar(style, share, kBarWidth), padded(percent(share), 5, true), remark);
}

/// What a price's note says beside the contract.
std::string terms_of_price(const std::string& note, PriceBasis basis) {
  const std::string contract = fmt::format("rented, {}", name_of(basis));
  if (!note.starts_with(contract)) return ", " + note;
  return note.substr(contract.size());
}

}  // namespace

std::string cost_text(const ChipCost& cost, const Style& style) {
  const Machine& machine = *cost.machine;
  const double used = cost.question.utilization;
  std::string out =
      bold(style, fmt::format("Cost of one {}-hour of {}", chip_word(machine.title), machine_kind(machine.title))) +
      "\n";
  for (const ContractPrice& one : cost.contracts) {
    const Provenance& from = one.price.price.from;
    out +=
        wrapped(fmt::format("{}: {} ({}{})", padded(std::string(name_of(one.basis)), 11), show(one.price.price.value),
                            one.price.filled ? "assumed" : from.source, terms_of_price(from.note, one.basis)),
                style.columns, 13) +
        "\n";
  }
  if (machine.rental_low && machine.rental_high)
    out += fmt::format("market     : {} to {}\n", show(machine.rental_low->value), show(machine.rental_high->value));
  if (!cost.numbers) return out + "owned: not in the catalog; give --capex and the like\n";
  const OwnershipCase<double>& n = *cost.numbers;
  const DollarsPerSecond<double> all = cost.owned.total();
  out += fmt::format("owned: {}\n", show(all));
  out += price_row(style, "depreciation", cost.owned.depreciation, all,
                   fmt::format("{} over {}", show(n.capex), time_text(n.life)));
  out += price_row(style, "interest", cost.owned.interest, all,
                   fmt::format("{} a year on half of it", percent(n.cost_of_capital.value())));
  out += price_row(style, "energy", cost.owned.energy, all,
                   fmt::format("{} x PUE {} at {}", show(n.power), significant(n.pue.value(), 3), show(n.electricity)));
  out += wrapped(fmt::format("memory is taken to be {} of the capital ({}):", percent(cost.question.memory_utilization),
                             cost.question.memory_from),
                 style.columns, 2) +
         "\n";
  const auto capacity = cost.chip->usable_capacity().value;
  const double gigabyte_hour = cost.memory.memory.value() * 3600 / (capacity.value() / 1e9);
  out += price_row(style, "memory", cost.memory.memory, all,
                   fmt::format("${}/h per GB of {}", significant(gigabyte_hour, 3), show(capacity, 3)));
  out += price_row(style, "rest", cost.memory.rest, all, "");
  if (used < 1) {
    out +=
        fmt::format("at {} utilization an hour of work costs {} owned", percent(used), show(all / Ratio<double>(used)));
    if (cost.rental) out += fmt::format(", {} rented", show(*cost.rental / Ratio<double>(used)));
    out += "\n";
  }
  if (used == 1) out += "at full utilization (--utilization says otherwise)\n";
  if (cost.payback) {
    out += fmt::format("buying pays back against rent after {}: {} of its life\n", time_text(*cost.payback),
                       percent((*cost.payback / n.life).value()));
  } else if (cost.rental) {
    out += "no payback: rent is below the cost of energy\n";
  }
  if (!cost.assumed.empty()) out += dim(style, "assumed, not sourced: " + joined(cost.assumed, ", ")) + "\n";
  return out;
}

}  // namespace ridge::report
