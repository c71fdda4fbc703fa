// ridge curve: the figures along one input, as a table, a plot in the terminal, CSV, JSON or SVG.

#include "report/search/curve.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/unit_text.hpp"
#include "cli/program.hpp"
#include "train/laws.hpp"

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

/// Along sparsity, the law that says what the experts are worth.
struct Quality {
  const NumbersEntry* entry = nullptr;
  ExpertLaw<double> law;
};

Result<Quality> quality_of(const Options& options, const CurveRequest& request, const Library& library) {
  if (request.kind != CurveKind::sparsity) {
    if (options.law.empty()) return Quality{};
    return fail({"--law", "is for curves along sparsity", "ridge curve sparsity deepseek-v3 --on gb200-nvl72"});
  }
  const auto entry =
      options.law.empty() ? usual_expert_law(library, "--law") : find_law(library, options.law, "experts", "--law");
  if (!entry) return fail(entry.error());
  const auto law = expert_law(**entry);
  if (!law) return fail(law.error());
  return Quality{*entry, *law};
}

}  // namespace

int run_curve(const Options& options, Program& program) {
  const auto request = request_of(options);
  if (!request) return report_errors(request.error(), options);
  const auto scenario = scenario_of(program, options, options.model);
  if (!scenario) return report_errors(scenario.error(), options);
  const auto answer = answer_why(*scenario, program.library);
  if (!answer) return report_errors(answer.error(), options);
  const auto quality = quality_of(options, *request, program.library);
  if (!quality) return report_errors(quality.error(), options);
  const auto curve =
      make_curve(*answer, *request, best_instruction_set(), quality->entry == nullptr ? nullptr : &quality->law);
  if (!curve) return report_errors(curve.error(), options);
  const auto chart = smooth_chart(options, *answer, *request);
  if (!chart) return report_errors(chart.error(), options);
  if (!options.svg_file.empty()) {
    if (const int code = write_svg(options.svg_file, report::to_svg(*chart), options); code != kAnswered) return code;
  }
  if (options.json) return print(report::curve_json(*curve, *answer));
  if (options.csv) return print(report::curve_csv(*curve));
  const int rows = 16;
  std::string out = report::to_text(*chart, program.style.columns, rows, program.style.unicode) + "\n" +
                    report::curve_table(*curve, program.style);
  if (quality->entry != nullptr) {
    const std::string note = extrapolation_note(*quality->entry, Params<double>(curve->active));
    out += report::quality_text(*curve, quality->entry->title, note, program.style);
  }
  return print(out);
}

}  // namespace ridge::cli
