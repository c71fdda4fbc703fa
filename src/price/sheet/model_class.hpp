#pragma once
// What of a family a model is: its flash, its mini, its 70b. Prices are compared within a class.

#include <string>
#include <string_view>
#include <vector>

namespace ridge {

/// "claude-opus-4-5" and "meta-llama/Llama-3.3-70B" as words, in lower case and without who made it.
std::vector<std::string> words_of(std::string_view model);

/// The words of a model's name that are neither of the family nor a version, a date or a state of release, in their
/// order: "flash-lite" of gemini-2.5-flash-lite-preview-06-17 in the family gemini, "70b-turbo" of Llama-3.3-70B-Turbo
/// in llama; empty for gpt-5.1 in gpt.
std::string class_of(std::string_view model, const std::vector<std::string>& family);

}  // namespace ridge
