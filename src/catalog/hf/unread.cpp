#include "catalog/hf/unread.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/field_text.hpp"
#include "base/text/text.hpp"

namespace ridge::catalog {

namespace {

constexpr int kDeepestObject = 4;       // objects in objects
constexpr std::size_t kMostNamed = 10;  // errors of one file; more do not help

/// null, false, 0 and what is empty say that something is not there.
bool says_nothing(const JsonValue& value) {
  if (value.is_null()) return true;
  if (const bool* flag = value.boolean()) return !*flag;
  if (const double* number = value.number()) return *number == 0;
  if (const std::string* text = value.text()) return text->empty();
  if (const JsonArray* items = value.array()) return std::all_of(items->begin(), items->end(), says_nothing);
  return value.object()->empty();
}

std::string shown_json(const JsonValue& value) {
  if (const bool* flag = value.boolean()) return *flag ? "true" : "false";
  if (const double* number = value.number()) return fmt::format("{:.10g}", *number);
  if (const std::string* text = value.text()) return "\"" + shortened(*text) + "\"";
  if (const JsonArray* items = value.array()) {
    constexpr std::size_t kFew = 4;
    const auto plain = [](const JsonValue& item) { return item.array() == nullptr && item.object() == nullptr; };
    if (!std::all_of(items->begin(), items->end(), plain)) return fmt::format("a list of {}", items->size());
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < std::min(items->size(), kFew); ++i) texts.push_back(shown_json((*items)[i]));
    const bool cut = items->size() > kFew;
    return fmt::format("[{}{}]{}", joined(texts, ", "), cut ? ", ..." : "",
                       cut ? fmt::format(", {} in all", items->size()) : "");
  }
  return std::string(kind_of(value));
}

/// A text without its quotes, for comparing with a value that the catalog names.
std::string bare(const JsonValue& value) { return value.text() == nullptr ? shown_json(value) : *value.text(); }

/// "KEY", which must say something, or "KEY = VALUE".
bool holds(std::string_view condition, const JsonValue& object) {
  const std::size_t equals = condition.find(" = ");
  const JsonValue* value = object.find(condition.substr(0, equals));
  if (value == nullptr) return false;
  return equals == std::string_view::npos ? !says_nothing(*value) : bare(*value) == condition.substr(equals + 3);
}

/// These have readers of their own.
bool has_own_reader(std::string_view key) {
  constexpr std::string_view kOthers[] = {"vision_config",      "audio_config",   "quantization_config",
                                          "compression_config", "text_config",    "thinker_config",
                                          "llm_config",         "language_config"};
  return std::find(std::begin(kOthers), std::end(kOthers), key) != std::end(kOthers);
}

void collect(const JsonValue& object, const std::string& path, const KeyJudge& judge, int depth,
             std::vector<UnreadKey>& out) {
  for (const auto& [key, value] : *object.object()) {
    const std::string own = path.empty() ? key : path + "." + key;
    if (judge.settled.contains(own) || says_nothing(value) || has_own_reader(key)) continue;
    const bool suspect = !judge.read.contains(own) && judge.words.sounds_like(judge.group, key);
    const bool has_more = value.object() != nullptr || value.array() != nullptr;
    if ((!suspect && !has_more) || is_harmless(judge.words, std::string(judge.family) + key, object)) continue;
    if (suspect) {
      out.push_back({own, key, shown_json(value)});
      continue;
    }
    if (depth == 0 || !judge.family.empty()) continue;  // a quantization's inner objects are read by their method
    if (value.object() != nullptr) collect(value, own, judge, depth - 1, out);
    if (const JsonArray* items = value.array()) {
      for (std::size_t i = 0; i < items->size(); ++i) {
        if ((*items)[i].object() == nullptr) continue;
        collect((*items)[i], fmt::format("{}[{}]", own, i), judge, depth - 1, out);
      }
    }
  }
}

}  // namespace

bool is_harmless(const ConfigWords& words, std::string_view key, const JsonValue& object) {
  return std::any_of(words.keys.begin(), words.keys.end(), [&](const ConfigKeys& group) {
    const bool named = std::any_of(group.keys.begin(), group.keys.end(),
                                   [&](const std::string& pattern) { return matches_glob(key, pattern); });
    return named && (group.where.empty() || std::any_of(group.where.begin(), group.where.end(),
                                                        [&](const auto& one) { return holds(one, object); }));
  });
}

std::vector<UnreadKey> unread_structure(const JsonValue& object, const std::string& path, const KeyJudge& judge) {
  std::vector<UnreadKey> out;
  if (object.object() != nullptr) collect(object, path, judge, kDeepestObject, out);
  return out;
}

Errors refuse_unread(const std::vector<UnreadKey>& keys, std::string_view place, const Assumptions& assumptions,
                     std::vector<std::string>& used) {
  Errors errors;
  for (const UnreadKey& one : keys) {
    auto said = assumptions.find(one.key);
    for (std::size_t end = one.path.size(); said == assumptions.end() && end != std::string::npos && end > 0;
         end = one.path.rfind('.', end - 1)) {
      said = assumptions.find(std::string_view(one.path).substr(0, end));  // the key, or an object that it is in
    }
    if (said != assumptions.end() && said->second == kIgnored) {
      used.push_back(said->first);
      continue;
    }
    if (errors.size() == kMostNamed) {
      errors.push_back({std::string(place), "has more such keys", "the first ones are named above"});
      break;
    }
    errors.push_back({fmt::format("{}: {}", place, shortened(one.path)),
                      fmt::format("is {}, and is not read; by its name it may change the count", one.value),
                      fmt::format("if you know that it changes no size, say {}",
                                  field("assume", fmt::format("{}={}", shortened(one.path), kIgnored)))});
  }
  return errors;
}

}  // namespace ridge::catalog
