#include "catalog/read_toml.hpp"

#include <optional>

#include <fmt/format.h>

#include "catalog/toml_scan.hpp"

// hostile input must end in an error, never in an abort inside the parser
#define TOML_ASSERT(condition) static_assert(true)
#include <toml++/toml.h>

namespace ridge::catalog {

namespace {

std::string at_line(std::string_view place, const toml::node& node) {
  return fmt::format("{}:{}", place, node.source().begin.line);
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

  static std::optional<std::string> plain(const toml::node& node) {
    if (const auto* text = node.as_string()) return text->get();
    if (const auto* number = node.as_integer()) return fmt::format("{}", number->get());
    if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
    if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
    return {};
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

}  // namespace ridge::catalog
