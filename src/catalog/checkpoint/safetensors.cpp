#include "catalog/checkpoint/safetensors.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <tuple>
#include <variant>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "catalog/json/json_value.hpp"

namespace ridge::catalog {

namespace {

constexpr std::size_t kMostErrors = 10;
constexpr double kMostExact = 9007199254740991.0;  // 2^53 - 1: beyond, a double cannot tell neighbors apart

struct StoredType {
  std::string_view name;
  double bits;
};

constexpr std::array kStoredTypes = std::to_array<StoredType>(
    {{"BOOL", 8},    {"F4", 4},      {"F6_E2M3", 6},     {"F6_E3M2", 6},     {"U8", 8},      {"I8", 8},
     {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E5M2FNUZ", 8}, {"F8_E4M3FNUZ", 8}, {"F8_E8M0", 8}, {"I16", 16},
     {"U16", 16},    {"F16", 16},    {"BF16", 16},       {"I32", 32},        {"U32", 32},    {"F32", 32},
     {"F64", 64},    {"I64", 64},    {"U64", 64},        {"C64", 64}});

/// A stranger's name as it may stand on a terminal: plain ASCII, not endless.
std::string quoted_name(std::string_view name) {
  constexpr std::size_t kMost = 120;
  std::string out(name.substr(0, kMost));
  for (char& c : out) {
    if (c < ' ' || c > '~') c = '?';
  }
  return '"' + out + (name.size() > kMost ? "...\"" : "\"");
}

/// The first errors in full, and how many there were besides: a bad file of 100,000 tensors gives a page, not a book.
class ErrorList {
 public:
  explicit ErrorList(std::string_view place) : place_(place) {}

  void add(std::string what, std::string_view hint) {
    if (++count_ <= kMostErrors) errors_.push_back({place_, std::move(what), std::string(hint)});
  }
  bool empty() const { return count_ == 0; }
  tl::unexpected<Errors> take() {
    if (count_ > kMostErrors) {
      const double more = static_cast<double>(count_ - kMostErrors);
      errors_.push_back({place_, fmt::format("and {} more errors", with_commas(more)), "mend the first ones first"});
    }
    return fail(std::move(errors_));
  }

 private:
  std::string place_;
  Errors errors_;
  std::size_t count_ = 0;
};

constexpr std::string_view kDamaged = "the file is damaged or was not written by a safetensors library: fetch it again";

std::optional<double> whole_json_number(const JsonValue& value) {
  const double* number = value.number();
  if (number == nullptr || !(*number >= 0) || *number > kMostExact || std::floor(*number) != *number) return {};
  return *number;
}

struct Extent {
  double begin = 0, end = 0;
  std::size_t tensor = 0;
};

/// Reads the entries of a header one by one; each wrong one is an error of its own.
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view place) : errors(place) { table.format = "safetensors"; }

  void read(std::string& name, const JsonValue& entry) {
    if (entry.object() == nullptr) {
      return errors.add(fmt::format("{} is {}, not a tensor", quoted_name(name), kind_of(entry)), kDamaged);
    }
    TensorInfo tensor;
    const std::optional<double> bits = read_type(name, entry, tensor);
    const bool shaped = read_shape(name, entry, tensor);
    const std::optional<Extent> extent = read_offsets(name, entry);
    if (!bits || !shaped || !extent) return;
    const double wanted = tensor.elements * *bits / 8;
    tensor.bytes = extent->end - extent->begin;
    if (tensor.bytes != wanted) {
      return errors.add(fmt::format("{} holds {} bytes, but its shape and type {} need {}", quoted_name(name),
                                    with_commas(tensor.bytes), tensor.type,
                                    std::floor(wanted) == wanted ? with_commas(wanted) : "a fraction of a byte"),
                        kDamaged);
    }
    tensor.name = std::move(name);
    extents.push_back({extent->begin, extent->end, table.tensors.size()});
    table.tensors.push_back(std::move(tensor));
  }

  TensorTable table;
  std::vector<Extent> extents;
  ErrorList errors;

 private:
  std::optional<double> read_type(const std::string& name, const JsonValue& entry, TensorInfo& tensor) {
    const JsonValue* type = entry.find("dtype");
    if (type == nullptr || type->text() == nullptr) {
      errors.add(fmt::format("{} has no dtype", quoted_name(name)), kDamaged);
      return {};
    }
    const auto known = std::ranges::find(kStoredTypes, std::string_view(*type->text()), &StoredType::name);
    if (known == kStoredTypes.end()) {
      std::vector<std::string> names;
      for (const StoredType& one : kStoredTypes) names.emplace_back(one.name);
      errors.add(fmt::format("{} has the dtype {}, which is not known", quoted_name(name), quoted_name(*type->text())),
                 suggestion(shortened(*type->text()), names));
      return {};
    }
    tensor.type = known->name;
    return known->bits;
  }

