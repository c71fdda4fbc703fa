#pragma once
// The flags of a pasted command, in order and by their meaning: which engine, which model, what was not understood.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "engine/engine.hpp"

namespace ridge::catalog {

struct EngineSetting {
  std::string flag;   // as it was written
  std::string value;  // "true" and "false" for switches
};

struct EngineWords {
  const Engine* engine = nullptr;             // one of those given; never null
  std::string model;                          // as it was written; may be empty
  std::map<Meaning, EngineSetting> settings;  // the last of each
  std::vector<std::string> unmodeled;         // flags that matter and are left out
  std::vector<std::string> unknown;           // flags that the engine's facts do not know, with their values
  std::vector<std::string> unread;            // files of options that were not pasted with the command
};

/// Finds the engine's command among others ("cd x; FOO=1 docker run ... vllm/vllm-openai --model ..."), with option files
/// that were pasted as here-documents.
Result<EngineWords> read_engine_words(std::string_view text, const std::vector<const Engine*>& engines,
                                      std::string_view where);

}  // namespace ridge::catalog
