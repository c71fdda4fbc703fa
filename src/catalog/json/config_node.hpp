#pragma once
// One object of a stranger's config: each key is asked for by its known names and type. What was asked for is
// remembered, so that the rest can be listed; what is missing or of the wrong kind becomes an error with its path.

#include <functional>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "catalog/json/json_value.hpp"

namespace ridge::catalog {

/// What reading a config leaves behind besides the model.
struct ConfigLog {
  std::string place;                 // the file
  Errors errors;                     // everything wrong, reported together
  std::vector<std::string> remarks;  // defaults taken and decisions made, for the reader to see
  std::set<std::string> read;        // paths that somebody asked for
  std::set<std::string> settled;     // paths that are known, and that other keys decide
};

using Names = std::initializer_list<std::string_view>;  // the same thing as different families call it

class ConfigNode {
 public:
  ConfigNode(const JsonValue& object, std::string path, ConfigLog& log)
      : object_(&object), path_(std::move(path)), log_(&log) {}

  /// Present, and not null.
  bool has(std::string_view key) const;
  bool has_any(Names names) const;

  /// Which of the names the file has; the first where it has none.
  std::string_view spelled(Names names) const;

  /// A whole number from 1 to 10^12. Required: its absence is an error.
  double count(Names names) const;
  /// The same from 0; nothing where it is absent or null.
  std::optional<double> optional_count(Names names) const;
  /// The same with a value for absence that the family's own code has; said in a remark when `say` is set.
  double count_or(Names names, double otherwise, bool say = true) const;
  std::optional<double> optional_number(Names names) const;  // any finite number
  std::optional<bool> optional_flag(Names names) const;
  bool flag_or(Names names, bool otherwise, bool say = false) const;
  std::optional<std::string> optional_text(Names names) const;
  std::optional<std::vector<double>> optional_counts(Names names) const;           // a list of whole numbers from 0
  std::optional<std::vector<std::string_view>> optional_texts(Names names) const;  // they look at the file's tree
  std::optional<ConfigNode> child(std::string_view key) const;                     // an object
  std::vector<ConfigNode> children(std::string_view key) const;                    // a list of objects

  /// These are known, and other keys have decided what they would say.
  void settle(Names names) const;

  /// The value itself, marked as read; nullptr where it is absent or null.
  const JsonValue* value(Names names) const;
  const JsonMembers& members() const;

  void complain(std::string_view key, std::string what, std::string hint) const;
  void remark(std::string text) const;
  const std::string& path() const { return path_; }
  std::string path_of(std::string_view key) const {
    return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
  }

 private:
  const JsonValue* look(std::string_view key) const;
  /// Different names of one number must not have different values.
  void must_agree(Names names) const;
  std::optional<double> whole(std::string_view key, const JsonValue& value, double least) const;

  const JsonValue* object_;
  std::string path_;
  ConfigLog* log_;
};

/// Paths of all keys that nobody asked for, two levels deep: "rope_theta", "vision_config.hidden_act".
std::vector<std::string> unread_keys(const JsonValue& root, const ConfigLog& log);

}  // namespace ridge::catalog
