#pragma once
// A regular expression for names of modules, from strangers: matched in linear time. Natively by RE2
// (name_expression.cpp, the only file that knows it); where that is not (WebAssembly), by our own subset of it.

#include <memory>
#include <optional>
#include <string_view>

namespace ridge::catalog {

class NameExpression {
 public:
  /// Nothing where it cannot be read.
  static std::optional<NameExpression> read(std::string_view pattern);
  NameExpression(NameExpression&&) noexcept;
  NameExpression& operator=(NameExpression&&) noexcept;
  ~NameExpression();

  /// Whether it matches from the start of the name on, to anywhere, as compressed-tensors does.
  bool match_start(std::string_view name) const;

 private:
  struct Compiled;
  explicit NameExpression(std::unique_ptr<const Compiled> compiled);

  std::unique_ptr<const Compiled> compiled_;
};

}  // namespace ridge::catalog
