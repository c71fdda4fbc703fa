#pragma once
// The fields of a struct of quantities as a list: what each is, their values, and the same fields in another reading.
// A set of equations says once how its case and its estimate are visited; what is done with a list is here.

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/number/units.hpp"

namespace ridge {

/// How the fields of Fields<S> are visited, specialized beside each set of equations:
///   using Info = ...;                                      what a field is; has a `key`
///   static constexpr std::size_t kCount = ...;
///   static constexpr void visit(auto& fields, auto&& f);   calls f(Info, field) for each, always in the same order
/// and, of a case, what is no quantity and the same in every reading:
///   static constexpr void keep_terms(const auto& from, auto& to);
template <template <class> class Fields>
struct FieldList;

template <template <class> class Fields>
concept Listed = requires {
  FieldList<Fields>::kCount;
};

template <class Info>
struct FieldRow {
  Info info;
  Dimension dimension;
};

template <template <class> class Fields>
constexpr auto field_rows() {
  using List = FieldList<Fields>;
  std::array<FieldRow<typename List::Info>, List::kCount> rows{};
  Fields<double> none;
  std::size_t index = 0;
  List::visit(none, [&]<Dimension D>(const typename List::Info& info, const Quantity<D, double>&) {
    rows[index++] = {info, D};
  });
  return rows;
}

template <template <class> class Fields, class S>
auto field_values(const Fields<S>& fields) {
  std::array<S, FieldList<Fields>::kCount> values;
  std::size_t index = 0;
  FieldList<Fields>::visit(fields, [&](const auto&, const auto& field) { values[index++] = field.value(); });
  return values;
}

template <template <class> class Case>
auto input_values(const Case<double>& c) requires Listed<Case> {
  return field_values(c);
}

template <template <class> class Estimate, class S>
auto output_values(const Estimate<S>& estimate) requires Listed<Estimate> {
  return field_values(estimate);
}

/// The case in another reading: make(index, info, dimension, value) supplies each scalar.
template <class S, template <class> class Case, class Make>
Case<S> read_as(const Case<double>& from, Make&& make) requires Listed<Case> {
  const auto values = field_values(from);
  Case<S> to;
  FieldList<Case>::keep_terms(from, to);
  std::size_t index = 0;
  FieldList<Case>::visit(to, [&]<Dimension D>(const auto& info, Quantity<D, S>& field) {
    field = Quantity<D, S>(make(index, info, D, values[index]));
    ++index;
  });
  return to;
}

/// The keys of a list, for errors that name the nearest.
template <class Rows>
std::vector<std::string> keys_of(const Rows& rows) {
  std::vector<std::string> keys;
  for (const auto& row : rows) keys.emplace_back(row.info.key);
  return keys;
}

/// The place of a key, or of a symbol where fields have one; the list's length where there is none.
template <class Rows>
constexpr std::size_t find_field(const Rows& rows, std::string_view word) {
  std::size_t index = 0;
  for (const auto& row : rows) {
    if (row.info.key == word) return index;
    if constexpr (requires { row.info.symbol; }) {
      if (row.info.symbol == word) return index;
    }
    ++index;
  }
  return index;
}

}  // namespace ridge
