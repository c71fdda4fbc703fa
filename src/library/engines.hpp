#pragma once
// Which engine a name means: its facts, those of the engine it is a version of, or the general ones.

#include "library/library.hpp"

namespace ridge {

/// The engine that is asked about where nobody names one, and whose rules stand in where an engine has no facts.
inline constexpr std::string_view kGeneralEngine = "vllm";

struct FoundEngine {
  const Engine* facts = nullptr;  // never null
  bool borrowed = false;          // the general ones: nothing is known of an engine of this name
};

/// "trtllm-1.0" is a version of "trtllm".
FoundEngine find_engine(const Library& library, std::string_view name);

/// The engine that a word means: its name in any case and with any separators ("llamacpp"), or a program that starts it;
/// the word itself where it means none.
std::string engine_called(const Library& library, std::string_view word);

/// Those with facts, as their facts order them.
std::vector<const Engine*> ordered_engines(const Library& library);

/// Every engine that can be asked about: those with facts, and those with a calibration.
std::vector<std::string> known_engines(const Library& library);

}  // namespace ridge
