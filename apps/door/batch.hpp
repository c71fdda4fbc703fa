#pragma once
// Many decode steps at once: the case of one request of `why`, with arrays in place of some of its inputs.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace ridge::door {

/// A column of values in or out, by the key of an input or a figure (ridge list figures).
struct InputColumn {
  std::string key;
  const double* values = nullptr;
};
struct FigureColumn {
  std::string key;
  double* values = nullptr;
};

/// Fills every figure's column for each of `count` cases; a value that an input may not have is an error, and then nothing
/// is filled. Figures that do not exist are infinite.
Result<bool> ask_many(std::string_view request, const std::vector<InputColumn>& inputs,
                      const std::vector<FigureColumn>& figures, std::size_t count);

}  // namespace ridge::door
