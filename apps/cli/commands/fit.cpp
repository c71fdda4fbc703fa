// ridge fit: what memory holds.

#include "cli/program.hpp"
#include "report/roofline/why_json.hpp"
#include "report/roofline/why_text.hpp"

namespace ridge::cli {

int run_fit(const Options& options, Program& program) {
  if (asks_serving(options)) return run_serving_fit(options, program);
  const auto scenario = scenario_of(program, options, options.subject);
  if (!scenario) return report_errors(scenario.error(), options);
  const auto answer = answer_why(*scenario, program.library);
  if (!answer) return report_errors(answer.error(), options);
  const int code = print(options.json ? report::why_json(*answer) : report::fit_text(*answer, program.style));
  if (code != kAnswered) return code;
  return answer->fit.fits ? kAnswered : kNoAnswer;
}

}  // namespace ridge::cli
