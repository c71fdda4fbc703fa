// ridge claims: what the lecture says, what the engine computes, and whether they agree.

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "base/text/unit_text.hpp"
#include "cli/options/option_groups.hpp"
#include "cli/question/prices.hpp"
#include "report/claims/claims_json.hpp"

namespace ridge::cli {

namespace {

std::string expected_range(const Expectation& expected) {
  const std::string low = show(expected.low.value, expected.low.dimension);
  return expected.low == expected.high ? low : low + " to " + show(expected.high.value, expected.high.dimension);
}

std::string claim_text(const JudgedClaim& judged, const report::Style& style) {
  const Claim& claim = judged.claim;
  std::string out =
      report::bold(style, report::wrapped(fmt::format("{} {}: {}", claim.id, name_of(judged.verdict), claim.title),
                                          style.columns, 2)) +
      "\n";
  out += report::wrapped("  " + claim.statement + (claim.at.empty() ? "" : fmt::format(" [{}]", claim.at)),
                         style.columns, 2) +
         "\n";
  for (const JudgedFigure& one : judged.figures) {
    std::string line = fmt::format("  {} {}", report::padded(show(one.figure.value, one.figure.dimension), 16, true),
                                   one.figure.meaning);
    if (one.expected)
      line += fmt::format(" ({} what the claim says, {})", one.agrees ? "within" : "OUTSIDE",
                          expected_range(*one.expected));
    out += report::wrapped(line, style.columns, 21) + "\n";
  }
  if (!judged.condition.empty()) out += report::wrapped("  " + judged.condition, style.columns, 2) + "\n";
  if (!claim.band.empty())
    out += report::dim(style, report::wrapped("  bounds: " + claim.band, style.columns, 2)) + "\n";
  return out;
}

std::string claims_summary(const std::vector<JudgedClaim>& all, const report::Style& style) {
  std::string out;
  int counts[4] = {0, 0, 0, 0};
  for (const JudgedClaim& judged : all) {
    ++counts[static_cast<int>(judged.verdict)];
    out += report::wrapped(fmt::format("  {} {} {}", report::padded(judged.claim.id, 4),
                                       report::padded(name_of(judged.verdict), 23), judged.claim.title),
                           style.columns, 31) +
           "\n";
  }
  out += fmt::format(
      "\n{} claims: {} hold, {} hold under conditions, {} do not hold, {} are derived\nridge claims ID shows the "
      "figures\n{}\n",
      all.size(), counts[0], counts[1], counts[2], counts[3],
      "source: Reiner Pope on the Dwarkesh Podcast, 2026-04-29");
  return report::bold(style, "The lecture's statements, computed and judged") + "\n" + out;
}

Result<int> run_claims(const Arguments& arguments, Program& program) {
  const auto sheets = price_sheets(program);
  if (!sheets) return fail(sheets.error());
  const std::string wanted = arguments.text("id");
  std::vector<JudgedClaim> judged;
  std::vector<std::string> ids;
  Errors errors;
  for (const Claim& claim : *program.claims) {
    ids.push_back(claim.id);
    if (!wanted.empty() && lower_case(wanted) != lower_case(claim.id)) continue;
    auto one = judge(claim, program.library, *sheets);
    if (one)
      judged.push_back(std::move(*one));
    else
      append(errors, one.error());
  }
  if (!errors.empty()) return fail(std::move(errors));
  if (judged.empty())
    return fail({"claims", fmt::format("no claim \"{}\"", shortened(wanted)), suggestion(wanted, ids)});
  if (arguments.json()) return print(report::claims_json(judged));
  return print(wanted.empty() ? claims_summary(judged, program.style) : claim_text(judged.front(), program.style));
}

}  // namespace

Command claims_command() {
  return {.name = "claims",
          .purpose = Purpose::data,
          .place = 2,
          .summary = "the lecture's statements, computed and judged",
          .groups = {{kUsual, {{"ID", "id", "ID", "one claim, e.g. C09", "all"}}}, output_options(), rare_options()},
          .examples = {"ridge claims", "ridge claims C12", "ridge claims --json"},
          .run = run_claims};
}

}  // namespace ridge::cli
