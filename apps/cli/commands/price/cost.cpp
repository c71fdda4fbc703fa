// ridge cost: a chip's hour, rented or owned, and what it is made of.

#include <fmt/format.h>

#include "cli/options/option_groups.hpp"
#include "cli/options/option_reader.hpp"
#include "cli/program.hpp"
#include "report/price/money/money_text.hpp"

namespace ridge::cli {

namespace {

constexpr const char* kMemoryClaim = "C31";

/// The share of capital that is memory, where nobody gives one: what the lecture says.
void set_memory_share(CostQuestion& question, const Program& program) {
  for (const Claim& claim : *program.claims) {
    const auto share = claim.given.find("share");
    if (claim.id != kMemoryClaim || share == claim.given.end()) continue;
    question.memory_utilization = share->second.value.value;
    question.memory_from = fmt::format("said in {}; --memory-cost-share says otherwise", kMemoryClaim);
  }
}

Result<CostQuestion> cost_question(const Arguments& arguments, const Program& program) {
  OptionReader reader(arguments);  // whether the numbers make sense is said where the cost is computed
  CostQuestion question;
  question.machine = arguments.text("machine");
  set_memory_share(question, program);
  OwnershipChanges& changes = question.changes;
  reader.read_into<Dollars<double>>(changes.capex, "capex", kAnything);
  reader.read_into<Seconds<double>>(changes.life, "life", kAnything);
  reader.read_into<Watts<double>>(changes.power, "power", kAnything);
  reader.read_into<Ratio<double>>(changes.pue, "pue", kAnything);
  reader.read_into<DollarsPerJoule<double>>(changes.electricity, "electricity", kAnything);
  reader.read_into<Ratio<double>>(changes.cost_of_capital, "cost_of_capital", kAnything);
  question.utilization = reader.number("utilization", question.utilization, kAnything);
  if (arguments.has("memory_cost_share")) {
    question.memory_utilization = reader.number("memory_cost_share", 0, kAnything);
    question.memory_from = "given";
  }
  if (arguments.has("price_basis")) {
    const auto basis = reader.take(parse_price_basis(arguments.text("price_basis"), "price_basis"));
    if (basis && *basis == PriceBasis::owned)
      reader.refuse("price_basis", "owned is the other side of the comparison",
                    "on-demand, reserved-1y or reserved-3y");
    question.rental = basis.value_or(kUsualBasis);
  }
  if (!reader.errors().empty()) return fail(reader.errors());
  return question;
}

Result<int> run_cost(const Arguments& arguments, Program& program) {
  const auto question = cost_question(arguments, program);
  if (!question) return fail(question.error());
  const auto cost = chip_cost(*question, program.library);
  if (!cost) return fail(cost.error());
  return print(arguments.json() ? report::cost_json(*cost) : report::cost_text(*cost, program.style));
}

}  // namespace

Command cost_command() {
  return {
      .name = "cost",
      .purpose = Purpose::price,
      .place = 1,
      .summary = "a chip's hour, rented or owned, and what it is made of",
      .groups = {{kUsual,
                  {{"MACHINE", "machine", "MACHINE", "machine (ridge list machines)", "", Reads::command, false, true},
                   {"--utilization", "utilization", "SHARE", "share of the paid time in use", "1"},
                   {"--price-basis", "price_basis", "BASIS",
                    "contract to compare owning with: on-demand, reserved-1y or reserved-3y", "reserved-3y"}}},
                 {"What an owner pays",
                  {{"--capex", "capex", "MONEY", "price of a chip with its share of the rack", "the catalog's"},
                   {"--life", "life", "TIME", "of a chip in service", "the catalog's"},
                   {"--power", "power", "POWER", "of a chip with its share of the rack", "the catalog's"},
                   {"--pue", "pue", "X", "power of the building over that of the machines", "the catalog's"},
                   {"--electricity", "electricity", "PRICE", "of energy, e.g. '$0.08/kWh'", "the catalog's"},
                   {"--cost-of-capital", "cost_of_capital", "SHARE", "a year", "the catalog's"},
                   {"--memory-cost-share", "memory_cost_share", "SHARE", "share of the capital that is memory",
                    "what claim C31 says"}}},
                 output_options(),
                 rare_options()},
      .examples = {"ridge cost hgx-h100",
                   "ridge cost gb200-nvl72 --capex '$60000' --life '5 years' --electricity '$0.05/kWh' "
                   "--utilization 60%",
                   "ridge cost hgx-b200 --memory-cost-share 30% --json"},
      .run = run_cost};
}

}  // namespace ridge::cli
