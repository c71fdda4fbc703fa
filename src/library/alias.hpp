#pragma once
// A word that people use for an entry of the catalog, or for a few.

#include <string>
#include <vector>

namespace ridge {

struct Alias {
  std::string name;                                  // "h100"
  std::vector<std::string> models, machines, chips;  // what it means where one of those is asked for
};

}  // namespace ridge
