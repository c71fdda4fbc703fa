#pragma once
// One object of a benchmark's JSON: fields by name, each checked. A number is finite, not negative and below 1e18; NaN and
// null are nothing, and everything else is an error with its path.

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "calibrate/evidence/benchmark_result.hpp"
#include "catalog/json/json_value.hpp"

namespace ridge::catalog {

class ResultFields {
 public:
  ResultFields(const JsonValue& object, std::string path, Errors& errors)
      : object_(&object), path_(std::move(path)), errors_(&errors) {}

  bool has(std::string_view key) const;  // present, and not null
  std::optional<double> number(std::string_view key) const;
  /// The first of these that is there.
  std::optional<double> number_of(std::initializer_list<std::string_view> keys) const;
  /// The same where "inf" and Infinity stand for "no limit".
  std::optional<double> limit(std::string_view key) const;
  /// On one line, made safe to show, at most 200 characters; empty where it is absent or no text.
  std::string text(std::string_view key) const;
  std::string text_of(std::initializer_list<std::string_view> keys) const;
  /// true, "true" or a number above 0; false where it is absent.
  bool flag(std::string_view key) const;
  /// An object below this one; an empty one where it is absent.
  ResultFields child(std::string_view key) const;
  std::optional<ResultFields> child_if(std::string_view key) const;
  /// The objects of a list.
  std::vector<ResultFields> children(std::string_view key) const;

  /// mean_X, median_X, p99_X: times `unit` seconds.
  MeasuredTime time(std::string_view name, double unit) const;

  const JsonValue& value() const { return *object_; }
  const std::string& path() const { return path_; }
  void complain(std::string_view key, std::string what, std::string hint) const;

 private:
  std::optional<double> checked_number(std::string_view key, const JsonValue& value) const;

  const JsonValue* object_;
  std::string path_;
  Errors* errors_;
};

/// A stranger's text on one line: control characters shown, at most 200 characters.
std::string safe_line(std::string_view text);

}  // namespace ridge::catalog
