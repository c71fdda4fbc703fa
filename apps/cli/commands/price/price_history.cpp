// ridge price history: how the prices of a family of models moved.

#include "report/price/sheet/price_history.hpp"

#include "cli/options/option_groups.hpp"
#include "cli/question/prices.hpp"

namespace ridge::cli {

namespace {

Result<int> run_price_history(const Arguments& arguments, Program& program) {
  const auto sheets = price_sheets(program);
  if (!sheets) return fail(sheets.error());
  const auto history = price_history(*sheets, arguments.text("family"), "family");
  if (!history) return fail(history.error());
  return print_with_svg(
      arguments,
      arguments.json() ? report::price_history_json(*history) : report::price_history_text(*history, program.style),
      [&] { return report::to_svg(report::price_history_chart(*history)); });
}

}  // namespace

Command price_history_command() {
  return {.name = "price history",
          .purpose = Purpose::price,
          .place = 5,
          .summary = "how the prices of a family of models moved",
          .groups = {{kUsual,
                      {{"FAMILY", "family", "FAMILY", "e.g. claude-opus, gemini-pro, deepseek, groq/llama", "",
                        Reads::command, false, true}}},
                     output_options({kSvg.saying("draw prices against time as SVG")}),
                     rare_options()},
          .examples = {"ridge price history claude-opus", "ridge price history gemini-pro --svg gemini.svg",
                       "ridge price history deepseek --json", "ridge price history groq/llama"},
          .notes =
              "A family is words of a model's name, in their order; a provider and a slash before it holds to "
              "that one.",
          .run = run_price_history};
}

}  // namespace ridge::cli
