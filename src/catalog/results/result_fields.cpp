#include "catalog/results/result_fields.hpp"

#include <cmath>

#include <fmt/format.h>

#include "base/text/clean_text.hpp"
#include "base/text/text.hpp"

namespace ridge::catalog {

namespace {

constexpr double kMostOfResult = 1e18;
constexpr std::size_t kLongestResultName = 200;

const JsonValue& empty_object() {
  static const JsonValue none{JsonMembers{}};
  return none;
}

}  // namespace

std::string safe_line(std::string_view text) {
  std::string_view part = trimmed(text).substr(0, kLongestResultName);
  while (!part.empty() && part.size() == kLongestResultName && !is_utf8(part) && is_utf8(text)) part.remove_suffix(1);
  return cleaned(part, Allowed::none);
}

bool ResultFields::has(std::string_view key) const {
  const JsonValue* found = object_->find(key);
  return found != nullptr && !found->is_null();
}

void ResultFields::complain(std::string_view key, std::string what, std::string hint) const {
  const std::string where = path_.empty() ? safe_line(key) : path_ + ": " + safe_line(key);
  errors_->push_back({where, std::move(what), std::move(hint)});
}

std::optional<double> ResultFields::checked_number(std::string_view key, const JsonValue& value) const {
  std::optional<double> number;
  if (const double* plain = value.number()) number = *plain;
  if (const std::string* text = value.text()) {
    const std::string_view bare = trimmed(*text);
    if (bare.empty() || bare == "NaN" || bare == "N/A") return {};
    number = parse_number(bare);
  }
  if (!number) {
    complain(key, fmt::format("is {}, not a number", kind_of(value)), "a benchmark writes a number here");
    return {};
  }
  if (!std::isfinite(*number) || *number < 0 || *number > kMostOfResult) {
    complain(key, fmt::format("{:g} cannot have been measured", *number), "a number from 0 to 1e18 is expected");
    return {};
  }
  return number;
}

std::optional<double> ResultFields::number(std::string_view key) const {
  return has(key) ? checked_number(key, *object_->find(key)) : std::nullopt;
}

std::optional<double> ResultFields::number_of(std::initializer_list<std::string_view> keys) const {
  for (const std::string_view key : keys) {
    if (has(key)) return number(key);
  }
  return {};
}

std::optional<double> ResultFields::limit(std::string_view key) const {
  if (!has(key)) return {};
  const JsonValue& value = *object_->find(key);
  if (const std::string* text = value.text(); text != nullptr && (*text == "inf" || *text == "Infinity")) return {};
  return checked_number(key, value);
}

std::string ResultFields::text(std::string_view key) const {
  const JsonValue* found = object_->find(key);
  const std::string* text = found == nullptr ? nullptr : found->text();
  return text == nullptr ? "" : safe_line(*text);
}

std::string ResultFields::text_of(std::initializer_list<std::string_view> keys) const {
  for (const std::string_view key : keys) {
    if (std::string found = text(key); !found.empty()) return found;
  }
  return "";
}

bool ResultFields::flag(std::string_view key) const {
  if (!has(key)) return false;
  const JsonValue& value = *object_->find(key);
  if (const bool* plain = value.boolean()) return *plain;
  if (const double* number = value.number()) return *number > 0;
  const std::string* text = value.text();
  return text != nullptr && lower_case(*text) == "true";
}

std::optional<ResultFields> ResultFields::child_if(std::string_view key) const {
  const JsonValue* found = object_->find(key);
  if (found == nullptr || found->object() == nullptr) return {};
  return ResultFields(*found, path_.empty() ? safe_line(key) : path_ + "." + safe_line(key), *errors_);
}

ResultFields ResultFields::child(std::string_view key) const {
  if (auto found = child_if(key)) return *found;
  return {empty_object(), path_.empty() ? safe_line(key) : path_ + "." + safe_line(key), *errors_};
}

std::vector<ResultFields> ResultFields::children(std::string_view key) const {
  std::vector<ResultFields> out;
  const JsonValue* found = object_->find(key);
  if (found == nullptr || found->array() == nullptr) return out;
  for (const JsonValue& one : *found->array()) {
    if (one.object() != nullptr)
      out.emplace_back(one, fmt::format("{}{}[{}]", path_.empty() ? "" : path_ + ".", safe_line(key), out.size()),
                       *errors_);
  }
  return out;
}

MeasuredTime ResultFields::time(std::string_view name, double unit) const {
  const auto of = [&](const char* statistic) -> std::optional<double> {
    const auto found = number(fmt::format("{}_{}", statistic, name));
    return found ? std::optional<double>(*found * unit) : std::nullopt;
  };
  return {of("mean"), of("median"), of("p99")};
}

}  // namespace ridge::catalog
