#include "catalog/gguf/translation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "catalog/gguf/parts.hpp"

namespace ridge::catalog {

GgufTranslation::GgufTranslation(const GgufHeader& header, const GgufArchitecture& architecture, std::string_view place)
    : header_(header), architecture_(architecture), place_(place) {
  for (const TensorInfo& one : header.tensors.tensors) {
    const auto inside = block_tensor(one.name);
    tensors_.emplace(inside ? inside->rest : std::string_view(one.name), &one);
  }
}

Result<JsonValue> GgufTranslation::translate() {
  sizes();
  if (!errors_.empty()) return fail(std::move(errors_));  // the rest leans on these
  attention();
  feed_forward();
  if (expert_count_ > 0) experts();
  hybrid();
  extras();
  biases();
  if (!errors_.empty()) return fail(std::move(errors_));
  return JsonValue{std::move(config_)};
}

std::string GgufTranslation::key_of(std::string_view name) const {
  return fmt::format("{}.{}", architecture_.name, name);
}

const JsonValue* GgufTranslation::find(std::string_view name) {
  asked_.insert(key_of(name));
  return header_.find(key_of(name));
}

void GgufTranslation::complain(std::string_view name, std::string what, std::string hint) {
  errors_.push_back({fmt::format("{}: {}", place_, key_of(name)), std::move(what), std::move(hint)});
}

void GgufTranslation::put(std::string_view key, JsonValue value) {
  const auto found = std::find_if(config_.begin(), config_.end(), [&](const auto& one) { return one.first == key; });
  if (found != config_.end()) {
    found->second = std::move(value);
  } else {
    config_.emplace_back(std::string(key), std::move(value));
  }
}

bool GgufTranslation::is_count(const JsonValue& value) {
  const double* number = value.number();
  return number != nullptr && *number >= 0 && *number <= 1e12 && *number == std::floor(*number);
}

std::optional<double> GgufTranslation::count(std::string_view name) {
  const JsonValue* value = find(name);
  if (value == nullptr) return std::nullopt;
  if (is_count(*value)) return *value->number();
  complain(name, fmt::format("is {}", kind_of(*value)), "it must be a whole number: the file is damaged");
  return std::nullopt;
}

GgufTranslation::Layers GgufTranslation::counts(std::string_view name) {
  const JsonValue* value = find(name);
  if (value == nullptr) return {};
  if (is_count(*value)) return {*value->number()};
  const JsonArray* items = value->array();
  if (items == nullptr || !std::all_of(items->begin(), items->end(), is_count)) {
    complain(name, fmt::format("is {}", kind_of(*value)), "it must be whole numbers: the file is damaged");
    return {};
  }
  if (static_cast<double>(items->size()) < layers_) {
    complain(name, fmt::format("has {} numbers for {} layers", items->size(), layers_), "the file is damaged");
    return {};
  }
  Layers numbers;
  for (std::size_t i = 0; i < static_cast<std::size_t>(layers_); ++i) numbers.push_back(*(*items)[i].number());
  return numbers;
}

void GgufTranslation::set_layers(std::string_view key, const Layers& values) {
  if (values.empty()) return;
  if (std::all_of(values.begin(), values.end(), [&](double value) { return value == values.front(); })) {
    set(key, values.front());
  } else {
    set(key, values);
  }
}

const TensorInfo* GgufTranslation::tensor(std::string_view name) const {
  const auto found = tensors_.find(name);
  return found == tensors_.end() ? nullptr : found->second;
}

std::optional<double> GgufTranslation::side(std::string_view name, std::size_t from_inner) const {
  const TensorInfo* found = tensor(name);
  if (found == nullptr || found->shape.size() <= from_inner) return std::nullopt;
  return found->shape[found->shape.size() - 1 - from_inner];
}

}  // namespace ridge::catalog
