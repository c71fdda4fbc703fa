#pragma once
// A question as a line for a shell that asks it again.

#include <string>
#include <string_view>

#include "serve/question/serving_question.hpp"

namespace ridge::cli {

/// One word for a shell, in quotes where it needs them.
std::string shell_word(std::string_view text);

/// "ridge simulate llama-3.3-70b --on hgx-h100 --tp 4 --rate 50 ..."; what is as usual is left out.
std::string ridge_line(std::string_view command, const ServingQuestion& question);

}  // namespace ridge::cli
