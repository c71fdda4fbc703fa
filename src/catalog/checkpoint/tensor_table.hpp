#pragma once
// The tensors a checkpoint really holds, read from its header alone: the truth against which a config is checked.

#include <string>
#include <vector>

namespace ridge::catalog {

struct TensorInfo {
  std::string name;           // as the file has it
  std::string type;           // as the file has it: "BF16", "F8_E4M3", "Q4_K"
  std::vector<double> shape;  // outermost first, whatever the file's order
  double elements = 0;        // product of the shape
  double bytes = 0;           // in the file
};

struct TensorTable {
  std::string format;  // "safetensors" or "gguf"
  std::vector<TensorInfo> tensors;
};

}  // namespace ridge::catalog
