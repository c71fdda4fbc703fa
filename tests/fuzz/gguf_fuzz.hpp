#pragma once
// The reader of GGUF headers and the translation of their metadata, fed any bytes. Used by the libFuzzer target
// (gguf_fuzz.cpp) and by the corpus that every test run replays (tests/catalog/gguf/gguf_test.cpp).

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "catalog/gguf/config.hpp"
#include "catalog/gguf/gguf.hpp"
#include "catalog/gguf/parts.hpp"

namespace ridge::fuzz {

inline std::string wrong_gguf_refusal(const Errors& errors) {
  if (errors.empty()) return "refused without an error";
  for (const Error& error : errors) {
    if (error.where.empty() || error.what.empty() || error.hint.empty())
      return "an error without a place, text or hint";
  }
  return "";
}

inline std::string wrong_tensors(const catalog::GgufHeader& header) {
  double bytes = 0;
  for (const catalog::TensorInfo& tensor : header.tensors.tensors) {
    double elements = 1;
    for (const double side : tensor.shape) elements *= side;
    if (!(elements >= 1) || std::fabs(elements - tensor.elements) > 1e-9 * elements) return "a shape that lies";
    if (!(tensor.bytes > 0) || tensor.type.empty() || tensor.name.empty()) return "a tensor of nothing";
    if (name_of(catalog::part_of_gguf_tensor(tensor.name)).empty()) return "a tensor of no part";
    bytes += tensor.bytes;
  }
  return bytes <= header.file_bytes ? "" : "tensors larger than their file";
}

inline std::string wrong_config(const catalog::GgufHeader& header) {
  const auto config = catalog::config_from_gguf(header, "fuzz");
  if (!config) return wrong_gguf_refusal(config.error());
  const catalog::JsonValue* layers = config->find("num_hidden_layers");
  if (layers == nullptr || layers->number() == nullptr || !(*layers->number() >= 1)) return "a config without layers";
  const catalog::JsonValue* type = config->find("model_type");
  return type && type->text() ? "" : "a config without a type";
}

inline std::string wrong_gguf(const catalog::ByteSource& source) {
  const auto header = catalog::read_gguf(source, "fuzz");
  if (!header) return wrong_gguf_refusal(header.error());
  if (std::string wrong = wrong_tensors(*header); !wrong.empty()) return wrong;
  return wrong_config(*header);
}

/// What broke, or nothing. The bytes are also read as the head of a larger file, so that more of them get through.
inline std::string gguf_complaint(std::string_view bytes) {
  if (std::string wrong = wrong_gguf(catalog::memory_source(bytes)); !wrong.empty()) return wrong;
  const catalog::ByteSource larger = {bytes.size() + (1 << 16), [bytes](std::uint64_t offset, std::span<char> into) {
                                        const std::string_view rest = bytes.substr(std::min(offset, bytes.size()));
                                        const std::size_t real = std::min(rest.size(), into.size());
                                        std::copy_n(rest.begin(), real, into.begin());
                                        std::fill(into.begin() + static_cast<std::ptrdiff_t>(real), into.end(), '\0');
                                        return true;
                                      }};
  return wrong_gguf(larger);
}

}  // namespace ridge::fuzz
