#include "catalog/gguf.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"

namespace ridge::catalog {

namespace {

// 4, 5, 31 to 33 and 36 to 38 are withdrawn. Q8_1 is 36 bytes in ggml-common.h; gguf-py still says 40.
constexpr std::array kGgmlTypes = {
    GgmlType{0, "F32", 1, 4},         GgmlType{1, "F16", 1, 2},         GgmlType{2, "Q4_0", 32, 18},
    GgmlType{3, "Q4_1", 32, 20},      GgmlType{6, "Q5_0", 32, 22},      GgmlType{7, "Q5_1", 32, 24},
    GgmlType{8, "Q8_0", 32, 34},      GgmlType{9, "Q8_1", 32, 36},      GgmlType{10, "Q2_K", 256, 84},
    GgmlType{11, "Q3_K", 256, 110},   GgmlType{12, "Q4_K", 256, 144},   GgmlType{13, "Q5_K", 256, 176},
    GgmlType{14, "Q6_K", 256, 210},   GgmlType{15, "Q8_K", 256, 292},   GgmlType{16, "IQ2_XXS", 256, 66},
    GgmlType{17, "IQ2_XS", 256, 74},  GgmlType{18, "IQ3_XXS", 256, 98}, GgmlType{19, "IQ1_S", 256, 50},
    GgmlType{20, "IQ4_NL", 32, 18},   GgmlType{21, "IQ3_S", 256, 110},  GgmlType{22, "IQ2_S", 256, 82},
    GgmlType{23, "IQ4_XS", 256, 136}, GgmlType{24, "I8", 1, 1},         GgmlType{25, "I16", 1, 2},
    GgmlType{26, "I32", 1, 4},        GgmlType{27, "I64", 1, 8},        GgmlType{28, "F64", 1, 8},
    GgmlType{29, "IQ1_M", 256, 56},   GgmlType{30, "BF16", 1, 2},       GgmlType{34, "TQ1_0", 256, 54},
    GgmlType{35, "TQ2_0", 256, 66},   GgmlType{39, "MXFP4", 32, 17},    GgmlType{40, "NVFP4", 64, 36},
    GgmlType{41, "Q1_0", 128, 18},    GgmlType{42, "Q2_0", 64, 18},
};

/// A metadata value's type, by its number in the file.
struct ValueType {
  std::string_view name;
  std::uint64_t least_bytes;  // a value takes at least this much of the file
};
enum ValueNumber : std::uint32_t { u8, i8, u16, i16, u32, i32, f32, boolean, text, array, u64, i64, f64 };
constexpr std::array kValueTypes = {
    ValueType{"uint8", 1},   ValueType{"int8", 1},   ValueType{"uint16", 2},  ValueType{"int16", 2},
    ValueType{"uint32", 4},  ValueType{"int32", 4},  ValueType{"float32", 4}, ValueType{"bool", 1},
    ValueType{"string", 8},  ValueType{"array", 12}, ValueType{"uint64", 8},  ValueType{"int64", 8},
    ValueType{"float64", 8},
};

// What a header may hold, and what of it is kept. Far above any model; they bound time and memory on a hostile file.
constexpr std::uint64_t kLargestHeader = 256u << 20;
constexpr std::uint64_t kMostKeys = 10'000, kMostTensors = 100'000;
constexpr std::uint64_t kLeastKeyBytes = 8 + 1 + 4 + 1;         // length, name, type, value
constexpr std::uint64_t kLeastTensorBytes = 8 + 1 + 4 + 4 + 8;  // length, name, dimensions, type, offset
constexpr std::uint64_t kLongestKey = 1'024, kLongestName = 255, kLongestKeptText = 64u << 10;
constexpr std::uint64_t kMostDimensions = 4;
constexpr int kDeepestArray = 2;
constexpr std::uint64_t kMostKeptNumbers = 65'536, kMostKeptTexts = 64, kMostArrays = 65'536;
constexpr std::uint64_t kKeptValuesInAll = 4 * kMostKeptNumbers, kKeptTextInAll = 8u << 20;
constexpr std::uint64_t kMostBytes = std::numeric_limits<std::int64_t>::max();

bool is_utf8(std::string_view bytes) {
  for (std::size_t i = 0; i < bytes.size();) {
    const auto at = [&](std::size_t j) { return static_cast<unsigned char>(bytes[j]); };
    const unsigned char lead = at(i);
    const std::size_t length = lead < 0x80   ? 1
                               : lead < 0xc2 ? 0
                               : lead < 0xe0 ? 2
                               : lead < 0xf0 ? 3
                               : lead < 0xf5 ? 4
                                             : 0;
    if (length == 0 || length > bytes.size() - i) return false;
    for (std::size_t j = 1; j < length; ++j) {
      if ((at(i + j) & 0xc0) != 0x80) return false;
    }
    if (length > 2) {  // overlong forms, surrogates and numbers above U+10FFFF differ in the second byte
      const unsigned char second = at(i + 1);
      if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f)) return false;
      if ((lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f)) return false;
    }
    i += length;
  }
  return true;
}

