#pragma once
// The reader of config.json, fed any bytes: what it accepts must be countable, and must survive the way to a catalog
// entry and back. Used by the libFuzzer target (config_fuzz.cpp) and by the corpus that every test run replays
// (replay_test.cpp).

#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "catalog/entries/library.hpp"
#include "catalog/entries/model_entry.hpp"
#include "catalog/facts/files.hpp"
#include "catalog/facts/read_toml.hpp"
#include "catalog/hf/config.hpp"
#include "catalog/json/json_value.hpp"

namespace ridge::fuzz {

inline std::string wrong_config_refusal(const Errors& errors) {
  if (errors.empty()) return "refused without an error";
  for (const Error& error : errors) {
    if (error.where.empty() || error.what.empty() || error.hint.empty())
      return "an error without a place, text or hint";
  }
  return "";
}

/// Zero or more, and finite.
inline bool is_amount(double value) { return std::isfinite(value) && value >= 0; }

inline std::string wrong_amounts(const Model& model) {
  const ParameterParts parts = count_parameters(model);
  for (const Part part : all_parts()) {
    if (!is_amount(parts[part])) return fmt::format("{} {} parameters", parts[part], name_of(part));
    if (!is_amount(model.released[static_cast<std::size_t>(part)])) return fmt::format("bytes of {}", name_of(part));
  }
  // one rounding of the sum: the parts are whole, yet may exceed 2^53
  const double active = active_parameters(model), slack = 1e-12 * parts.total();
  if (!is_amount(active) || active > parts.total() + slack) return "more active than there are parameters";
  if (!is_amount(parts.always_read() + slack)) return "less than nothing is always read";
  if (!is_amount(weight_flops(model))) return "work with the weights that is no amount";
  if (!(routed_share(model) > 0 && routed_share(model) <= 1)) return "a share of experts that is no share";
  return "";
}

inline std::string wrong_context(const Model& model) {
  const ContextTerms terms = context_terms(model);
  for (const ContextTerm& term : terms) {
    if (!(term.limit >= 0)) return "a limit below zero";
    for (const double amount : {term.stored, term.read, term.flops, term.fixed_stored, term.fixed_read,
                                term.fixed_flops, term.root_read, term.root_flops}) {
      if (!is_amount(amount)) return fmt::format("{} of {} for each token", amount, name_of(term.held));
    }
  }
  for (const Held held : {Held::kv, Held::index, Held::state}) {
    double before = 0;
    for (const double context : {0.0, 1.0, 1000.0, 1e6, 1e12}) {
      const double stored = stored_elements(terms, held, context);
      if (!is_amount(stored) || !is_amount(read_elements(terms, held, context))) return "a context that is no amount";
      if (stored < before) return "a longer context that takes less";
      before = stored;
    }
  }
  return "";
}

/// The formats of the catalog and their sources, which every entry leans on; empty where they are not read.
inline const std::vector<catalog::Fact>& format_facts() {
  static const std::vector<catalog::Fact> facts = [] {
    std::vector<catalog::Fact> kept;
    const auto all = catalog::read_folder(RIDGE_CATALOG, "");
    if (!all) return kept;
    const auto leans_on = [&](const std::string& source) {
      for (const catalog::Fact& fact : *all) {
        if (fact.category == "format" && fact.source == source) return true;
      }
      return false;
    };
    for (const catalog::Fact& fact : *all) {
      if (fact.category == "format" || (fact.category == "source" && leans_on(fact.entry))) kept.push_back(fact);
    }
    return kept;
  }();
  return facts;
}

/// What the catalog knows of the words in configs.
inline const ConfigWords& config_words() {
  static const ConfigWords words = [] {
    std::vector<catalog::Fact> kept;
    const auto all = catalog::read_folder(RIDGE_CATALOG, "");
    if (!all) return ConfigWords{};
    for (const catalog::Fact& fact : *all) {
      if (fact.category == "config_key" || fact.category == "config_name") kept.push_back(fact);
    }
    const auto library = catalog::build_library(kept);
    return library ? catalog::config_words(*library) : ConfigWords{};
  }();
  return words;
}

/// Counts are whole numbers, exact up to 2^53; beyond, the order of a sum may cost the last digit.
inline bool other_count(double a, double b) {
  return a != b && !(std::fmax(a, b) > 9007199254740992.0 && std::fabs(a / b - 1) < 1e-12);
}

inline std::string difference(const Model& model, const Model& again) {
  const ParameterParts before = count_parameters(model), after = count_parameters(again);
  for (const Part part : all_parts()) {
    const auto at = static_cast<std::size_t>(part);
    if (other_count(before[part], after[part]))
      return fmt::format("{} of {} parameters became {}", name_of(part), before[part], after[part]);
    if (other_count(model.released[at], again.released[at]))
      return fmt::format("{} of {} bytes became {}", name_of(part), model.released[at], again.released[at]);
  }
  if (other_count(active_parameters(model), active_parameters(again))) return "another number of active parameters";
  if (other_count(weight_flops(model), weight_flops(again))) return "another amount of work";
  const ContextTerms ours = context_terms(model), theirs = context_terms(again);
  for (const Held held : {Held::kv, Held::index, Held::state}) {
    for (const double context : {0.0, 1000.0, 1e6}) {
      if (other_count(stored_elements(ours, held, context), stored_elements(theirs, held, context)) ||
          other_count(read_elements(ours, held, context), read_elements(theirs, held, context))) {
        return fmt::format("another context of {}", name_of(held));
      }
    }
  }
  return "";
}

/// The entry `ridge import` would write, read again.
inline std::string wrong_entry_of(const Model& read) {
  Model model = read;
  model.title = "fuzzed";
  const std::string toml = catalog::model_toml(model, {"config-fuzzed", "the file fuzzed", "2026-01-01"});
  const auto entry = catalog::read_entry(toml, "model", "fuzzed", "fuzzed.toml");
  const auto said = [](std::string_view what, const Errors& errors) {
    return fmt::format("{}: {}: {}", what, errors.front().where, errors.front().what);
  };
  if (!entry) return said("an entry that is no TOML", entry.error());
  const auto library = catalog::build_library(catalog::overlaid(format_facts(), *entry));
  if (!library) return said("an entry that is refused", library.error());
  const Model* again = find_named(library->models, "fuzzed");
  return again == nullptr ? "an entry that vanished" : difference(model, *again);
}

/// What broke, or nothing.
inline std::string config_complaint(std::string_view bytes) {
  if (format_facts().empty()) return "the catalog's formats are not read";
  const auto tree = catalog::parse_json(bytes, "fuzz.json");
  if (!tree) return wrong_config_refusal(tree.error());
  const auto read = catalog::read_hf_config(*tree, "fuzz.json", config_words());
  if (!read) return wrong_config_refusal(read.error());
  if (std::string wrong = wrong_amounts(read->model); !wrong.empty()) return wrong;
  if (std::string wrong = wrong_context(read->model); !wrong.empty()) return wrong;
  return wrong_entry_of(read->model);
}

/// Replaces one value or key of a JSON text by a nasty one, or by another of the same text: more of that gets past the
/// parser than of changed bytes. `random(n)` gives a number below n.
template <class Random>
std::string with_another_word(std::string_view text, Random&& random) {
  static constexpr std::array<std::string_view, 26> kNasty = {"0",
                                                              "-1",
                                                              "1",
                                                              "2",
                                                              "3",
                                                              "0.5",
                                                              "1e12",
                                                              "1e13",
                                                              "1e308",
                                                              "10000",
                                                              "999999",
                                                              "NaN",
                                                              "null",
                                                              "true",
                                                              "false",
                                                              "\"\"",
                                                              "\"x\"",
                                                              "\"auto\"",
                                                              "Infinity",
                                                              "[]",
                                                              "[0]",
                                                              "{}",
                                                              "[[]]",
                                                              "[1,2]",
                                                              "{\"model_type\":\"llama\"}",
                                                              "[\"full_attention\"]"};
  struct Word {
    std::size_t at, size;
  };
  std::vector<Word> words;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t start = i;
    if (text[i] == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i) i += text[i] == '\\' ? 1 : 0;
      i = i < text.size() ? i + 1 : text.size();
      words.push_back({start, i - start});
    } else if (std::string_view("-0123456789tfnNI").find(text[i]) != std::string_view::npos) {
      while (i < text.size() && std::string_view(",]}: \n\t\r").find(text[i]) == std::string_view::npos) ++i;
      words.push_back({start, i - start});
    } else {
      ++i;
    }
  }
  if (words.empty()) return std::string(text);
  const Word chosen = words[random(words.size())], other = words[random(words.size())];
  std::string out(text);
  const std::string_view with =
      random(3) == 0 ? text.substr(other.at, other.size) : kNasty[static_cast<std::size_t>(random(kNasty.size()))];
  return out.replace(chosen.at, chosen.size, with);
}

}  // namespace ridge::fuzz