  bool read_shape(const std::string& name, const JsonValue& entry, TensorInfo& tensor) {
    const JsonValue* shape = entry.find("shape");
    if (shape == nullptr || shape->array() == nullptr) {
      errors.add(fmt::format("{} has no shape", quoted_name(name)), kDamaged);
      return false;
    }
    tensor.elements = 1;
    tensor.shape.reserve(shape->array()->size());
    for (const JsonValue& size : *shape->array()) {
      const std::optional<double> number = whole_json_number(size);
      if (!number) {
        errors.add(
            fmt::format("{} has a size in its shape that is not a whole number from 0 to 2^53", quoted_name(name)),
            kDamaged);
        return false;
      }
      tensor.shape.push_back(*number);
      tensor.elements *= *number;
      if (tensor.elements > kMostExact) {
        errors.add(fmt::format("{} has a shape of more than 2^53 elements", quoted_name(name)), kDamaged);
        return false;
      }
    }
    return true;
  }

  std::optional<Extent> read_offsets(const std::string& name, const JsonValue& entry) {
    const JsonValue* offsets = entry.find("data_offsets");
    const JsonArray* pair = offsets == nullptr ? nullptr : offsets->array();
    if (pair == nullptr || pair->size() != 2) {
      errors.add(fmt::format("{} has no data_offsets, a list of two numbers", quoted_name(name)), kDamaged);
      return {};
    }
    const std::optional<double> begin = whole_json_number((*pair)[0]), end = whole_json_number((*pair)[1]);
    if (!begin || !end) {
      errors.add(fmt::format("{} has data_offsets that are not whole numbers from 0 to 2^53", quoted_name(name)),
                 kDamaged);
      return {};
    }
    if (*begin > *end) {
      errors.add(fmt::format("{} ends at byte {}, before it begins at {}", quoted_name(name), with_commas(*end),
                             with_commas(*begin)),
                 kDamaged);
      return {};
    }
    return Extent{*begin, *end, 0};
  }
};

/// The tensors must lie one after the other, from the first byte of the data to the last of the file.
void check_layout(HeaderReader& reader, double header_bytes, double file_bytes) {
  std::vector<Extent>& extents = reader.extents;
  std::ranges::sort(extents, {}, [](const Extent& one) { return std::tuple(one.begin, one.end); });
  const auto name = [&](const Extent& one) { return quoted_name(reader.table.tensors[one.tensor].name); };
  double end = 0;
  const Extent* before = nullptr;
  for (const Extent& extent : extents) {
    if (extent.begin > end) {
      reader.errors.add(fmt::format("a hole of {} bytes before {}", with_commas(extent.begin - end), name(extent)),
                        kDamaged);
    } else if (extent.begin < end) {
      reader.errors.add(fmt::format("{} and {} overlap", name(*before), name(extent)), kDamaged);
    }
    if (before == nullptr || extent.end >= end) before = &extent;
    end = std::max(end, extent.end);
  }
  const double start = static_cast<double>(kSafetensorsLengthBytes) + header_bytes;
  if (start + end > file_bytes) {
    reader.errors.add(fmt::format("truncated: {} of {} bytes", with_commas(file_bytes), with_commas(start + end)),
                      "the download is not finished: fetch the file again");
  } else if (start + end < file_bytes) {
    reader.errors.add(fmt::format("{} bytes after the last tensor", with_commas(file_bytes - start - end)), kDamaged);
  }
}

bool is_plain_file_name(std::string_view name) {
  if (name.empty() || name.size() > 255 || name == "." || name.find("..") != std::string_view::npos) return false;
  return std::ranges::none_of(name, [](char c) {
    return c == '/' || c == '\\' || c == ':' || static_cast<unsigned char>(c) < ' ' || c == '\x7f';
  });
}

}  // namespace

