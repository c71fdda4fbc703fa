#pragma once
// Reading one catalog entry: each key is asked for once, by type; what is missing, malformed or never asked for becomes
// an error with its file and line, and all of them are reported together.

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/provenance.hpp"
#include "base/result.hpp"
#include "base/text/unit_text.hpp"
#include "catalog/facts/fact.hpp"
#include "library/shelf.hpp"

namespace ridge::catalog {

/// Sources by id, for the kind of a fact and for checking that the id exists.
using Sources = Shelf<Source>;

class Entry {
 public:
  Entry(std::vector<const Fact*> facts, const Sources& sources, Errors& errors)
      : facts_(std::move(facts)),
        read_(facts_.size(), false),
        sources_(sources),
        errors_(errors),
        errors_before_(errors.size()) {
    for (std::size_t i = 0; i < facts_.size(); ++i) place_of_.emplace(facts_[i]->key, i);
  }

  const std::string& name() const { return facts_.front()->entry; }
  bool has(std::string_view key) const { return find(key) != nullptr; }

  /// A word or a sentence. Missing: an error if required.
  std::string text(std::string_view key, bool required = true);
  std::optional<std::string> optional_text(std::string_view key);
  /// A plain number with no unit.
  double number(std::string_view key, std::optional<double> otherwise = {});
  /// The same, but it may be negative: what a checkpoint lacks of what its config promises.
  double signed_number(std::string_view key);
  bool flag(std::string_view key, std::optional<bool> otherwise = {});

  template <class Q>
  Sourced<Q> quantity(std::string_view key) {
    const Fact* fact = required(key);
    return fact == nullptr ? Sourced<Q>{} : parsed<Q>(*fact);
  }
  template <class Q>
  std::optional<Sourced<Q>> optional_quantity(std::string_view key) {
    const Fact* fact = take(key);
    if (fact == nullptr) return {};
    return parsed<Q>(*fact);
  }
  Sourced<std::string> sourced_text(std::string_view key);
  Sourced<double> sourced_number(std::string_view key);

  /// The keys below a table, in file order: {"bf16", "fp8"} for "matmul".
  std::vector<std::string> keys_below(std::string_view table) const;
  /// The first words of those, each once: {"dense", "expert"} for "layer".
  std::vector<std::string> tables_below(std::string_view table) const;
  Provenance provenance(std::string_view key);

  bool knows_source(std::string_view id) const { return sources_.find(id) != nullptr; }
  void complain(std::string_view key, std::string what, std::string hint);
  /// Whether nothing of this entry has been complained of so far.
  bool is_well() const { return errors_.size() == errors_before_; }
  /// Every key that nobody asked for is an error.
  void finish();

 private:
  const Fact* find(std::string_view key) const;
  const Fact* take(std::string_view key);
  const Fact* required(std::string_view key);
  Provenance provenance_of(const Fact& fact);
  std::string where(const Fact& fact) const { return fact.place + ": " + fact.key; }

  template <class Q>
  Sourced<Q> parsed(const Fact& fact) {
    const auto value = parse<Q>(fact.text, where(fact));
    if (!value) append(errors_, value.error());
    return {value.value_or(Q{}), provenance_of(fact)};
  }

  std::vector<const Fact*> facts_;
  std::vector<bool> read_;
  std::unordered_map<std::string_view, std::size_t> place_of_;  // by key; the first of several
  std::vector<std::string> asked_;
  const Sources& sources_;
  Errors& errors_;
  std::size_t errors_before_;
};

}  // namespace ridge::catalog