/// A stranger's text for an error: short, and nothing a terminal would obey.
std::string quoted_bytes(std::string_view bytes) {
  std::string safe(bytes.substr(0, 60));
  std::replace_if(
      safe.begin(), safe.end(), [](unsigned char c) { return c < 0x20 || c > 0x7e; }, '?');
  return fmt::format("\"{}{}\"", safe, bytes.size() > safe.size() ? "..." : "");
}

JsonValue json_number(double value) {
  if (std::isnan(value)) return {std::string("NaN")};
  if (std::isinf(value)) return {std::string(value > 0 ? "Infinity" : "-Infinity")};
  return {value};
}

JsonValue summary(std::string_view type, std::uint64_t length) {
  return {JsonMembers{{"array_of", {std::string(type)}}, {"length", {static_cast<double>(length)}}}};
}

/// Where a name stood, to find those that stand twice.
struct Named {
  std::string_view name;
  std::uint64_t offset;
};
std::optional<Named> repeated(std::vector<Named> all) {
  std::sort(all.begin(), all.end(),
            [](const Named& a, const Named& b) { return std::tie(a.name, a.offset) < std::tie(b.name, b.offset); });
  const auto first =
      std::adjacent_find(all.begin(), all.end(), [](const Named& a, const Named& b) { return a.name == b.name; });
  if (first == all.end()) return std::nullopt;
  return *std::next(first);
}

class GgufReader {
 public:
  GgufReader(const ByteSource& file, std::string_view place) : file_(file), place_(place), cursor_(file) {}

  Result<GgufHeader> read() {
    header_.file_bytes = static_cast<double>(file_.size);
    header_.tensors.format = "gguf";
    if (preamble() && metadata() && alignment() && tensors() && data_section()) return std::move(header_);
    return fail(error_);
  }

 private:
  /// Where a tensor's data stands, from the start of the data section.
  struct Extent {
    std::uint64_t offset, bytes;
    std::size_t tensor;
  };

  bool refuse(std::uint64_t offset, std::string what, std::string hint) {
    error_ = {fmt::format("{}: byte {}", place_, offset), std::move(what), std::move(hint)};
    return false;
  }

  /// Whether all that was read since the last question was there.
  bool good(std::string_view part) {
    if (cursor_.ok()) {
      if (cursor_.offset() <= kLargestHeader) return true;
      return refuse(cursor_.offset(), fmt::format("{} go past {} MiB", part, kLargestHeader >> 20),
                    "no model has a header like that: the file is damaged");
    }
    if (cursor_.failure() == ByteCursor::Failure::unreadable) {
      return refuse(cursor_.offset(), fmt::format("the file cannot be read here, inside {}", part),
                    "check the disk, or copy the file again");
    }
    return refuse(cursor_.offset(), fmt::format("the file ends at byte {}, inside {}", file_.size, part),
                  "the download is incomplete: fetch the file again");
  }

  bool preamble() {
    const std::string magic(cursor_.take(4));
    if (!good("the first four bytes")) return false;
    if (magic != "GGUF") {
      return refuse(0, fmt::format("begins with {}, not with \"GGUF\"", quoted_bytes(magic)),
                    "name a .gguf file; a checkpoint in safetensors is read from its folder");
    }
    header_.version = cursor_.number<std::uint32_t>();
    if (!good("the version")) return false;
    if (header_.version == 1) {
      return refuse(4, "GGUF version 1, which llama.cpp no longer reads either", "convert the model again: version 3");
    }
    if (header_.version > 0 && (header_.version & 0xffff) == 0) {
      return refuse(4, "a big-endian GGUF file", "convert it with gguf-py: gguf_convert_endian.py FILE little");
    }
    if (header_.version != 2 && header_.version != 3) {
      return refuse(4, fmt::format("GGUF version {}; versions 2 and 3 are known", header_.version),
                    "the file is damaged, or newer than this program");
    }
    tensor_count_ = cursor_.number<std::uint64_t>();
    key_count_ = cursor_.number<std::uint64_t>();
    if (!good("the counts")) return false;
    return plausible(8, tensor_count_, "tensors", kLeastTensorBytes, kMostTensors) &&
           plausible(16, key_count_, "metadata keys", kLeastKeyBytes, kMostKeys);
  }

