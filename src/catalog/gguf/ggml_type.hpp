#pragma once
// The number formats of ggml, which GGUF files store tensors in. Sizes: ggml/src/ggml-common.h.

#include <cstdint>
#include <string_view>

namespace ridge::catalog {

/// How ggml stores numbers: blocks of `block` elements, each in `bytes` bytes.
struct GgmlType {
  std::uint32_t number = 0;
  std::string_view name;
  std::uint64_t block = 1, bytes = 0;
};

/// nullptr where ggml has no such type, or has withdrawn it.
const GgmlType* ggml_type(std::uint32_t number);

}  // namespace ridge::catalog
