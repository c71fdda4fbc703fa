// ridge fit: what memory holds.

#include "cli/options/flags.hpp"
#include "cli/options/option_groups.hpp"
#include "cli/question/serving.hpp"
#include "library/engines.hpp"
#include "report/roofline/why_json.hpp"
#include "report/roofline/why_text.hpp"

namespace ridge::cli {

namespace {

Result<int> run_fit(const Arguments& arguments, Program& program) {
  if (asks_serving(arguments)) return run_serving_fit(arguments, program);
  const auto scenario = scenario_of(program, arguments, arguments.text("model"));
  if (!scenario) return fail(scenario.error());
  auto answer = answer_why(*scenario, program.library);
  if (!answer) return fail(answer.error());
  in_flags(*answer, *arguments.command);
  const Engine& engine = *find_engine(program.library, kGeneralEngine).facts;
  const report::EngineShare taken{engine.name, engine.memory_utilization.at(answer->resolved.numbers.hbm_capacity)};
  if (arguments.json() && answer->fit.fits) answer->resolved.notes.push_back(report::engine_room_text(*answer, taken));
  const int code =
      print(arguments.json() ? report::why_json(*answer) : report::fit_text(*answer, taken, program.style));
  if (code != kAnswered) return code;
  return answer->fit.fits ? kAnswered : kNoAnswer;
}

}  // namespace

Command fit_command() {
  return {.name = "fit",
          .purpose = Purpose::answer,
          .place = 2,
          .summary = "does it fit, and how much KV cache beside the weights",
          .groups = step_options({output_options(), rare_options({kAssume, kSet})}),
          .examples = {"ridge fit llama-3.1-70b --on hgx-h100 --chips 4 --context 32k --batch 8",
                       "ridge fit deepseek-v3 --on hgx-h200 --kv fp8",
                       "ridge fit --from 'vllm serve Qwen/Qwen3-32B --tensor-parallel-size 2' --on hgx-h100"},
          .notes = "Exit code 4 when it does not fit; the ways out are printed.",
          .run = run_fit};
}

}  // namespace ridge::cli
