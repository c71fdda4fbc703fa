// ridge price history: how the prices of a family of models moved.

#include "report/price/sheet/price_history.hpp"

#include "cli/prices.hpp"

namespace ridge::cli {

int run_price_history(const Options& options, Program& program) {
  const auto sheets = price_sheets(program);
  if (!sheets) return report_errors(sheets.error(), options);
  const auto history = price_history(*sheets, options.subject, "FAMILY");
  if (!history) return report_errors(history.error(), options);
  if (!options.svg_file.empty()) {
    const int code = write_svg(options.svg_file, report::to_svg(report::price_history_chart(*history)), options);
    if (code != kAnswered) return code;
  }
  return print(options.json ? report::price_history_json(*history)
                            : report::price_history_text(*history, program.style));
}

}  // namespace ridge::cli
