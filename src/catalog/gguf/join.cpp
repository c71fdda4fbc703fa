#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "catalog/gguf/bytes.hpp"
#include "catalog/gguf/gguf.hpp"

namespace ridge::catalog {

namespace {

/// A number of the metadata; nothing where it is absent or something else.
std::optional<double> number_at(const GgufHeader& header, std::string_view key) {
  const JsonValue* value = header.find(key);
  if (value == nullptr || value->number() == nullptr) return std::nullopt;
  return *value->number();
}

}  // namespace

Result<GgufHeader> join_gguf(std::vector<GgufHeader> parts, std::string_view place) {
  const auto refuse = [&](std::string what, std::string hint) {
    return fail({std::string(place), std::move(what), std::move(hint)});
  };
  if (parts.empty()) return refuse("no part of a model", "name all its files");
  std::sort(parts.begin(), parts.end(), [](const GgufHeader& a, const GgufHeader& b) {
    return number_at(a, "split.no").value_or(0) < number_at(b, "split.no").value_or(0);
  });
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const double count = number_at(parts[i], "split.count").value_or(1);
    if (std::max(count, 1.0) != static_cast<double>(parts.size())) {
      return refuse(fmt::format("{} of {} parts are given", parts.size(), with_commas(count)), "name all its files");
    }
    if (number_at(parts[i], "split.no").value_or(0) != static_cast<double>(i)) {
      return refuse(fmt::format("part {} of {} is missing, and another is given twice", i + 1, parts.size()),
                    "name each of its files once");
    }
  }
  GgufHeader whole = std::move(parts.front());
  for (std::size_t i = 1; i < parts.size(); ++i) {
    auto& tensors = parts[i].tensors.tensors;
    std::move(tensors.begin(), tensors.end(), std::back_inserter(whole.tensors.tensors));
    whole.file_bytes += parts[i].file_bytes;
  }
  std::vector<NamedPlace> names;
  for (const TensorInfo& tensor : whole.tensors.tensors) names.push_back({tensor.name, 0});
  if (const auto twice = repeated(std::move(names))) {
    return refuse(fmt::format("the tensor {} stands in two parts", quoted_bytes(twice->name)),
                  "the parts are of different models");
  }
  const auto present = static_cast<double>(whole.tensors.tensors.size());
  const double announced = number_at(whole, "split.tensors.count").value_or(present);
  if (announced != present) {
    return refuse(fmt::format("the parts hold {} tensors; {} are announced", present, with_commas(announced)),
                  "the parts are of different models");
  }
  return whole;
}

}  // namespace ridge::catalog
