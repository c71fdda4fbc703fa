// Facts and sweeps out of a TOML tree, whichever reader made it.

#include <algorithm>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#include "catalog/facts/read_toml.hpp"
#include "catalog/facts/toml_tree.hpp"

namespace ridge::catalog {

namespace {

std::string at_line(std::string_view place, const TomlNode& node) { return fmt::format("{}:{}", place, node.line); }

/// What a table says for all bare values in it.
struct Inherited {
  std::string source, kind;
};

class Flattener {
 public:
  Flattener(std::string_view category, std::string_view entry, std::string_view place)
      : category_(category), entry_(entry), place_(place) {}

  void walk(const TomlNode& table, const std::string& prefix, Inherited inherited) {
    if (!prefix.empty()) {
      if (const std::string* source = table.text_of("source")) inherited.source = *source;
      if (const std::string* kind = table.text_of("kind")) inherited.kind = *kind;
    }
    for (const TomlNode& node : table.below) {
      const std::string& name = node.key;
      const bool is_source = prefix.starts_with("sources.");  // has a kind of its own
      if (!prefix.empty() && !is_source && (name == "source" || name == "kind")) continue;
      const std::string path = prefix.empty() ? name : prefix + "." + name;
      if (node.is_table()) {
        if (node.find("value") != nullptr) {
          add_fact(path, node, inherited);
        } else {
          walk(node, path, inherited);
        }
      } else {
        add(path, node, inherited, "");
      }
    }
  }

  std::vector<Fact> facts;
  Errors errors;

 private:
  void add_fact(const std::string& path, const TomlNode& table, Inherited inherited) {
    std::string note;
    for (const TomlNode& node : table.below) {
      const bool is_text = node.kind == TomlNode::Kind::text;
      if (node.key == "value") continue;
      if (node.key == "source" && is_text) {
        inherited.source = node.word;
        inherited.kind.clear();
      } else if (node.key == "kind" && is_text) {
        inherited.kind = node.word;
      } else if (node.key == "note" && is_text) {
        note = node.word;
      } else {
        errors.push_back({at_line(place_, node) + ": " + path, fmt::format("unknown key \"{}\" in a fact", node.key),
                          "a fact has value, source, kind and note, the last three in quotes"});
      }
    }
    // "kind" may stand before or after "source"
    if (const std::string* kind = table.text_of("kind")) inherited.kind = *kind;
    add(path, *table.find("value"), inherited, note);
  }

  void add(const std::string& path, const TomlNode& node, const Inherited& inherited, const std::string& note) {
    if (!node.is_plain()) {
      errors.push_back({at_line(place_, node) + ": " + path, "is neither text, a finite number nor true/false",
                        "write a quoted value with its unit, e.g. \"80 GB\""});
      return;
    }
    facts.push_back(
        {category_, entry_, path, node.word, inherited.source, inherited.kind, note, at_line(place_, node)});
  }

  std::string category_, entry_, place_;
};

}  // namespace

Result<std::vector<Fact>> read_entry(std::string_view text, std::string_view category, std::string_view entry,
                                     std::string_view place) {
  const auto table = parse_toml(text, place);
  if (!table) return fail(table.error());
  Flattener flattener(category, entry, place);
  flattener.walk(*table, "", {});
  if (!flattener.errors.empty()) return fail(flattener.errors);
  // sources that stand in the entry's own file
  constexpr std::string_view kSources = "sources.";
  for (Fact& fact : flattener.facts) {
    if (!fact.key.starts_with(kSources)) continue;
    const std::size_t dot = fact.key.find('.', kSources.size());
    if (dot == std::string::npos) continue;
    fact.category = "source";
    fact.entry = fact.key.substr(kSources.size(), dot - kSources.size());
    fact.key = fact.key.substr(dot + 1);
  }
  return flattener.facts;
}

Result<std::vector<Fact>> read_entries(std::string_view text, std::string_view category, std::string_view place) {
  const auto table = parse_toml(text, place);
  if (!table) return fail(table.error());
  std::vector<Fact> facts;
  Errors errors;
  for (const TomlNode& node : table->below) {
    if (!node.is_table()) {
      errors.push_back({at_line(place, node), fmt::format("\"{}\" stands outside a table", node.key),
                        "put it under a [name] header"});
      continue;
    }
    Flattener flattener(category, node.key, place);
    flattener.walk(node, "", {});
    facts.insert(facts.end(), flattener.facts.begin(), flattener.facts.end());
    append(errors, flattener.errors);
  }
  if (!errors.empty()) return fail(errors);
  return facts;
}

namespace {

/// Collects the axes below [sweep]; keys are sorted, so each remembers where it stood.
class AxisReader {
 public:
  explicit AxisReader(std::string_view place) : place_(place) {}