  bool plausible(std::uint64_t at, std::uint64_t count, std::string_view of, std::uint64_t least, std::uint64_t most) {
    if (count > most) {
      return refuse(at, fmt::format("announces {} {}; at most {} are read", count, of, most), "the file is damaged");
    }
    if (count <= cursor_.left() / least) return true;
    return refuse(at, fmt::format("announces {} {} in a file of {} bytes", count, of, file_.size),
                  "the file is damaged or incomplete: fetch it again");
  }

  /// A text that must be there whole: a key or a name.
  bool short_text(std::string& into, std::string_view part, std::uint64_t longest) {
    const std::uint64_t at = cursor_.offset();
    const auto length = cursor_.number<std::uint64_t>();
    if (!good(part)) return false;
    if (length == 0 || length > longest) {
      return refuse(at, fmt::format("a name of {} bytes among {}; 1 to {} are allowed", length, part, longest),
                    "the file is damaged");
    }
    into = cursor_.take(static_cast<std::size_t>(length));
    if (!good(part)) return false;
    if (is_utf8(into)) return true;
    return refuse(at, fmt::format("the name {} is not UTF-8", quoted_bytes(into)), "the file is damaged");
  }

  bool metadata() {
    std::vector<std::uint64_t> offsets;
    header_.metadata.reserve(static_cast<std::size_t>(key_count_));
    for (std::uint64_t i = 0; i < key_count_; ++i) {
      offsets.push_back(cursor_.offset());
      auto& [key, value] = header_.metadata.emplace_back();
      if (!short_text(key, "the metadata", kLongestKey)) return false;
      const auto type = cursor_.number<std::uint32_t>();
      if (!good("the metadata") || !read_value(type, value, 0)) return false;
    }
    std::vector<Named> keys;
    for (std::size_t i = 0; i < offsets.size(); ++i) keys.push_back({header_.metadata[i].first, offsets[i]});
    if (const auto twice = repeated(std::move(keys))) {
      return refuse(twice->offset, fmt::format("the metadata key {} stands twice", quoted_bytes(twice->name)),
                    "two values for one key have no meaning: write the file again");
    }
    return true;
  }

  bool read_value(std::uint32_t type, JsonValue& value, int depth) {
    if (type == text) return read_text(value);
    if (type == array) return read_array(value, depth + 1);
    if (type < kValueTypes.size()) return read_number(type, value);
    return refuse(cursor_.offset() - 4, fmt::format("metadata of type {}; 0 to 12 are known", type),
                  "the file is damaged, or newer than this program");
  }

  template <class Stored, class Meant = Stored>
  double whole() {
    return static_cast<double>(static_cast<Meant>(cursor_.number<Stored>()));
  }

  bool read_number(std::uint32_t type, JsonValue& value) {
    if (type == boolean) {
      const auto byte = cursor_.number<std::uint8_t>();
      if (byte > 1)
        return refuse(cursor_.offset() - 1, fmt::format("true or false as {}", byte), "the file is damaged");
      value.value = byte == 1;
    } else if (type == f32) {
      value = json_number(std::bit_cast<float>(cursor_.number<std::uint32_t>()));
    } else if (type == f64) {
      value = json_number(std::bit_cast<double>(cursor_.number<std::uint64_t>()));
    } else {
      value.value = read_whole(type);
    }
    return good("the metadata");
  }

  double read_whole(std::uint32_t type) {
    if (type == u8) return whole<std::uint8_t>();
    if (type == i8) return whole<std::uint8_t, std::int8_t>();
    if (type == u16) return whole<std::uint16_t>();
    if (type == i16) return whole<std::uint16_t, std::int16_t>();
    if (type == u32) return whole<std::uint32_t>();
    if (type == i32) return whole<std::uint32_t, std::int32_t>();
    return type == u64 ? whole<std::uint64_t>() : whole<std::uint64_t, std::int64_t>();
  }

  bool read_text(JsonValue& value) {
    const auto length = cursor_.number<std::uint64_t>();
    if (length > kLongestKeptText || length > kKeptTextInAll - kept_text_) {
      cursor_.skip(length);
      value = summary("byte", length);
      return good("the metadata");
    }
    const std::string_view bytes = cursor_.take(static_cast<std::size_t>(length));
    kept_text_ += bytes.size();
    value = is_utf8(bytes) ? JsonValue{std::string(bytes)} : summary("byte", length);
    return good("the metadata");
  }

