#pragma once
// A model from the files people have: a config.json, a folder, safetensors or GGUF files. Where tensors are present they
// are the truth, and the config is checked against them.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "catalog/hf/config.hpp"

namespace ridge::catalog {

/// Whether a word on the command line is a path rather than a name of the catalog.
bool names_model_file(std::string_view word);

/// `path` may be "-" for a config on standard input. The model is named by its path; what its reader should know is in
/// its remarks.
Result<ReadModel> read_model_file(const std::string& path, const ConfigWords& words,
                                  const Assumptions& assumptions = {});

}  // namespace ridge::catalog
