#include "catalog/facts/read_toml.hpp"

#include <algorithm>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#include "catalog/facts/toml_scan.hpp"

// hostile input must end in an error, never in an abort inside the parser
#define TOML_ASSERT(condition) static_assert(true)
#include <toml++/toml.h>

namespace ridge::catalog {

namespace {

std::string at_line(std::string_view place, const toml::node& node) {
  return fmt::format("{}:{}", place, node.source().begin.line);
}

std::optional<std::string> plain(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return fmt::format("{}", number->get());
  if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  return {};
}

/// What a table says for all bare values in it.
struct Inherited {
  std::string source, kind;
};

class Flattener {
 public:
  Flattener(std::string_view category, std::string_view entry, std::string_view place)
      : category_(category), entry_(entry), place_(place) {}

  void walk(const toml::table& table, const std::string& prefix, Inherited inherited) {
    if (!prefix.empty()) {
      if (const auto source = table["source"].value<std::string>()) inherited.source = *source;
      if (const auto kind = table["kind"].value<std::string>()) inherited.kind = *kind;
    }
    for (const auto& [key, node] : table) {
      const std::string name(key.str());
      const bool is_source = prefix.starts_with("sources.");  // has a kind of its own
      if (!prefix.empty() && !is_source && (name == "source" || name == "kind")) continue;
      const std::string path = prefix.empty() ? name : prefix + "." + name;
      if (const toml::table* below = node.as_table()) {
        if (below->contains("value")) {
          add_fact(path, *below, inherited);
        } else {
          walk(*below, path, inherited);
        }
      } else {
        add(path, node, inherited, "");
      }
    }
  }

  std::vector<Fact> facts;
  Errors errors;

 private:
  void add_fact(const std::string& path, const toml::table& table, Inherited inherited) {
    std::string note;
    for (const auto& [key, node] : table) {
      const auto word = node.value<std::string>();
      if (key == "value") continue;
      if (key == "source" && word) {
        inherited.source = *word;
        inherited.kind.clear();
      } else if (key == "kind" && word) {
        inherited.kind = *word;
      } else if (key == "note" && word) {
        note = *word;
      } else {
        errors.push_back({at_line(place_, node) + ": " + path,
                          fmt::format("unknown key \"{}\" in a fact", std::string_view(key.str())),
                          "a fact has value, source, kind and note, the last three in quotes"});
      }
    }
    // "kind" may stand before or after "source"
    if (const auto kind = table["kind"].value<std::string>()) inherited.kind = *kind;
    add(path, *table.get("value"), inherited, note);
  }

  void add(const std::string& path, const toml::node& node, const Inherited& inherited, const std::string& note) {
    const auto text = plain(node);
    if (!text) {
      errors.push_back({at_line(place_, node) + ": " + path, "is neither text, a finite number nor true/false",
                        "write a quoted value with its unit, e.g. \"80 GB\""});
      return;
    }
    facts.push_back({category_, entry_, path, *text, inherited.source, inherited.kind, note, at_line(place_, node)});
  }

  std::string category_, entry_, place_;
};

Result<toml::table> parse_toml(std::string_view text, std::string_view place) {
  if (const auto scanned = scan_toml(text, place); !scanned) return fail(scanned.error());
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    return fail({fmt::format("{}:{}", place, error.source().begin.line), std::string(error.description()),
                 "TOML: key = \"value\", [table] headers, # comments"});
  }
}

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
  for (const auto& [key, node] : *table) {
    const toml::table* entry = node.as_table();
    if (entry == nullptr) {
      errors.push_back({at_line(place, node), fmt::format("\"{}\" stands outside a table", std::string_view(key.str())),
                        "put it under a [name] header"});
      continue;
    }
    Flattener flattener(category, key.str(), place);
    flattener.walk(*entry, "", {});
    facts.insert(facts.end(), flattener.facts.begin(), flattener.facts.end());
    append(errors, flattener.errors);
  }
  if (!errors.empty()) return fail(errors);
  return facts;
}

namespace {

/// Collects the axes below [sweep]; toml++ keeps keys sorted, so each remembers where it stood.
class AxisReader {
 public:
  explicit AxisReader(std::string_view place) : place_(place) {}

  void walk(const toml::table& table, const std::string& prefix) {
    for (const auto& [key, node] : table) {
      const std::string path = prefix.empty() ? std::string(key.str()) : prefix + "." + std::string(key.str());
      const toml::table* below = node.as_table();
      if (below != nullptr && !is_range(*below)) {
        walk(*below, path);
        continue;
      }
      AxisText axis{path, {}, {}, at_line(place_, node)};
      if (below != nullptr) {
        for (const auto& [word, value] : *below) {
          if (const auto text = taken(value, path)) axis.range.emplace_back(word.str(), *text);
        }
      } else {
        axis.values = values_of(node, path);
      }
      found_.push_back({node.source().begin.line, node.source().begin.column, std::move(axis)});
    }
  }

  std::vector<std::string> values_of(const toml::node& node, const std::string& path) {
    std::vector<std::string> values;
    const toml::array* list = node.as_array();
    if (list == nullptr) {
      if (const auto text = taken(node, path)) values.push_back(*text);
      return values;
    }
    if (list->empty()) errors.push_back({at_line(place_, node) + ": " + path, "is an empty list", "give it values"});
    for (const toml::node& one : *list) {
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
    toml::source_index line, column;
    AxisText axis;
  };

  static bool is_range(const toml::table& table) {
    return table.empty() || table.contains("from") || table.contains("to") || table.contains("points") ||
           table.contains("step");
  }

  std::optional<std::string> taken(const toml::node& node, const std::string& path) {
    auto text = plain(node);
    if (!text) {
      errors.push_back({at_line(place_, node) + ": " + path, "is neither text, a finite number nor true/false",
                        "an axis is a list of values, or { from = ..., to = ..., points = ... }"});
    }
    return text;
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
  const toml::node* sweep = table->get("sweep");
  if (sweep == nullptr || !sweep->is_table()) {
    return fail({std::string(place), "has no [sweep]", "add [sweep] with an axis, e.g. batch = [1, 16, 256]"});
  }
  reader.walk(*sweep->as_table(), "");
  out.axes = reader.axes();
  if (const toml::node* columns = table->get("columns")) out.columns = reader.values_of(*columns, "columns");
  table->erase("sweep");
  table->erase("columns");
  Flattener flattener("scenario", "", place);
  flattener.walk(*table, "", {});
  append(reader.errors, flattener.errors);
  if (!reader.errors.empty()) return fail(std::move(reader.errors));
  out.facts = std::move(flattener.facts);
  return out;
}

}  // namespace ridge::catalog
