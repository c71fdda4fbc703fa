#pragma once
// A table of texts that holds the width of the terminal, whatever stands in it.

#include <string>
#include <vector>

#include "report/base/style.hpp"

namespace ridge::report {

struct ListingColumn {
  std::string heading;
  std::string unit = {};  // what every cell ends with; where room is short it stands in the heading alone
  bool prose = false;     // words that may be broken into lines; one column at most
};

/// The first column has the names of the rows.
struct Listing {
  std::vector<ListingColumn> columns;
  std::vector<std::vector<std::string>> rows;
};

/// One line a row where there is room. Where there is not, in this order: units go to the headings, prose is broken or goes
/// below its row, and names that are too long stand on a line of their own. Nothing is cut off.
std::string listing_text(const Listing& listing, const Style& style);

}  // namespace ridge::report
