#pragma once

#include "base/result.hpp"

namespace ridge {

/// The value of a result; where it has none, its errors join `errors` and an empty value stands in, so that the next
/// stage can find what else is wrong.
template <class T>
T collected(Result<T> result, Errors& errors) {
  if (result) return std::move(*result);
  append(errors, result.error());
  return T{};
}

}  // namespace ridge
