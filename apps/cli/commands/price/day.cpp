// ridge day: a published day of serving: what it cost and what it would have earned.

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "catalog/entries/numbers_entry.hpp"
#include "cli/options/option_groups.hpp"
#include "cli/question/prices.hpp"
#include "report/price/money/money_text.hpp"

namespace ridge::cli {

namespace {

Result<int> run_day(const Arguments& arguments, Program& program) {
  const auto days = catalog::numbers_entries(*program.facts, "day");
  if (!days) return fail(days.error());
  if (days->empty()) return fail({"day", "the catalog has none", "add day/NAME.toml"});
  const std::string wanted = arguments.text("day", days->front().name);
  const NumbersEntry* entry = find_named(*days, wanted);
  if (entry == nullptr) {
    return fail(
        {"day", fmt::format("no day is called \"{}\"", shortened(wanted)), suggestion(wanted, names_of(*days))});
  }
  const auto sheets = price_sheets(program);
  if (!sheets) return fail(sheets.error());
  const auto day = serving_day(*entry, *sheets);
  if (!day) return fail(day.error());
  return print(arguments.json() ? report::day_json(*day) : report::day_text(*day, program.style));
}

}  // namespace

Command day_command() {
  return {.name = "day",
          .purpose = Purpose::price,
          .place = 3,
          .summary = "a published day of serving: its cost, what it would have earned",
          .groups = {{kUsual, {{"DAY", "day", "DAY", "entry of catalog/day", "DeepSeek's day of February 2025"}}},
                     output_options(),
                     rare_options()},
          .examples = {"ridge day", "ridge day deepseek-2025-02 --json"},
          .run = run_day};
}

}  // namespace ridge::cli
