#include "catalog/gguf/gguf.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "catalog/gguf/bytes.hpp"
#include "catalog/gguf/values.hpp"

namespace ridge::catalog {

namespace {

// What a header may hold. Far above any model; they bound time and memory on a hostile file.
constexpr std::uint64_t kMostKeys = 10'000, kMostTensors = 100'000;
constexpr std::uint64_t kLeastKeyBytes = 8 + 1 + 4 + 1;         // length, name, type, value
constexpr std::uint64_t kLeastTensorBytes = 8 + 1 + 4 + 4 + 8;  // length, name, dimensions, type, offset
constexpr std::uint64_t kLongestKey = 1'024, kLongestName = 255;
constexpr std::uint64_t kMostDimensions = 4;
constexpr std::uint64_t kMostBytes = std::numeric_limits<std::int64_t>::max();

class GgufReader {
 public:
  GgufReader(const ByteSource& file, std::string_view place) : bytes_(file, place) {}

  Result<GgufHeader> read() {
    header_.file_bytes = static_cast<double>(bytes_.file_size());
    header_.tensors.format = "gguf";
    if (preamble() && metadata() && alignment() && tensors() && data_section()) return std::move(header_);
    return fail(bytes_.error);
  }

 private:
  /// Where a tensor's data stands, from the start of the data section.
  struct Extent {
    std::uint64_t offset, bytes;
    std::size_t tensor;
  };

  bool preamble() {
    const std::string magic(cursor_.take(4));
    if (!bytes_.good("the first four bytes")) return false;
    if (magic != "GGUF") {
      return bytes_.refuse(0, fmt::format("begins with {}, not with \"GGUF\"", quoted_bytes(magic)),
                           "name a .gguf file; a checkpoint in safetensors is read from its folder");
    }
    header_.version = cursor_.number<std::uint32_t>();
    if (!bytes_.good("the version")) return false;
    if (header_.version == 1) {
      return bytes_.refuse(4, "GGUF version 1, which llama.cpp no longer reads either",
                           "convert the model again: version 3");
    }
    if (header_.version > 0 && (header_.version & 0xffff) == 0) {
      return bytes_.refuse(4, "a big-endian GGUF file", "convert it with gguf-py: gguf_convert_endian.py FILE little");
    }
    if (header_.version != 2 && header_.version != 3) {
      return bytes_.refuse(4, fmt::format("GGUF version {}; versions 2 and 3 are known", header_.version),
                           "the file is damaged, or newer than this program");
    }
    tensor_count_ = cursor_.number<std::uint64_t>();
    key_count_ = cursor_.number<std::uint64_t>();
    if (!bytes_.good("the counts")) return false;
    return plausible(8, tensor_count_, "tensors", kLeastTensorBytes, kMostTensors) &&
           plausible(16, key_count_, "metadata keys", kLeastKeyBytes, kMostKeys);
  }

  bool plausible(std::uint64_t at, std::uint64_t count, std::string_view of, std::uint64_t least, std::uint64_t most) {
    if (count > most) {
      return bytes_.refuse(at, fmt::format("announces {} {}; at most {} are read", count, of, most),
                           "the file is damaged");
    }
    if (count <= cursor_.left() / least) return true;
    return bytes_.refuse(at, fmt::format("announces {} {} in a file of {} bytes", count, of, bytes_.file_size()),
                         "the file is damaged or incomplete: fetch it again");
  }

