#include "cli/front_screen.hpp"

#include <cassert>

#include "cli/question/evidence.hpp"
#include "cli/question/measured_like.hpp"
#include "cli/question/serving.hpp"
#include "cli/roles.hpp"
#include "cli/run_words.hpp"
#include "report/serve/front_text.hpp"

namespace ridge::cli {

namespace {

/// A model that everybody knows, on a machine and under a load that somebody has measured; off by about as much as most.
constexpr std::string_view kFirstQuestion =
    "ridge why llama-3.1-70b --on hgx-h100 --tp 4 --weights fp8 --concurrency 64";

}  // namespace

int run_front_screen() {
  const Parsed parsed = parse_line(kFirstQuestion);
  assert(!parsed.exit_code && "our own line is parsed");
  auto program = start(parsed.arguments);
  if (!program) return report_errors(program.error(), parsed.arguments);
  const auto result = serving_result(parsed.arguments, *program);
  if (!result) return report_errors(result.error(), parsed.arguments);
  assert(result->answer && "it fits");
  const auto evidence = runs_compiled_in();
  std::optional<NearestRun> nearest;
  if (evidence) nearest = nearest_of_kind(*result->answer, *evidence, program->library);
  std::vector<report::NextLine> next;
  for (const Role& role : kRoles) next.push_back({role.name, role.line});
  return print(report::front_text(*result->answer, nearest, kFirstQuestion, next, program->style));
}

}  // namespace ridge::cli
