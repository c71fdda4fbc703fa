#pragma once
// Lists of module names in quantization_config ("lm_head", "model.layers.3.self_attn*", "re:.*gate$"), asked about one
// module at a time. Thousands of patterns cost no more than a few.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/text_set.hpp"
#include "catalog/hf/name_expression.hpp"

namespace ridge::catalog {

class ModulePatterns {
 public:
  /// The texts stay where they are and must outlive this.
  explicit ModulePatterns(const std::vector<std::string_view>& patterns);

  /// Plain patterns match whole components anywhere in the name ("gate" is in "mlp.gate", not in "mlp.gate_proj"), or at
  /// its start where they name a layer; a * stands for anything; "re:" starts a regular expression.
  bool match(std::string_view module) const;
  bool empty() const { return plain_.empty() && by_layer_.empty() && globs_.empty() && expressions_.empty(); }
  /// Regular expressions that are not understood.
  const std::vector<std::string_view>& refused() const { return refused_; }
  /// Whether any pattern names layers after this prefix: "model." of "model.layers.3.mlp".
  bool names_layers_after(std::string_view prefix) const { return prefixes_.contains(prefix); }
  /// What the patterns say of one layer, with its number taken out: layers with the same text are treated alike.
  /// Empty where patterns may tell layers apart in another way.
  const std::string& said_of_layer(double layer) const;
  bool regular() const { return regular_; }

 private:
  TextSet prefixes_;
  std::map<std::string_view, std::string> said_;  // by "layers.3."
  bool regular_ = true;
  TextSet plain_;
  std::map<std::string_view, std::vector<std::string_view>> by_layer_;  // globs that name one layer: "layers.3."
  std::vector<std::string_view> globs_;
  std::vector<NameExpression> expressions_;
  std::vector<std::string_view> refused_;
};

}  // namespace ridge::catalog
