#pragma once
// Where answers and messages go: a terminal (terminal.cpp), or back to whoever asked through the door (apps/door), which
// has the same functions, and those of early_end.hpp and whole_file.hpp, over texts in memory.

#include <string_view>

#include "report/base/style.hpp"

namespace ridge::cli {

/// An answer goes out: 0, or the number of the error.
int put_out(std::string_view text);
/// A message beside it, as well as that can be done.
void put_beside(std::string_view text);

/// Whether somebody reads along on a stream: for colors, and for how far something is.
bool is_terminal(int stream);
/// How texts look there; plain: without colors and beyond ASCII.
report::Style outlet_style(bool plain);

/// As many threads as this machine runs at once.
unsigned all_threads();

}  // namespace ridge::cli
