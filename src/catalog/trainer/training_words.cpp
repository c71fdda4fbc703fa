#include "catalog/trainer/training_words.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/text.hpp"
#include "catalog/json/json_value.hpp"
#include "train/command/trainer.hpp"

namespace ridge::catalog {

namespace {

using Variables = std::map<std::string, std::string>;

/// $NAME, ${NAME} and ${NAME:-otherwise}, where the paste sets NAME; anything else stays.
std::string with_variables(const std::string& word, const Variables& variables) {
  std::string out;
  for (std::size_t at = 0; at < word.size();) {
    if (word[at] != '$') {
      out += word[at++];
      continue;
    }
    const bool braces = at + 1 < word.size() && word[at + 1] == '{';
    const std::size_t from = at + (braces ? 2 : 1);
    std::size_t end = from;
    while (end < word.size() && (std::isalnum(static_cast<unsigned char>(word[end])) || word[end] == '_')) ++end;
    const std::string name = word.substr(from, end - from);
    std::string otherwise;
    std::size_t after = end;
    if (braces) {
      const std::size_t close = std::min(word.find('}', end), word.size());
      if (word.compare(end, 2, ":-") == 0) otherwise = word.substr(end + 2, close - end - 2);
      after = std::min(close + 1, word.size());
    }
    const auto found = variables.find(name);
    if (found != variables.end()) {
      out += found->second;
    } else if (!otherwise.empty()) {
      out += otherwise;
    } else {
      out += word.substr(at, after - at);
    }
    at = after > at ? after : at + 1;
  }
  return out;
}

/// NAME=value alone: an assignment of the shell. A dotted name is an override of a configuration.
bool is_assignment(const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos || equals == 0) return false;
  for (const char c : word.substr(0, equals)) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_') return false;
  }
  return true;
}

bool is_override(const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos || equals == 0 || word.starts_with('-')) return false;
  for (const char c : word.substr(0, equals)) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '.' && c != '+' && c != '/') return false;
  }
  return true;
}

bool is_training_flag(std::string_view word) {
  return word.size() > 1 && word[0] == '-' && !(word[1] >= '0' && word[1] <= '9') && word[1] != '.';
}

/// [section] and key = value, as TOML has them.
void toml_lines(std::string_view text, TrainingWords& words) {
  std::string section;
  for (const std::string& line : split(text, '\n')) {
    const std::string_view plain = trimmed(line);
    if (plain.empty() || plain.front() == '#') continue;
    if (plain.front() == '[') {
      section = std::string(plain.substr(1, std::min(plain.find(']'), plain.size()) - 1));
      continue;
    }
    const std::size_t equals = plain.find('=');
    if (equals == std::string_view::npos) continue;
    std::string_view value = trimmed(plain.substr(equals + 1));
    if (const auto comment = value.find(" #"); comment != std::string_view::npos)
      value = trimmed(value.substr(0, comment));
    std::string bare;
    for (const char c : value) {
      if (c != '"' && c != '\'') bare += c;
    }
    const std::string name = (section.empty() ? "" : section + ".") + std::string(trimmed(plain.substr(0, equals)));
    words[trainer_key(name)] = {name, bare};
  }
}

void json_words(const std::string& name, const JsonValue& value, TrainingWords& words, int depth) {
  constexpr int kDeepest = 6;
  if (const JsonMembers* object = value.object()) {
    if (depth == kDeepest) return;
    for (const JsonMember& member : *object)
      json_words(name.empty() ? member.first : name + "/" + member.first, member.second, words, depth + 1);
    return;
  }
  std::string text;
  if (value.text() != nullptr) text = *value.text();
  if (value.number() != nullptr) text = fmt::format("{}", *value.number());
  if (value.boolean() != nullptr) text = *value.boolean() ? "true" : "false";
  words[trainer_key(name)] = {name, text};
}

/// A configuration: JSON, TOML or YAML.
void document_words(const std::string& document, TrainingWords& words) {
  const std::string_view plain = trimmed(document);
  if (plain.starts_with('{')) {
    if (const auto json = parse_json(plain, "from")) json_words("", *json, words, 0);
  } else if (plain.find('=') != std::string_view::npos && plain.find('=') < plain.find(':')) {
    toml_lines(plain, words);
  } else {
    for (const auto& [key, value] : option_lines(document)) words[trainer_key(key)] = {key, value};
  }
}

void argument_words(const std::vector<std::string>& arguments, PastedTraining& out) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    const std::size_t equals = word.find('=');
    if (is_training_flag(word) && equals == std::string::npos) {
      std::string value;
      while (i + 1 < arguments.size() && !is_training_flag(arguments[i + 1]) && !is_override(arguments[i + 1]) &&
             !arguments[i + 1].ends_with(".py") && !arguments[i + 1].ends_with(".sh")) {
        value += (value.empty() ? "" : " ") + arguments[++i];
      }
      if (word == "-m") out.programs.push_back(value.substr(0, value.find(' ')));
      out.words[trainer_key(word)] = {word, value};
    } else if (is_training_flag(word) || is_override(word)) {
      out.words[trainer_key(word.substr(0, equals))] = {word.substr(0, equals), word.substr(equals + 1)};
    } else {
      out.programs.push_back(word.substr(word.rfind('/') + 1));
    }
  }
}

}  // namespace

PastedTraining training_words(const Pasted& pasted, std::string_view whole) {
  PastedTraining out;
  for (const std::string& document : pasted.documents) document_words(document, out.words);
  Variables variables;
  for (const auto& statement : pasted.statements) {
    std::vector<std::string> words;
    for (const std::string& word : statement) {
      const bool leading = words.empty();
      if (word == "export" || word == "(" || word == ")") continue;
      if (leading && is_assignment(word) && !word.ends_with("=(")) {
        const std::size_t equals = word.find('=');
        variables[word.substr(0, equals)] = with_variables(word.substr(equals + 1), variables);
      } else if (!word.ends_with("=(") && word.find("[@]}") == std::string::npos) {
        // a variable may hold several words, and arrays of arguments are read where they are written
        for (const std::string& one : split(with_variables(word, variables), ' ')) {
          if (!one.empty()) words.push_back(one);
        }
      }
    }
    const bool listed = !words.empty() && is_training_flag(words.front());  // a line of an array of arguments
    const bool starts = std::any_of(words.begin(), words.end(),
                                    [](const std::string& w) { return is_training_flag(w) || is_override(w); });
    if (listed || (starts && words.front() != "cat" && words.front() != "#SBATCH")) argument_words(words, out);
  }
  if (out.words.empty()) document_words(std::string(whole), out.words);  // a configuration alone
  return out;
}

}  // namespace ridge::catalog
