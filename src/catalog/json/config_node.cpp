#include "catalog/json/config_node.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/text.hpp"

namespace ridge::catalog {

namespace {

constexpr double kMostInConfig = 1e12;  // no dimension of a model comes near

std::string listed(Names names) { return fmt::format("{}", fmt::join(names, " or ")); }

}  // namespace

const JsonValue* ConfigNode::look(std::string_view key) const {
  const JsonValue* found = object_->find(key);
  return found == nullptr || found->is_null() ? nullptr : found;
}

bool ConfigNode::has(std::string_view key) const { return look(key) != nullptr; }

bool ConfigNode::has_any(Names names) const {
  for (const std::string_view name : names) {
    if (has(name)) return true;
  }
  return false;
}

const JsonValue* ConfigNode::value(Names names) const {
  const JsonValue* found = nullptr;
  for (const std::string_view name : names) {
    if (object_->find(name) != nullptr) log_->read.insert(path_of(name));
    if (found == nullptr) found = look(name);
  }
  return found;
}

void ConfigNode::settle(Names names) const {
  for (const std::string_view name : names) {
    if (object_->find(name) != nullptr) log_->settled.insert(path_of(name));
  }
}

std::string_view ConfigNode::spelled(Names names) const {
  for (const std::string_view name : names) {
    if (has(name)) return name;
  }
  return *names.begin();
}

const JsonMembers& ConfigNode::members() const {
  static const JsonMembers kNone;
  const JsonMembers* members = object_->object();
  return members == nullptr ? kNone : *members;
}

void ConfigNode::complain(std::string_view key, std::string what, std::string hint) const {
  log_->errors.push_back({log_->place + ": " + path_of(key), std::move(what), std::move(hint)});
}

void ConfigNode::remark(std::string text) const { log_->remarks.push_back(std::move(text)); }

std::optional<double> ConfigNode::whole(std::string_view key, const JsonValue& value, double least) const {
  const double* number = value.number();
  if (number == nullptr) {
    const std::string shown =
        value.text() == nullptr ? std::string(kind_of(value)) : "\"" + shortened(*value.text()) + "\"";
    complain(key, fmt::format("{} where a whole number is expected", shown), "write the number without quotes");
    return {};
  }
  if (!(*number >= least && *number <= kMostInConfig) || *number != std::floor(*number)) {
    complain(key, fmt::format("{:g} is not a whole number from {:g} to 10^12", *number, least),
             "check the file: this is a count or a size");
    return {};
  }
  return *number;
}

void ConfigNode::must_agree(Names names) const {
  const std::string_view first = spelled(names);
  const JsonValue* one = look(first);
  if (one == nullptr || one->number() == nullptr) return;
  for (const std::string_view name : names) {
    const JsonValue* other = look(name);
    if (other == nullptr || other->number() == nullptr || *other->number() == *one->number()) continue;
    complain(first, fmt::format("is {:.10g}, and {} is {:.10g}", *one->number(), name, *other->number()),
             "two names of one thing: remove the wrong one");
  }
}

std::optional<double> ConfigNode::optional_count(Names names) const {
  must_agree(names);
  const JsonValue* found = value(names);
  return found == nullptr ? std::nullopt : whole(spelled(names), *found, 0);
}

double ConfigNode::count(Names names) const {
  must_agree(names);
  const JsonValue* found = value(names);
  if (found == nullptr) {
    complain(*names.begin(), fmt::format("{} is missing", listed(names)),
             "it has no well-known default: the model cannot be counted without it");
    return 1;
  }
  return whole(spelled(names), *found, 1).value_or(1);
}

double ConfigNode::count_or(Names names, double otherwise, bool say) const {
  must_agree(names);
  if (const JsonValue* found = value(names)) return whole(spelled(names), *found, 0).value_or(otherwise);
  if (say) remark(fmt::format("{} is not in the file: {} by default", path_of(*names.begin()), with_commas(otherwise)));
  return otherwise;
}

std::optional<double> ConfigNode::optional_number(Names names) const {
  const JsonValue* found = value(names);
  if (found == nullptr) return {};
  if (const double* number = found->number()) return *number;
  complain(spelled(names), fmt::format("{} where a number is expected", kind_of(*found)), "check the file");
  return {};
}

std::optional<bool> ConfigNode::optional_flag(Names names) const {
  const JsonValue* found = value(names);
  if (found == nullptr) return {};
  if (const bool* flag = found->boolean()) return *flag;
  complain(spelled(names), fmt::format("{} where true or false is expected", kind_of(*found)), "check the file");
  return {};
}

bool ConfigNode::flag_or(Names names, bool otherwise, bool say) const {
  const bool absent = !has_any(names);
  const bool flag = optional_flag(names).value_or(otherwise);
  if (absent && say) remark(fmt::format("{} is not in the file: {} by default", path_of(*names.begin()), otherwise));
  return flag;
}

std::optional<std::string> ConfigNode::optional_text(Names names) const {
  const JsonValue* found = value(names);
  if (found == nullptr) return {};
  if (const std::string* text = found->text()) return *text;
  complain(spelled(names), fmt::format("{} where a text is expected", kind_of(*found)), "check the file");
  return {};
}

std::optional<std::vector<double>> ConfigNode::optional_counts(Names names) const {
  const JsonValue* found = value(names);
  if (found == nullptr) return {};
  const JsonArray* items = found->array();
  if (items == nullptr) {
    complain(spelled(names), fmt::format("{} where a list of numbers is expected", kind_of(*found)), "check the file");
    return {};
  }
  std::vector<double> numbers;
  for (const JsonValue& item : *items) {
    const auto number = whole(spelled(names), item, 0);
    if (!number) return {};
    numbers.push_back(*number);
  }
  return numbers;
}

std::optional<std::vector<std::string_view>> ConfigNode::optional_texts(Names names) const {
  const JsonValue* found = value(names);
  if (found == nullptr) return {};
  const JsonArray* items = found->array();
  const auto is_text = [](const JsonValue& item) { return item.text() != nullptr; };
  if (items == nullptr || !std::all_of(items->begin(), items->end(), is_text)) {
    complain(spelled(names), "a list of texts is expected", "check the file");
    return {};
  }
  std::vector<std::string_view> texts;
  texts.reserve(items->size());
  for (const JsonValue& item : *items) texts.emplace_back(*item.text());
  return texts;
}

std::optional<ConfigNode> ConfigNode::child(std::string_view key) const {
  const JsonValue* found = value({key});
  if (found == nullptr) return {};
  if (found->object() == nullptr) {
    complain(key, fmt::format("{} where an object is expected", kind_of(*found)), "check the file");
    return {};
  }
  return ConfigNode(*found, path_of(key), *log_);
}

std::vector<ConfigNode> ConfigNode::children(std::string_view key) const {
  std::vector<ConfigNode> nodes;
  const JsonValue* found = value({key});
  if (found == nullptr) return nodes;
  const JsonArray* items = found->array();
  for (std::size_t i = 0; items != nullptr && i < items->size(); ++i) {
    if ((*items)[i].object() == nullptr)
      items = nullptr;
    else
      nodes.emplace_back((*items)[i], fmt::format("{}[{}]", path_of(key), i), *log_);
    if (items == nullptr) break;
  }
  if (items == nullptr) complain(key, "a list of objects is expected", "check the file");
  return items == nullptr ? std::vector<ConfigNode>{} : nodes;
}

std::vector<std::string> unread_keys(const JsonValue& root, const ConfigLog& log) {
  std::vector<std::string> unread;
  const auto list = [&](const JsonValue& object, const std::string& prefix, const auto& self, int depth) -> void {
    if (object.object() == nullptr) return;
    for (const auto& [key, value] : *object.object()) {
      const std::string path = prefix.empty() ? key : prefix + "." + key;
      if (!log.read.contains(path))
        unread.push_back(path);
      else if (depth > 0)
        self(value, path, self, depth - 1);
    }
  };
  list(root, "", list, 2);
  return unread;
}

}  // namespace ridge::catalog
