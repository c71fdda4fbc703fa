#pragma once
// One GGUF header on its way to a config: what is asked of it and what is written. Sizes, attention and networks are in
// gguf_config.cpp, layers of several kinds in gguf_hybrid.cpp.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/gguf/architecture.hpp"
#include "catalog/gguf/gguf.hpp"
#include "catalog/json/json_value.hpp"

namespace ridge::catalog {

class GgufTranslation {
 public:
  GgufTranslation(const GgufHeader& header, const GgufArchitecture& architecture, std::string_view place);

  Result<JsonValue> translate();
  /// The keys that somebody asked for, in full.
  const std::set<std::string>& asked() const { return asked_; }

 private:
  using Layers = std::vector<double>;  // one number a layer

  // what the header says
  std::string key_of(std::string_view name) const;
  const JsonValue* find(std::string_view name);
  void complain(std::string_view name, std::string what, std::string hint);
  static bool is_count(const JsonValue& value);
  /// A whole number from 0; of a list, an error.
  std::optional<double> count(std::string_view name);
  /// One number a layer; a single number stands for all layers and is a list of one.
  Layers counts(std::string_view name);
  const TensorInfo* tensor(std::string_view name) const;
  bool has(std::string_view name) const { return tensor(name) != nullptr; }
  bool listed() const { return !tensors_.empty(); }  // otherwise the absence of a tensor says nothing
  /// A side of a tensor, counted from the innermost: 0 is what a matrix takes in, 1 what it gives out.
  std::optional<double> side(std::string_view name, std::size_t from_inner) const;
  bool is(std::string_view type) const { return model_type_ == type; }

  // what the config is given
  static JsonValue json(double value) { return {value}; }
  static JsonValue json(bool value) { return {value}; }
  static JsonValue json(std::string_view value) { return {std::string(value)}; }
  template <class T>
  static JsonValue json(const std::vector<T>& values) {
    JsonArray items(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) items[i].value = values[i];
    return {std::move(items)};
  }
  void put(std::string_view key, JsonValue value);
  template <class T>
  void set(std::string_view key, const T& value) {
    if (!key.empty()) put(key, json(value));
  }
  void set_if(std::string_view key, const std::optional<double>& value) {
    if (value) set(key, *value);
  }
  /// All the same: that number. Otherwise the list.
  void set_layers(std::string_view key, const Layers& values);

  void sizes();
  double required(std::string_view name);
  std::string_view model_type();
  std::optional<double> vocabulary();
  void attention();
  void head_size();
  void latent_attention(double rank);
  void window();
  void feed_forward();
  void experts();
  void extras();
  void biases();
  double gating() { return count("expert_gating_func").value_or(0); }  // 1 softmax, 2 sigmoid

  // layers of several kinds
  /// In a hybrid, 0 heads for keys mark a layer that does not attend.
  bool attends(std::size_t layer) const { return kv_heads_[kv_heads_.size() == 1 ? 0 : layer] > 0; }
  void set_where_any(std::string_view key, const Layers& values);
  void hybrid();
  void mamba();
  void nemotron();
  void delta();
  void kimi();
  template <class Kind>
  std::vector<std::string> kinds(Kind&& kind) const {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < static_cast<std::size_t>(layers_); ++i) all.emplace_back(kind(i));
    return all;
  }
  struct Mamba {
    std::optional<double> inner, heads, state, groups, kernel;
    std::optional<double> head_size() const;
  };
  Mamba state_space();

  const GgufHeader& header_;
  const GgufArchitecture& architecture_;
  std::string_view place_;
  std::map<std::string_view, const TensorInfo*> tensors_;  // by name, of the first block that has it
  JsonMembers config_;
  std::set<std::string> asked_;
  Errors errors_;
  std::string_view model_type_;
  double layers_ = 0, hidden_ = 0, expert_count_ = 0;
  Layers heads_, kv_heads_, widths_;
};

}  // namespace ridge::catalog