  void walk(const TomlNode& table, const std::string& prefix) {
    for (const TomlNode& node : table.below) {
      const std::string path = prefix.empty() ? node.key : prefix + "." + node.key;
      if (node.is_table() && !is_range(node)) {
        walk(node, path);
        continue;
      }
      AxisText axis{path, {}, {}, at_line(place_, node)};
      if (node.is_table()) {
        for (const TomlNode& value : node.below) {
          if (const auto text = taken(value, path)) axis.range.emplace_back(value.key, *text);
        }
      } else {
        axis.values = values_of(node, path);
      }
      found_.push_back({node.line, node.column, std::move(axis)});
    }
  }

  std::vector<std::string> values_of(const TomlNode& node, const std::string& path) {
    std::vector<std::string> values;
    if (node.kind != TomlNode::Kind::list) {
      if (const auto text = taken(node, path)) values.push_back(*text);
      return values;
    }
    if (node.below.empty())
      errors.push_back({at_line(place_, node) + ": " + path, "is an empty list", "give it values"});
    for (const TomlNode& one : node.below) {
      if (const auto text = taken(one, path)) values.push_back(*text);
    }
    return values;
  }

  std::vector<AxisText> axes() {
    std::sort(found_.begin(), found_.end(),
              [](const Found& a, const Found& b) { return std::tie(a.line, a.column) < std::tie(b.line, b.column); });
    std::vector<AxisText> axes;
    for (Found& one : found_) axes.push_back(std::move(one.axis));
    return axes;
  }

  Errors errors;

 private:
  struct Found {
    int line, column;
    AxisText axis;
  };

  static bool is_range(const TomlNode& table) {
    return table.below.empty() || table.find("from") != nullptr || table.find("to") != nullptr ||
           table.find("points") != nullptr || table.find("step") != nullptr;
  }

  std::optional<std::string> taken(const TomlNode& node, const std::string& path) {
    if (node.is_plain()) return node.word;
    errors.push_back({at_line(place_, node) + ": " + path, "is neither text, a finite number nor true/false",
                      "an axis is a list of values, or { from = ..., to = ..., points = ... }"});
    return {};
  }

  std::string place_;
  std::vector<Found> found_;
};

}  // namespace

Result<SweepText> read_sweep_text(std::string_view text, std::string_view place) {
  auto table = parse_toml(text, place);
  if (!table) return fail(table.error());
  SweepText out;
  AxisReader reader(place);
  const TomlNode* sweep = table->find("sweep");
  if (sweep == nullptr || !sweep->is_table()) {
    return fail({std::string(place), "has no [sweep]", "add [sweep] with an axis, e.g. batch = [1, 16, 256]"});
  }
  reader.walk(*sweep, "");
  out.axes = reader.axes();
  if (const TomlNode* columns = table->find("columns")) out.columns = reader.values_of(*columns, "columns");
  std::erase_if(table->below, [](const TomlNode& one) { return one.key == "sweep" || one.key == "columns"; });
  Flattener flattener("scenario", "", place);
  flattener.walk(*table, "", {});
  append(reader.errors, flattener.errors);
  if (!reader.errors.empty()) return fail(std::move(reader.errors));
  out.facts = std::move(flattener.facts);
  return out;
}

}  // namespace ridge::catalog
