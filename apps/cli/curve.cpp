// ridge curve: the figures along one input, as a table, a plot in the terminal, CSV, JSON or SVG.

#include "report/curve.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/unit_text.hpp"
#include "cli/program.hpp"

namespace ridge::cli {

namespace {

Result<double> end_of(const std::string& text, CurveKind kind, std::string_view flag) {
  if (text.empty()) return 0.0;
  const auto value = parse_as(text, kind == CurveKind::context ? kToken : kNone, flag);
  if (value && !(*value > 0.0))
    return fail(
        {std::string(flag), fmt::format("\"{}\" must be above zero", text), "curves are drawn on a logarithmic axis"});
  return value;
}

Result<CurveRequest> request_of(const Options& options) {
  const auto kind = parse_curve_kind(options.subject);
  if (!kind) return fail(kind.error());
  const auto from = end_of(options.from, *kind, "--from");
  if (!from) return fail(from.error());
  const auto to = end_of(options.to, *kind, "--to");
  if (!to) return fail(to.error());
  return CurveRequest{.kind = *kind, .from = *from, .to = *to, .points = options.points};
}

// A chart wants more points than a table.
Result<report::Chart> smooth_chart(const Options& options, const WhyAnswer& answer, CurveRequest request) {
  request.points = std::max(request.points, 200);
  const auto curve = make_curve(answer, request, best_instruction_set());
  if (!curve) return fail(curve.error());
  return report::curve_chart(*curve, answer, options.y);
}

}  // namespace

int run_curve(const Options& options, Program& program) {
  const auto request = request_of(options);
  if (!request) return report_errors(request.error(), options);
  const auto scenario = scenario_of(program, options, options.model);
  if (!scenario) return report_errors(scenario.error(), options);
  const auto answer = answer_why(*scenario, program.library);
  if (!answer) return report_errors(answer.error(), options);
  const auto curve = make_curve(*answer, *request, best_instruction_set());
  if (!curve) return report_errors(curve.error(), options);
  const auto chart = smooth_chart(options, *answer, *request);
  if (!chart) return report_errors(chart.error(), options);
  if (!options.svg_file.empty()) {
    if (const int code = write_svg(options.svg_file, report::to_svg(*chart), options); code != kAnswered) return code;
  }
  if (options.json) return print(report::curve_json(*curve, *answer));
  if (options.csv) return print(report::curve_csv(*curve));
  const int rows = 16;
  return print(report::to_text(*chart, program.style.columns, rows, program.style.unicode) + "\n" +
               report::curve_table(*curve, program.style));
}

}  // namespace ridge::cli
