#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "claims/claim.hpp"
#include "claims/claim_text.hpp"
#include "claims/computations.hpp"

namespace ridge {

namespace {

struct Computation {
  std::string_view id;
  std::vector<Figure> (*figures)(Inputs&);
};

constexpr std::array kComputations = {
    Computation{"C01", c01}, Computation{"C02", c02}, Computation{"C03", c03}, Computation{"C04", c04},
    Computation{"C05", c05}, Computation{"C06", c06}, Computation{"C07", c07}, Computation{"C08", c08},
    Computation{"C09", c09}, Computation{"C10", c10}, Computation{"C11", c11}, Computation{"C12", c12},
    Computation{"C13", c13}, Computation{"C14", c14}, Computation{"C15", c15}, Computation{"C16", c16},
    Computation{"C17", c17}, Computation{"C18", c18}, Computation{"C19", c19}, Computation{"C20", c20},
    Computation{"C21", c21}, Computation{"C22", c22}, Computation{"C23", c23}, Computation{"C24", c24},
    Computation{"C25", c25}, Computation{"C26", c26}, Computation{"C27", c27}, Computation{"C28", c28},
    Computation{"C29", c29}, Computation{"C30", c30}, Computation{"C31", c31}, Computation{"C32", c32},
    Computation{"C33", c33}, Computation{"C34", c34}, Computation{"C35", c35}, Computation{"C36", c36},
    Computation{"C37", c37}, Computation{"C38", c38}, Computation{"C39", c39}, Computation{"C40", c40},
    Computation{"C41", c41}, Computation{"C42", c42}, Computation{"C43", c43}, Computation{"C44", c44},
    Computation{"C45", c45}, Computation{"C46", c46}, Computation{"C47", c47}, Computation{"C48", c48},
    Computation{"C49", c49}, Computation{"C50", c50}, Computation{"C51", c51}, Computation{"C52", c52},
    Computation{"C53", c53}, Computation{"C54", c54}, Computation{"C55", c55}, Computation{"C56", c56},
    Computation{"C57", c57}, Computation{"C58", c58}, Computation{"C59", c59}, Computation{"C60", c60},
    Computation{"C61", c61}, Computation{"C62", c62},
};

/// The figures with their expectations beside them; an expectation no figure answers to is an error.
Result<std::vector<JudgedFigure>> compared(const Claim& claim, const std::vector<Figure>& figures) {
  std::vector<JudgedFigure> judged;
  Errors errors;
  std::vector<std::string> keys;
  for (const Figure& one : figures) {
    keys.push_back(one.key);
    judged.push_back({one, {}, true});
  }
  for (const Expectation& expected : claim.expected) {
    const auto found = std::find(keys.begin(), keys.end(), expected.figure);
    if (found == keys.end()) {
      errors.push_back({"claim " + claim.id,
                        fmt::format("expects a figure \"{}\" that is not computed", expected.figure),
                        suggestion(expected.figure, keys)});
      continue;
    }
    JudgedFigure& one = judged[static_cast<std::size_t>(found - keys.begin())];
    if (one.figure.dimension != expected.low.dimension) {
      const std::string unit = unit_name(one.figure.dimension);
      errors.push_back({"claim " + claim.id, fmt::format("expect.{} has another unit than the figure", expected.figure),
                        unit.empty() ? "write plain numbers" : "write it in " + unit});
    }
    one.expected = expected;
    one.agrees = expected.low.value <= one.figure.value && one.figure.value <= expected.high.value;
  }
  if (!errors.empty()) return fail(std::move(errors));
  return judged;
}

Verdict verdict_of(const std::vector<JudgedFigure>& figures) {
  const auto agreeing = [](const JudgedFigure& one) { return one.expected && one.agrees; };
  const auto disagreeing = [](const JudgedFigure& one) { return one.expected && !one.agrees; };
  const bool some_agree = std::any_of(figures.begin(), figures.end(), agreeing);
  const bool some_disagree = std::any_of(figures.begin(), figures.end(), disagreeing);
  if (!some_disagree) return Verdict::holds;
  return some_agree ? Verdict::holds_under_conditions : Verdict::does_not_hold;
}

}  // namespace

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::holds:
      return "holds";
    case Verdict::holds_under_conditions:
      return "holds under conditions";
    case Verdict::does_not_hold:
      return "does not hold";
    case Verdict::derived:
      return "derived";
  }
  return "?";
}

std::vector<std::string> computable_claims() {
  std::vector<std::string> ids;
  for (const Computation& one : kComputations) ids.emplace_back(one.id);
  return ids;
}

Result<JudgedClaim> judge(const Claim& claim, const Library& library, const std::vector<PriceSheet>& sheets) {
  const auto same = [&](const Computation& one) { return one.id == claim.id; };
  const auto found = std::find_if(kComputations.begin(), kComputations.end(), same);
  if (found == kComputations.end()) {
    return fail({"claim " + claim.id, "has no computation", suggestion(claim.id, computable_claims())});
  }
  if (claim.expected.empty() && !claim.derived) {
    return fail({"claim " + claim.id, "expects nothing, so nothing can be judged",
                 "add an [expect] table, or derived = true where nobody said it"});
  }
  if (!claim.derived && claim.band.empty())
    return fail({"claim " + claim.id, "does not say why it expects what it does", "add band = \"...\""});
  Inputs in(claim, library, sheets);
  const std::vector<Figure> figures = found->figures(in);
  if (!in.errors().empty()) return fail(in.errors());
  auto judged = compared(claim, figures);
  if (!judged) return fail(judged.error());
  auto condition = rendered(claim.condition, claim, figures);
  if (!condition) return fail(condition.error());
  const Verdict verdict = claim.derived ? Verdict::derived : verdict_of(*judged);
  return JudgedClaim{claim, std::move(*judged), verdict, std::move(*condition)};
}

}  // namespace ridge
