#pragma once
// The texts given to options, read as what they should be; everything that is wrong is collected.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/unit_text.hpp"
#include "base/text/within.hpp"
#include "catalog/question/scenario_text.hpp"
#include "cli/command.hpp"

namespace ridge::cli {

/// The range of --range for an input, both of whose ends may stand for it.
Result<Interval> checked_range(const catalog::RangeText& range, const InputInfo& info, Dimension dimension);

class OptionReader {
 public:
  explicit OptionReader(const Arguments& arguments) : arguments_(arguments) {}

  /// The quantity given for a field; nothing where none was given, or a wrong one.
  template <class Q>
  std::optional<Q> read(std::string_view key, const Within& within = kAboveZero) {
    if (!arguments_.has(key)) return {};
    return parsed<Q>(key, arguments_.text(key), within);
  }
  /// The same put where it belongs; what stands there stays where nothing was given.
  template <class Q, class Into>
  void read_into(Into& into, std::string_view key, const Within& within = kAboveZero) {
    if (const auto value = read<Q>(key, within)) into = *value;
  }
  /// A plain number.
  double number(std::string_view key, double otherwise, const Within& within = kAboveZero);

  /// Several with commas between them.
  template <class Q>
  std::vector<Q> list(std::string_view key, const Within& within = kAboveZero) {
    std::vector<Q> out;
    for (const std::string& word : words(key)) {
      if (const auto value = parsed<Q>(key, word, within)) out.push_back(*value);
    }
    return out;
  }
  /// As many values as there are between the commas, alike or not: a series.
  template <class Q>
  std::vector<Q> series(std::string_view key, const Within& within = kAboveZero) {
    std::vector<Q> out;
    for (const std::string& word : every_word(key)) {
      if (const auto value = parsed<Q>(key, word, within)) out.push_back(*value);
    }
    return out;
  }
  /// The words between commas, each once.
  std::vector<std::string> words(std::string_view key);
  std::vector<std::string> every_word(std::string_view key);

  /// One text read as a quantity, for what is written inside an option.
  template <class Q>
  std::optional<Q> parsed(std::string_view key, std::string_view text, const Within& within = kAboveZero) {
    const auto value = take(parse<Q>(text, key));
    if (!value || !allowed(key, text, value->value(), within)) return {};
    return value;
  }

  struct Pair {
    std::string key, value, where;  // where: "--set hbm.bandwidth"
  };
  /// KEY=VALUE of an option that may be given again.
  std::vector<Pair> pairs(std::string_view key, std::string_view example);

  /// The value of a result, or its errors kept.
  template <class T>
  std::optional<T> take(Result<T> result) {
    if (result) return std::move(*result);
    append(errors_, result.error());
    return {};
  }
  void refuse(const Errors& errors) { append(errors_, errors); }
  void refuse(std::string_view key, std::string what, std::string hint) {
    errors_.push_back({std::string(key), std::move(what), std::move(hint)});
  }

  const Arguments& arguments() const { return arguments_; }
  const Errors& errors() const { return errors_; }

 private:
  bool allowed(std::string_view key, std::string_view text, double value, const Within& within);

  const Arguments& arguments_;
  Errors errors_;
};

}  // namespace ridge::cli
