#pragma once
// A question as JSON, checked against the table of commands: the second way, beside the command line, of filling
// Arguments. docs/c_interface.md describes the members.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "cli/command.hpp"

namespace ridge::door {

enum class AnswerFormat { json, text, svg };

/// The name that a picture is asked for by; nothing is written.
inline constexpr std::string_view kPicture = "answer.svg";

struct Request {
  cli::Arguments arguments;
  AnswerFormat format = AnswerFormat::json;
  std::map<std::string, std::string> files;
  std::map<std::string, std::uint64_t> sizes;  // of files whose start alone is there
};

Result<Request> read_request(std::string_view json);

/// Commands that only the program has, since they read and write files of their own; CMake writes both tables.
const std::vector<std::string_view>& commands_elsewhere();

}  // namespace ridge::door
