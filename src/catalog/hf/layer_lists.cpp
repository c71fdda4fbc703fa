#include "catalog/hf/layer_lists.hpp"

#include <algorithm>

namespace ridge::catalog {

bool LayerLists::right_numbers(std::string_view key, const std::vector<double>& numbers, double first) const {
  const double last = first + static_cast<double>(layers_) - 1;
  std::vector<double> sorted = numbers;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end())
    text_.complain(key, fmt::format("names layer {:g} twice", *twice), "each layer is named at most once");
  if (!sorted.empty() && (sorted.front() < first || sorted.back() > last)) {
    text_.complain(
        key, fmt::format("names layer {:g} of {}", sorted.front() < first ? sorted.front() : sorted.back(), layers_),
        fmt::format("layers are numbered from {:g} to {:g}", first, last));
  }
  return twice == sorted.end() && (sorted.empty() || (sorted.front() >= first && sorted.back() <= last));
}

void LayerLists::only_marks(std::string_view key, const std::vector<double>& marks) const {
  const auto strange = std::find_if(marks.begin(), marks.end(), [](double mark) { return mark != 0 && mark != 1; });
  if (strange != marks.end())
    text_.complain(key, fmt::format("{:g} is neither 0 nor 1", *strange), "one of two kinds for each layer");
}

void LayerLists::at_most_all(std::string_view key, double count) const {
  if (count > static_cast<double>(layers_))
    text_.complain(key, fmt::format("{:g} of {} layers", count, layers_), "at most all of them");
}

bool LayerLists::contains(const std::vector<double>& list, std::size_t index) {
  return std::find(list.begin(), list.end(), static_cast<double>(index)) != list.end();
}

}  // namespace ridge::catalog
