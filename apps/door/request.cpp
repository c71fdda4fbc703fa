#include "door/request.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "catalog/json/json_value.hpp"
#include "cli/options/old_flags.hpp"
#include "cli/options/option_checks.hpp"
#include "cli/program.hpp"

namespace ridge::door {

namespace {

using catalog::JsonValue;
using cli::Command;
using cli::Option;

constexpr std::string_view kExample = R"({"command": "why", "arguments": ["deepseek-v3"], "options": {"tp": 8}})";

#ifdef RIDGE_JSON_ONLY
constexpr bool kHasScreens = false;  // and no pictures
#else
constexpr bool kHasScreens = true;
#endif

const Command* find_command(std::string_view name) {
  for (const Command& command : cli::commands()) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

Error unknown_command(const std::string& name) {
  const auto& elsewhere = commands_elsewhere();
  if (std::find(elsewhere.begin(), elsewhere.end(), name) != elsewhere.end())
    return {"command", fmt::format("only the program has \"{}\": it is not here", name),
            fmt::format("the program has it: ridge {}", name)};
  std::vector<std::string> names;
  for (const Command& command : cli::commands()) names.emplace_back(command.name);
  return {"command", fmt::format("there is no command \"{}\"", shortened(name)), suggestion(name, names)};
}

/// "input_len" or "--input-len" as the table's flags have it: "--input-len", and one letter behind one dash.
std::string as_flag(std::string_view name) {
  std::string word(name.substr(std::min(name.find_first_not_of('-'), name.size())));
  std::replace(word.begin(), word.end(), '_', '-');
  return (word.size() == 1 ? "-" : "--") + word;
}

bool has_flag(const Option& option, std::string_view flag) {
  const auto flags = split(option.flags, ',');
  return option.is_flag() && std::find(flags.begin(), flags.end(), flag) != flags.end();
}

std::vector<const Option*> options_of(const Command& command) {
  std::vector<const Option*> all;
  for (const auto& group : command.groups) {
    for (const Option& option : group.options) all.push_back(&option);
  }
  return all;
}

/// What was given to each option of the command, by its place in the table.
class Filler {
 public:
  explicit Filler(const Command& command) : command_(command), options_(options_of(command)), texts_(options_.size()) {}

  void take_arguments(const JsonValue& arguments) {
    if (arguments.array() == nullptr) return refuse("arguments", "is no list", kExample);
    std::size_t next = 0;
    for (const JsonValue& one : *arguments.array()) {
      while (next < options_.size() && options_[next]->is_flag()) ++next;
      if (next == options_.size()) {
        const bool machine = find_option("--on") < options_.size();
        return refuse("arguments", fmt::format("one word more than {} takes", command_.name),
                      machine ? "the machine is the option \"on\"" : "");
      }
      add(next, one);
      if (!options_[next]->again) ++next;
    }
  }

  void take_options(const JsonValue& given) {
    if (given.object() == nullptr) return refuse("options", "is no object", kExample);
    for (const auto& [name, value] : *given.object()) {
      const std::string flag = as_flag(name);
      const std::size_t index = find_option(flag);
      if (index == options_.size()) {
        refuse(flag, fmt::format("ridge {} has no such option", command_.name), hint_of(flag));
      } else if (!kHasScreens && options_[index]->key == "svg") {
        refuse(flag, "nothing is drawn here", "the ridge program draws");
      } else if (!texts_[index].empty()) {
        refuse(flag, "is given twice, under two names", "leave one of them out");
      } else {
        take(index, value);
      }
    }
  }

  /// A switch or a text that the request's format stands for.
  bool give(std::string_view key, std::string text) {
    for (std::size_t i = 0; i < options_.size(); ++i) {
      if (options_[i]->key != key) continue;
      if (texts_[i].empty()) texts_[i] = {std::move(text)};
      return true;
    }
    return false;
  }

  void refuse(std::string where, std::string what, std::string_view hint) {
    errors_.push_back({std::move(where), std::move(what), std::string(hint)});
  }

  Result<cli::Arguments> result() {
    cli::Arguments arguments;
    arguments.command = &command_;
    for (std::size_t i = 0; i < options_.size(); ++i) {
      const Option& option = *options_[i];
      if (option.required && texts_[i].empty())
        refuse(std::string(option.flags), "is required", "give it among the \"arguments\"");
      for (std::string& text : texts_[i]) {
        arguments.given.push_back({std::string(option.key), std::move(text), option.by});
      }
    }
    if (!errors_.empty()) return fail(std::move(errors_));
    return arguments;
  }

 private:
  std::size_t find_option(std::string_view flag) const {
    const auto found =
        std::find_if(options_.begin(), options_.end(), [&](const Option* one) { return has_flag(*one, flag); });
    return static_cast<std::size_t>(found - options_.begin());
  }

  std::string hint_of(const std::string& flag) const {
    if (const auto hint = cli::hint_for(command_.name, flag)) return *hint;
    std::vector<std::string> known;
    for (const Option* option : options_) {
      if (!option->is_flag()) continue;
      for (const std::string& one : split(option->flags, ',')) known.push_back(one);
    }
    const auto close = nearest(flag, known, 3);
    return close.empty() ? "" : fmt::format("did you mean {}?", joined(close, " or "));
  }

  void take(std::size_t index, const JsonValue& value) {
    const Option& option = *options_[index];
    const std::string flag(option.flag());
    if (value.is_null()) return;
    if (value.boolean() != nullptr) {
      if (!option.is_switch()) return refuse(flag, "wants a value, not true or false", fmt::format("{}", option.type));
      if (*value.boolean()) texts_[index] = {"true"};
      return;
    }
    if (option.is_switch()) return refuse(flag, fmt::format("is a switch, not {}", kind_of(value)), "true or false");
    if (value.array() == nullptr) return add(index, value);
    if (!option.again) return refuse(flag, "is given once, not as a list", "one text or number");
    for (const JsonValue& one : *value.array()) add(index, one);
  }

  void add(std::size_t index, const JsonValue& value) {
    const Option& option = *options_[index];
    const std::string flag(option.flag());
    if (value.text() == nullptr && value.number() == nullptr)
      return refuse(flag, fmt::format("wants a text or a number, not {}", kind_of(value)), "");
    const std::string text = value.text() != nullptr ? *value.text() : fmt::format("{}", *value.number());
    if (const std::string wrong = cli::wrong_text(option, text); !wrong.empty()) return refuse(flag, wrong, "");
    texts_[index].push_back(text);
  }

  const Command& command_;
  std::vector<const Option*> options_;
  std::vector<std::vector<std::string>> texts_;
  Errors errors_;
};

Result<AnswerFormat> read_format(const JsonValue* said) {
  if (said == nullptr) return AnswerFormat::json;
  const std::string word = said->text() == nullptr ? "" : *said->text();
  if (word == "json") return AnswerFormat::json;
  if (word == "text" && kHasScreens) return AnswerFormat::text;
  if (word == "svg" && kHasScreens) return AnswerFormat::svg;
  return fail({"format", fmt::format("\"{}\" is no format", shortened(word)),
               kHasScreens ? "json, text or svg" : "json; the ridge program prints text and draws"});
}

Errors unknown_members(const JsonValue& request) {
  const std::vector<std::string> known = {"command", "arguments", "options", "files", "format"};
  Errors errors;
  for (const auto& [name, value] : *request.object()) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      errors.push_back({shortened(name), "is no member of a request", suggestion(name, known)});
  }
  return errors;
}

/// Bytes of base64; nothing where a letter is none of its own.
std::optional<std::string> bytes_of(std::string_view text) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::array<int, 256> values;
  values.fill(-1);
  for (std::size_t i = 0; i < kLetters.size(); ++i)
    values[static_cast<unsigned char>(kLetters[i])] = static_cast<int>(i);
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 2);
  unsigned held = 0;
  int bits = 0;
  for (const char letter : text) {
    const int value = values[static_cast<unsigned char>(letter)];
    if (value < 0) return {};
    held = held << 6 | static_cast<unsigned>(value);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(held >> bits & 0xFF);
  }
  return bytes;
}

