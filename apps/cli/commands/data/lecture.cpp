// ridge lecture: the blackboard's figures in their order, each drawn again by one command.

#include "catalog/entries/lecture.hpp"

#include <fmt/format.h>

#include "cli/options/option_groups.hpp"
#include "cli/program.hpp"
#include "cli/run_words.hpp"
#include "report/claims/lecture_text.hpp"

namespace ridge::cli {

namespace {

Result<int> run_lecture(const Arguments& arguments, Program& program) {
  auto steps = catalog::read_lecture(*program.facts);
  if (!steps) return fail(steps.error());
  if (!arguments.has("step"))
    return print(arguments.json() ? report::lecture_json(*steps) : report::lecture_text(*steps, program.style));
  const int last = static_cast<int>(steps->size()), number = arguments.whole("step", 1);
  if (number > last)
    return fail({"step", fmt::format("there are {} steps, and no {}", last, number), "ridge lecture lists them"});
  const LectureStep& step = (*steps)[static_cast<std::size_t>(number - 1)];
  if (arguments.json()) return print(report::lecture_json({step}));
  const auto at = static_cast<std::size_t>(number);
  if (const int code = print(report::lecture_step_text(step, at, steps->size(), program.style)); code != kAnswered)
    return code;
  if (const int code = run_line(step.command); code != kAnswered) return code;
  return print(report::lecture_end_text(step, at, steps->size(), program.style));
}

}  // namespace

Command lecture_command() {
  return {.name = "lecture",
          .purpose = Purpose::data,
          .place = 2,
          .summary = "the lecture's blackboard, figure by figure",
          .groups = {{kUsual,
                      {{"STEP", "step", "N", "its number, drawn with what was said", "a table of contents",
                        Reads::command, false, false, 1, 1000}}},
                     output_options(),
                     rare_options()},
          .examples = {"ridge lecture", "ridge lecture 1", "ridge lecture --json"},
          .notes =
              "Every step is a file of catalog/lecture: a title, two sentences, a command and the claims it is "
              "about. --json has them and runs nothing.",
          .run = run_lecture};
}

}  // namespace ridge::cli
