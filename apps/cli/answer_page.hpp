#pragma once
// --html: an answer as the board's page, opened in its state with the derivation of its figure beside it.

#include <string>

#include "base/result.hpp"
#include "cli/command.hpp"
#include "roofline/scenario.hpp"
#include "serve/question/serving_question.hpp"

namespace ridge::cli {

/// The link of the board that shows this case. What a link has no place for is refused.
Result<std::string> board_link(const Arguments& arguments, const ResolvedCase& resolved);
Result<std::string> board_link(const Arguments& arguments, const ServingQuestion& question);

/// Writes the page where --html says.
Result<int> write_answer_page(const Arguments& arguments, const Result<std::string>& link);

}  // namespace ridge::cli
