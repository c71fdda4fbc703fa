// Our own matcher against RE2 on random patterns.

#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "catalog/hf/linear_pattern.hpp"
#include "catalog/hf/name_expression.hpp"

namespace linear_pattern_property {

using namespace ridge;
using catalog::LinearPattern;
using catalog::NameExpression;

TEST_CASE("random patterns of the subset mean the same to us and to RE2") {
  CHECK(rc::check("same as RE2", [] {
    const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
        "a", "b", ".", "\\.", "[ab]", "[^a]", "(", "(?:", ")", "|", "*", "+", "?", "{1,2}", "{0}", "^", "$", "\\d",
        "\\w", "m", "model", "layers", "{", "}", "]", "-"));
    std::string pattern;
    for (const std::string& one : pieces) pattern += one;
    const auto ours = LinearPattern::read(pattern);
    const auto theirs = NameExpression::read(pattern);
    RC_ASSERT(!ours || theirs);  // nothing that RE2 refuses
    if (!ours) return;
    const auto text = *rc::gen::container<std::string>(rc::gen::element('a', 'b', '.', 'm', '1', '\n', '{'));
    RC_ASSERT(ours->match_start(text) == theirs->match_start(text));
  }));
}

}  // namespace linear_pattern_property