/// A file that is no text: {"base64": ...}, and where that is its start alone, {"base64": ..., "size": bytes of the whole}.
Result<bool> read_bytes(const std::string& name, const JsonValue& said, Request& request) {
  const JsonValue* packed = said.object() == nullptr ? nullptr : said.find("base64");
  auto bytes = packed == nullptr || packed->text() == nullptr ? std::nullopt : bytes_of(*packed->text());
  if (!bytes) {
    return fail({"files", fmt::format("\"{}\" is neither text nor base64", shortened(name)),
                 R"("name": "its text", or "name": {"base64": "..."})"});
  }
  if (const JsonValue* size = said.find("size")) {
    constexpr double kMost = 9007199254740992.0;  // 2^53: a double still counts
    const double* number = size->number();
    if (number == nullptr || !(*number >= static_cast<double>(bytes->size())) || *number > kMost)
      return fail({"files", fmt::format("the size of \"{}\" is less than what is there of it", shortened(name)), ""});
    if (*number > static_cast<double>(bytes->size())) request.sizes[name] = static_cast<std::uint64_t>(*number);
  }
  request.files[name] = std::move(*bytes);
  return true;
}

Result<bool> read_files(const JsonValue* said, Request& request) {
  if (said == nullptr) return true;
  if (said->object() == nullptr) return fail({"files", "is no object", "a text for each name"});
  for (const auto& [name, text] : *said->object()) {
    if (text.text() != nullptr) {
      request.files[name] = *text.text();
    } else if (const auto bytes = read_bytes(name, text, request); !bytes) {
      return fail(bytes.error());
    }
  }
  return true;
}

}  // namespace

Result<Request> read_request(std::string_view json) {
  const auto read = catalog::parse_json(json, "request");
  if (!read) return fail(read.error());
  if (read->object() == nullptr) return fail({"request", "is no object", std::string(kExample)});
  if (Errors errors = unknown_members(*read); !errors.empty()) return fail(std::move(errors));
  const JsonValue* named = read->find("command");
  if (named == nullptr || named->text() == nullptr)
    return fail({"command", "is missing: which question?", std::string(kExample)});
  const Command* command = find_command(*named->text());
  if (command == nullptr) return fail(unknown_command(*named->text()));
  const auto format = read_format(read->find("format"));
  if (!format) return fail(format.error());
  Request request;
  request.format = *format;
  if (const auto files = read_files(read->find("files"), request); !files) return fail(files.error());
  Filler filler(*command);
  if (const JsonValue* arguments = read->find("arguments")) filler.take_arguments(*arguments);
  if (const JsonValue* options = read->find("options")) filler.take_options(*options);
  filler.give("quiet", "true");
  if (*format == AnswerFormat::json) filler.give("json", "true");
  if (*format == AnswerFormat::svg && !filler.give("svg", std::string(kPicture)))
    filler.refuse("format", fmt::format("ridge {} draws no picture", command->name), "json or text");
  auto arguments = filler.result();
  if (!arguments) return fail(arguments.error());
  request.arguments = std::move(*arguments);
  return request;
}

}  // namespace ridge::door