  bool read_array(JsonValue& value, int depth) {
    const std::uint64_t at = cursor_.offset();
    const auto type = cursor_.number<std::uint32_t>();
    const auto length = cursor_.number<std::uint64_t>();
    if (!good("the metadata")) return false;
    if (type >= kValueTypes.size()) {
      return refuse(at, fmt::format("an array of type {}; 0 to 12 are known", type),
                    "the file is damaged, or newer than this program");
    }
    if (type == array && depth >= kDeepestArray) {
      return refuse(at, fmt::format("arrays nested more than {} deep", kDeepestArray), "no model needs that");
    }
    const ValueType& element = kValueTypes[type];
    if (length > cursor_.left() / element.least_bytes) {
      return refuse(at + 4, fmt::format("an array of {} {} with {} bytes left", length, element.name, cursor_.left()),
                    "the file is damaged or incomplete: fetch it again");
    }
    if (type == array && length > kMostArrays) {
      return refuse(at + 4, fmt::format("an array of {} arrays; at most {} are read", length, kMostArrays),
                    "no model needs that: the file is damaged");
    }
    const bool scalar = type != text && type != array;
    const std::uint64_t most = scalar ? kMostKeptNumbers : type == text ? kMostKeptTexts : 0;
    const bool kept = depth == 1 && type != array && length <= std::min(most, kKeptValuesInAll - kept_values_);
    if (kept) return read_elements(type, length, value);
    if (depth == 1) value = summary(element.name, length);
    if (scalar) {
      cursor_.skip(length * element.least_bytes);
      return good("the metadata");
    }
    return type == text ? skip_texts(length) : skip_arrays(length, depth);
  }

  bool read_elements(std::uint32_t type, std::uint64_t length, JsonValue& value) {
    kept_values_ += length;
    JsonArray items(static_cast<std::size_t>(length));
    for (JsonValue& item : items) {
      if (!read_value(type, item, 1)) return false;
    }
    value = {std::move(items)};
    return true;
  }

  bool skip_texts(std::uint64_t length) {
    for (std::uint64_t i = 0; i < length && cursor_.ok() && cursor_.offset() <= kLargestHeader; ++i) {
      cursor_.skip(cursor_.number<std::uint64_t>());
    }
    return good("the metadata");
  }

  bool skip_arrays(std::uint64_t length, int depth) {
    JsonValue ignored;
    for (std::uint64_t i = 0; i < length; ++i) {
      if (!read_array(ignored, depth + 1)) return false;
    }
    return true;
  }

  bool alignment() {
    const JsonValue* given = header_.find("general.alignment");
    if (given == nullptr) return true;
    const double* number = given->number();
    const bool whole = number != nullptr && *number >= 1 && *number <= 0x1p30 && *number == std::floor(*number);
    if (whole && std::has_single_bit(static_cast<std::uint64_t>(*number))) {
      alignment_ = static_cast<std::uint64_t>(*number);
      return true;
    }
    return refuse(
        cursor_.offset(),
        fmt::format("general.alignment is {}", number ? significant(*number, 12) : std::string(kind_of(*given))),
        "it must be a power of two: 32 where nothing is said");
  }

  bool tensors() {
    std::vector<std::uint64_t> offsets;
    header_.tensors.tensors.reserve(static_cast<std::size_t>(tensor_count_));
    extents_.reserve(static_cast<std::size_t>(tensor_count_));
    for (std::uint64_t i = 0; i < tensor_count_; ++i) {
      offsets.push_back(cursor_.offset());
      if (!read_tensor(header_.tensors.tensors.emplace_back())) return false;
    }
    std::vector<Named> names;
    for (std::size_t i = 0; i < offsets.size(); ++i) names.push_back({header_.tensors.tensors[i].name, offsets[i]});
    if (const auto twice = repeated(std::move(names))) {
      return refuse(twice->offset, fmt::format("the tensor {} stands twice", quoted_bytes(twice->name)),
                    "the file is damaged: write it again");
    }
    return true;
  }

