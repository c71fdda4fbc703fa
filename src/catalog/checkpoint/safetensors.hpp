#pragma once
// A safetensors file begins with the length of its header and the header, JSON that says where each tensor lies. Read
// here from text alone; what fetches the bytes is elsewhere. The format: https://github.com/huggingface/safetensors.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "catalog/checkpoint/tensor_table.hpp"

namespace ridge::catalog {

inline constexpr std::uint64_t kSafetensorsLengthBytes = 8;
inline constexpr std::uint64_t kMostSafetensorsHeaderBytes = 100'000'000;  // the format's own limit

/// Length of the header that follows the first eight bytes. An error where it cannot be one: over the format's limit,
/// or past the end of a file of `file_bytes`.
Result<std::uint64_t> safetensors_header_bytes(std::string_view first_eight, std::uint64_t file_bytes,
                                               std::string_view place);

/// The tensors of one file, in its header's order. The data must fill the file exactly, as the format demands: an
/// overlap, a hole, bytes that are missing or left over, a size that is not that of the shape: errors.
Result<TensorTable> read_safetensors_header(std::string_view json, std::uint64_t file_bytes, std::string_view place);

/// What a model.safetensors.index.json says.
struct SafetensorsIndex {
  double total_size = 0;  // bytes of all tensors, as the index claims; only where `has_total_size`
  bool has_total_size = false;
  std::vector<std::string> files;                               // sorted, each once, all plain names
  std::vector<std::pair<std::string, std::string>> weight_map;  // tensor and its file, in the index's order
};

/// File names with a folder, a drive or ".." in them are errors: an index from a stranger must not name other files.
Result<SafetensorsIndex> read_safetensors_index(std::string_view json, std::string_view place);

}  // namespace ridge::catalog
