#pragma once
// A list of words or lines as JSON.

#include <string>
#include <string_view>
#include <vector>

namespace ridge::report {

/// {"schema": ..., "what": ..., "lines": [...]}
std::string words_json(std::string_view schema, std::string_view what, const std::vector<std::string>& lines);

}  // namespace ridge::report