  bool read_tensor(TensorInfo& tensor) {
    if (!short_text(tensor.name, "the tensor list", kLongestName)) return false;
    const std::uint64_t at = cursor_.offset();
    const auto count = cursor_.number<std::uint32_t>();
    if (!good("the tensor list")) return false;
    if (count > kMostDimensions) {
      return refuse(at,
                    fmt::format("tensor {} has {} dimensions; ggml has at most 4", quoted_bytes(tensor.name), count),
                    "the file is damaged");
    }
    std::uint64_t elements = 1, row = 1;
    tensor.shape.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto size = cursor_.number<std::uint64_t>();
      if (!good("the tensor list")) return false;
      if (size == 0 || size > kMostBytes / elements) {
        return refuse(
            cursor_.offset() - 8,
            fmt::format("tensor {} has a dimension of {}", quoted_bytes(tensor.name), static_cast<std::int64_t>(size)),
            "the file is damaged");
      }
      elements *= size;
      if (i == 0) row = size;
      tensor.shape.push_back(static_cast<double>(size));
    }
    std::reverse(tensor.shape.begin(), tensor.shape.end());  // the file has the innermost first
    tensor.elements = static_cast<double>(elements);
    return read_storage(tensor, elements, row);
  }

  bool read_storage(TensorInfo& tensor, std::uint64_t elements, std::uint64_t row) {
    const std::uint64_t at = cursor_.offset();
    const auto number = cursor_.number<std::uint32_t>();
    const auto offset = cursor_.number<std::uint64_t>();
    if (!good("the tensor list")) return false;
    const GgmlType* type = ggml_type(number);
    if (type == nullptr) {
      return refuse(at,
                    fmt::format("tensor {} is of ggml type {}, which is not known", quoted_bytes(tensor.name), number),
                    "types of a fork of llama.cpp are not read: convert the model with llama.cpp itself");
    }
    if (row % type->block != 0) {
      return refuse(at,
                    fmt::format("tensor {} has rows of {}, but {} comes in blocks of {}", quoted_bytes(tensor.name),
                                row, type->name, type->block),
                    "the file is damaged");
    }
    const std::uint64_t blocks = elements / type->block;
    if (blocks > kMostBytes / type->bytes || offset > kMostBytes - blocks * type->bytes - alignment_) {
      return refuse(at,
                    fmt::format("tensor {} of {} elements at {} is larger than any file", quoted_bytes(tensor.name),
                                elements, offset),
                    "the file is damaged");
    }
    if (offset % alignment_ != 0) {
      return refuse(
          at + 4,
          fmt::format("tensor {} begins at {}, no multiple of {}", quoted_bytes(tensor.name), offset, alignment_),
          "the file is damaged: write it again");
    }
    tensor.type = type->name;
    tensor.bytes = static_cast<double>(blocks * type->bytes);
    extents_.push_back({offset, blocks * type->bytes, extents_.size()});
    return true;
  }

  std::uint64_t padded(std::uint64_t bytes) const { return (bytes + alignment_ - 1) & ~(alignment_ - 1); }

  bool data_section() {
    if (extents_.empty()) return true;
    const std::uint64_t start = padded(cursor_.offset());
    std::sort(extents_.begin(), extents_.end(), [](const Extent& a, const Extent& b) { return a.offset < b.offset; });
    std::uint64_t end = 0, implied = 0;  // where the last tensor ends; where it would if they stood side by side
    for (const Extent& extent : extents_) {
      const std::string& name = header_.tensors.tensors[extent.tensor].name;
      if (extent.offset < end) {
        return refuse(start + extent.offset,
                      fmt::format("the data of tensor {} overlaps another's", quoted_bytes(name)),
                      "the file is damaged: write it again");
      }
      if (extent.offset > implied && extent.offset + extent.bytes > file_.size - std::min(start, file_.size)) {
        return refuse(
            start + extent.offset,
            fmt::format("the data of tensor {} is said to begin here, past the {} bytes of the tensors before it",
                        quoted_bytes(name), implied),
            "the file is damaged: fetch it again");
      }
      end = extent.offset + extent.bytes;
      implied = padded(end);
    }
    if (end <= file_.size - std::min(start, file_.size)) return true;
    return refuse(file_.size, fmt::format("truncated: {} of {} bytes present", file_.size, start + end),
                  "the download is incomplete: resume it, or fetch the file again");
  }

  const ByteSource& file_;
  std::string_view place_;
  ByteCursor cursor_;
  GgufHeader header_;
  Error error_;
  std::uint64_t tensor_count_ = 0, key_count_ = 0, alignment_ = 32;
  std::uint64_t kept_values_ = 0, kept_text_ = 0;
  std::vector<Extent> extents_;
};

}  // namespace

const GgmlType* ggml_type(std::uint32_t number) {
  const auto found =
      std::find_if(kGgmlTypes.begin(), kGgmlTypes.end(), [&](const GgmlType& one) { return one.number == number; });
  return found == kGgmlTypes.end() ? nullptr : &*found;
}

const JsonValue* GgufHeader::find(std::string_view key) const {
  const auto found = std::find_if(metadata.begin(), metadata.end(), [&](const auto& one) { return one.first == key; });
  return found == metadata.end() ? nullptr : &found->second;
}

Result<GgufHeader> read_gguf(const ByteSource& file, std::string_view place) { return GgufReader(file, place).read(); }

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
  std::vector<Named> names;
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
