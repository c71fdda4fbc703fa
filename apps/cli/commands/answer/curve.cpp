// ridge curve: the figures along one input, as a table, a plot in the terminal, CSV, JSON or SVG.

#include "report/search/curve.hpp"

#include <cmath>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "cli/options/flags.hpp"
#include "cli/options/option_groups.hpp"
#include "cli/options/option_reader.hpp"
#include "cli/program.hpp"
#include "cli/question/serving.hpp"
#include "report/search/shape_curve.hpp"
#include "train/laws.hpp"

namespace ridge::cli {

namespace {

Result<CurveRequest> curve_request(const Arguments& arguments) {
  const auto kind = parse_curve_kind(arguments.text("kind"));
  if (!kind) return fail(kind.error());
  OptionReader reader(arguments);
  const auto end = [&](const char* key) {
    if (*kind == CurveKind::context) return reader.read<Tokens<double>>(key).value_or(Tokens<double>(0.0)).value();
    return reader.number(key, 0.0);
  };
  CurveRequest request{.kind = *kind, .from = end("min"), .to = end("max"), .points = arguments.whole("points", 0)};
  if (!reader.errors().empty()) return fail(reader.errors());
  return request;
}

// A chart wants more points than a table.
Result<report::Chart> smooth_chart(const std::string& what, const WhyAnswer& answer, CurveRequest request) {
  request.points = std::max(request.points, 200);
  const auto curve = make_curve(answer, request, best_instruction_set());
  if (!curve) return fail(curve.error());
  return report::curve_chart(*curve, answer, what);
}

/// Along sparsity, the law that says what the experts are worth.
struct Quality {
  const NumbersEntry* entry = nullptr;
  ExpertLaw<double> law;
};

Result<Quality> quality_of(const std::string& law_name, const CurveRequest& request, const Library& library) {
  if (request.kind != CurveKind::sparsity) {
    if (law_name.empty()) return Quality{};
    return fail({"expert_law", "is for curves along sparsity", "ridge curve sparsity deepseek-v3 --on gb200-nvl72"});
  }
  const auto entry =
      law_name.empty() ? usual_expert_law(library, "expert_law") : find_law(library, law_name, "experts", "expert_law");
  if (!entry) return fail(entry.error());
  const auto law = expert_law(**entry);
  if (!law) return fail(law.error());
  return Quality{*entry, *law};
}

/// What the table leaves out where a machine's scale-up domain ends.
std::string beyond_domain(const Curve& curve, const WhyAnswer& answer, const report::Style& style) {
  const double domain = answer.resolved.domain;
  if (curve.kind != CurveKind::chips || !(domain > 0) || curve.x.back() <= domain) return "";
  return report::wrapped(
             fmt::format("note: the scale-up domain has {} chips; beyond it a step crosses the scale-out "
                         "network, which this bound leaves out (ridge why --tp, --dp and the like count it)",
                         with_commas(domain)),
             style.columns, 6) +
         "\n";
}

const ShapeKind* shape_kind(std::string_view word) {
  for (const ShapeKind& kind : kShapeKinds) {
    if (name_of(kind) == word) return &kind;
  }
  return nullptr;
}

/// Whole values from --min to --max, in equal ratios; none where neither is given.
Result<std::vector<double>> shape_values(const Arguments& arguments) {
  std::vector<double> values;
  if (!arguments.has("min") && !arguments.has("max")) return values;
  OptionReader reader(arguments);
  const double least = reader.number("min", 0), most = reader.number("max", 0);
  if (!reader.errors().empty()) return fail(reader.errors());
  if (!arguments.has("min") || !arguments.has("max") || most < least)
    return fail(
        {"min", "a model's dimension needs both ends, the smaller first", "e.g. --min 32 --max 128 --points 5"});
  constexpr int kMostPoints = 64;
  const int points = arguments.whole("points", 5);
  if (points > kMostPoints)
    return fail({"points", fmt::format("each point is a plan: at most {}", kMostPoints), "fewer"});
  for (int i = 0; i < points; ++i) {
    const double value = std::round(least * std::pow(most / least, static_cast<double>(i) / (points - 1)));
    if (values.empty() || value > values.back()) values.push_back(value);
  }
  return values;
}

/// Options of the bound's curves that a served model's has to refuse, and the other way round.
Errors of_another_curve(const Arguments& arguments, bool shape) {
  Errors errors;
  const auto refuse = [&](const char* key, const char* instead) {
    if (arguments.has(key)) errors.push_back({key, "has no meaning along this axis", instead});
  };
  if (shape) {
    for (const char* key : {"batch", "context"}) refuse(key, "say --concurrency, --isl and --osl");
    for (const char* key : {"chart", "expert_law", "csv", "set", "attention"}) refuse(key, "leave it out");
    return errors;
  }
  for (const Given& one : arguments.given) {
    if (one.by == Reads::serving)
      errors.push_back(
          {one.key, "has no meaning for a roofline bound", "ridge why has it, or curve experts, layers, ..."});
  }
  refuse("tpot", "it chooses the load along experts, layers, kv-heads, hidden and window");
  return errors;
}

Result<int> run_shape_curve(ShapeKind kind, const Arguments& arguments, Program& program) {
  if (Errors wrong = of_another_curve(arguments, true); !wrong.empty()) return fail(std::move(wrong));
  if (const auto named = svg_named(arguments.text("svg")); !named) return named;
  const auto values = shape_values(arguments);
  if (!values) return fail(values.error());
  const auto scenario = scenario_of(program, arguments, arguments.text("model"));
  if (!scenario) return fail(scenario.error());
  ServingQuestion asked;
  asked.scenario = *scenario;
  const auto question = with_options(std::move(asked), arguments);
  if (!question) return fail(question.error());
  OptionReader reader(arguments);
  TpotSlo slo;
  if (const auto tpot = reader.read<Seconds<double>>("tpot", kAnything)) slo = {*tpot, true};
  if (!reader.errors().empty()) return fail(reader.errors());
  auto curve = shape_curve(*question, kind, *values, {.slo = slo, .tokens_per_second = {}, .threads = all_threads()},
                           program.library);
  if (!curve) return fail(curve.error());
  in_flags(curve->notes, *arguments.command);
  for (ShapePoint& point : curve->points) point.why_not = in_flags(point.why_not, *arguments.command);
  const std::string out =
      arguments.json() ? report::shape_curve_json(*curve) : report::shape_curve_text(*curve, program.style);
  return print_with_svg(arguments, with_assumptions(out, arguments, program),
                        [&] { return report::to_svg(report::shape_chart(*curve)); });
}

Result<int> run_curve(const Arguments& arguments, Program& program) {
  if (const ShapeKind* kind = shape_kind(arguments.text("kind"))) return run_shape_curve(*kind, arguments, program);
  if (Errors wrong = of_another_curve(arguments, false); !wrong.empty()) return fail(std::move(wrong));
  const auto request = curve_request(arguments);
  if (!request) return fail(request.error());
  const auto scenario = scenario_of(program, arguments, arguments.text("model"));
  if (!scenario) return fail(scenario.error());
  auto answer = answer_why(*scenario, program.library);
  if (!answer) return fail(answer.error());
  in_flags(*answer, *arguments.command);
  const auto quality = quality_of(arguments.text("expert_law"), *request, program.library);
  if (!quality) return fail(quality.error());
  const auto curve =
      make_curve(*answer, *request, best_instruction_set(), quality->entry == nullptr ? nullptr : &quality->law);
  if (!curve) return fail(curve.error());
  const auto chart = smooth_chart(arguments.text("chart", "step"), *answer, *request);
  if (!chart) return fail(chart.error());
  const std::string extrapolation =
      quality->entry == nullptr ? "" : extrapolation_note(*quality->entry, Params<double>(curve->active));
  std::string out;
  if (arguments.json()) {
    out = report::curve_json(*curve, *answer, extrapolation);
  } else if (arguments.has("csv")) {
    out = report::curve_csv(*curve);
  } else {
    const int rows = 16;
    out = report::to_text(*chart, program.style.columns, rows, program.style.unicode) + "\n" +
          report::curve_table(*curve, program.style) + beyond_domain(*curve, *answer, program.style);
    if (quality->entry != nullptr) {
      out += report::quality_text(*curve, quality->entry->title, extrapolation, program.style);
    }
  }
  return print_with_svg(arguments, with_assumptions(out, arguments, program), [&] { return report::to_svg(*chart); });
}

}  // namespace

Command curve_command() {
  return {.name = "curve",
          .purpose = Purpose::answer,
          .place = 3,
          .summary = "step time and cost along batch, context, chips or shape",
          .groups = {{kUsual,
                      {{"KIND", "kind", "KIND",
                        "batch, context, chips or sparsity (the bound); experts, layers, kv-heads, hidden or window "
                        "(the model changed, and served)",
                        "", Reads::command, false, true},
                       kModelOrScenario,
                       kMachine,
                       kChips,
                       kBatch,
                       kContext}},
                     {"The curve",
                      {{"--min", "min", "N", "first value along the axis", "by the kind"},
                       {"--max", "max", "N", "last value along the axis", "by the kind"},
                       {"--points", "points", "N", "number of points", "by the kind", Reads::command, false, false, 2,
                        100000},
                       {"--chart", "chart", "WHAT", "what the chart shows: step or cost", "step"},
                       {"--expert-law", "expert_law", "NAME",
                        "along sparsity: how good more experts are (ridge list laws)", "clark-2022"}}},
                     {"Serving a changed model", {kTpot}},
                     load_options({.isl = "1,024", .osl = "1,024", .concurrency = "the cheapest within --tpot"}),
                     layout_options(),
                     engine_options(),
                     {"Formats and price", {kWeights, kExperts, kAttention, kKv, kPrice, kPriceBasis, kUtilization}},
                     output_options({kSvg, kCsv}),
                     rare_options({kSet, kAssume})},
          .examples = {"ridge curve batch deepseek-v3 --on gb200-nvl72 --svg batch.svg",
                       "ridge curve batch deepseek-v3 --on gb200-nvl72 --chart cost --svg cost.svg",
                       "ridge curve context llama-3.1-70b --on hgx-h100 --min 1k --max 1M --csv",
                       "ridge curve sparsity deepseek-v3 --on gb200-nvl72 --expert-law clark-2022-hash",
                       "ridge curve kv-heads llama-3.1-70b --on hgx-h100 --tp 8 --isl 8k --osl 1k"},
          .run = run_curve};
}

}  // namespace ridge::cli
