#pragma once
// Dates and times as TOML writes them: no fact has any, but a file may.

#include <string_view>

namespace ridge::catalog {

/// 2026-11-17, 07:32:00.5, 2026-11-17T07:32:00Z, with an offset as well; a day that there is not is none.
bool is_toml_date(std::string_view word);

}  // namespace ridge::catalog
