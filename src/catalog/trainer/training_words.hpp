#pragma once
// What a pasted command, start script or configuration says, flag by flag; what the flags mean is said_words.hpp.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/engine/pasted.hpp"

namespace ridge::catalog {

struct SaidWord {
  std::string flag, value;
  bool used = false;
};
/// By key; the last of several counts.
using TrainingWords = std::map<std::string, SaidWord>;

struct PastedTraining {
  TrainingWords words;
  std::vector<std::string> programs;  // words that are no flags, in their order
};

/// `whole` is read as a configuration where nothing in it is a command.
PastedTraining training_words(const Pasted& pasted, std::string_view whole);

}  // namespace ridge::catalog
