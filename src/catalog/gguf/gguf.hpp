#pragma once
// The head of a GGUF file: its metadata and its list of tensors, without the tensors' data.
// Source: github.com/ggml-org/ggml/blob/master/docs/gguf.md.

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "catalog/checkpoint/byte_source.hpp"
#include "catalog/checkpoint/tensor_table.hpp"
#include "catalog/gguf/ggml_type.hpp"
#include "catalog/json/json_value.hpp"

namespace ridge::catalog {

struct GgufHeader {
  std::uint32_t version = 0;
  /// In file order. Arrays of numbers up to 65,536 elements and of up to 64 texts are kept; of any other array, and of
  /// a text above 64 KiB or one that is not UTF-8, only {"array_of": type, "length": n}.
  JsonMembers metadata;
  TensorTable tensors;
  double file_bytes = 0;  // of all parts, where several were joined

  /// nullptr where there is none.
  const JsonValue* find(std::string_view key) const;
};

/// Versions 2 and 3, little-endian. `place` names the file in errors, which say the byte. A file that is shorter than
/// its tensors need, but otherwise sound, is the error "truncated: N of M bytes present".
Result<GgufHeader> read_gguf(const ByteSource& file, std::string_view place);

/// The parts of a split model (name-00001-of-00009.gguf), in any order, as one header: the metadata of the first and
/// the tensors of all. A part that is missing, doubled or of another model is an error.
Result<GgufHeader> join_gguf(std::vector<GgufHeader> parts, std::string_view place);

}  // namespace ridge::catalog