  bool metadata() {
    std::vector<std::uint64_t> offsets;
    header_.metadata.reserve(static_cast<std::size_t>(key_count_));
    for (std::uint64_t i = 0; i < key_count_; ++i) {
      offsets.push_back(cursor_.offset());
      auto& [key, value] = header_.metadata.emplace_back();
      if (!bytes_.short_text(key, "the metadata", kLongestKey)) return false;
      const auto type = cursor_.number<std::uint32_t>();
      if (!bytes_.good("the metadata") || !values_.read(type, value)) return false;
    }
    std::vector<NamedPlace> keys;
    for (std::size_t i = 0; i < offsets.size(); ++i) keys.push_back({header_.metadata[i].first, offsets[i]});
    if (const auto twice = repeated(std::move(keys))) {
      return bytes_.refuse(twice->offset, fmt::format("the metadata key {} stands twice", quoted_bytes(twice->name)),
                           "two values for one key have no meaning: write the file again");
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
    return bytes_.refuse(
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
    std::vector<NamedPlace> names;
    for (std::size_t i = 0; i < offsets.size(); ++i) names.push_back({header_.tensors.tensors[i].name, offsets[i]});
    if (const auto twice = repeated(std::move(names))) {
      return bytes_.refuse(twice->offset, fmt::format("the tensor {} stands twice", quoted_bytes(twice->name)),
                           "the file is damaged: write it again");
    }
    return true;
  }

  bool read_tensor(TensorInfo& tensor) {
    if (!bytes_.short_text(tensor.name, "the tensor list", kLongestName)) return false;
    const std::uint64_t at = cursor_.offset();
    const auto count = cursor_.number<std::uint32_t>();
    if (!bytes_.good("the tensor list")) return false;
    if (count > kMostDimensions) {
      return bytes_.refuse(
          at, fmt::format("tensor {} has {} dimensions; ggml has at most 4", quoted_bytes(tensor.name), count),
          "the file is damaged");
    }
    std::uint64_t elements = 1, row = 1;
    tensor.shape.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto size = cursor_.number<std::uint64_t>();
      if (!bytes_.good("the tensor list")) return false;
      if (size == 0 || size > kMostBytes / elements) {
        return bytes_.refuse(
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
    if (!bytes_.good("the tensor list")) return false;
    const GgmlType* type = ggml_type(number);
    if (type == nullptr) {
      return bytes_.refuse(
          at, fmt::format("tensor {} is of ggml type {}, which is not known", quoted_bytes(tensor.name), number),
          "types of a fork of llama.cpp are not read: convert the model with llama.cpp itself");
    }
    if (row % type->block != 0) {
      return bytes_.refuse(at,
                           fmt::format("tensor {} has rows of {}, but {} comes in blocks of {}",
                                       quoted_bytes(tensor.name), row, type->name, type->block),
                           "the file is damaged");
    }
    const std::uint64_t blocks = elements / type->block;
    if (blocks > kMostBytes / type->bytes || offset > kMostBytes - blocks * type->bytes - alignment_) {
      return bytes_.refuse(at,
                           fmt::format("tensor {} of {} elements at {} is larger than any file",
                                       quoted_bytes(tensor.name), elements, offset),
                           "the file is damaged");
    }
    if (offset % alignment_ != 0) {
      return bytes_.refuse(
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
        return bytes_.refuse(start + extent.offset,
                             fmt::format("the data of tensor {} overlaps another's", quoted_bytes(name)),
                             "the file is damaged: write it again");
      }
      if (extent.offset > implied &&
          extent.offset + extent.bytes > bytes_.file_size() - std::min(start, bytes_.file_size())) {
        return bytes_.refuse(
            start + extent.offset,
            fmt::format("the data of tensor {} is said to begin here, past the {} bytes of the tensors before it",
                        quoted_bytes(name), implied),
            "the file is damaged: fetch it again");
      }
      end = extent.offset + extent.bytes;
      implied = padded(end);
    }
    if (end <= bytes_.file_size() - std::min(start, bytes_.file_size())) return true;
    return bytes_.refuse(bytes_.file_size(),
                         fmt::format("truncated: {} of {} bytes present", bytes_.file_size(), start + end),
                         "the download is incomplete: resume it, or fetch the file again");
  }

  GgufBytes bytes_;
  ByteCursor& cursor_ = bytes_.cursor;
  GgufValues values_{bytes_};
  GgufHeader header_;
  std::uint64_t tensor_count_ = 0, key_count_ = 0, alignment_ = 32;
  std::vector<Extent> extents_;
};

}  // namespace

const JsonValue* GgufHeader::find(std::string_view key) const {
  const auto found = std::find_if(metadata.begin(), metadata.end(), [&](const auto& one) { return one.first == key; });
  return found == metadata.end() ? nullptr : &found->second;
}

Result<GgufHeader> read_gguf(const ByteSource& file, std::string_view place) { return GgufReader(file, place).read(); }

}  // namespace ridge::catalog
