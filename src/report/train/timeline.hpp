#pragma once
// A rank's time in pieces of equal length, each with what it did for most of it: for terminals, and for pictures whose
// operations are narrower than a pixel.

#include <vector>

#include "train/schedule/schedule.hpp"

namespace ridge::report {

enum class CellWork { idle, forward, input_gradient, weight_gradient, backward, pair, mixed };

/// Cells of the whole makespan. One that is longer than the operations in it, several of which are done, is mixed.
std::vector<CellWork> timeline_cells(const train::Schedule& schedule, int rank, int columns);

/// As many cells as show every operation of equal length alike, where so many or fewer do; otherwise all columns.
int timeline_columns(const train::Schedule& schedule, int most);

/// What is live at most within each piece.
std::vector<int> live_cells(const train::Schedule& schedule, int rank, int columns);

/// All ranks, or as many as are shown, evenly chosen with the first and the last.
std::vector<int> shown_ranks(int ranks, int most);

}  // namespace ridge::report
