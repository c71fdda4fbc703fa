#include "report/board/board_json.hpp"

#include "report/base/json.hpp"

namespace ridge::report {

std::string board_json(std::string_view kind, const std::string& place, const std::string& state) {
  return dumped({{"schema", "ridge.board/1"}, {std::string(kind), place}, {"state", state}});
}

}  // namespace ridge::report
