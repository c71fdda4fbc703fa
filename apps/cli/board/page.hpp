#pragma once
// The board's page: one file with everything inside, installed beside the program, or built in the source tree on first use.

#include <string>

#include "base/result.hpp"

namespace ridge::cli {

/// The page's text. `given` names a file; empty: the installed page, or that of the source tree this program was built in.
Result<std::string> board_page(const std::string& given);

/// The text of a link: what stands behind its #, or all of it. What no link can hold is refused.
Result<std::string> board_state(const std::string& text);

/// The page, opening in a state.
std::string opened_in(std::string page, const std::string& state);

/// The page as a report of one answer: in its state, with the derivation of a figure open.
Result<std::string> page_of_answer(const std::string& state, const std::string& figure);

}  // namespace ridge::cli
