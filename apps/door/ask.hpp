#pragma once
// The one door: a request of one command as JSON, its answer as JSON. What runs behind it is what the command line runs.

#include <string>
#include <string_view>

namespace ridge::door {

/// Never fails: what went wrong is an answer, too. May be called by many threads at once; nothing is shared but the catalog.
std::string ask(std::string_view request);

}  // namespace ridge::door
