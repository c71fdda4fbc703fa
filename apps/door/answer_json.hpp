#pragma once
// An answer of the door as JSON; docs/c_interface.md describes the members.

#include <map>
#include <string>

#include "base/result.hpp"

namespace ridge::door {

struct Answer {
  std::string out;
  bool is_json = true;  // what the command prints with --json is a member as it is
  std::string said;     // notes that a terminal shows beside the answer
  std::map<std::string, std::string> files;
};

std::string refusal_json(int exit, const Errors& errors);
std::string answer_json(int exit, const Answer& answer);

}  // namespace ridge::door