Result<std::uint64_t> safetensors_header_bytes(std::string_view first_eight, std::uint64_t file_bytes,
                                               std::string_view place) {
  if (first_eight == "version ") {
    return fail({std::string(place), "a Git LFS pointer, not the file itself", "run `git lfs pull`"});
  }
  if (first_eight.size() < kSafetensorsLengthBytes || file_bytes < kSafetensorsLengthBytes) {
    const std::uint64_t there = std::min<std::uint64_t>(first_eight.size(), file_bytes);
    return fail({std::string(place), fmt::format("truncated: {} of the first 8 bytes", there),
                 "a safetensors file begins with the length of its header: fetch the file again"});
  }
  std::uint64_t length = 0;
  for (std::size_t i = kSafetensorsLengthBytes; i-- > 0;) {
    length = length << 8 | static_cast<unsigned char>(first_eight[i]);
  }
  if (length > kMostSafetensorsHeaderBytes) {
    return fail(
        {std::string(place),
         fmt::format("a header of {} bytes, over the format's limit of {}", with_commas(static_cast<double>(length)),
                     with_commas(static_cast<double>(kMostSafetensorsHeaderBytes))),
         "this is not a safetensors file"});
  }
  if (length > file_bytes - kSafetensorsLengthBytes) {
    return fail({std::string(place),
                 fmt::format("truncated: {} of {} bytes of the header",
                             with_commas(static_cast<double>(file_bytes - kSafetensorsLengthBytes)),
                             with_commas(static_cast<double>(length))),
                 "the download is not finished, or this is not a safetensors file: fetch it again"});
  }
  if (length < 2) {
    return fail({std::string(place), fmt::format("a header of {} bytes", length),
                 "even a file without tensors has \"{}\": this is not a safetensors file"});
  }
  return length;
}

Result<TensorTable> read_safetensors_header(std::string_view json, std::uint64_t file_bytes, std::string_view place) {
  if (json.size() > kMostSafetensorsHeaderBytes) {
    return fail({std::string(place), "a header over the format's limit of 100 MB", "this is not a safetensors file"});
  }
  Result<JsonValue> tree = parse_json(json, place);
  if (!tree) return fail(std::move(tree.error()));
  auto* members = std::get_if<JsonMembers>(&tree->value);
  if (members == nullptr) {
    return fail({std::string(place), fmt::format("the header is {}, not an object", kind_of(*tree)),
                 "a safetensors header names each tensor once"});
  }
  HeaderReader reader(place);
  reader.table.tensors.reserve(members->size());
  reader.extents.reserve(members->size());
  for (auto& [name, entry] : *members) {
    if (name != "__metadata__") reader.read(name, entry);
  }
  if (reader.errors.empty()) {
    check_layout(reader, static_cast<double>(json.size()), static_cast<double>(file_bytes));
  }
  if (!reader.errors.empty()) return reader.errors.take();
  return std::move(reader.table);
}

Result<SafetensorsIndex> read_safetensors_index(std::string_view json, std::string_view place) {
  Result<JsonValue> tree = parse_json(json, place);
  if (!tree) return fail(std::move(tree.error()));
  const JsonValue* map = tree->find("weight_map");
  if (map == nullptr || map->object() == nullptr || map->object()->empty()) {
    return fail({std::string(place), "no weight_map, or none that names a tensor",
                 "an index is named model.safetensors.index.json and says which file holds which tensor"});
  }
  SafetensorsIndex index;
  ErrorList errors(place);
  if (const JsonValue* metadata = tree->find("metadata")) {
    const JsonValue* size = metadata->find("total_size");
    index.has_total_size = size != nullptr && !size->is_null();
    if (index.has_total_size) {
      const std::optional<double> number = whole_json_number(*size);
      if (!number) errors.add("metadata.total_size is not a whole number from 0 to 2^53", "bytes of all tensors");
      index.total_size = number.value_or(0);
    }
  }
  index.weight_map.reserve(map->object()->size());
  std::vector<std::string_view> files;
  for (const auto& [name, file] : *map->object()) {
    if (file.text() == nullptr) {
      errors.add(fmt::format("the file of {} is {}, not a name", quoted_name(name), kind_of(file)),
                 "weight_map gives a file name for each tensor");
    } else if (!is_plain_file_name(*file.text())) {
      errors.add(
          fmt::format("the file of {} is {}, not a plain file name", quoted_name(name), quoted_name(*file.text())),
          "the files of a checkpoint lie beside its index: a name without a folder");
    } else {
      index.weight_map.emplace_back(name, *file.text());
      if (files.empty() || files.back() != *file.text()) files.emplace_back(*file.text());
    }
  }
  if (!errors.empty()) return errors.take();
  std::ranges::sort(files);
  files.erase(std::unique(files.begin(), files.end()), files.end());
  index.files.assign(files.begin(), files.end());
  return index;
}

}  // namespace ridge::catalog
