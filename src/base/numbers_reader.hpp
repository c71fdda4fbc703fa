#pragma once

#include <fmt/format.h>

#include "base/number/units.hpp"
#include "base/numbers_entry.hpp"
#include "base/result.hpp"

namespace ridge {

/// Reads an entry's numbers by name and dimension; what is missing or of another unit is collected, and one stands in
/// for it.
class NumbersReader {
 public:
  /// `what` the entry is: "scaling law".
  NumbersReader(const NumbersEntry& entry, std::string_view what)
      : entry_(entry), where_(fmt::format("{} {}", what, entry.name)) {}

  template <class Q>
  Q get(std::string_view name) {
    return Q(value(name, DimensionOf<Q>::kDimension));
  }

  void complain(std::string what, std::string hint) { errors_.push_back({where_, std::move(what), std::move(hint)}); }
  void take(const Errors& more) { append(errors_, more); }

  const std::string& where() const { return where_; }
  const Errors& errors() const { return errors_; }

  template <class T>
  Result<T> made(T value) const {
    if (!errors_.empty()) return fail(errors_);
    return value;
  }

 private:
  template <class Q>
  struct DimensionOf;
  template <Dimension D>
  struct DimensionOf<Quantity<D, double>> {
    static constexpr Dimension kDimension = D;
  };

  double value(std::string_view name, Dimension dimension) {
    const auto found = entry_.numbers.find(name);
    if (found != entry_.numbers.end() && found->second.value.dimension == dimension) return found->second.value.value;
    complain(fmt::format("number.{} is {}", name, found == entry_.numbers.end() ? "missing" : "of another unit"),
             dimension == kNone ? "write a plain number" : "write it in " + unit_name(dimension));
    return 1.0;
  }

  const NumbersEntry& entry_;
  std::string where_;
  Errors errors_;
};

}  // namespace ridge
