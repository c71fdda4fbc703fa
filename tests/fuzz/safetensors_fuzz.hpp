#pragma once
// The readers of checkpoints, fed any bytes: as JSON, as a header, as an index, as a whole safetensors file. Used by the
// libFuzzer target (safetensors_fuzz.cpp) and by the corpus that every test run replays (replay_test.cpp).

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "catalog/checkpoint/safetensors.hpp"
#include "catalog/checkpoint/tensor_parts.hpp"
#include "catalog/json/json_value.hpp"

namespace ridge::fuzz {

inline std::string wrong_errors(const Errors& errors) {
  if (errors.empty()) return "refused without an error";
  if (errors.size() > 11) return "a page of errors became a book";
  for (const Error& error : errors) {
    if (error.what.empty() || error.hint.empty()) return "an error that says nothing, or not what to do";
  }
  return "";
}

inline std::string wrong_counts(const catalog::TensorTable& table) {
  for (const double main_layers : {0.0, 1.0}) {
    const catalog::CountedTensors counted = catalog::count_tensors(table, main_layers);
    for (std::size_t part = 0; part < kParts; ++part) {
      double typed = 0;
      for (const auto& [type, bytes] : counted.bytes_by_type[part]) typed += bytes;
      if (typed != counted.bytes[part]) return "bytes by type that are not the bytes";
      if (!(counted.params[part] >= 0) || !std::isfinite(counted.params[part])) return "a count that is no count";
    }
    if (counted.unknown.size() + counted.buffers.size() > table.tensors.size()) return "more unknown than there is";
  }
  return "";
}

inline std::string wrong_header(std::string_view json, std::uint64_t file_bytes) {
  const auto table = catalog::read_safetensors_header(json, file_bytes, "fuzz");
  if (!table) return wrong_errors(table.error());
  double stored = 8 + static_cast<double>(json.size());
  std::set<std::string_view> names;
  for (const catalog::TensorInfo& tensor : table->tensors) {
    stored += tensor.bytes;
    if (!names.insert(tensor.name).second) return "two tensors of one name";
  }
  if (stored != static_cast<double>(file_bytes)) return "tensors that do not fill the file";
  return wrong_counts(*table);
}

/// The size of the data a header speaks of, so that a good one meets the file it belongs to.
inline std::uint64_t claimed_bytes(const catalog::JsonValue& header) {
  double most = 0;
  if (header.object() == nullptr) return 0;
  for (const auto& [name, entry] : *header.object()) {
    const catalog::JsonValue* offsets = entry.find("data_offsets");
    if (offsets == nullptr || offsets->array() == nullptr) continue;
    for (const catalog::JsonValue& offset : *offsets->array()) {
      if (offset.number() != nullptr && *offset.number() < 9e15) most = std::max(most, *offset.number());
    }
  }
  return static_cast<std::uint64_t>(most);
}

inline std::string wrong_index(std::string_view json) {
  const auto index = catalog::read_safetensors_index(json, "fuzz");
  if (!index) return wrong_errors(index.error());
  if (index->weight_map.empty() || index->files.empty()) return "an index of nothing was accepted";
  for (const std::string& file : index->files) {
    if (file.empty() || file.find('/') != std::string::npos || file.find("..") != std::string::npos) {
      return "a file name that leaves its folder";
    }
  }
  return "";
}

inline std::string wrong_file(std::string_view bytes) {
  const auto length = catalog::safetensors_header_bytes(bytes.substr(0, 8), bytes.size(), "fuzz");
  if (!length) return wrong_errors(length.error());
  if (*length > bytes.size() - 8) return "a header longer than its file";
  return wrong_header(bytes.substr(8, *length), bytes.size());
}

/// What broke, or nothing.
inline std::string wrong_checkpoint(std::string_view bytes) {
  if (std::string wrong = wrong_file(bytes); !wrong.empty()) return wrong;
  if (std::string wrong = wrong_index(bytes); !wrong.empty()) return wrong;
  const auto tree = catalog::parse_json(bytes, "fuzz");
  if (!tree) return wrong_errors(tree.error());
  return wrong_header(bytes, 8 + bytes.size() + claimed_bytes(*tree));
}

}  // namespace ridge::fuzz
