#pragma once
// Lists with an entry for each layer, or with layers' numbers: whether they can be true of so many layers.

#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "catalog/json/config_node.hpp"

namespace ridge::catalog {

/// Complains of what cannot be, by the key that says it.
class LayerLists {
 public:
  LayerLists(const ConfigNode& text, std::size_t layers) : text_(text), layers_(layers) {}

  /// One entry a layer, or so many more.
  template <class List>
  bool right_length(std::string_view key, const List& list, std::size_t beyond = 0) const {
    if (list.size() == layers_ || list.size() == layers_ + beyond) return true;
    text_.complain(key, fmt::format("{} entries for {} layers", list.size(), layers_),
                   "one for each layer is expected");
    return false;
  }
  /// Layers named by their numbers, which start at `first`: each is there, and none is named twice.
  bool right_numbers(std::string_view key, const std::vector<double>& numbers, double first = 0) const;
  /// A list of marks, one a layer, has one of two values.
  void only_marks(std::string_view key, const std::vector<double>& marks) const;
  /// A count of layers is at most all of them.
  void at_most_all(std::string_view key, double count) const;

  static bool contains(const std::vector<double>& list, std::size_t index);

 private:
  const ConfigNode& text_;
  std::size_t layers_;
};

}  // namespace ridge::catalog
