#include "catalog/hf/name_expression.hpp"

#include <string>

#include <re2/re2.h>

namespace ridge::catalog {

struct NameExpression::Compiled {
  explicit Compiled(std::string_view pattern) : expression("\\A(?:" + std::string(pattern) + ")", RE2::Quiet) {}
  RE2 expression;
};

NameExpression::NameExpression(std::unique_ptr<const Compiled> compiled) : compiled_(std::move(compiled)) {}
NameExpression::NameExpression(NameExpression&&) noexcept = default;
NameExpression& NameExpression::operator=(NameExpression&&) noexcept = default;
NameExpression::~NameExpression() = default;

std::optional<NameExpression> NameExpression::read(std::string_view pattern) {
  auto compiled = std::make_unique<const Compiled>(pattern);
  if (!compiled->expression.ok()) return {};
  return NameExpression(std::move(compiled));
}

bool NameExpression::match_start(std::string_view name) const {
  return RE2::PartialMatch(re2::StringPiece(name.data(), name.size()), compiled_->expression);
}

}  // namespace ridge::catalog
