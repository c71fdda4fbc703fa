// RE2 is not here: expressions for names of modules by our own matcher.

#include "catalog/hf/name_expression.hpp"

#include "catalog/hf/linear_pattern.hpp"

namespace ridge::catalog {

struct NameExpression::Compiled {
  LinearPattern pattern;
};

NameExpression::NameExpression(std::unique_ptr<const Compiled> compiled) : compiled_(std::move(compiled)) {}
NameExpression::NameExpression(NameExpression&&) noexcept = default;
NameExpression& NameExpression::operator=(NameExpression&&) noexcept = default;
NameExpression::~NameExpression() = default;

std::optional<NameExpression> NameExpression::read(std::string_view pattern) {
  auto read = LinearPattern::read(pattern);
  if (!read) return {};
  return NameExpression(std::make_unique<const Compiled>(Compiled{std::move(*read)}));
}

bool NameExpression::match_start(std::string_view name) const { return compiled_->pattern.match_start(name); }

}  // namespace ridge::catalog
