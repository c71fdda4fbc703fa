#include "report/claims/lecture_text.hpp"

#include <fmt/format.h>

#include "base/text/text.hpp"

namespace ridge::report {

std::string lecture_text(const std::vector<LectureStep>& steps, const Style& style) {
  std::string out;
  constexpr int kIndent = 16;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (i == 0 || steps[i].chapter != steps[i - 1].chapter) out += bold(style, steps[i].chapter) + "\n";
    const std::string start = fmt::format("  {:>2}  {:<8}  ", i + 1, steps[i].at);
    out += wrapped(start + steps[i].title, style.columns, kIndent) + "\n";
  }
  out += wrapped(
             "\nridge lecture 1 draws the first, with what was said; ridge lecture 2 goes on; ridge claims judges "
             "every statement. Source: Reiner Pope on the Dwarkesh Podcast, 2026-04-29",
             style.columns, 0) +
         "\n";
  return out;
}

std::string lecture_step_text(const LectureStep& step, std::size_t number, std::size_t of, const Style& style) {
  return bold(style, wrapped(fmt::format("{} of {}: {}", number, of, step.title), style.columns, 2)) + "\n" +
         dim(style, step.chapter + (step.at.empty() ? "" : ", " + step.at)) + "\n" +
         wrapped(step.text, style.columns, 0) + "\n\n" + dim(style, "$ " + step.command) + "\n";
}

std::string lecture_end_text(const LectureStep& step, std::size_t number, std::size_t of, const Style& style) {
  std::string out = "\n";
  if (!step.claims.empty()) out += fmt::format("judged: ridge claims {}", joined(step.claims, ", "));
  if (number < of) out += fmt::format("{}next: ridge lecture {}", step.claims.empty() ? "" : "; ", number + 1);
  return wrapped(out, style.columns, 2) + "\n";
}

}  // namespace ridge::report
